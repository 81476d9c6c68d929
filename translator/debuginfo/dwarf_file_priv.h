/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dwarf_file*.c and the index builder share of an opened file. */
#ifndef STAP_DWARF_FILE_PRIV_H
#define STAP_DWARF_FILE_PRIV_H

#include <elfutils/libdwfl.h>
#include <glib.h>
#include "blob.h"

struct dwarf_file;
struct dwarf_search;

struct dwarf_file_priv {
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;                  /* of the file itself */
	Dwarf *dwarf;
	bool dwarf_asked;          /* `dwarf` is the answer */
	bool debug_given;          /* libdwfl has been told of debug_path */
	char *alt_path;            /* dwz file, or NULL */
	uint64_t text_reference;   /* kernel: address of _stext, 0: not looked up */
	struct blob unpacked;      /* a compressed file's content */
	Dwarf_CFI *eh_frame, *debug_frame;
	bool eh_asked, debug_frame_asked;
	GHashTable *strings;       /* names handed out by dwarf_file_reference() */
};

/* dwarf_layout.c: a descriptor for libdwfl in place of `fd`, which is closed when it is another: of a relocatable file whose
 * sections have addresses, a copy without them. */
int dwarf_layout_fd(int fd, const char *path);

/* dwarf_find.c: what a debug file must fit to. */
struct dwarf_wanted {
	const char *path;          /* the ELF file, or NULL */
	const char *build_id;      /* hex, or NULL */
	const char *debuglink;     /* or NULL */
	uint32_t crc;
	const struct dwarf_search *search;
};

/*
 * Looks for the file with .debug_info of a file that has none.  Returns its path or NULL; *warning gets what was passed over and why
 * (another build, not readable), *unfetched why the servers did not send it; both must be NULL before, g_free() them.
 */
char *dwarf_find_debug(const struct dwarf_wanted *w, char **warning, char **unfetched);
/* The dwz file that `debug_path` names in .gnu_debugaltlink; NULL with *why when it names one that is not found. */
char *dwarf_find_alt(const char *debug_path, const struct dwarf_search *search, char **why);
/* Build id of an ELF file as hex, or NULL; *has_dwarf (may be NULL): it has a .debug_info with content. */
char *dwarf_elf_identity(Elf *elf, bool *has_dwarf);
/* Reads .gnu_debuglink. */
char *dwarf_elf_debuglink(Elf *elf, uint32_t *crc);

/* dwarf_fetch.c: asks the servers of DEBUGINFOD_URLS for debug information (or, `executable`, the file itself) of
 * a build id.  The path in the client's cache, NULL with *why. */
char *dwarf_fetch(const char *build_id, bool executable, const char *name, char **why);

#endif
