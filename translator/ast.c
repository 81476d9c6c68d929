/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and copying nodes of the syntax tree, and the names of types and operators. */
#include "session.h"
#include <string.h>

const char *type_name(enum type t)
{
	switch (t) {
	case TY_UNKNOWN: return "unknown";
	case TY_LONG: return "long";
	case TY_STRING: return "string";
	case TY_STATS: return "statistics";
	case TY_VOID: return "void";
	}
	return "unknown";
}

const char *op_text(enum op op)
{
	static const char *const text[] = {
		[OP_NONE] = "", [OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/",
		[OP_MOD] = "%", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_USHR] = ">>>", [OP_AND] = "&",
		[OP_OR] = "|", [OP_XOR] = "^", [OP_LT] = "<", [OP_GT] = ">", [OP_LE] = "<=",
		[OP_GE] = ">=", [OP_EQ] = "==", [OP_NE] = "!=", [OP_CONCAT] = ".", [OP_STAT] = "<<<",
		[OP_NEG] = "-", [OP_PLUS] = "+", [OP_NOT] = "!", [OP_BITNOT] = "~", [OP_MATCH] = "=~",
		[OP_NOMATCH] = "!~",
	};

	return (size_t)op < G_N_ELEMENTS(text) ? text[op] : "";
}

struct expr *expr_new(struct session *s, enum expr_kind kind, struct loc loc)
{
	struct expr *e = arena_alloc(s, sizeof(*e));

	e->kind = kind;
	e->loc = e->range = loc;
	return e;
}

struct expr *expr_num(struct session *s, int64_t num, struct loc loc)
{
	struct expr *e = expr_new(s, EX_NUM, loc);

	e->num = num;
	e->type = TY_LONG;
	return e;
}

struct expr *expr_str(struct session *s, const char *str, struct loc loc)
{
	struct expr *e = expr_new(s, EX_STR, loc);

	e->len = strlen(str);
	e->str = arena_strndup(s, str, e->len);
	e->type = TY_STRING;
	return e;
}

struct expr *expr_binary(struct session *s, enum op op, struct expr *a, struct expr *b, struct loc loc)
{
	struct expr *e = expr_new(s, EX_BINARY, loc);

	e->op = op;
	e->a = a;
	e->b = b;
	return e;
}

struct stmt *stmt_new(struct session *s, enum stmt_kind kind, struct loc loc)
{
	struct stmt *st = arena_alloc(s, sizeof(*st));

	st->kind = kind;
	st->loc = loc;
	return st;
}

static void *dup_bytes(struct session *s, const void *p, size_t size)
{
	void *ret = arena_alloc(s, size);

	memcpy(ret, p, size);
	return ret;
}

static struct expr **copy_exprs(struct session *s, struct expr **v, size_t n)
{
	struct expr **ret;

	if (!v)
		return NULL;
	ret = arena_alloc(s, n * sizeof(*ret));
	for (size_t i = 0; i < n; i++)
		ret[i] = expr_copy(s, v[i]);
	return ret;
}

/* The print description and histogram shape are never changed after parsing: they are shared. */
struct expr *expr_copy(struct session *s, const struct expr *e)
{
	struct expr *c;

	if (!e)
		return NULL;
	c = dup_bytes(s, e, sizeof(*e));
	c->a = expr_copy(s, e->a);
	c->b = expr_copy(s, e->b);
	c->c = expr_copy(s, e->c);
	c->args = copy_exprs(s, e->args, e->nargs);
	if (e->comps) {
		c->comps = dup_bytes(s, e->comps, e->ncomps * sizeof(*e->comps));
		for (size_t i = 0; i < e->ncomps; i++)
			c->comps[i].index = expr_copy(s, e->comps[i].index);
	}
	return c;
}

static struct foreach *foreach_copy(struct session *s, const struct foreach *f)
{
	struct foreach *c;

	if (!f)
		return NULL;
	c = dup_bytes(s, f, sizeof(*f));
	c->value = expr_copy(s, f->value);
	c->keys = copy_exprs(s, f->keys, f->nkeys);
	c->array = expr_copy(s, f->array);
	c->slice = copy_exprs(s, f->slice, f->nkeys);
	c->limit = expr_copy(s, f->limit);
	return c;
}

struct stmt *stmt_copy(struct session *s, const struct stmt *st)
{
	struct stmt *c;

	if (!st)
		return NULL;
	c = dup_bytes(s, st, sizeof(*st));
	c->expr = expr_copy(s, st->expr);
	c->init = expr_copy(s, st->init);
	c->step = expr_copy(s, st->step);
	c->body = stmt_copy(s, st->body);
	c->other = stmt_copy(s, st->other);
	c->catch_var = expr_copy(s, st->catch_var);
	c->foreach = foreach_copy(s, st->foreach);
	if (st->list) {
		c->list = arena_alloc(s, st->nlist * sizeof(*c->list));
		for (size_t i = 0; i < st->nlist; i++)
			c->list[i] = stmt_copy(s, st->list[i]);
	}
	return c;
}
