/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions: the @operators of the language (macros are gone by now). */
#include "parse_priv.h"
#include "macro_table.h"
#include <string.h>

enum stat_op stat_op_of(const struct token *t)
{
	static const struct { const char *name; enum stat_op op; } ops[] = {
		{ "@count", STAT_COUNT }, { "@sum", STAT_SUM }, { "@min", STAT_MIN }, { "@max", STAT_MAX },
		{ "@avg", STAT_AVG }, { "@variance", STAT_VARIANCE },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(ops); i++)
		if (token_is(t, ops[i].name))
			return ops[i].op;
	return 0;
}

static int open_paren(struct parser *p)
{
	struct token op = p->cur;

	parser_next(p);
	if (parser_accept(p, T_LPAREN))
		return 0;
	parser_error(p, &p->cur, "unexpected-token", "expected '(' after '%.*s'", (int)op.len, op.text);
	return -1;
}

/* `, "text"` when there is a comma; *ret stays NULL without one. */
static int optional_string(struct parser *p, const char **ret)
{
	struct expr *e;

	if (!parser_accept(p, T_COMMA))
		return 0;
	if (p->cur.kind != T_STR)
		return parser_expected(p, "a literal string");
	if (!(e = parse_string(p)))
		return -1;
	*ret = e->str;
	return 0;
}

static struct expr *parse_stat(struct parser *p, enum stat_op op)
{
	struct expr *e = expr_new(p->s, EX_STATOP, p->cur.loc), *shift;
	int64_t num;

	e->stat = op;
	if (open_paren(p) || !(e->a = parse_expr(p)))
		return NULL;
	if (op == STAT_VARIANCE && parser_accept(p, T_COMMA)) {
		struct loc at = p->cur.loc;

		if (parse_literal_num(p, &num))
			return NULL;
		if (num < 0 || num > 62) {
			parser_error_at(p, at, "variance-shift", "the bit shift of @variance must be 0 to 62");
			return NULL;
		}
		shift = expr_num(p->s, num, at);
		e->args = arena_alloc(p->s, sizeof(*e->args));
		e->args[0] = shift;
		e->nargs = 1;
	}
	if (parser_expect(p, T_RPAREN, "')'"))
		return NULL;
	return expr_done(p, e, e->loc);
}

static int parse_linear_shape(struct parser *p, struct hist_shape *h, struct loc at)
{
	int64_t *nums[] = { &h->low, &h->high, &h->width };

	for (size_t i = 0; i < 3; i++)
		if (parser_expect(p, T_COMMA, "',' and the low end, high end and width of the buckets") ||
		    parse_literal_num(p, nums[i]))
			return -1;
	if (h->width <= 0)
		return parser_error_at(p, at, "hist-shape", "the bucket width of @hist_linear must be positive");
	if (h->high <= h->low)
		return parser_error_at(p, at, "hist-shape", "the high end of @hist_linear must be above its low end");
	return 0;
}

static struct expr *parse_hist(struct parser *p, bool hist_ok)
{
	struct expr *e = expr_new(p->s, EX_HIST, p->cur.loc), *bucket;

	e->hist.kind = token_is(&p->cur, "@hist_log") ? HIST_LOG : HIST_LINEAR;
	if (open_paren(p) || !(e->a = parse_expr(p)))
		return NULL;
	if (e->hist.kind == HIST_LINEAR && parse_linear_shape(p, &e->hist, e->loc))
		return NULL;
	if (parser_expect(p, T_RPAREN, "')'") || !expr_done(p, e, e->loc))
		return NULL;
	if (p->cur.kind == T_LBRACK) {
		bucket = expr_new(p->s, EX_BUCKET, e->loc);
		bucket->a = e;
		if (!parse_index_args(p, bucket, false))
			return NULL;
		if (bucket->nargs != 1) {
			parser_error_at(p, e->loc, "hist-index", "a histogram has one index: the number of the bucket");
			return NULL;
		}
		return expr_done(p, bucket, e->loc);
	}
	if (!hist_ok) {
		parser_error_at(p, e->range, "hist-place", "a histogram is no value by itself");
		parser_help(p, "print it with print(), take a bucket of it with [], or go through it with foreach");
	}
	return e;
}

/* @cast(value, "type" [, "module"]) */
static struct expr *parse_cast(struct parser *p)
{
	struct expr *e = expr_new(p->s, EX_CAST, p->cur.loc);

	if (open_paren(p) || !(e->a = parse_expr(p)))
		return NULL;
	if (p->cur.kind != T_COMMA) {
		parser_expected(p, "',' and the name of a type");
		return NULL;
	}
	if (optional_string(p, &e->str) || optional_string(p, &e->module) || parser_expect(p, T_RPAREN, "')'"))
		return NULL;
	e->len = strlen(e->str);
	return parse_comps(p, e, e->loc);
}

/* @var("name" [, "module"]) */
static struct expr *parse_atvar(struct parser *p)
{
	struct expr *e = expr_new(p->s, EX_ATVAR, p->cur.loc), *name;

	if (open_paren(p))
		return NULL;
	if (p->cur.kind != T_STR) {
		parser_expected(p, "the name of a variable as a literal string");
		return NULL;
	}
	if (!(name = parse_string(p)) || optional_string(p, &e->module) || parser_expect(p, T_RPAREN, "')'"))
		return NULL;
	e->name = e->str = name->str;
	e->len = name->len;
	return parse_comps(p, e, e->loc);
}

/* @defined(x), @entry(x) */
static struct expr *parse_wrapper(struct parser *p, enum expr_kind kind)
{
	struct expr *e = expr_new(p->s, kind, p->cur.loc);

	if (open_paren(p) || !(e->a = parse_expr(p)) || parser_expect(p, T_RPAREN, "')'"))
		return NULL;
	return expr_done(p, e, e->loc);
}

static struct expr *parse_perf(struct parser *p)
{
	struct expr *e = expr_new(p->s, EX_PERF, p->cur.loc), *name;

	if (open_paren(p))
		return NULL;
	if (p->cur.kind != T_STR) {
		parser_expected(p, "the name of a perf counter as a literal string");
		return NULL;
	}
	if (!(name = parse_string(p)) || parser_expect(p, T_RPAREN, "')'"))
		return NULL;
	e->str = name->str;
	e->len = name->len;
	return expr_done(p, e, e->loc);
}

static struct expr *parse_other(struct parser *p)
{
	struct expr *e = expr_new(p->s, EX_ATOP, p->cur.loc);

	e->name = arena_strndup(p->s, p->cur.text + 1, p->cur.len - 1);
	if (strcmp(e->name, "errno") == 0 && parser_peek(p)->kind != T_LPAREN) {
		parser_next(p);
		return expr_done(p, e, e->loc);
	}
	if (open_paren(p) || parse_args(p, e))
		return NULL;
	return expr_done(p, e, e->loc);
}

static void unknown_atword(struct parser *p, const char *name)
{
	static const char *const builtins[] = {
		"count", "avg", "cast", "const", "defined", "entry", "enum", "enumname", "hist_linear",
		"hist_log", "kderef", "kregister", "max", "min", "perf", "probewrite", "sum", "uderef",
		"uregister", "var", "variance",
	};
	GPtrArray *names = pp_macro_names(&p->pp);
	const char *near;

	for (size_t i = 0; i < G_N_ELEMENTS(builtins); i++)
		g_ptr_array_add(names, (char *)builtins[i]);
	near = diag_nearest(name, names);
	parser_error(p, &p->cur, "unknown-macro", "there is no macro or operator '@%.60s'", name);
	if (near)
		parser_help(p, "did you mean '@%s'?", near);
	g_ptr_array_free(names, TRUE);
}

struct expr *parse_atword(struct parser *p, bool hist_ok)
{
	const struct token *t = &p->cur;
	enum stat_op stat = stat_op_of(t);
	char *name;

	if (stat)
		return parse_stat(p, stat);
	if (token_is(t, "@hist_log") || token_is(t, "@hist_linear"))
		return parse_hist(p, hist_ok);
	if (token_is(t, "@cast"))
		return parse_cast(p);
	if (token_is(t, "@var"))
		return parse_atvar(p);
	if (token_is(t, "@defined"))
		return parse_wrapper(p, EX_DEFINED);
	if (token_is(t, "@entry"))
		return parse_wrapper(p, EX_ENTRY);
	if (token_is(t, "@perf"))
		return parse_perf(p);
	name = arena_strndup(p->s, t->text + 1, t->len - 1);
	if (macro_is_builtin(name))
		return parse_other(p);
	unknown_atword(p, name);
	return NULL;
}
