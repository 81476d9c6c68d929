/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pass 2 as a list of steps over units.  A unit is one body of code with a scope of its own: a
 * handler or a function.  The steps, in order (resolve.c): derive, scope (names), display (globals that
 * are never read), fold and optimise, infer (types), checks, lock.
 */
#ifndef STAP_RESOLVE_H
#define STAP_RESOLVE_H

#include "provider.h"

struct unit {
	struct probe *probe;   /* a handler, or */
	struct func *func;     /* a function; its body is NULL when it is implemented elsewhere */
	struct probe *caller;  /* a function's copy for one probe: that */
	bool idle;             /* a function that nothing calls: its names have to be right, but it goes before types are looked at */
	struct stmt **body;
	struct file *file;     /* a function's file; NULL for handlers, where every node knows its own */
	GPtrArray *locals;     /* struct var, without a function's parameters */
	GHashTable *names;     /* name -> struct var, parameters too */
	GPtrArray *calls;      /* struct func called from here (first of the overloads), after count_uses() */
};

struct resolver {
	struct session *s;
	GPtrArray *units;      /* struct unit; functions are appended as calls to them are met */
	GHashTable *unit_of;   /* struct func -> struct unit */
	GPtrArray *globals;    /* struct var met so far */
	GHashTable *global_set; /* the same, to ask for one */
	GHashTable *meanings;  /* what calls mean (scope_find.c) */
	GHashTable *file_of;   /* struct source -> struct file */
	GHashTable *context;   /* struct func -> does it need a probe's context (scope_context.c) */
	GHashTable *copies;    /* struct probe -> GHashTable of struct func -> its copy */
	guint scoped;          /* how many units are resolved already */
};

/* The variable's or expression's name in messages. */
const char *expr_describe(struct session *s, const struct expr *e);

/* The file that holds a node; NULL for made-up ones. */
struct file *resolver_file(struct resolver *r, struct loc loc);

/* Makes a unit (for a function: its body copied and context variables lowered, names not resolved yet). */
struct unit *unit_for_probe(struct resolver *r, struct probe *p);
struct unit *unit_for_func(struct resolver *r, struct func *f, struct file *file);
/* The probe whose context the unit's code runs in; NULL for functions that any probe may call. */
static inline struct probe *unit_probe(const struct unit *u)
{
	return u->probe ? u->probe : u->caller;
}
/* Gives back what a unit that is out of all lists holds. */
void unit_free(struct unit *u);
/* Forgets units of functions that nothing calls any more. */
void resolver_drop_unused(struct resolver *r);
void resolver_init(struct resolver *r, struct session *s);
void resolver_free(struct resolver *r);
/* Arrays that change while a loop goes through them (loop_check.c).  0, or -1 after diag_error. */
int check_loops(struct resolver *r);
/* Lowers context variables and resolves all names of all units, and of those met on the way. */
int resolver_scope(struct resolver *r);

#endif
