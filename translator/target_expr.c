/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and comparing the plain nodes that context variables are lowered to. */
#include "target.h"

#include <string.h>

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

struct expr *lowered_ip(struct session *s, struct loc loc)
{
	struct expr *e = lowered_reg(s, 0, loc);

	e->ctxval = CTX_IP;
	return e;
}

struct expr *lowered_named(struct session *s, const char *name, struct loc loc)
{
	struct expr *e = lowered_reg(s, 0, loc);

	e->ctxval = CTX_NAMED;
	e->name = name;
	return e;
}

/* The number of an address among those that the loader is asked for; each is asked for once. */
static unsigned address_slot(struct session *s, const struct address *want)
{
	struct address *a;

	if (!s->addresses)
		s->addresses = g_ptr_array_new();
	for (guint i = 0; i < s->addresses->len; i++) {
		a = s->addresses->pdata[i];
		if (a->offset == want->offset && g_strcmp0(a->module, want->module) == 0 && strcmp(a->symbol, want->symbol) == 0)
			return i;
	}
	a = arena_alloc(s, sizeof(*a));
	*a = *want;
	g_ptr_array_add(s->addresses, a);
	return s->addresses->len - 1;
}

struct expr *lowered_address(struct session *s, const char *module, const char *symbol, uint64_t offset, const char *what,
			     struct loc loc)
{
	struct address a = { .module = module ? arena_strdup(s, module) : NULL, .symbol = arena_strdup(s, symbol),
			     .offset = offset, .what = what };

	if (module && !strchr(symbol, ':')) {
		a.anchor = a.symbol;
		a.from_anchor = offset;
	}
	return lowered_address_of(s, &a, loc);
}

struct expr *lowered_address_of(struct session *s, const struct address *a, struct loc loc)
{
	struct expr *e = lowered_reg(s, address_slot(s, a), loc);

	e->ctxval = CTX_ADDRESS;
	return e;
}

struct expr *lowered_user_file(struct session *s, unsigned index, struct loc loc)
{
	struct expr *e = lowered_reg(s, index, loc);

	e->ctxval = CTX_USER_FILE;
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
		return a->ctxval == b->ctxval && a->num == b->num && g_strcmp0(a->name, b->name) == 0;
	case EX_LOAD:
	case EX_CONV:
		return a->load.size == b->load.size && a->load.is_signed == b->load.is_signed &&
		       a->load.user == b->load.user && a->load.bit_offset == b->load.bit_offset &&
		       a->load.bit_size == b->load.bit_size && a->load.is_float == b->load.is_float && lowered_same(a->a, b->a);
	case EX_BINARY:
		return a->op == b->op && lowered_same(a->a, b->a) && lowered_same(a->b, b->b);
	case EX_COND:
		return lowered_same(a->a, b->a) && lowered_same(a->b, b->b) && lowered_same(a->c, b->c);
	default:
		return false;
	}
}
