/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which globals of the script are arrays or statistics, told from how its code is written.  A library's alias never means such a one by
 * the name of a variable of its own: `probe syscall.* { n[name]++ } global n` works although some system calls' aliases set an `n`.
 */
#include "scope.h"

static void mark(struct walker *w, const struct expr *e)
{
	struct var *v = e->kind == EX_SYM || e->kind == EX_INDEX || e->kind == EX_IN ? g_hash_table_lookup(w->data, e->name) : NULL;

	if (v)
		v->composite = true;
}

static bool see_expr(struct walker *w, struct expr **pe, bool *descend)
{
	const struct expr *e = *pe;

	if (e->kind == EX_INDEX || e->kind == EX_IN)
		mark(w, e);
	else if (e->kind == EX_STATOP || e->kind == EX_HIST || (e->kind == EX_ASSIGN && e->op == OP_STAT))
		mark(w, e->a);
	return true;
}

static bool see_stmt(struct walker *w, struct stmt **pst, bool *descend)
{
	const struct stmt *st = *pst;

	if (st->foreach)
		mark(w, st->foreach->array);
	return true;
}

/* The globals that the file's code may mean, its own first. */
static GHashTable *globals_seen(struct session *s, const struct file *own)
{
	GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < s->files->len; i++) {
		const struct file *f = s->files->pdata[i];

		for (guint k = 0; k < f->globals->len; k++) {
			struct var *v = f->globals->pdata[k];

			if (f == own || (!v->is_private && !g_hash_table_contains(names, v->name)))
				g_hash_table_insert(names, (char *)v->name, v);
		}
	}
	return names;
}

void scope_shapes(struct session *s)
{
	for (guint i = 0; i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];
		struct walker w = { .expr_pre = see_expr, .stmt_pre = see_stmt };

		if (f->library)
			continue;
		w.data = globals_seen(s, f);
		for (guint k = 0; k < f->globals->len; k++) {
			struct var *v = f->globals->pdata[k];

			v->composite |= v->maxsize != 0;
		}
		for (guint k = 0; k < f->probes->len; k++)
			walk_stmt(&w, &((struct probe_decl *)f->probes->pdata[k])->body);
		for (guint k = 0; k < f->aliases->len; k++)
			walk_stmt(&w, &((struct probe_decl *)f->aliases->pdata[k])->body);
		for (guint k = 0; k < f->funcs->len; k++)
			walk_stmt(&w, &((struct func *)f->funcs->pdata[k])->body);
		g_hash_table_destroy(w.data);
	}
}
