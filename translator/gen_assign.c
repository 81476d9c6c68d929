/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assignments, ++ and --.  What an assignment operator does to its target happens after its right side was
 * evaluated.  Additions to a global long that other CPUs may update at the same time are atomic.
 */
#include "gen.h"

static void mark_buf(struct fn *f)
{
	f->g->uses_buf = true;
	f->leaf = false;
}

static struct val read_back(struct fn *f, struct var *v, const char *lv)
{
	struct val val = val_text(TY_LONG, lv);

	val.atom = true;
	val.reads = reads_add(f, NULL, v);
	return val;
}

/* ---- long cells: variables and elements ---- */

static bool is_additive(enum op op)
{
	return op == OP_ADD || op == OP_SUB;
}

/* lv op= v on a cell of type s64; addr is its address.  Returns the new value when wanted. */
static struct val update_long(struct fn *f, struct expr *e, const char *lv, const char *addr, bool atomic,
                              struct val v, bool want)
{
	struct val old;

	if (is_additive(e->op) && atomic) {
		const char *plus = e->op == OP_ADD ? v.c : gen_text(f, "-(%s%s)", v.narrow ? "(s64)" : "", paren(f, v));

		if (!want) {
			emit_line(&f->o, "stp_cell_add(%s, %s);", addr, plus);
			return val_num(f, 0);
		}
		gen_keep(f, &v, e->loc);
		plus = e->op == OP_ADD ? v.c : gen_text(f, "-%s", v.c);
		return gen_long_tmp(f, gen_text(f, "stp_cell_fetch_add(%s, %s) %c %s", addr, plus,
		                                e->op == OP_ADD ? '+' : '-', v.c));
	}
	old = val_text(TY_LONG, lv);
	old.atom = true;
	switch (e->op) {
	case OP_ADD: case OP_SUB: case OP_MUL: case OP_AND: case OP_OR: case OP_XOR:
		emit_line(&f->o, "%s %s= %s;", lv, op_text(e->op), v.c);
		break;
	default:
		emit_line(&f->o, "%s = %s;", lv, gen_binary_text(f, e->op, old, v, e).c);
	}
	return want ? gen_long_tmp(f, lv) : val_num(f, 0);
}

static struct val assign_long(struct fn *f, struct expr *e, bool want)
{
	struct var *var = e->a->var;
	const char *lv = var_text(f, var);
	struct val v = gen_expr(f, e->b);
	bool atomic = var_atomic(f, var);

	if (var_dead(f, var))
		return v;
	if (e->op != OP_NONE)
		return update_long(f, e, lv, gen_text(f, "&%s", lv), atomic, v, want);
	if (want && var->kind == VAR_GLOBAL && atomic)
		gen_keep(f, &v, e->loc);
	emit_line(&f->o, "%s = %s;", lv, v.c);
	return v.is_const || (want && atomic) ? v : read_back(f, var, lv);
}

/* ---- strings ---- */

/* s = a . b . c without a temporary, when b and c do not look at s. */
static bool assign_pieces(struct fn *f, struct expr *e, const char *lv)
{
	GPtrArray *pieces;
	struct val *v;
	bool ok = true;

	if (e->b->kind != EX_BINARY || e->b->op != OP_CONCAT)
		return false;
	pieces = g_ptr_array_new();
	concat_parts(e->b, pieces);
	for (unsigned i = e->op == OP_NONE; i < pieces->len && ok; i++)
		ok = !expr_affects(f->g, g_ptr_array_index(pieces, i), e->a->var, EFF_READ | EFF_WRITE);
	ok = ok && !expr_affects(f->g, e->b, e->a->var, EFF_WRITE);
	if (ok) {
		v = g_new0(struct val, pieces->len);
		gen_list(f, (struct expr **)pieces->pdata, pieces->len, v);
		for (unsigned i = 0; i < pieces->len; i++)
			emit_line(&f->o, "str_%s(%s, %s);", i || e->op != OP_NONE ? "append" : "set", lv, v[i].c);
		g_free(v);
	}
	g_ptr_array_free(pieces, TRUE);
	return ok;
}

static void assign_view(struct fn *f, struct expr *e, const char *lv)
{
	struct val v = gen_expr(f, e->b);

	for (struct reads *r = v.reads; r; r = r->next) {
		if (GPOINTER_TO_UINT(g_hash_table_lookup(f->effects, r->var)) & (EFF_WRITE | EFF_SHRINK) &&
		    (r->var->kind == VAR_GLOBAL || var_is_buf(f, r->var))) {
			gen_keep(f, &v, e->loc);
			break;
		}
	}
	emit_line(&f->o, "%s = %s;", lv, v.c);
	f->raise_mark = true;
}

static struct val assign_string(struct fn *f, struct expr *e, bool want)
{
	struct var *var = e->a->var;
	const char *lv = var_text(f, var);
	struct val v;

	f->leaf = false;
	if (var_dead(f, var)) {
		v = gen_expr(f, e->b);
		return v;
	}
	if (!var_is_buf(f, var)) {
		assign_view(f, e, lv);
		return val_lit(f, "", 0); /* such an assignment is a statement of its own */
	}
	mark_buf(f);
	if (!assign_pieces(f, e, lv)) {
		v = gen_expr(f, e->b);
		emit_line(&f->o, "str_%s(%s, %s);", e->op == OP_NONE ? "set" : "append", lv, v.c);
	}
	v = val_text(TY_STRING, gen_text(f, "str_get(%s)", lv));
	v.atom = true;
	v.reads = reads_add(f, NULL, var);
	return v;
}

/* ---- elements ---- */

static struct val assign_element(struct fn *f, struct expr *e, bool want)
{
	struct var *map = e->a->var;
	struct mapkey key = gen_element_key(f, e->a, e->b);
	struct val v = gen_expr(f, e->b);
	const char *cell;

	if (map->wrap)
		for (struct reads *r = v.reads; r; r = r->next)
			if (r->var == map) { /* making room may take away what v looks at */
				gen_keep(f, &v, e->loc);
				break;
			}
	cell = gen_cell(f, map, &key, e->a);
	if (map->type == TY_STRING) {
		emit_line(&f->o, "stp_buf_%s(%s, %u, %s);", e->op == OP_NONE ? "set" : "append", cell, f->g->maxstr, v.c);
		v = val_text(TY_STRING, gen_text(f, "stp_buf_get(%s)", cell));
		v.atom = true;
		v.reads = reads_add(f, NULL, map);
		return v;
	}
	if (e->op != OP_NONE)
		return update_long(f, e, gen_text(f, "*%s", cell), cell, var_atomic(f, map), v, want);
	if (want)
		gen_keep(f, &v, e->loc);
	emit_line(&f->o, "*%s = %s;", cell, v.c);
	return v;
}

/* ---- memory and registers ---- */

static struct val assign_memory(struct fn *f, struct expr *e, bool want)
{
	struct val addr = gen_expr(f, e->a->a), v;

	gen_hold(f, &addr, e->b);
	gen_keep(f, &addr, e->loc);
	v = gen_expr(f, e->b);
	if (e->op != OP_NONE)
		v = gen_binary_text(f, e->op, gen_load_at(f, e->a, addr), v, e);
	gen_keep(f, &v, e->loc);
	gen_store(f, e->a, addr, v);
	return v;
}

static struct val assign_register(struct fn *f, struct expr *reg, struct expr *e, bool want)
{
	const char *lv = gen_text(f, "c->regs[%lld]", (long long)reg->num / 8);
	struct val v = gen_expr(f, e->b);

	if (e->op != OP_NONE)
		v = gen_binary_text(f, e->op, gen_expr(f, e->a), v, e);
	gen_keep(f, &v, e->loc);
	emit_line(&f->o, "%s = (u64)%s;", lv, paren(f, v));
	f->regs = true;
	f->leaf = false;
	return v;
}

/* A word that the hook looks at when the handler is done. */
static struct val assign_word(struct fn *f, struct expr *e)
{
	struct val v = gen_expr(f, e->b);

	if (e->op != OP_NONE)
		v = gen_binary_text(f, e->op, gen_expr(f, e->a), v, e);
	gen_keep(f, &v, e->loc);
	emit_line(&f->o, "((u64 *)c->args)[%lld] = (u64)%s;", (long long)e->a->num, paren(f, v));
	f->leaf = false;
	return v;
}

/* A context value that the runtime keeps: stp_NAME_set() and, for strings, stp_NAME_append(). */
static struct val assign_named(struct fn *f, struct expr *e, bool want)
{
	const char *name = e->a->name, *type = e->a->type == TY_STRING ? "struct stp_str" : "s64", *how = "set";
	struct val v;

	if (e->op == OP_CONCAT)
		how = "append";
	v = gen_expr(f, e->b);
	if (e->op != OP_NONE && e->op != OP_CONCAT)
		v = gen_binary_text(f, e->op, gen_expr(f, e->a), v, e);
	f->leaf = false;
	gen_declare(f->g, gen_text(f, "void stp_%s_%s(struct stp_ctx *c, %s v);", name, how, type));
	emit_line(&f->o, "stp_%s_%s(c, %s);", name, how, v.c);
	return want ? gen_expr(f, e->a) : v;
}

/* ---- entry ---- */

struct val gen_assign(struct fn *f, struct expr *e, bool want)
{
	struct expr *lval = e->a, *inner = lval;

	if (e->op == OP_STAT) {
		gen_stat_add(f, e);
		return val_num(f, 0);
	}
	switch (lval->kind) {
	case EX_SYM:
		return lval->var->type == TY_STRING ? assign_string(f, e, want) : assign_long(f, e, want);
	case EX_INDEX:
		return assign_element(f, e, want);
	default:
		break;
	}
	while (inner->kind == EX_CONV)
		inner = inner->a;
	if (inner->kind == EX_CTXVAL && (inner->ctxval == CTX_REG || inner->ctxval == CTX_RETVAL))
		return assign_register(f, inner, e, want);
	if (inner->kind == EX_CTXVAL && inner->ctxval == CTX_ARG && lval == inner)
		return assign_word(f, e);
	if (inner->kind == EX_CTXVAL && inner->ctxval == CTX_NAMED && lval == inner)
		return assign_named(f, e, want);
	if (lval->kind == EX_LOAD)
		return assign_memory(f, e, want);
	gen_error(f, lval->loc, "not-assignable", "%s can not be assigned to", expr_what(f, lval));
	return val_num(f, 0);
}

/* A cell goes up or down by one; an old value wanted is taken before. */
static struct val step_cell(struct fn *f, struct expr *e, const char *lv, const char *addr, bool atomic, bool want)
{
	bool up = e->kind == EX_PREINC || e->kind == EX_POSTINC, post = e->kind >= EX_POSTINC;
	struct val old;

	if (atomic && !want) {
		emit_line(&f->o, "stp_cell_add(%s, %s);", addr, up ? "1" : "-1");
		return val_num(f, 0);
	}
	if (!want) {
		emit_line(&f->o, lv[0] == '*' ? "(%s)%s;" : "%s%s;", lv, up ? "++" : "--");
		return val_num(f, 0);
	}
	if (atomic)
		return gen_long_tmp(f, gen_text(f, "stp_cell_fetch_add(%s, %s)%s", addr, up ? "1" : "-1",
		                                post ? "" : up ? " + 1" : " - 1"));
	old = gen_long_tmp(f, post ? lv : gen_text(f, "%s %c 1", lv, up ? '+' : '-'));
	emit_line(&f->o, post ? "%s = %s %c 1;" : "%s = %s;", lv, old.c, up ? '+' : '-');
	return old;
}

static struct val step_memory(struct fn *f, struct expr *e)
{
	struct expr *one = expr_num(f->g->s, e->kind == EX_PREINC || e->kind == EX_POSTINC ? 1 : -1, e->loc);
	struct expr *assign = expr_new(f->g->s, EX_ASSIGN, e->loc);
	struct val v;

	assign->op = OP_ADD;
	assign->a = e->a;
	assign->b = one;
	assign->type = one->type = TY_LONG;
	v = gen_assign(f, assign, true);
	return e->kind < EX_POSTINC ? v : gen_binary_text(f, OP_SUB, v, val_num(f, one->num), e);
}

struct val gen_incdec(struct fn *f, struct expr *e, bool want)
{
	struct expr *lval = e->a;
	struct mapkey key;
	const char *lv;

	switch (lval->kind) {
	case EX_SYM:
		if (var_dead(f, lval->var))
			return val_num(f, 0);
		lv = var_text(f, lval->var);
		return step_cell(f, e, lv, gen_text(f, "&%s", lv), var_atomic(f, lval->var), want);
	case EX_INDEX:
		key = gen_element_key(f, lval, NULL);
		lv = gen_cell(f, lval->var, &key, lval);
		return step_cell(f, e, gen_text(f, "*%s", lv), lv, var_atomic(f, lval->var), want);
	default:
		return step_memory(f, e);
	}
}
