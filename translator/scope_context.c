/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that look at the context of the probe that calls them (scope.h). */
#include <string.h>
#include "scope.h"

enum need { NEED_UNKNOWN, NEED_NOT, NEED };

struct search {
	struct resolver *r;
	GPtrArray *visited;     /* functions, "not" until the whole search is over */
	bool found;
};

static bool find_need(struct search *outer, struct func *f);

static bool any_needs(struct search *se, struct func *f)
{
	for (struct func *o = f; o; o = o->next_overload)
		if (find_need(se, o))
			return true;
	return false;
}

static bool note_context(struct walker *w, struct expr **pe)
{
	struct search *se = w->data;
	const struct expr *e = *pe;
	struct func *other;

	if (e->kind == EX_TARGET || e->kind == EX_ENTRY || target_op_needs_probe(e))
		se->found = true;
	else if (e->kind == EX_CALL)
		se->found = any_needs(se, e->func ? e->func :
				      find_func(se->r, e->name, e->nargs, e->loc, &other));
	return !se->found;
}

static void search_stmt(struct search *se, struct stmt *st)
{
	struct walker w = { .expr = note_context, .data = se };

	if (st)
		walk_stmt(&w, &st);
}

static bool find_need(struct search *outer, struct func *f)
{
	struct search se = { .r = outer->r, .visited = outer->visited };
	enum need need = GPOINTER_TO_INT(g_hash_table_lookup(se.r->context, f));

	if (need != NEED_UNKNOWN)
		return need == NEED;
	g_hash_table_insert(se.r->context, f, GINT_TO_POINTER(NEED_NOT)); /* recursion adds nothing */
	g_ptr_array_add(se.visited, f);
	if (!f->runtime)
		search_stmt(&se, f->body);
	if (se.found)
		g_hash_table_insert(se.r->context, f, GINT_TO_POINTER(NEED));
	return se.found;
}

static void search_begin(struct search *se, struct resolver *r)
{
	*se = (struct search){ .r = r, .visited = g_ptr_array_new() };
}

/*
 * A find ends the search, and whoever was being looked into has it.  A function done before may have been
 * passed over because it calls one of those: nothing is known of it.
 */
static bool search_end(struct search *se)
{
	GHashTable *context = se->r->context;

	for (guint i = 0; se->found && i < se->visited->len; i++)
		if (GPOINTER_TO_INT(g_hash_table_lookup(context, se->visited->pdata[i])) == NEED_NOT)
			g_hash_table_remove(context, se->visited->pdata[i]);
	g_ptr_array_free(se->visited, TRUE);
	return se->found;
}

bool stmt_needs_context(struct resolver *r, struct stmt *st)
{
	struct search se;

	search_begin(&se, r);
	search_stmt(&se, st);
	return search_end(&se);
}

bool expr_needs_context(struct resolver *r, struct expr *e)
{
	struct search se;
	struct walker w = { .expr = note_context, .data = &se };

	search_begin(&se, r);
	if (e)
		walk_expr(&w, &e);
	return search_end(&se);
}

bool func_needs_context(struct resolver *r, struct func *f)
{
	struct search se;

	search_begin(&se, r);
	se.found = any_needs(&se, f);
	return search_end(&se);
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
