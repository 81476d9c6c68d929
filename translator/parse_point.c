/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe points: components with arguments, wildcards, braces, and the suffixes ? ! if (...). */
#include "parse_priv.h"
#include <string.h>

/* Points under construction: what one piece of text stands for, several when it has braces. */
struct partial {
	GArray *comps;           /* struct point_comp */
	bool optional, sufficient;
	struct expr *condition;
};

static struct partial *partial_new(void)
{
	struct partial *pt = g_new0(struct partial, 1);

	pt->comps = g_array_new(FALSE, FALSE, sizeof(struct point_comp));
	return pt;
}

static void partial_free(void *q)
{
	struct partial *pt = q;

	g_array_free(pt->comps, TRUE);
	g_free(pt);
}

static GPtrArray *partials_new(void)
{
	return g_ptr_array_new_with_free_func(partial_free);
}

static bool is_name_part(const struct token *t)
{
	return (t->kind == T_IDENT && t->text[0] != '$') || tok_is_keyword(t->kind) || t->kind == T_STAR;
}

/* name, with `*` anywhere in it: tokens without blanks between them */
static int parse_comp_name(struct parser *p, struct point_comp *c)
{
	GString *name;

	if (!is_name_part(&p->cur)) {
		if (p->cur.kind == T_IDENT) {
			parser_error(p, &p->cur, "point-syntax", "a probe point can not contain a context variable");
			return -1;
		}
		return parser_expected(p, "a part of a probe point");
	}
	c->loc = p->cur.loc;
	name = g_string_new_len(p->cur.text, p->cur.len);
	parser_next(p);
	while (p->cur.glued && (is_name_part(&p->cur) || p->cur.kind == T_NUM)) {
		g_string_append_len(name, p->cur.text, p->cur.len);
		parser_next(p);
	}
	if (c->loc.line == p->prev.loc.line && p->prev.loc.col >= c->loc.col)
		c->loc.len = p->prev.loc.col + p->prev.loc.len - c->loc.col;
	c->name = arena_strndup(p->s, name->str, name->len);
	g_string_free(name, TRUE);
	return 0;
}

static int parse_comp_arg(struct parser *p, struct point_comp *c)
{
	struct loc start = p->cur.loc;
	int64_t num;

	if (p->cur.kind == T_STR) {
		if (!(c->arg = parse_string(p)))
			return -1;
	} else if (p->cur.kind == T_NUM || p->cur.kind == T_MINUS) {
		if (parse_literal_num(p, &num))
			return -1;
		c->arg = expr_num(p->s, num, start);
	} else {
		return parser_expected(p, "a literal string or number in a probe point");
	}
	return parser_expect(p, T_RPAREN, "')'");
}

static int parse_comp(struct parser *p, struct point_comp *c)
{
	*c = (struct point_comp){ 0 };
	if (parse_comp_name(p, c))
		return -1;
	return parser_accept(p, T_LPAREN) ? parse_comp_arg(p, c) : 0;
}

static int parse_sequence(struct parser *p, GPtrArray *out);

/* {a, b.c}: what each may be goes to `out` */
static int parse_braces(struct parser *p, GPtrArray *out)
{
	struct loc open = p->cur.loc;

	parser_next(p);
	if (parser_enter(p))
		return -1;
	do {
		if (parse_sequence(p, out))
			return -1;
	} while (parser_accept(p, T_COMMA));
	parser_leave(p);
	if (p->cur.kind == T_RBRACE) {
		parser_next(p);
		return 0;
	}
	parser_expected(p, "',' or '}' in a probe point");
	parser_note(p, open, "it closes this '{'");
	return -1;
}

/* Every point of `list` goes on with every one of `tails`. */
static int multiply(struct parser *p, GPtrArray *list, GPtrArray *tails, struct loc at)
{
	unsigned n = list->len;
	GPtrArray *made;

	if ((uint64_t)n * tails->len > MAX_POINTS)
		return parser_error_at(p, at, "many-points", "these braces stand for more than %d probe points", MAX_POINTS);
	made = g_ptr_array_new();
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < tails->len; j++) {
			const struct partial *head = list->pdata[i], *tail = tails->pdata[j];
			struct partial *pt = partial_new();

			g_array_append_vals(pt->comps, head->comps->data, head->comps->len);
			g_array_append_vals(pt->comps, tail->comps->data, tail->comps->len);
			pt->optional = tail->optional;
			pt->sufficient = tail->sufficient;
			g_ptr_array_add(made, pt);
		}
	}
	g_ptr_array_set_size(list, 0);
	for (unsigned i = 0; i < made->len; i++)
		g_ptr_array_add(list, made->pdata[i]);
	g_ptr_array_free(made, TRUE);
	return 0;
}

static int append_braces(struct parser *p, GPtrArray *list)
{
	GPtrArray *tails = partials_new();
	struct loc at = p->cur.loc;
	int r = parse_braces(p, tails);

	if (r == 0)
		r = multiply(p, list, tails, at);
	g_ptr_array_free(tails, TRUE);
	return r;
}

/* ? or !, and if (condition), in any order */
static int parse_suffix(struct parser *p, GPtrArray *list, unsigned from)
{
	bool marked = false;

	for (;;) {
		bool optional = p->cur.kind == T_QUESTION, sufficient = p->cur.kind == T_NOT;
		struct expr *condition = NULL;

		if (p->cur.kind == T_IF) {
			parser_next(p);
			if (parser_expect(p, T_LPAREN, "'(' after 'if'") || !(condition = parse_expr(p)) ||
			    parser_expect(p, T_RPAREN, "')' after the condition"))
				return -1;
		} else if (optional || sufficient) {
			if (marked)
				return parser_error(p, &p->cur, "point-syntax", "a probe point takes one '?' or '!'");
			marked = true;
			parser_next(p);
		} else {
			return 0;
		}
		for (unsigned i = from; i < list->len; i++) {
			struct partial *pt = list->pdata[i];

			pt->optional |= optional;
			pt->sufficient |= sufficient;
			if (condition)
				pt->condition = condition;
		}
	}
}

/* a.b("c").{d,e}.f ? */
static int parse_sequence(struct parser *p, GPtrArray *out)
{
	GPtrArray *list = partials_new();
	unsigned from = out->len;

	g_ptr_array_add(list, partial_new());
	do {
		struct point_comp c;

		if (p->cur.kind == T_LBRACE) {
			if (append_braces(p, list))
				goto fail;
			continue;
		}
		if (parse_comp(p, &c))
			goto fail;
		for (unsigned i = 0; i < list->len; i++) {
			struct partial *pt = list->pdata[i];

			g_array_append_val(pt->comps, c);
		}
	} while (parser_accept(p, T_DOT));
	g_ptr_array_set_free_func(list, NULL);
	for (unsigned i = 0; i < list->len; i++)
		g_ptr_array_add(out, list->pdata[i]);
	g_ptr_array_free(list, TRUE);
	return parse_suffix(p, out, from);
fail:
	g_ptr_array_free(list, TRUE);
	return -1;
}

static struct point *point_make(struct parser *p, const struct partial *pt)
{
	struct point *pp = arena_alloc(p->s, sizeof(*pp));

	pp->ncomps = pt->comps->len;
	pp->comps = arena_alloc(p->s, pp->ncomps * sizeof(*pp->comps));
	memcpy(pp->comps, pt->comps->data, pp->ncomps * sizeof(*pp->comps));
	pp->loc = pp->comps[0].loc;
	pp->optional = pt->optional;
	pp->sufficient = pt->sufficient;
	pp->condition = pt->condition;
	return pp;
}

int parse_points(struct parser *p, GPtrArray *out)
{
	GPtrArray *list = partials_new();
	struct loc start = p->cur.loc;
	int r = parse_sequence(p, list);

	if (r == 0 && p->prev.loc.line == start.line && p->prev.loc.col > start.col)
		start.len = p->prev.loc.col + p->prev.loc.len - start.col;
	for (unsigned i = 0; r == 0 && i < list->len; i++) {
		struct point *pt = point_make(p, list->pdata[i]);

		pt->loc = start;
		g_ptr_array_add(out, pt);
	}
	if (r == 0 && out->len > MAX_POINTS)
		r = parser_error_at(p, start, "many-points", "a probe can have at most %d points", MAX_POINTS);
	g_ptr_array_free(list, TRUE);
	return r;
}
