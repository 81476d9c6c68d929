/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros of the library, and which @names belong to the language itself. */
#ifndef STAP_MACRO_TABLE_H
#define STAP_MACRO_TABLE_H

#include "macro.h"

struct macro {
	const char *name;      /* without the @ */
	struct loc loc;
	const char **params;
	size_t nparams;
	bool has_parens;       /* was defined with a parameter list, perhaps an empty one */
	struct token *body;
	size_t nbody;
};

/* The session's table of library macros: name -> struct macro. */
GHashTable *macro_library(struct session *s);
/* A library macro, its file read on first use; NULL when there is none. */
struct macro *macro_find_library(struct session *s, const char *name);
/* Is @name an operator of the language? */
bool macro_is_builtin(const char *name);
/* How an example is called, by the first comment of its text: "stap --example leaks LIBRARY", a line each; g_strfreev() it. */
char **args_usage(const char *text);

#endif
