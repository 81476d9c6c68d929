/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What code does to variables: which it reads, writes, or takes elements away from.  The generator asks when it
 * decides whether a value may stay a view or must be copied first.
 */
#include "call_order.h"
#include "embed.h"
#include "gen.h"

#include <string.h>

static bool visit_expr(struct expr *e, gen_visit_expr *fn, void *data)
{
	if (!e)
		return false;
	if (fn && fn(e, data))
		return true;
	if (visit_expr(e->a, fn, data) || visit_expr(e->b, fn, data) || visit_expr(e->c, fn, data))
		return true;
	for (size_t i = 0; i < e->nargs; i++)
		if (visit_expr(e->args[i], fn, data))
			return true;
	return false;
}

static bool visit_foreach(struct foreach *fe, gen_visit_expr *fn, void *data)
{
	if (!fe)
		return false;
	for (size_t i = 0; i < fe->nkeys; i++)
		if (visit_expr(fe->keys[i], fn, data))
			return true;
	for (size_t i = 0; fe->slice && i < fe->nkeys; i++)
		if (visit_expr(fe->slice[i], fn, data))
			return true;
	return visit_expr(fe->value, fn, data) || visit_expr(fe->array, fn, data) || visit_expr(fe->limit, fn, data);
}

bool visit_stmt(struct stmt *st, gen_visit_stmt *sfn, gen_visit_expr *efn, void *data)
{
	if (!st)
		return false;
	if (sfn && sfn(st, data))
		return true;
	if (visit_expr(st->expr, efn, data) || visit_expr(st->init, efn, data) || visit_expr(st->step, efn, data) ||
	    visit_expr(st->catch_var, efn, data) || visit_foreach(st->foreach, efn, data))
		return true;
	for (size_t i = 0; i < st->nlist; i++)
		if (visit_stmt(st->list[i], sfn, efn, data))
			return true;
	return visit_stmt(st->body, sfn, efn, data) || visit_stmt(st->other, sfn, efn, data);
}

/* ---- collecting ---- */

struct collect {
	struct gen *g;
	GHashTable *into;
	GPtrArray *callees; /* or NULL: use the callees' tables */
};

static void add_effect(GHashTable *into, struct var *v, unsigned eff)
{
	if (v)
		g_hash_table_insert(into, v, GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(into, v)) | eff));
}

static void merge_effects(GHashTable *into, GHashTable *from)
{
	GHashTableIter it;
	gpointer key, value;

	g_hash_table_iter_init(&it, from);
	while (g_hash_table_iter_next(&it, &key, &value))
		add_effect(into, key, GPOINTER_TO_UINT(value));
}

static void add_written(GHashTable *into, struct expr *lval)
{
	struct var *v = lval ? lval->var : NULL;

	if (!lval || (lval->kind != EX_SYM && lval->kind != EX_INDEX))
		return;
	/* a new element of a wrapping array may push an old one out */
	add_effect(into, v, EFF_WRITE | (v && v->wrap && lval->kind == EX_INDEX ? EFF_SHRINK : 0));
}

static bool collect_expr(struct expr *e, void *data)
{
	struct collect *col = data;

	switch (e->kind) {
	case EX_SYM: case EX_INDEX: case EX_IN:
		add_effect(col->into, e->var, EFF_READ);
		break;
	case EX_ASSIGN: case EX_PREINC: case EX_PREDEC: case EX_POSTINC: case EX_POSTDEC:
		add_written(col->into, e->a);
		break;
	case EX_EMBEDDED: /* its arguments are the globals it uses */
		for (size_t i = 0; i < e->nargs; i++)
			if (e->args[i]->num & EMBED_WRITE)
				add_effect(col->into, e->args[i]->var, EFF_WRITE | (e->args[i]->var->wrap ? EFF_SHRINK : 0));
		break;
	case EX_CALL:
		for (struct func *fu = e->func; fu; fu = fu->next_overload) {
			if (fu->runtime)
				continue;
			if (col->callees)
				g_ptr_array_add(col->callees, fu);
			else
				merge_effects(col->into, gen_info(col->g, fu)->effects);
		}
		break;
	default:
		break;
	}
	return false;
}

static bool collect_stmt(struct stmt *st, void *data)
{
	struct collect *col = data;
	struct foreach *fe = st->foreach;

	if (st->kind == ST_DELETE && st->expr)
		add_effect(col->into, st->expr->var, EFF_WRITE | EFF_SHRINK);
	if (st->kind == ST_TRY)
		add_written(col->into, st->catch_var);
	if (st->kind == ST_FOREACH && fe) {
		add_written(col->into, fe->value);
		for (size_t i = 0; i < fe->nkeys; i++)
			add_written(col->into, fe->keys[i]);
	}
	return false;
}

void effects_of_stmt(struct gen *g, struct stmt *st, GHashTable *into)
{
	struct collect col = { g, into, NULL };

	visit_stmt(st, collect_stmt, collect_expr, &col);
}

void effects_of_expr(struct gen *g, struct expr *e, GHashTable *into)
{
	struct collect col = { g, into, NULL };

	visit_expr(e, collect_expr, &col);
}

/* ---- functions ---- */

#define STACK_CHECK_EVERY 8 /* calls */

struct fninfo *gen_info(struct gen *g, struct func *func)
{
	struct fninfo *info = g_hash_table_lookup(g->infos, func);

	if (!info) {
		info = arena_alloc(g->s, sizeof(*info));
		info->func = func;
		info->effects = g_hash_table_new(NULL, NULL);
		g_hash_table_insert(g->infos, func, info);
	}
	return info;
}

/* Globals only: a caller's operand can not be changed by a callee's locals. */
static guint globals_only(GHashTable *effects)
{
	GHashTableIter it;
	gpointer key, value;
	guint sum = 0;

	g_hash_table_iter_init(&it, effects);
	while (g_hash_table_iter_next(&it, &key, &value)) {
		if (((struct var *)key)->kind != VAR_GLOBAL)
			g_hash_table_iter_remove(&it);
		else
			sum += GPOINTER_TO_UINT(value);
	}
	return sum;
}

static guint effects_weight(GHashTable *effects)
{
	GHashTableIter it;
	gpointer key, value;
	guint sum = 0;

	g_hash_table_iter_init(&it, effects);
	while (g_hash_table_iter_next(&it, &key, &value))
		sum += GPOINTER_TO_UINT(value);
	return sum;
}

/* A function that can come to itself counts its depth. */
static void find_recursion(struct gen *g, GPtrArray **callees, size_t n)
{
	struct call_node *nodes = g_new0(struct call_node, n);

	for (size_t i = 0; i < n; i++) {
		struct func *fu = g_ptr_array_index(g->s->funcs, i);

		if (fu->next_overload) /* `next' calls it, or one behind it */
			g_ptr_array_add(callees[i], fu->next_overload);
		nodes[i] = (struct call_node){ .func = fu, .callees = callees[i] };
	}
	call_order(nodes, n, g->order);
	for (size_t i = 0; i < n; i++) {
		struct fninfo *info = gen_info(g, nodes[i].func);

		info->recursive = nodes[i].recursive;
		info->deep = nodes[i].height && nodes[i].height % STACK_CHECK_EVERY == 0;
	}
	g_free(nodes);
}

/* Own effects first, then those of callees until nothing changes. */
void gen_effects_init(struct gen *g)
{
	GPtrArray *funcs = g->s->funcs;
	size_t n = funcs ? funcs->len : 0;
	GPtrArray **callees = g_new0(GPtrArray *, n + 1);
	bool changed = n > 0;

	for (size_t i = 0; i < n; i++) {
		struct func *fu = g_ptr_array_index(funcs, i);
		struct collect col = { g, gen_info(g, fu)->effects, NULL };

		col.callees = callees[i] = g_ptr_array_new();
		visit_stmt(fu->body, collect_stmt, collect_expr, &col);
		globals_only(col.into);
	}
	while (changed) {
		changed = false;
		for (size_t i = 0; i < n; i++) {
			GHashTable *own = gen_info(g, g_ptr_array_index(funcs, i))->effects;
			guint before = effects_weight(own);

			for (size_t k = 0; k < callees[i]->len; k++) {
				GHashTable *theirs = gen_info(g, g_ptr_array_index(callees[i], k))->effects;

				if (theirs != own)
					merge_effects(own, theirs);
			}
			changed |= effects_weight(own) != before;
		}
	}
	find_recursion(g, callees, n);
	for (size_t i = 0; i < n; i++)
		g_ptr_array_free(callees[i], TRUE);
	g_free(callees);
}

/* ---- questions ---- */

struct question {
	struct collect col;
	struct var *var;
	unsigned eff;
};

static bool ask_expr(struct expr *e, void *data)
{
	struct question *q = data;

	/* calls are looked up, not merged: this is asked often */
	if (e->kind == EX_CALL) {
		for (struct func *fu = e->func; fu; fu = fu->next_overload)
			if (!fu->runtime && (GPOINTER_TO_UINT(g_hash_table_lookup(gen_info(q->col.g, fu)->effects,
			                                                         q->var)) & q->eff))
				return true;
		return false;
	}
	if (e->kind == EX_EMBEDDED) {
		for (size_t i = 0; i < e->nargs; i++)
			if (e->args[i]->var == q->var && (e->args[i]->num & EMBED_WRITE) && (q->eff & (EFF_WRITE | EFF_SHRINK)))
				return true;
		return false;
	}
	if (e->kind == EX_SYM || e->kind == EX_INDEX || e->kind == EX_IN)
		return e->var == q->var && (q->eff & EFF_READ);
	if (e->kind == EX_ASSIGN || (e->kind >= EX_PREINC && e->kind <= EX_POSTDEC)) {
		struct expr *lval = e->a;
		unsigned eff = EFF_WRITE;

		if (!lval || lval->var != q->var || (lval->kind != EX_SYM && lval->kind != EX_INDEX))
			return false;
		if (q->var->wrap && lval->kind == EX_INDEX)
			eff |= EFF_SHRINK;
		return eff & q->eff;
	}
	return false;
}

static bool ask_stmt(struct stmt *st, void *data)
{
	struct question *q = data;
	struct foreach *fe = st->foreach;

	if (!(q->eff & EFF_WRITE)) {
		return st->kind == ST_DELETE && st->expr && st->expr->var == q->var && (q->eff & EFF_SHRINK);
	}
	if (st->kind == ST_DELETE && st->expr && st->expr->var == q->var)
		return true;
	if (st->kind == ST_TRY && st->catch_var && st->catch_var->var == q->var)
		return true;
	if (st->kind == ST_FOREACH && fe) {
		if (fe->value && fe->value->var == q->var)
			return true;
		for (size_t i = 0; i < fe->nkeys; i++)
			if (fe->keys[i]->var == q->var)
				return true;
	}
	return false;
}

bool expr_affects(struct gen *g, struct expr *e, struct var *var, unsigned eff)
{
	struct question q = { { g, NULL, NULL }, var, eff };

	return visit_expr(e, ask_expr, &q);
}

bool stmt_affects(struct gen *g, struct stmt *st, struct var *var, unsigned eff)
{
	struct question q = { { g, NULL, NULL }, var, eff };

	return visit_stmt(st, ask_stmt, ask_expr, &q);
}

static bool takes_time(struct expr *e, void *data)
{
	switch (e->kind) {
	case EX_CALL: case EX_LOAD: case EX_CSTRING: case EX_PRINT: case EX_EMBEDDED:
		return true;
	default:
		return false;
	}
}

bool expr_calls(struct expr *e)
{
	return visit_expr(e, takes_time, NULL);
}

/* The same constants and variables in the same places; anything else counts as different. */
bool expr_same(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->nargs != b->nargs)
		return false;
	switch (a->kind) {
	case EX_NUM:
		return a->num == b->num;
	case EX_STR:
		return a->len == b->len && !memcmp(a->str, b->str, a->len);
	case EX_SYM:
		return a->var == b->var;
	case EX_INDEX:
		if (a->var != b->var)
			return false;
		for (size_t i = 0; i < a->nargs; i++)
			if (!expr_same(a->args[i], b->args[i]))
				return false;
		return true;
	default:
		return false;
	}
}
