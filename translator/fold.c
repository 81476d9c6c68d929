/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constant folding and dead branches (fold.h). */
#include <string.h>
#include "fold.h"

static bool is_num(const struct expr *e)
{
	return e && e->kind == EX_NUM;
}

static bool is_str(const struct expr *e)
{
	return e && e->kind == EX_STR;
}

/* Shift counts are taken modulo 64, as the generated code does. */
static bool eval_binary(enum op op, int64_t a, int64_t b, int64_t *ret)
{
	uint64_t x = a, y = b;

	switch (op) {
	case OP_ADD: *ret = x + y; break;
	case OP_SUB: *ret = x - y; break;
	case OP_MUL: *ret = x * y; break;
	case OP_DIV:
		if (!b)
			return false;
		*ret = b == -1 ? (int64_t)(0 - x) : a / b;
		break;
	case OP_MOD:
		if (!b)
			return false;
		*ret = b == -1 ? 0 : a % b;
		break;
	case OP_SHL:
		if (y > 63)
			return false;
		*ret = x << y;
		break;
	case OP_SHR:
		if (y > 63)
			return false;
		*ret = a >> y;
		break;
	case OP_USHR:
		if (y > 63)
			return false;
		*ret = x >> y;
		break;
	case OP_AND: *ret = a & b; break;
	case OP_OR: *ret = a | b; break;
	case OP_XOR: *ret = a ^ b; break;
	case OP_LT: *ret = a < b; break;
	case OP_GT: *ret = a > b; break;
	case OP_LE: *ret = a <= b; break;
	case OP_GE: *ret = a >= b; break;
	case OP_EQ: *ret = a == b; break;
	case OP_NE: *ret = a != b; break;
	default: return false;
	}
	return true;
}

static bool eval_strings(enum op op, const struct expr *a, const struct expr *b, int64_t *ret)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->str, b->str, n);

	if (!c)
		c = a->len < b->len ? -1 : a->len > b->len;
	return op >= OP_LT && op <= OP_NE && eval_binary(op, c, 0, ret);
}

static struct expr *fold_binary(struct session *s, struct expr *e)
{
	int64_t v;

	if (is_num(e->a) && is_num(e->b) && eval_binary(e->op, e->a->num, e->b->num, &v))
		return expr_num(s, v, e->loc);
	if (!is_str(e->a) || !is_str(e->b))
		return e;
	if (eval_strings(e->op, e->a, e->b, &v))
		return expr_num(s, v, e->loc);
	/* longer ones are cut at MAXSTRINGLEN, which is not known here */
	if (e->op == OP_CONCAT && e->a->len + e->b->len < 64)
		return expr_str(s, arena_printf(s, "%s%s", e->a->str, e->b->str), e->loc);
	return e;
}

static struct expr *fold_unary(struct session *s, struct expr *e)
{
	int64_t a = is_num(e->a) ? e->a->num : 0;

	if (!is_num(e->a))
		return e;
	switch (e->op) {
	case OP_SUB:
	case OP_NEG: return expr_num(s, 0 - (uint64_t)a, e->loc);
	case OP_ADD:
	case OP_PLUS: return expr_num(s, a, e->loc);
	case OP_NOT: return expr_num(s, !a, e->loc);
	case OP_BITNOT: return expr_num(s, ~a, e->loc);
	default: return e;
	}
}

static struct expr *fold_logical(struct session *s, struct expr *e)
{
	bool is_and = e->kind == EX_LOGAND;

	if (!is_num(e->a))
		return e;
	if (!e->a->num == is_and) /* 0 && x, 1 || x */
		return expr_num(s, !is_and, e->loc);
	return is_num(e->b) ? expr_num(s, e->b->num != 0, e->loc) : e;
}

static bool fold_one(struct walker *w, struct expr **pe)
{
	struct session *s = w->data;
	struct expr *e = *pe;

	switch (e->kind) {
	case EX_UNARY:
		*pe = fold_unary(s, e);
		break;
	case EX_BINARY:
		*pe = fold_binary(s, e);
		break;
	case EX_LOGAND:
	case EX_LOGOR:
		*pe = fold_logical(s, e);
		break;
	case EX_COND:
		if (is_num(e->a))
			*pe = e->a->num ? e->b : e->c;
		break;
	default:
		break;
	}
	return true;
}

static bool fold_branch(struct walker *w, struct stmt **pst)
{
	struct session *s = w->data;
	struct stmt *st = *pst, *keep;

	if (st->kind == ST_IF && is_num(st->expr)) {
		keep = st->expr->num ? st->body : st->other;
		*pst = keep ? keep : stmt_new(s, ST_NULL, st->loc);
	} else if (st->kind == ST_WHILE && is_num(st->expr) && !st->expr->num) {
		*pst = stmt_new(s, ST_NULL, st->loc);
	} else if (st->kind == ST_FOR && is_num(st->expr) && !st->expr->num) {
		keep = stmt_new(s, st->init ? ST_EXPR : ST_NULL, st->loc);
		keep->expr = st->init;
		*pst = keep;
	}
	return true;
}

void fold_stmt(struct session *s, struct stmt **st)
{
	struct walker w = { .expr = fold_one, .stmt = fold_branch, .data = s };

	if (*st)
		walk_stmt(&w, st);
}

void fold_expr(struct session *s, struct expr **e)
{
	struct walker w = { .expr = fold_one, .data = s };

	walk_expr(&w, e);
}
