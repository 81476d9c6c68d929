/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader: puts a probe module into the kernel, tells it the addresses it asked for, copies its
 * output, and takes it out again.  It runs with privilege, so it uses the C library alone and keeps
 * every buffer it reads bounded.
 *
 * Errors: functions return -1 after having said why on standard error (complain()).
 */
#ifndef STAPRUN_H
#define STAPRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "stp_msg.h"

struct setting { /* VAR=VALUE on the command line */
	const char *name, *value;
};

struct options {
	const char *module;        /* path or name */
	const char *command;       /* -c */
	pid_t target;              /* -x */
	pid_t namespaces;          /* -n */
	const char *output;        /* -o */
	uint64_t file_size;        /* -S: bytes a file, 0: one file */
	unsigned file_count;       /* -S: files kept, 0: all */
	double timeout;            /* -T, seconds */
	bool load_only;            /* -L */
	bool attach;               /* -A */
	bool delete;               /* -d */
	bool daemonize;            /* -D */
	bool keep_name;            /* the module's name stays as it is */
	bool suppress_warnings;    /* -w */
	unsigned verbose;          /* -v */
	struct setting *settings;
	unsigned nsettings;
};

extern struct options opt;

/* "ERROR: ..." on standard error; returns -1. */
int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void chat(unsigned level, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* -v */

/* image.c: a module file in memory */
struct image {
	unsigned char *data;
	size_t size;
	char name[64];             /* the module's name, as it will be loaded */
};
int image_read(struct image *im, const char *path);
void image_free(struct image *im);
/* The release of the kernel that the module was made for, copied to buf; NULL when it does not say. */
const char *image_release(const struct image *im, char *buf, size_t size);
/* STP_MSG_VERSION of the stap that made it, 0 for a module that none made. */
int image_stap_version(const struct image *im);
/* A section's bytes inside im->data, NULL when there is none. */
unsigned char *image_section(const struct image *im, const char *name, size_t *size);
/* Gives a module of ours a name of its own, so that one file may be loaded many times at once. */
void image_make_unique(struct image *im);

/* module.c */
int module_find(const char *name, char *path, size_t size); /* a bare name: the kernel's systemtap directory */
int module_load(const struct image *im);
int module_unload(const char *name);   /* waits until its last user has gone */
bool module_is_other(const char *name); /* loaded, and not made by stap */
/* A process that removes the module when this one dies; returns the descriptor that keeps it waiting. */
int watcher_start(const char *name);
void watcher_dismiss(int fd);

/* kallsyms.c: addresses of kernel symbols */
struct symbol_query {
	const char *module;        /* "vmlinux" or a module's name */
	const char *symbol;
	bool data;                 /* a variable, not a function */
	bool percpu;               /* ... a per-CPU one: its offset */
	uint64_t *addr;            /* result: every address of that name, malloc'ed */
	unsigned naddr;
	bool clones;               /* copies that the compiler made of it, too */
	bool single;               /* there is one of that name: when all are found, the rest need not be read */
};
/* Resolves all at once; a name that is not there has naddr 0.  Queries of the same name may be repeated. */
int kallsyms_resolve(struct symbol_query *q, size_t n);
/* The same from the list of functions that ftrace can trace: names that are not in it have naddr 0, and an address is that
 * of the call to ftrace in the function.  -1, without a word, when this kernel has no such list. */
struct address_list {
	uint64_t *addr;            /* malloc'ed */
	size_t n, room;
};
/* *all: every address of the list, for address_list_has(); empty before, to be freed by the caller also after errors. */
int traceable_resolve(struct symbol_query *q, size_t n, struct address_list *all);
bool address_list_has(const struct address_list *l, uint64_t addr);
void kallsyms_free(struct symbol_query *q, size_t n);

/* background.c, -D */
int background_go(void);       /* returns in the process that goes on; the caller's ends with the other's news */
int background_live(void);     /* probes are live; -1, after saying so, when nobody waits for that any more */
void background_forget(void);  /* for children: they tell nothing */

/* kptr.c: around what shows addresses of the kernel; kptr_restore() takes what kptr_lower() gave, and leaves errno alone. */
int kptr_lower(void);
void kptr_restore(int lowered);

/* build_id.c: what sysfs tells.  `module`: a name (`-` and `_` are the same), of build ids also "vmlinux". */
bool running_build_id(const char *module, char *hex, size_t size); /* false when it tells none */
bool module_is_loaded(const char *module);                         /* and not about to go */
/* Where a section of a loaded module is (".text", ".data"); false when that is not told. */
bool module_section_address(const char *module, const char *section, uint64_t *addr);

/* sites.c */
int sites_send(int control, const struct image *im);

/* addresses.c */
int addresses_send(int control, const struct image *im);
/* lines.c: source lines of kernel code */
int lines_send(int control, const struct image *im);
/* programs.c: files that probes are in, and places in them */
int programs_send(int control, const struct image *im);
/* file_build_id.c: the build id in hexadecimal, id has 2 * BUILD_ID_MAX + 1 bytes; false: the file has none */
#define BUILD_ID_MAX 64
bool file_build_id(int fd, char *id);

/* control.c */
int control_open(const char *name);
int control_setvars(int control);
/* These run in a thread of their own: they say nothing, and return 0 or an errno. */
int control_start(int control, pid_t target);
int control_stop(int control, struct stp_stop_info *info);

/* tables.c: symbols and frames of user programs, for modules that ask for them */
/* Opens what a request without a descriptor names: its descriptor, in rq->fd too; -1: there is none. */
struct stp_file_request;
int table_source_open(struct stp_file_request *rq);
int tables_start(int control);
void tables_stop(void);

/* reader.c */
struct reader;
struct reader *reader_open(int control);
/*
 * Copies what is there; final: also waits for records that are still being written.  When the output fails, that is
 * said (and returned) once, and what is read from then on is dropped.
 */
int reader_drain(struct reader *r, bool final);
void reader_close(struct reader *r);

/* output.c */
int output_open(void);
int output_write(const char *p, size_t n);
int output_flush(void);
/* The next file of the row begins; without -S, FILE.1, FILE.2 and so on follow FILE.  Nothing where there is no -o. */
int output_switch(void);
void output_close(void);

/* input.c: the standard input, for scripts that have probes on it */
struct input {
	int fd, control;
	bool terminal, chars;      /* chars: key by key */
};
void input_open(struct input *in, int control); /* asks the module whether there are such probes */
/* What to wait for: -1 when nothing is wanted, or not now (in the background). */
int input_poll_fd(struct input *in);
void input_take(struct input *in);     /* hands on what is there */
void input_close(void);                /* the terminal as it was */

/* child.c: the -c command, held until probes are live */
struct child {
	pid_t pid;
	int gate;                  /* closing it lets the command run */
};
int child_hold(struct child *ch, const char *command, bool no_input); /* no_input: its standard input is ours alone */
void child_release(struct child *ch);
void child_kill(struct child *ch);
void child_system(const char *command, size_t len); /* system() in a script */

/* session.c: from loaded module to unloaded module; watcher: of watcher_start(), or -1; returns the exit status */
int session_run(const char *name, const struct image *im, bool attach, int watcher);

#endif
