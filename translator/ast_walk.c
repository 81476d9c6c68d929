/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Visiting the syntax tree, children before parents, in the order of evaluation. */
#include "ast.h"

static bool walk_exprs(struct walker *w, struct expr **v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		if (v[i] && !walk_expr(w, &v[i]))
			return false;
	return true;
}

static bool walk_expr_children(struct walker *w, struct expr *e)
{
	if (e->a && !walk_expr(w, &e->a))
		return false;
	if (e->b && !walk_expr(w, &e->b))
		return false;
	if (e->c && !walk_expr(w, &e->c))
		return false;
	if (!walk_exprs(w, e->args, e->nargs))
		return false;
	for (size_t i = 0; i < e->ncomps; i++)
		if (e->comps[i].index && !walk_expr(w, &e->comps[i].index))
			return false;
	return true;
}

bool walk_expr(struct walker *w, struct expr **e)
{
	bool descend = true;

	if (!*e)
		return true;
	if (w->expr_pre && !w->expr_pre(w, e, &descend))
		return false;
	if (!*e)
		return true;
	if (descend && !walk_expr_children(w, *e))
		return false;
	return !w->expr || w->expr(w, e);
}

static bool walk_foreach(struct walker *w, struct foreach *f)
{
	if (f->limit && !walk_expr(w, &f->limit))
		return false;
	if (!walk_exprs(w, f->slice, f->nkeys))
		return false;
	if (f->array && !walk_expr(w, &f->array))
		return false;
	if (f->value && !walk_expr(w, &f->value))
		return false;
	return walk_exprs(w, f->keys, f->nkeys);
}

static bool walk_stmt_children(struct walker *w, struct stmt *st)
{
	if (!walk_expr(w, &st->init) || !walk_expr(w, &st->expr))
		return false;
	if (st->foreach && !walk_foreach(w, st->foreach))
		return false;
	for (size_t i = 0; i < st->nlist; i++)
		if (!walk_stmt(w, &st->list[i]))
			return false;
	if (!walk_stmt(w, &st->body) || !walk_expr(w, &st->step))
		return false;
	return walk_expr(w, &st->catch_var) && walk_stmt(w, &st->other);
}

bool walk_stmt(struct walker *w, struct stmt **st)
{
	bool descend = true;

	if (!*st)
		return true;
	if (w->stmt_pre && !w->stmt_pre(w, st, &descend))
		return false;
	if (!*st)
		return true;
	if (descend && !walk_stmt_children(w, *st))
		return false;
	return !w->stmt || w->stmt(w, st);
}
