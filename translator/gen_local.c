/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local variables of a handler or function.  Longs are C variables.  A string that is assigned once, outside
 * loops, is a view; other strings have storage in a frame taken from scratch memory.  What is never read is not kept.
 */
#include "gen.h"

struct count {
	struct fn *f;
	unsigned loop;
};

struct local *gen_local(struct fn *f, struct var *v)
{
	struct local *l = g_hash_table_lookup(f->locals, v);

	if (!l) {
		l = arena_alloc(f->g->s, sizeof(*l));
		l->var = v;
		g_hash_table_insert(f->locals, v, l);
		g_ptr_array_add(f->local_list, l);
	}
	return l;
}

static bool is_local(const struct expr *e)
{
	return e && e->kind == EX_SYM && e->var && e->var->kind != VAR_GLOBAL;
}

static void count_write(struct count *n, struct expr *lval, bool awkward)
{
	struct local *l = gen_local(n->f, lval->var);

	l->nwrite++;
	l->nloop += n->loop > 0;
	l->awkward |= awkward;
}

static void count_expr(struct count *n, struct expr *e, bool want)
{
	if (!e)
		return;
	switch (e->kind) {
	case EX_SYM:
		if (is_local(e))
			gen_local(n->f, e->var)->nread++;
		return;
	case EX_ASSIGN:
		if (!is_local(e->a))
			break;
		count_write(n, e->a, want || e->op != OP_NONE);
		/* a division by zero must still be noticed */
		if (e->op != OP_NONE && (want || e->op == OP_DIV || e->op == OP_MOD))
			gen_local(n->f, e->a->var)->nread++;
		count_expr(n, e->b, true);
		return;
	case EX_PREINC: case EX_PREDEC: case EX_POSTINC: case EX_POSTDEC:
		if (!is_local(e->a))
			break;
		count_write(n, e->a, true);
		gen_local(n->f, e->a->var)->nread += want;
		return;
	default:
		break;
	}
	count_expr(n, e->a, true);
	count_expr(n, e->b, true);
	count_expr(n, e->c, true);
	for (size_t i = 0; i < e->nargs; i++)
		count_expr(n, e->args[i], true);
}

static void count_stmt(struct count *n, struct stmt *st);

static void count_foreach(struct count *n, struct stmt *st)
{
	struct foreach *fe = st->foreach;

	count_expr(n, fe->limit, true);
	for (size_t i = 0; fe->slice && i < fe->nkeys; i++)
		count_expr(n, fe->slice[i], true);
	if (fe->array->kind == EX_HIST)
		count_expr(n, fe->array, true);
	n->loop++;
	for (size_t i = 0; i <= fe->nkeys; i++) {
		struct expr *e = i < fe->nkeys ? fe->keys[i] : fe->value;

		if (!is_local(e))
			continue;
		count_write(n, e, gen_local(n->f, e->var)->key_of != NULL);
		gen_local(n->f, e->var)->key_of = fe->array->var;
		gen_local(n->f, e->var)->value_of = i == fe->nkeys;
	}
	count_stmt(n, st->body);
	n->loop--;
}

static void count_stmt(struct count *n, struct stmt *st)
{
	bool loop;

	if (!st)
		return;
	if (st->kind == ST_FOREACH) {
		count_foreach(n, st);
		return;
	}
	loop = st->kind == ST_WHILE || st->kind == ST_FOR;
	count_expr(n, st->init, false);
	n->loop += loop;
	count_expr(n, st->expr, st->kind != ST_EXPR);
	count_expr(n, st->step, false);
	if (is_local(st->catch_var))
		count_write(n, st->catch_var, false);
	for (size_t i = 0; i < st->nlist; i++)
		count_stmt(n, st->list[i]);
	count_stmt(n, st->body);
	count_stmt(n, st->other);
	n->loop -= loop;
}

/* A view may be kept if what it looks at stays as it is until the function ends. */
static bool may_be_view(struct fn *f, const struct local *l)
{
	unsigned eff;

	if (l->param)
		return l->nwrite == 0;
	if (l->nwrite != 1 || l->awkward)
		return false;
	if (!l->key_of)
		return l->nloop == 0;
	eff = GPOINTER_TO_UINT(g_hash_table_lookup(f->effects, l->key_of));
	return !(eff & (l->value_of ? EFF_WRITE | EFF_SHRINK : EFF_SHRINK));
}

static void choose_kind(struct fn *f, struct local *l)
{
	if (l->nread == 0 && !l->param)
		l->kind = LOCAL_DEAD;
	else if (l->var->type == TY_STRING)
		l->kind = may_be_view(f, l) ? LOCAL_VIEW : LOCAL_FRAME;
	else if (l->var->type == TY_STATS)
		l->kind = LOCAL_STAT;
	else
		l->kind = LOCAL_LONG;
	if (l->kind == LOCAL_FRAME) {
		f->has_frame = f->uses_scratch = true;
		f->leaf = false;
		f->bytes += f->g->maxstr + 16;
		f->max_bytes = f->bytes;
	}
}

void gen_locals(struct fn *f, struct func *func, struct stmt *body, struct expr **exprs, size_t nexprs)
{
	struct count n = { f, 0 };

	for (size_t i = 0; func && i < func->nparams; i++)
		gen_local(f, func->params[i])->param = true;
	count_stmt(&n, body);
	for (size_t i = 0; i < nexprs; i++)
		count_expr(&n, exprs[i], true);
	if (body)
		effects_of_stmt(f->g, body, f->effects);
	for (size_t i = 0; i < nexprs; i++)
		effects_of_expr(f->g, exprs[i], f->effects);
	for (unsigned i = 0; i < f->local_list->len; i++)
		choose_kind(f, g_ptr_array_index(f->local_list, i));
}

void gen_locals_declare(struct fn *f, GString *out)
{
	const char *attr;

	for (unsigned i = 0; i < f->local_list->len; i++) {
		struct local *l = g_ptr_array_index(f->local_list, i);

		if (l->param || l->kind == LOCAL_DEAD || l->kind == LOCAL_FRAME || !l->touched)
			continue;
		/* a loop's keys may have become its cursor */
		attr = l->key_of && !l->read_out ? " __attribute__((unused))" : "";
		if (l->kind == LOCAL_LONG)
			g_string_append_printf(out, "\ts64 l_%s%s = 0;\n", var_cname(l->var), attr);
		else if (l->kind == LOCAL_STAT)
			g_string_append_printf(out, "\tstruct stp_stat *l_%s%s = NULL;\n", var_cname(l->var), attr);
		else
			g_string_append_printf(out, "\tstruct stp_str l_%s%s = STP_STR(\"\");\n", var_cname(l->var), attr);
	}
}

/* `f` points to the strings with storage; only their lengths are zeroed. */
void gen_frame(struct fn *f, GString *out)
{
	if (!f->has_frame)
		return;
	g_string_append(out, "\tstruct {\n");
	for (unsigned i = 0; i < f->local_list->len; i++) {
		struct local *l = g_ptr_array_index(f->local_list, i);

		if (l->kind == LOCAL_FRAME)
			g_string_append_printf(out, "\t\tSTP_BUF(l_%s, %u);\n", var_cname(l->var), f->g->maxstr);
	}
	g_string_append_printf(out, "\t} *f = stp_tmp(c, sizeof(*f));\n");
}

const char *var_cname(const struct var *v)
{
	return v->cname ? v->cname : v->name;
}

const char *var_text(struct fn *f, struct var *v)
{
	if (v->kind == VAR_GLOBAL)
		return gen_text(f, "g_%s", var_cname(v));
	gen_local(f, v)->touched = true;
	return gen_text(f, gen_local(f, v)->kind == LOCAL_FRAME ? "f->l_%s" : "l_%s", var_cname(v));
}

bool var_is_buf(struct fn *f, struct var *v)
{
	if (v->type != TY_STRING)
		return false;
	return v->kind == VAR_GLOBAL || gen_local(f, v)->kind == LOCAL_FRAME;
}

bool var_dead(struct fn *f, struct var *v)
{
	return v->kind != VAR_GLOBAL && gen_local(f, v)->kind == LOCAL_DEAD;
}

bool var_atomic(struct fn *f, struct var *v)
{
	if (v->kind != VAR_GLOBAL || f->alone)
		return false;
	if (v->lock < 0)
		return true;
	if (f->probe)
		return !(f->probe->lock_excl & 1u << v->lock);
	/* a function: unless every probe that enters the group does so alone */
	for (unsigned i = 0; i < f->g->s->probes->len; i++) {
		struct probe *p = g_ptr_array_index(f->g->s->probes, i);

		if (p->lock_shared & 1u << v->lock)
			return true;
	}
	return false;
}
