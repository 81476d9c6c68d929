/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which handlers of user probes may be run again from their beginning (gen_restart.h).  A page of the program's memory
 * that is not there makes a handler fail; where nothing has been done before, the runtime brings the page and has
 * the handler start anew.  The walk is in the order of evaluation: operands before what they are operands of.
 */
#include "gen_restart.h"

struct order {
	bool reads, effects;       /* so far */
	bool mixed;                /* a read behind an effect, or both in one loop */
	GHashTable *under_way;     /* functions being looked at */
};

static void look_stmt(struct order *o, struct stmt *st);

static void note_read(struct order *o)
{
	o->reads = true;
	o->mixed |= o->effects;
}

static void look_function(struct order *o, struct func *fu)
{
	struct order in = { .under_way = o->under_way };

	if (fu->runtime) {
		if (!fu->nofail)
			note_read(o);
		o->effects |= !fu->pure;
		return;
	}
	if (fu->code || !fu->body || g_hash_table_contains(o->under_way, fu)) {
		o->mixed = true; /* embedded C, recursion: anything */
		return;
	}
	g_hash_table_add(o->under_way, fu);
	look_stmt(&in, fu->body);
	g_hash_table_remove(o->under_way, fu);
	o->mixed |= in.mixed || (in.reads && o->effects);
	o->reads |= in.reads;
	o->effects |= in.effects;
}

static bool is_own(const struct expr *lval)
{
	return lval && lval->kind == EX_SYM && lval->var && lval->var->kind != VAR_GLOBAL;
}

static bool look_expr(struct walker *w, struct expr **pe)
{
	struct order *o = w->data;
	struct expr *e = *pe;

	switch (e->kind) {
	case EX_LOAD:
	case EX_CSTRING:
		if (e->load.user)
			note_read(o);
		break;
	case EX_ASSIGN: case EX_PREINC: case EX_PREDEC: case EX_POSTINC: case EX_POSTDEC:
		o->effects |= !is_own(e->a);
		break;
	case EX_EMBEDDED:
		o->mixed = true;
		break;
	case EX_CALL:
		for (struct func *fu = e->func; fu && !o->mixed; fu = fu->next_overload)
			look_function(o, fu);
		break;
	default:
		break;
	}
	return !o->mixed;
}

static bool look_before(struct walker *w, struct stmt **st, bool *descend)
{
	struct order *o = w->data, in = { .under_way = o->under_way };
	struct walker inner = *w;

	if ((*st)->kind != ST_WHILE && (*st)->kind != ST_FOR && (*st)->kind != ST_FOREACH)
		return true;
	*descend = false;
	inner.data = &in;
	/* the parts of the loop, which come again and again */
	if ((*st)->init)
		walk_expr(&inner, &(*st)->init);
	if ((*st)->expr)
		walk_expr(&inner, &(*st)->expr);
	if ((*st)->step)
		walk_expr(&inner, &(*st)->step);
	if ((*st)->body)
		look_stmt(&in, (*st)->body);
	o->mixed |= in.mixed || (in.reads && (in.effects || o->effects));
	o->reads |= in.reads;
	o->effects |= in.effects;
	return !o->mixed;
}

static bool look_after(struct walker *w, struct stmt **st)
{
	struct order *o = w->data;

	if ((*st)->kind == ST_DELETE)
		o->effects = true;
	if ((*st)->kind == ST_EMBEDDED)
		o->mixed = true;
	return !o->mixed;
}

static void look_stmt(struct order *o, struct stmt *st)
{
	struct walker w = { .expr = look_expr, .stmt_pre = look_before, .stmt = look_after, .data = o };

	walk_stmt(&w, &st);
}

bool gen_may_miss(struct gen *g, struct stmt *st)
{
	struct order o = { 0 };
	bool user = false;

	for (unsigned i = 0; i < g->s->probes->len && !user; i++) {
		struct probe *p = g_ptr_array_index(g->s->probes, i);

		user = p->attach == ATTACH_UPROBE || p->attach == ATTACH_URETURN;
	}
	if (!user)
		return false;
	o.under_way = g_hash_table_new(NULL, NULL);
	look_stmt(&o, st);
	g_hash_table_destroy(o.under_way);
	return o.reads || o.mixed;
}

bool gen_is_restartable(struct gen *g, struct probe *p)
{
	struct order o = { .under_way = g_hash_table_new(NULL, NULL) };

	look_stmt(&o, p->body);
	g_hash_table_destroy(o.under_way);
	return o.reads && !o.mixed;
}
