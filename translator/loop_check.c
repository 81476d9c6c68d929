/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array must stay as it is while foreach goes through it: assignments to its elements and deletions of them are
 * errors in the loop's body, and in functions that the body calls by name.  Deleting the whole array is not.
 */
#include "resolve.h"

/* A search for one change of `var`; `call` is where the change happens by a call. */
struct change {
	const struct var *var;
	const struct expr *at;
	GHashTable *changed_by; /* struct func -> GHashTable of struct var that its own body changes */
	bool by_call;
};

/* The variable whose element, or which as a statistic, the expression sets; NULL: no such expression. */
static const struct var *changed_var(const struct expr *e)
{
	switch (e->kind) {
	case EX_PREINC:
	case EX_PREDEC:
	case EX_POSTINC:
	case EX_POSTDEC:
	case EX_ASSIGN:
		return e->a->kind == EX_INDEX || e->op == OP_STAT ? e->a->var : NULL;
	default:
		return NULL;
	}
}

static bool collect_expr(struct walker *w, struct expr **pe)
{
	const struct var *v = changed_var(*pe);

	if (v)
		g_hash_table_add(w->data, (void *)v);
	return true;
}

static bool collect_stmt(struct walker *w, struct stmt **st)
{
	if ((*st)->kind == ST_DELETE && (*st)->expr->kind == EX_INDEX && (*st)->expr->var)
		g_hash_table_add(w->data, (*st)->expr->var);
	return true;
}

static bool find_expr(struct walker *w, struct expr **pe)
{
	struct change *c = w->data;
	struct func *f = (*pe)->kind == EX_CALL ? (*pe)->func : NULL;

	for (; f && !c->at; f = f->next_overload) {
		GHashTable *vars = g_hash_table_lookup(c->changed_by, f);

		c->by_call = vars && g_hash_table_contains(vars, c->var);
		if (c->by_call)
			c->at = *pe;
	}
	if (!c->at && changed_var(*pe) == c->var)
		c->at = (*pe)->a;
	return !c->at;
}

static bool find_delete(struct walker *w, struct stmt **st)
{
	struct change *c = w->data;

	if ((*st)->kind == ST_DELETE && (*st)->expr->kind == EX_INDEX && (*st)->expr->var == c->var)
		c->at = (*st)->expr;
	return !c->at;
}

struct check {
	struct session *s;
	GHashTable *changed_by;
	const struct probe_decl *decl; /* of the handler; its copies for other points are not told again */
	int ret;
};

static bool check_loop(struct walker *w, struct stmt **st)
{
	struct check *ck = w->data;
	const struct expr *array = (*st)->kind == ST_FOREACH ? (*st)->foreach->array : NULL;
	struct change c = { .var = array && array->kind == EX_HIST ? array->a->var : array ? array->var : NULL,
			    .changed_by = ck->changed_by };
	struct walker in_body = { .expr = find_expr, .stmt = find_delete, .data = &c };

	if (!c.var)
		return true;
	walk_stmt(&in_body, &(*st)->body);
	if (!c.at)
		return true;
	ck->ret = diag_error(ck->s, c.at->loc, "modified-in-foreach",
			     c.by_call ? "function call modifies '%s' during 'foreach' iteration" :
			     "variable '%s' modified during 'foreach' iteration", c.var->name);
	diag_note(ck->s, (*st)->loc, "the loop that goes through it");
	diag_help(ck->s, "keep what is to be done in another array, and do it in a loop over that one");
	return true;
}

static GHashTable *changes_of(struct unit *u)
{
	GHashTable *vars = g_hash_table_new(NULL, NULL);
	struct walker w = { .expr = collect_expr, .stmt = collect_stmt, .data = vars };

	walk_stmt(&w, u->body);
	return vars;
}

int check_loops(struct resolver *r)
{
	struct check ck = { .s = r->s, .changed_by = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_destroy) };
	struct walker w = { .stmt = check_loop, .data = &ck };

	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->func && *u->body)
			g_hash_table_insert(ck.changed_by, u->func, changes_of(u));
	}
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];
		int before = ck.ret;

		if (!*u->body || (u->probe && u->probe->decl && u->probe->decl == ck.decl))
			continue;
		walk_stmt(&w, u->body);
		if (u->probe && ck.ret != before)
			ck.decl = u->probe->decl;
	}
	g_hash_table_destroy(ck.changed_by);
	return ck.ret;
}
