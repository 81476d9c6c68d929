/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions: literals, names, calls, array elements, context variables and the steps behind them. */
#include "parse_priv.h"
#include <string.h>

struct expr *parse_string(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e = expr_new(p->s, EX_STR, start);
	GString *joined = NULL;

	while (p->cur.kind == T_STR) {
		const char *why = NULL;
		size_t len;
		char *str = literal_string(p->s, &p->cur, &len, &why);

		if (!str) {
			parser_error(p, &p->cur, "bad-escape", "%s", why);
			if (joined)
				g_string_free(joined, TRUE);
			return NULL;
		}
		if (!e->str) {
			e->str = str;
			e->len = len;
		} else {
			if (!joined)
				joined = g_string_new_len(e->str, e->len);
			g_string_append_len(joined, str, len);
		}
		parser_next(p);
	}
	if (joined) {
		e->str = arena_strndup(p->s, joined->str, joined->len);
		e->len = joined->len;
		g_string_free(joined, TRUE);
	}
	e->type = TY_STRING;
	return expr_done(p, e, start);
}

static int bad_number(struct parser *p)
{
	const char *text = p->cur.text;
	size_t len = p->cur.len, digits = 0;

	while (digits < len && g_ascii_isdigit(text[digits]))
		digits++;
	if (digits < len && !(text[0] == '0' && len > 2 && strchr("xXbB", text[1])))
		return parser_error(p, &p->cur, "bad-number", "'%.*s' is not a number", (int)MIN(len, 40), text);
	if (text[0] == '0' && digits == len && strcspn(text, "89") < len) {
		parser_error(p, &p->cur, "bad-number", "'%.*s' is not a number", (int)MIN(len, 40), text);
		parser_help(p, "a number that begins with 0 is octal: its digits are 0 to 7");
		return -1;
	}
	for (size_t i = 2; digits < len && i < len; i++)
		if (!g_ascii_isxdigit(text[i]) || ((text[1] | 32) == 'b' && text[i] > '1'))
			return parser_error(p, &p->cur, "bad-number", "'%.*s' is not a number", (int)MIN(len, 40), text);
	return parser_error(p, &p->cur, "bad-number", "'%.*s' does not fit in 64 bits", (int)MIN(len, 40), text);
}

int parse_literal_num(struct parser *p, int64_t *num)
{
	bool negative = parser_accept(p, T_MINUS);

	if (p->cur.kind != T_NUM)
		return parser_expected(p, "a number");
	if (!literal_number(p->cur.text, p->cur.len, num))
		return bad_number(p);
	if (negative)
		*num = -(uint64_t)*num;
	parser_next(p);
	return 0;
}

static struct expr *parse_number(struct parser *p)
{
	struct loc start = p->cur.loc;
	int64_t num;

	if (parse_literal_num(p, &num))
		return NULL;
	return expr_done(p, expr_num(p->s, num, start), start);
}

/* Takes trailing dollars off a name ("x$", "x$$"); returns how many. */
static unsigned split_pretty(struct parser *p, const char **name, const struct token *t)
{
	size_t len = t->len;

	while (len > 0 && t->text[len - 1] == '$')
		len--;
	if (len == 0) { /* nothing but dollars is a name of its own */
		*name = parser_name(p, t);
		return 0;
	}
	*name = arena_strndup(p->s, t->text, len);
	return t->len - len;
}

static int add_pretty(struct parser *p, GArray *comps, unsigned dollars, struct loc loc)
{
	struct comp c = { .kind = dollars == 1 ? COMP_PRETTY : COMP_PRETTY_DEEP, .loc = loc };

	if (dollars > 2)
		return parser_error_at(p, loc, "dollars", "at most two '$' may follow a variable");
	g_array_append_val(comps, c);
	return 0;
}

static bool all_dollars(const struct token *t)
{
	return t->kind == T_IDENT && t->text[0] == '$' && strspn(t->text, "$") >= t->len;
}

/* One step behind a value; 1: taken, 0: there is none, -1: error.  *last: nothing may follow. */
static int parse_comp(struct parser *p, GArray *comps, bool *last)
{
	struct comp c = { .loc = p->cur.loc };
	unsigned dollars;

	if (p->cur.kind == T_ARROW) {
		parser_next(p);
		if (p->cur.kind != T_IDENT && !tok_is_keyword(p->cur.kind))
			return parser_expected(p, "the name of a member after '->'");
		c.kind = COMP_MEMBER;
		c.loc = p->cur.loc;
		dollars = split_pretty(p, &c.name, &p->cur);
		parser_next(p);
		g_array_append_val(comps, c);
		if (dollars == 0)
			return 1;
		*last = true;
		return add_pretty(p, comps, dollars, c.loc) ? -1 : 1;
	}
	if (p->cur.kind == T_LBRACK) {
		parser_next(p);
		c.kind = COMP_INDEX;
		c.index = parse_expr(p);
		if (!c.index || parser_expect(p, T_RBRACK, "']'"))
			return -1;
		g_array_append_val(comps, c);
		return 1;
	}
	if (all_dollars(&p->cur)) {
		dollars = p->cur.len;
		parser_next(p);
		*last = true;
		return add_pretty(p, comps, dollars, c.loc) ? -1 : 1;
	}
	return 0;
}

/* ->a[1]$ behind e; `dollars` were part of e's name already */
static struct expr *parse_more_comps(struct parser *p, struct expr *e, struct loc start, unsigned dollars)
{
	GArray *comps = g_array_new(FALSE, FALSE, sizeof(struct comp));
	bool last = dollars > 0;
	int r = dollars ? add_pretty(p, comps, dollars, e->loc) : 0;

	while (r >= 0 && !last && (r = parse_comp(p, comps, &last)) > 0)
		;
	if (r >= 0 && comps->len) {
		e->ncomps = comps->len;
		e->comps = arena_alloc(p->s, comps->len * sizeof(struct comp));
		memcpy(e->comps, comps->data, comps->len * sizeof(struct comp));
	}
	g_array_free(comps, TRUE);
	return r < 0 ? NULL : expr_done(p, e, start);
}

struct expr *parse_comps(struct parser *p, struct expr *e, struct loc start)
{
	return parse_more_comps(p, e, start, 0);
}

static struct expr *parse_target(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e = expr_new(p->s, EX_TARGET, start);
	unsigned dollars = split_pretty(p, &e->name, &p->cur);

	parser_next(p);
	return parse_more_comps(p, e, start, dollars);
}

/* A variable, an array element or a call. */
static struct expr *parse_name(struct parser *p, bool star_ok)
{
	struct loc start = p->cur.loc;
	struct expr *e = expr_new(p->s, EX_SYM, start);

	e->name = parser_name(p, &p->cur);
	if (!p->file->library && (strcmp(e->name, "argv") == 0 || strcmp(e->name, "argc") == 0))
		args_mark_used(p->s, 0);
	parser_next(p);
	if (p->cur.kind == T_LPAREN) {
		e->kind = EX_CALL;
		parser_next(p);
		if (parse_args(p, e))
			return NULL;
	} else if (p->cur.kind == T_LBRACK) {
		e->kind = EX_INDEX;
		if (!parse_index_args(p, e, star_ok))
			return NULL;
	}
	return expr_done(p, e, start);
}

static struct expr *parse_parens(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e;

	parser_next(p);
	e = parse_expr(p);
	if (!e)
		return NULL;
	if (p->cur.kind != T_RPAREN) {
		parser_expected(p, "')'");
		parser_note(p, start, "it closes this '('");
		return NULL;
	}
	parser_next(p);
	e->range = start;
	if (p->prev.loc.src == start.src && p->prev.loc.line == start.line)
		e->range.len = p->prev.loc.col + 1 - start.col;
	return e;
}

static struct expr *parse_embedded_expr(struct parser *p)
{
	struct expr *e = expr_new(p->s, EX_EMBEDDED, p->cur.loc);

	e->str = parse_embedded(p);
	if (!e->str)
		return NULL;
	e->len = strlen(e->str);
	return expr_done(p, e, e->loc);
}

static struct expr *parse_atom(struct parser *p, bool star_ok, bool hist_ok)
{
	switch (p->cur.kind) {
	case T_NUM: return parse_number(p);
	case T_STR: return parse_string(p);
	case T_LPAREN: return parse_parens(p);
	case T_EMBED: return parse_embedded_expr(p);
	case T_ATWORD: return parse_atword(p, hist_ok);
	case T_IDENT:
		if (p->cur.text[0] == '$')
			return parse_target(p);
		if (is_print_name(&p->cur))
			return parse_print(p);
		return parse_name(p, star_ok);
	default:
		break;
	}
	parser_expected(p, "a value");
	parser_help_keyword(p);
	return NULL;
}

struct expr *parse_primary(struct parser *p)
{
	struct loc start = p->cur.loc;
	bool star_ok = p->star_ok, hist_ok = p->hist_ok;
	struct expr *e, *cast;

	p->star_ok = p->hist_ok = false;
	e = parse_atom(p, star_ok, hist_ok);
	if (!e || (p->cur.kind != T_ARROW && p->cur.kind != T_LBRACK))
		return e;
	if (e->kind == EX_TARGET || e->kind == EX_CAST || e->kind == EX_ATVAR) {
		/* either in parentheses, or its steps ended in $ */
		if (e->ncomps && e->comps[e->ncomps - 1].kind >= COMP_PRETTY) {
			parser_error(p, &p->cur, "dollars", "nothing can follow the '$' that prints a whole variable");
			return NULL;
		}
	}
	cast = expr_new(p->s, EX_AUTOCAST, p->cur.loc);
	cast->a = e;
	return parse_comps(p, cast, start);
}
