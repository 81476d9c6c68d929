/* SPDX-License-Identifier: GPL-2.0-or-later */
/* for and foreach. */
#include "parse_priv.h"
#include <string.h>

struct stmt *parse_for(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_FOR, p->cur.loc);

	parser_next(p);
	if (parser_expect(p, T_LPAREN, "'(' after 'for'"))
		return NULL;
	if (p->cur.kind != T_SEMI && !(st->init = parse_expr(p)))
		return NULL;
	if (parser_expect(p, T_SEMI, "';' after the start of 'for'"))
		return NULL;
	if (p->cur.kind != T_SEMI && !(st->expr = parse_expr(p)))
		return NULL;
	if (parser_expect(p, T_SEMI, "';' after the condition of 'for'"))
		return NULL;
	if (p->cur.kind != T_RPAREN && !(st->step = parse_expr(p)))
		return NULL;
	if (parser_expect(p, T_RPAREN, "')' after 'for (...'"))
		return NULL;
	return (st->body = parse_loop_body(p)) ? st : NULL;
}

static struct expr *parse_loop_var(struct parser *p)
{
	struct expr *e;

	if (p->cur.kind != T_IDENT || p->cur.text[0] == '$') {
		parser_expected(p, "the name of a variable");
		return NULL;
	}
	e = expr_new(p->s, EX_SYM, p->cur.loc);
	e->name = parser_name(p, &p->cur);
	parser_next(p);
	return expr_done(p, e, e->loc);
}

/* An optional + or - that sorts by `by`. */
static int parse_sort(struct parser *p, struct foreach *f, int by)
{
	if (p->cur.kind != T_PLUS && p->cur.kind != T_MINUS)
		return 0;
	if (f->sort_dir)
		return parser_error(p, &p->cur, "sort-twice", "foreach can sort by one thing only");
	f->sort_dir = p->cur.kind == T_PLUS ? 1 : -1;
	f->sort_by = by;
	parser_next(p);
	return 0;
}

/* `v =`; 1 taken, 0 not there. */
static int parse_foreach_value(struct parser *p, struct foreach *f)
{
	if (p->cur.kind != T_IDENT || parser_peek(p)->kind != T_ASSIGN)
		return 0;
	if (!(f->value = parse_loop_var(p)))
		return -1;
	parser_next(p);
	return 1;
}

static int parse_foreach_keys(struct parser *p, struct foreach *f)
{
	GPtrArray *keys = g_ptr_array_new();
	bool brackets = parser_accept(p, T_LBRACK);

	do {
		struct expr *key = parse_loop_var(p);

		if (!key)
			goto fail;
		g_ptr_array_add(keys, key);
		if (parse_sort(p, f, keys->len))
			goto fail;
	} while (brackets && parser_accept(p, T_COMMA));
	if (brackets && parser_expect(p, T_RBRACK, "',' or ']' in the list of variables"))
		goto fail;
	f->keys = (struct expr **)arena_take(p->s, keys, &f->nkeys);
	return 0;
fail:
	g_ptr_array_free(keys, TRUE);
	return -1;
}

static int parse_slice(struct parser *p, struct foreach *f)
{
	struct expr list = { .loc = p->cur.loc };

	if (!parse_index_args(p, &list, true))
		return -1;
	if (list.nargs != f->nkeys)
		return parser_error_at(p, list.loc, "slice-size",
				       "the slice has %zu index%s, the loop %zu variable%s", list.nargs,
				       list.nargs == 1 ? "" : "es", f->nkeys, f->nkeys == 1 ? "" : "s");
	f->slice = list.args;
	return 0;
}

/* What is gone through: a, a[*, 1], @hist_log(x); then the sort order and @sum of its value. */
static int parse_foreach_array(struct parser *p, struct foreach *f)
{
	enum stat_op stat;

	if (p->cur.kind == T_ATWORD) {
		f->array = parse_atword(p, true);
		if (f->array && f->array->kind != EX_HIST)
			return parser_error_at(p, f->array->range, "foreach-array", "foreach goes through an array or a histogram");
		if (f->array && f->nkeys != 1)
			return parser_error_at(p, f->array->range, "foreach-array", "the rows of a histogram have one index, not %zu",
					       f->nkeys);
	} else if (p->cur.kind == T_IDENT && p->cur.text[0] != '$') {
		f->array = parse_loop_var(p);
		if (f->array && p->cur.kind == T_LBRACK && parse_slice(p, f))
			return -1;
	} else {
		parser_expected(p, "the name of an array");
	}
	if (!f->array)
		return -1;
	stat = p->cur.kind == T_ATWORD ? stat_op_of(&p->cur) : 0;
	if (stat && stat != STAT_VARIANCE) {
		f->sort_stat = stat;
		parser_next(p);
		if (p->cur.kind != T_PLUS && p->cur.kind != T_MINUS)
			return parser_expected(p, "'+' or '-' to sort by this statistic");
	}
	return parse_sort(p, f, 0);
}

struct stmt *parse_foreach(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_FOREACH, p->cur.loc);
	struct foreach *f = arena_alloc(p->s, sizeof(*f));

	st->foreach = f;
	parser_next(p);
	if (parser_expect(p, T_LPAREN, "'(' after 'foreach'"))
		return NULL;
	if (parse_foreach_value(p, f) < 0 || parse_foreach_keys(p, f) ||
	    parser_expect(p, T_IN, "'in' and an array") || parse_foreach_array(p, f))
		return NULL;
	if (parser_accept(p, T_LIMIT) && !(f->limit = parse_expr(p)))
		return NULL;
	if (parser_expect(p, T_RPAREN, "')' after 'foreach (...'"))
		return NULL;
	return (st->body = parse_loop_body(p)) ? st : NULL;
}
