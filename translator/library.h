/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tapset library: which file of which directory defines a name, found by a quick scan of the
 * text, and the files parsed when a script needs one of their names.  A file that nothing needs is
 * never parsed, so a broken one stops nobody.
 *
 * Directories in order: each -I, the tapset directory (SYSTEMTAP_TAPSET, the build tree's or the
 * installed one), /usr/share/systemtap/tapset, systemtap/tapset below each XDG_DATA_DIRS.  A name
 * comes from the first of these that defines it; within one directory all its files count.  Each has
 * sub-directories that belong to a kernel version and a processor: DIR/6.1.0/x86, DIR/6.1, DIR/x86_64 ...
 */
#ifndef STAP_LIBRARY_H
#define STAP_LIBRARY_H

#include "session.h"

enum lib_kind { LIB_FUNC, LIB_GLOBAL, LIB_ALIAS, LIB_MACRO, LIB_NKINDS };

/* Parses the files that define `name` (a function or global).  True when there are any. */
bool library_require(struct session *s, enum lib_kind kind, const char *name);
/* Parses the files with an alias that `p`, with or without wildcards, may stand for. */
void library_require_aliases(struct session *s, const struct point *p);
/* Parses everything: --dump-functions, --dump-probe-aliases. */
void library_require_all(struct session *s);

/* The parsed library files so far, struct file *, in order of loading. */
const GPtrArray *library_files(struct session *s);
/* Names of a kind for "did you mean": char * owned by the library, in an array of the caller's. */
GPtrArray *library_names(struct session *s, enum lib_kind kind);
/* The .stpm file that defines a macro, or NULL. */
const char *library_macro_path(struct session *s, const char *name);
/* Names of all macros, like library_names(). */
GPtrArray *library_macro_names(struct session *s);

/* library_scan.c: calls `found` for each definition in the text of one file; names are arena copies. */
typedef void library_found_fn(void *data, enum lib_kind kind, const char *name);
void library_scan(struct session *s, const char *text, size_t len, library_found_fn *found, void *data);

#endif
