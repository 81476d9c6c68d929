/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the loader and the module say to each other.
 *
 * The module's control file is /proc/stap-NAME (mode 0600), NAME the module's, which may be "stat".  It is opened
 * once; when it is closed all probes go at once.  Order of calls: INFO, MODULE for each module with sites, SITES for each probe,
 * ADDRS for each of the modules, ADDRESSES, FILE and USITES, SETVAR, START, then mmap'ed output until
 * poll() says POLLHUP or the loader has enough, STOP, the rest of the output, close, delete_module.
 */
#ifndef STP_MSG_H
#define STP_MSG_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define STP_MSG_VERSION 3 /* also in .modinfo, as stap=3: what has not is no module of ours */
#define STP_CONTROL_PREFIX "stap-"

enum { STP_INFO_TABLES = 1 }; /* it asks for tables of user programs: FILE_NEXT */
struct stp_info {
	__u32 version;       /* STP_MSG_VERSION */
	__u32 nprobes;
	__u32 ncpus;         /* rings: possible CPUs, plus one for begin/end (the last) */
	__u32 ring_bytes;    /* data bytes of one ring, a power of two */
	__u64 mmap_bytes;    /* size of the whole mapping; layout below */
	__u32 flags, pad;    /* STP_INFO_* */
};

enum {
	STP_SITE_FTRACE = 1, /* address is a function entry that ftrace can trace */
	STP_SITE_BUILD = 2,  /* struct stp_modsite: right only for a module with that build id */
	STP_SITE_CLONES = 4, /* struct stp_modsite: also SYMBOL.isra.N and SYMBOL.constprop.N */
};
struct stp_site {
	__u64 addr;
	__u32 flags;
	__u32 id;            /* line number of the site in .stap_sites, for messages */
};
struct stp_sites {
	__u32 probe, nsites;
	__u64 sites;         /* struct stp_site * */
};
struct stp_addresses {
	__u32 n, pad;
	__u64 addresses;     /* u64 *: in the order of .stap_addresses; 0: not found */
};
/*
 * Modules come and go: their sites are told by name first, so that the runtime finds them in each arrival of the module,
 * then by address where it is loaded now.  Addresses are taken only when the module has neither come nor gone since.
 */
struct stp_modsite {
	__u64 offset;        /* from the symbol */
	__u32 symbol;        /* offset in the text */
	__u32 probe;         /* ascending */
	__u32 flags, id;     /* as of struct stp_site */
};
#define STP_BUILD_ID_MAX 32
struct stp_module {
	char name[64];       /* with `_`, never `-` */
	__u32 nsites, text_len;
	__u64 sites, text;   /* struct stp_modsite *; NUL-terminated names */
	__u8 build_id[STP_BUILD_ID_MAX];
	__u32 build_id_len, pad;
};
struct stp_modaddr {
	__u64 addr;
	__u32 site, pad;     /* index into the module's sites; several addresses of one site are allowed */
};
struct stp_addrs {
	char name[64];
	__u32 naddrs, pad;
	__u64 addrs;         /* struct stp_modaddr * */
};
/* File number `index` of the module's: an open descriptor; the module keeps the file. */
struct stp_file {
	__u32 index;
	__s32 fd;
};
struct stp_usite {
	__u64 offset, semaphore; /* in the file; semaphore 0: none */
	__u32 name;          /* offset in names */
	__u32 id;            /* line number of the site in .stap_programs */
};
/* Places of a probe in one file; of an STP_TASK probe only whose events it wants. */
struct stp_usites {
	__u32 probe, nsites;
	__s32 file;          /* number of the file; STP_TASK: the program, -1: any */
	__s32 pid;           /* only in this process; 0: any */
	__s32 program;       /* only in processes that run this file; -1: any */
	__u32 names_size;
	__u64 sites;         /* struct stp_usite * */
	__u64 names;         /* names_size bytes: strings with their terminators */
};
struct stp_setvar {
	char name[64];
	__u32 len, pad;
	__u64 value;         /* const char *, len bytes: a number or the string */
};
enum { STP_START_DETACHED = 1 }; /* closing the control file does not end the session (staprun -L); a later
                                  * open (staprun -A) finds it running; removing the module ends it */
struct stp_start {
	__s32 target;        /* target(): pid, 0 none */
	__u32 flags;
	__s32 namespaces;    /* whose namespaces the ns_ functions speak of: pid, 0 the loader's */
	__s32 tz_west;       /* the loader's time zone: seconds west of UTC, abbreviation */
	char tz_name[12];
};
/* Bytes of the standard input, for the probes on it; with len 0 only the question whether there are any. */
#define STP_INPUT_MAX 4096
struct stp_input {
	__u64 text;          /* const char * */
	__u32 len;           /* up to STP_INPUT_MAX */
	__u32 end;           /* 1: nothing more comes; a last line without newline is one */
};
enum { STP_INPUT_WANTS_CHARS = 1, STP_INPUT_WANTS_LINES = 2 }; /* the call's result */
struct stp_stop_info {
	__u32 error;         /* the session ended by an error: exit status 1 */
	__u32 pad;
	__u64 errors, skipped;
};

/*
 * Tables of user programs (stp_utab.h).  A thread of the loader calls FILE_NEXT, which waits until a file needs a table, and
 * hands it to stap-tables; TABLE brings what that made (size 0: nothing can be had).  FILE_NEXT fails with
 * ENOTTY where the script needs none, and with ESHUTDOWN when the session is over.
 */
enum { STP_TABLE_FUNC = 1, STP_TABLE_DATA = 2, STP_TABLE_ROWS = 4, STP_TABLE_LINES = 8, STP_TABLE_PERF_MAP = 16 /* not of an ELF file */ };
enum { STP_SOURCE_FILE, STP_SOURCE_VDSO /* the kernel's, mapped into every process */, STP_SOURCE_PERF_MAP /* of process `pid` */ };
struct stp_file_request {
	__u32 id;
	__s32 fd;            /* STP_SOURCE_FILE: a new descriptor of the caller's */
	__u32 what;          /* STP_TABLE_* */
	__u32 source;        /* STP_SOURCE_*: what there is to read */
	__s32 pid, pad;      /* in the caller's pid namespace, 0: it has gone */
	char path[256];      /* for messages, cut */
};
struct stp_file_table {
	__u32 id, size;
	__u64 table;         /* struct stp_utab * */
};

/* Source lines of kernel code: a struct stp_utab whose addresses count from `addr`. */
struct stp_lines {
	__u64 addr, length;
	__u64 table;         /* const struct stp_utab * */
	__u32 size, pad;
};

/* Length of the name of the function that `name` is a whole copy of ("foo.constprop.0.isra.1": 3), 0 when it is none. */
static inline __u32 stp_clone_base(const char *name, __u32 len)
{
	static const char *const marks[] = { ".isra.", ".constprop." };
	__u32 base, at, m, k;

	for (base = 0; base < len && name[base] != '.'; base++)
		;
	for (at = base; at < len;) {
		for (m = 0; m < 2; m++) {
			for (k = 0; marks[m][k] && at + k < len && name[at + k] == marks[m][k]; k++)
				;
			if (!marks[m][k])
				break;
		}
		if (m == 2)
			return 0; /* .cold, .part.0: not entered by a call of the function */
		for (at += k; at < len && name[at] >= '0' && name[at] <= '9'; at++)
			;
	}
	return base && base < len ? base : 0;
}

#define STP_IOC_INFO   _IOR('S', 1, struct stp_info)
#define STP_IOC_SITES  _IOW('S', 2, struct stp_sites)
#define STP_IOC_SETVAR _IOW('S', 3, struct stp_setvar)
#define STP_IOC_START  _IOW('S', 4, struct stp_start)   /* runs begin probes, attaches the rest; 0 or -errno */
#define STP_IOC_INPUT  _IOW('S', 7, struct stp_input)   /* ENOTTY: no such probes */
#define STP_IOC_FILE   _IOW('S', 8, struct stp_file)
#define STP_IOC_USITES _IOW('S', 9, struct stp_usites)
#define STP_IOC_STOP   _IOR('S', 5, struct stp_stop_info) /* detaches, runs end (or error) probes; idempotent */
#define STP_IOC_ADDRESSES _IOW('S', 6, struct stp_addresses)

#define STP_IOC_LINES  _IOW('S', 24, struct stp_lines)  /* before START; ENOTTY: not asked for */
#define STP_IOC_MODULE _IOW('S', 20, struct stp_module)
#define STP_IOC_ADDRS  _IOW('S', 21, struct stp_addrs)

#define STP_IOC_FILE_NEXT _IOR('S', 16, struct stp_file_request)
#define STP_IOC_TABLE  _IOW('S', 17, struct stp_file_table)

/*
 * Mapping: ncpus struct stp_ring headers, one a page, then ncpus data areas of ring_bytes each.
 * The module advances head, the loader tail (free-running byte counts).  A record starts 8-aligned; a record never
 * wraps: one of kind STP_REC_PAD fills the end.  Records of all rings are put in order by seq, which has no gaps.
 */
struct stp_ring {
	__u64 head __attribute__((aligned(64)));
	__u64 tail __attribute__((aligned(64)));
};
enum { STP_REC_PAD, STP_REC_OUT /* standard output */, STP_REC_WARN /* a line for standard error, "WARNING: " comes before it */,
       STP_REC_ERROR /* likewise, "ERROR: " */, STP_REC_SYSTEM /* a shell command to run: system() */,
       STP_REC_SWITCH /* what follows goes to the next output file: switch_file(); a blank */ };
struct stp_rec {
	__u64 seq;           /* PAD: 0, does not count */
	__u32 len;           /* bytes of text behind the header */
	__u32 kind;
};
#endif
