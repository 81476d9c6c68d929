/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file (the kernel, a module, a program or library) together with its debug information, wherever
 * that lies: found, checked by build id, opened and relocated.  What is in it is asked of dwarf_index.h;
 * libdw handles for types and locations come from here.
 *
 * Addresses are file addresses everywhere: those of the ELF's program headers.  Every libdw handle that is
 * handed out has bias 0, so what libdw says needs no correction.  Relocatable files (modules) have no
 * addresses of their own: libdwfl lays their allocated sections out one behind the other, from base 0, in the
 * same way each time the same file is opened, and applies the relocations of the debug sections.  Such an
 * address means nothing outside: dwarf_file_reference() turns it into section + offset, and
 * dwarf_file_section_address() back.
 *
 * Opening reads headers and symbols; DWARF is opened at the first dwarf_file_dwarf().  Not for use by two
 * threads at once (libdw is not).
 */
#ifndef STAP_DWARF_FILE_H
#define STAP_DWARF_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <elfutils/libdw.h>
#include <gelf.h>

struct session;
struct dwarf_index;  /* dwarf_index.h */
struct kernel_target;

enum dwarf_file_kind { DWARF_FILE_KERNEL, DWARF_FILE_MODULE, DWARF_FILE_USER };

struct dwarf_file {
	enum dwarf_file_kind kind;
	char *name;          /* "kernel", the module's name (with _), or the path: for messages */
	char *path;          /* the ELF file itself, absolute; NULL when only its debug file is here */
	char *debug_path;    /* the file with .debug_info (may be `path`), or NULL: there is none */
	char *build_id;      /* lower-case hex, or NULL: the file has none */
	char *problem;       /* why there is no DWARF and the way out, a sentence; NULL when there is */
	char *warning;       /* a debug file that was passed over (of another build, not readable), or a dwz file that is not here; or NULL */
	char *unfetched;     /* why the servers of DEBUGINFOD_URLS did not send it; or NULL */
	bool relocatable;    /* ET_REL: see above */
	bool executable;     /* ET_EXEC: addresses are where the process has them */
	uint16_t machine;    /* EM_X86_64 ... */
	struct dwarf_file_priv *priv;
};

/*
 * The session's files, each opened once and closed by session_free().  Errors are remembered: asking again
 * gives the same answer.  NULL with *err (g_free() it) when there is no such file, or it is no ELF file, or it
 * cannot be read; a file without DWARF is no error (`problem`).
 *
 * dwarf_kernel: the target kernel's vmlinux (s->kernel must be set), checked against the target's build id
 *   where both are known: one of another build is not used, *err names both ids.
 * dwarf_module: by name (`-` and `_` are the same) or by absolute path of the .ko; a name also finds what was opened by path.
 * dwarf_user: by path, symbolic links followed.
 * A module's or program's debug file of another build is passed over (`warning` names both ids).
 */
struct dwarf_file *dwarf_kernel(struct session *s, char **err);
struct dwarf_file *dwarf_module(struct session *s, const char *name_or_path, char **err);
struct dwarf_file *dwarf_user(struct session *s, const char *path, char **err);

/* The session's index of `f`, loaded or built at the first call; NULL with *err only when the file is damaged.
 * Files without DWARF have one as well, with symbols alone. */
struct dwarf_index *session_dwarf_index(struct session *s, struct dwarf_file *f, char **err);

/* Closes what the session has opened: session_free() calls it. */
void session_dwarf_close(struct session *s);

/* Where debug files are looked for; a zeroed one means the usual places. */
struct dwarf_search {
	const char *path;             /* SYSTEMTAP_DEBUGINFO_PATH: directories, `:` between; NULL: from the environment */
	const char *root;             /* directory that stands for `/` (a target's tree), or NULL */
	bool no_debuginfod;           /* do not ask servers, whatever DEBUGINFOD_URLS says */
	const char *want_build_id;    /* refuse another one; NULL: any */
};

/*
 * Opens `path` (or, when `path` is NULL, just `debug_path`) under `name`.  `debug_path` NULL: looked for by build id,
 * .gnu_debuglink and mirrored paths, in `search->path` or /usr/lib/debug, below `search->root`, then from
 * debuginfod.  For tools and tests; the translator uses the functions above.  Returns 0, or -1 with *err
 * naming the file.
 */
int dwarf_file_open(enum dwarf_file_kind kind, const char *name, const char *path, const char *debug_path,
		    const struct dwarf_search *search, struct dwarf_file **ret, char **err);
/* NULL is allowed.  Indexes of the file must be closed first. */
void dwarf_file_close(struct dwarf_file *f);

/* The libdw handle, bias 0, relocated, with its alternate (dwz) file; owned by `f`.  NULL when there is no
 * DWARF, see `problem`. */
Dwarf *dwarf_file_dwarf(struct dwarf_file *f);
/* CFI for frame bases and CFA rules: .debug_frame, and .eh_frame of the main file; each may be NULL; bias 0. */
Dwarf_CFI *dwarf_file_debug_frame(struct dwarf_file *f);
Dwarf_CFI *dwarf_file_eh_frame(struct dwarf_file *f);
/* The ELF of the file itself, or of its debug file when only that is here. */
Elf *dwarf_file_elf(struct dwarf_file *f);

/*
 * The portable form of an address: "_stext" + offset for the kernel, section name + offset for a module.
 * *symbol lives as long as `f`.  False for an address outside the file, and for user files.
 */
bool dwarf_file_reference(struct dwarf_file *f, uint64_t addr, const char **symbol, uint64_t *offset);
/* The address of section + offset (".text", 0x10); false when there is no such place. */
bool dwarf_file_section_address(struct dwarf_file *f, const char *section, uint64_t offset, uint64_t *addr);
/* The bytes of the file loaded at `addr`, at most `len`: their number, 0 when there are none (also for a
 * debug file alone, which has no code). */
size_t dwarf_file_read(struct dwarf_file *f, uint64_t addr, void *buf, size_t len);

/* Is that message (err, `warning`) about a file of another build?  Both build ids are in it then.  NULL is allowed. */
static inline bool dwarf_names_other_build(const char *message)
{
	return message && strstr(message, " is of another build: ");
}

/* What to install to get the debug information of this file on this distribution, as a sentence part:
 * "install it with `apt install linux-image-6.1.0-1-amd64-dbg`".  g_free() it. */
char *dwarf_file_hint(const struct dwarf_file *f, const struct kernel_target *k);

#endif
