/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows .function("...") in a point of a program. */
#ifndef STAP_USER_FUNCTION_H
#define STAP_USER_FUNCTION_H

#include "probe_process.h"

struct user_suffix {
	const struct point_comp *comp;   /* function(...) or statement(...) */
	const char *text;                /* all behind it, ".return" */
	const char *label, *callee;      /* patterns */
	int64_t depth, maxactive;
	bool is_return, at_returns, is_call, is_inline, exported, nearest;
};

struct dwarf_file;
struct dwarf_index;

/* probe_process_func.c.  Whether the name is that of a function that the program picks when it starts (STT_GNU_IFUNC). */
bool user_is_ifunc(struct session *s, const struct user_object *o, const char *name);
/* The same; says so if it is. */
bool user_help_ifunc(struct user_point *up, const struct user_object *o, const char *name);
/* Likewise of a function of a library that the file calls. */
bool user_help_imported(struct user_point *up, const struct user_object *o, const char *name);

/* probe_process_dwarf.c.  The program's index, and its file; NULL: it has no debug information. */
struct dwarf_index *user_dwarf_index(struct session *s, const struct user_object *o, struct dwarf_file **file);
/* Functions or (word "statement") statements by a pattern, in a program with debug information; as the other derivers. */
int user_derive_dwarf(struct user_point *up, const struct user_object *o, const struct user_suffix *sx, const char *word);
/* Fills in file and DIE of a place known by its address; the function's name, or NULL. */
const char *user_dwarf_place(struct user_point *up, const struct user_object *o, struct user_place *place);

#endif
