/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and comparing the plain nodes that context variables are lowered to. */
#include "target.h"

struct expr *lowered_num(struct session *s, int64_t n, struct loc loc)
{
	return expr_num(s, n, loc);
}

struct expr *lowered_binary(struct session *s, enum op op, struct expr *a, struct expr *b, struct loc loc)
{
	struct expr *e = expr_binary(s, op, a, b, loc);

	e->type = TY_LONG;
	return e;
}

struct expr *lowered_reg(struct session *s, unsigned offset, struct loc loc)
{
	struct expr *e = expr_new(s, EX_CTXVAL, loc);

	e->type = TY_LONG;
	e->ctxval = CTX_REG;
	e->num = offset;
	return e;
}

struct expr *lowered_arg(struct session *s, unsigned n, struct loc loc)
{
	struct expr *e = lowered_reg(s, n, loc);

	e->ctxval = CTX_ARG;
	return e;
}

struct expr *lowered_load(struct session *s, struct expr *addr, unsigned size, bool is_signed, bool user, struct loc loc)
{
	struct expr *e = expr_new(s, EX_LOAD, loc);

	e->type = TY_LONG;
	e->a = addr;
	e->load = (struct load){ .size = size, .is_signed = is_signed, .user = user };
	return e;
}

struct expr *lowered_conv(struct session *s, struct expr *a, unsigned size, bool is_signed, struct loc loc)
{
	struct expr *e;

	if (size >= 8)
		return a;
	e = expr_new(s, EX_CONV, loc);
	e->type = TY_LONG;
	e->a = a;
	e->load = (struct load){ .size = size, .is_signed = is_signed };
	return e;
}

bool lowered_same(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case EX_NUM:
		return a->num == b->num;
	case EX_CTXVAL:
		return a->ctxval == b->ctxval && a->num == b->num && !a->name && !b->name;
	case EX_LOAD:
	case EX_CONV:
		return a->load.size == b->load.size && a->load.is_signed == b->load.is_signed &&
		       a->load.user == b->load.user && a->load.bit_offset == b->load.bit_offset &&
		       a->load.bit_size == b->load.bit_size && lowered_same(a->a, b->a);
	case EX_BINARY:
		return a->op == b->op && lowered_same(a->a, b->a) && lowered_same(a->b, b->b);
	case EX_COND:
		return lowered_same(a->a, b->a) && lowered_same(a->b, b->b) && lowered_same(a->c, b->c);
	default:
		return false;
	}
}
