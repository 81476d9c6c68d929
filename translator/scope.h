/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names to variables and functions: locals, parameters, globals of the script and of the library. */
#ifndef STAP_SCOPE_H
#define STAP_SCOPE_H

#include "resolve.h"

/*
 * Resolves every name in the unit.  Locals spring into being where a name is no global; functions that
 * are called get units of their own at the end of r->units.  Returns 0, or -1 after diag_error; goes on
 * after an error to report others.
 */
int scope_unit(struct resolver *r, struct unit *u);
/* Resolves the values that the handler of a probe keeps from the entry, from number `from` on. */
int scope_saved(struct resolver *r, struct unit *u, size_t from);
/* Resolves an expression outside of any unit (a probe's condition): globals only. */
int scope_condition(struct resolver *r, struct expr **e);

/*
 * scope_context.c: functions that look at the context of the probe that calls them ($variables, @entry, registers)
 * exist once for each such probe.
 */
/* Does the code, or a function it calls?  Before context variables are lowered. */
bool stmt_needs_context(struct resolver *r, struct stmt *st);
bool expr_needs_context(struct resolver *r, struct expr *e);
/* Does f, or an overload of it, or what it calls?  Asks for library files on the way. */
bool func_needs_context(struct resolver *r, struct func *f);
/* The copy of f and its overloads for p, made at the first call. */
struct func *func_for_probe(struct resolver *r, struct func *f, struct probe *p);

/* scope_shape.c: sets `composite` of the script's globals.  Before any unit is resolved. */
void scope_shapes(struct session *s);

/* scope_find.c */
/* The global that `name` means in code at `loc`; NULL when there is none.  Loads library files. */
struct var *find_global(struct resolver *r, const char *name, struct loc loc, bool in_func);
/*
 * The functions that a call of `name` with n arguments at `loc` means, chained by next_overload in order
 * of priority; NULL when there is none.  *other_arity is set to one with another number of parameters.
 */
struct func *find_func(struct resolver *r, const char *name, size_t n, struct loc loc, struct func **other_arity);
/* What calls mean, as find_func() keeps it (struct resolver). */
GHashTable *call_meanings_new(void);
/* Is there a function of that name which only its own file sees? */
bool find_private(struct resolver *r, const char *name, struct loc *ret);
/* Attaches the nearest known function or global to the last error. */
void help_func(struct resolver *r, const char *name);
void help_global(struct resolver *r, const char *name, const struct unit *u);

#endif
