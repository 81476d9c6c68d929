/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that look at the context of the probe that calls them (scope.h). */
#include <string.h>
#include "scope.h"

enum need { NEED_UNKNOWN, NEED_NOT, NEED };

struct search {
	struct resolver *r;
	bool found;
};

static bool note_context(struct walker *w, struct expr **pe)
{
	struct search *se = w->data;
	const struct expr *e = *pe;
	struct func *other;

	if (e->kind == EX_TARGET || e->kind == EX_ENTRY || target_op_needs_probe(e))
		se->found = true;
	else if (e->kind == EX_CALL)
		se->found = func_needs_context(se->r, e->func ? e->func :
					       find_func(se->r, e->name, e->nargs, e->loc, &other));
	return !se->found;
}

bool stmt_needs_context(struct resolver *r, struct stmt *st)
{
	struct search se = { .r = r };
	struct walker w = { .expr = note_context, .data = &se };

	if (st)
		walk_stmt(&w, &st);
	return se.found;
}

bool expr_needs_context(struct resolver *r, struct expr *e)
{
	struct search se = { .r = r };
	struct walker w = { .expr = note_context, .data = &se };

	if (e)
		walk_expr(&w, &e);
	return se.found;
}

static enum need find_need(struct resolver *r, struct func *f)
{
	enum need need = GPOINTER_TO_INT(g_hash_table_lookup(r->context, f));

	if (need != NEED_UNKNOWN)
		return need;
	g_hash_table_insert(r->context, f, GINT_TO_POINTER(NEED_NOT)); /* recursion adds nothing */
	if (f->runtime || !f->body || !stmt_needs_context(r, f->body))
		return NEED_NOT;
	g_hash_table_insert(r->context, f, GINT_TO_POINTER(NEED));
	return NEED;
}

bool func_needs_context(struct resolver *r, struct func *f)
{
	for (; f; f = f->next_overload)
		if (find_need(r, f) == NEED)
			return true;
	return false;
}

static struct func *copy_func(struct resolver *r, const struct func *f)
{
	struct func *copy = arena_alloc(r->s, sizeof(*copy));

	*copy = *f;
	copy->params = arena_alloc(r->s, sizeof(*copy->params) * (f->nparams + 1));
	for (size_t i = 0; i < f->nparams; i++) {
		copy->params[i] = arena_alloc(r->s, sizeof(**copy->params));
		*copy->params[i] = *f->params[i];
	}
	copy->body = f->body ? stmt_copy(r->s, f->body) : NULL;
	copy->used = true;
	copy->next_overload = NULL;
	return copy;
}

struct func *func_for_probe(struct resolver *r, struct func *f, struct probe *p)
{
	GHashTable *copies = g_hash_table_lookup(r->copies, p);
	struct func *first, **link = &first;

	if (!copies) {
		copies = g_hash_table_new(NULL, NULL);
		g_hash_table_insert(r->copies, p, copies);
	}
	first = g_hash_table_lookup(copies, f);
	if (first)
		return first;
	for (struct func *o = f; o; o = o->next_overload) {
		struct func *copy = copy_func(r, o);

		*link = copy;
		link = &copy->next_overload;
		o->used = true;
		g_hash_table_insert(copies, o, copy);
		g_hash_table_insert(copies, copy, copy); /* a call that is resolved already */
		g_hash_table_insert(r->context, copy, GINT_TO_POINTER(NEED));
		unit_for_func(r, copy, resolver_file(r, o->loc))->caller = p;
	}
	return first;
}
