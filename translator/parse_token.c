/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parser's view of the tokens: looking ahead, expecting, complaining, and getting back on track. */
#include "parse_priv.h"
#include <stdarg.h>
#include <string.h>

static bool loc_same(const struct loc *a, const struct loc *b)
{
	return a->src == b->src && a->line == b->line && a->col == b->col;
}

static void fetch(struct parser *p, struct token *t)
{
	pp_next(&p->pp, t);
	if (t->kind == T_BAD && t->bad) {
		parser_error(p, t, "bad-token", "%s", t->bad);
		t->bad = NULL;
	}
}

void parser_next(struct parser *p)
{
	p->prev = p->cur;
	p->ntokens++;
	if (p->have_ahead) {
		p->cur = p->ahead;
		p->have_ahead = false;
	} else {
		fetch(p, &p->cur);
	}
	if (p->prev.kind == T_LPAREN || p->prev.kind == T_LBRACK)
		p->parens++;
	else if (p->prev.kind == T_RPAREN || p->prev.kind == T_RBRACK)
		p->parens--;
}

const struct token *parser_peek(struct parser *p)
{
	if (!p->have_ahead) {
		fetch(p, &p->ahead);
		p->have_ahead = true;
	}
	return &p->ahead;
}

bool parser_accept(struct parser *p, enum tok kind)
{
	if (p->cur.kind != kind)
		return false;
	parser_next(p);
	return true;
}

static bool error_counts(struct parser *p, struct loc loc)
{
	p->nerrors++;
	p->kept_back = true;
	if (p->pp.stop || (p->last_error.src && loc_same(&loc, &p->last_error)))
		return false;
	p->last_error = loc;
	p->kept_back = false;
	return true;
}

static void stop_after_many(struct parser *p)
{
	if (p->nerrors < MAX_ERRORS)
		return;
	diag_note(p->s, (struct loc){ 0 }, "too many errors: the rest of the file is not looked at");
	p->kept_back = true;
	p->pp.stop = true;
	p->have_ahead = false;
	p->cur = (struct token){ .kind = T_EOF, .text = "", .loc = p->cur.loc };
}

int parser_error(struct parser *p, const struct token *t, const char *tag, const char *fmt, ...)
{
	struct token at = *t; /* stopping may overwrite p->cur */
	va_list ap;
	char *text;

	if (!error_counts(p, at.loc))
		return -1;
	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	diag_error(p->s, at.loc, tag, "%s", text);
	g_free(text);
	pp_note_expansion(&p->pp, &at);
	stop_after_many(p);
	return -1;
}

int parser_error_at(struct parser *p, struct loc loc, const char *tag, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (!error_counts(p, loc))
		return -1;
	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	diag_error(p->s, loc, tag, "%s", text);
	g_free(text);
	stop_after_many(p);
	return -1;
}

/* What the token looks like, for "found ...". */
static char *describe(const struct token *t)
{
	int len = MIN(t->len, 40);
	const char *dots = t->len > 40 ? "..." : "";

	if (t->kind == T_EOF)
		return g_strdup("the end of the script");
	if (t->kind == T_STR && t->from_arg)
		return g_strdup_printf("the string \"%.*s%s\"", len, t->text, dots);
	if (t->kind == T_STR)
		return g_strdup_printf("the string %.*s%s", len, t->text, dots);
	if (t->kind == T_EMBED)
		return g_strdup("embedded C");
	if (tok_is_keyword(t->kind))
		return g_strdup_printf("the keyword '%.*s'", len, t->text);
	return g_strdup_printf("'%.*s%s'", len, t->text, dots);
}

int parser_expected(struct parser *p, const char *what)
{
	char *found;

	if (p->cur.kind == T_BAD) {
		p->nerrors++; /* has had its message */
		p->kept_back = true;
		p->last_error = p->cur.loc;
		return -1;
	}
	found = describe(&p->cur);
	parser_error(p, &p->cur, "unexpected-token", "expected %s, found %s", what, found);
	g_free(found);
	return -1;
}

int parser_expect(struct parser *p, enum tok kind, const char *what)
{
	if (parser_accept(p, kind))
		return 0;
	return parser_expected(p, what);
}

void parser_help(struct parser *p, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	if (!p->kept_back)
		diag_help(p->s, "%s", text);
	g_free(text);
}

void parser_note(struct parser *p, struct loc loc, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	if (!p->kept_back)
		diag_note(p->s, loc, "%s", text);
	g_free(text);
}

char *parser_name(struct parser *p, const struct token *t)
{
	return arena_strndup(p->s, t->text, t->len);
}

void parser_help_keyword(struct parser *p)
{
	const struct token *t = &p->cur;

	if (!tok_is_keyword(t->kind))
		return;
	if ((t->kind == T_LONG || t->kind == T_STRING) && parser_peek(p)->kind == T_IDENT)
		parser_help(p, "variables in handlers and functions are not declared: what is assigned tells the type");
	else if (t->kind == T_LONG || t->kind == T_STRING || t->kind == T_LIMIT || parser_peek(p)->kind == T_ASSIGN)
		parser_help(p, "'%.*s' is a word of the language, which can not name a variable", (int)t->len, t->text);
}

int parser_enter(struct parser *p)
{
	if (++p->depth <= MAX_NESTING)
		return 0;
	parser_error(p, &p->cur, "nesting", "this is nested too deeply");
	p->pp.stop = true; /* what follows only closes what was opened */
	p->have_ahead = false;
	p->cur = (struct token){ .kind = T_EOF, .text = "", .loc = p->cur.loc };
	return -1;
}

void parser_leave(struct parser *p)
{
	p->depth--;
}

/* A keyword that begins a declaration, not the same word in a probe point or behind `->`. */
bool at_top_keyword(struct parser *p)
{
	switch (p->cur.kind) {
	case T_PROBE: case T_GLOBAL: case T_PRIVATE: case T_FUNCTION:
		break;
	default:
		return false;
	}
	if (p->prev.kind == T_DOT || p->prev.kind == T_ARROW)
		return false;
	switch (parser_peek(p)->kind) {
	case T_LPAREN: case T_DOT: case T_COMMA: case T_RBRACE: case T_ARROW:
		return false;
	default:
		return true;
	}
}

static bool starts_stmt(enum tok kind)
{
	switch (kind) {
	case T_IF: case T_FOR: case T_FOREACH: case T_WHILE: case T_RETURN: case T_DELETE: case T_BREAK:
	case T_CONTINUE: case T_TRY:
		return true;
	default:
		return false;
	}
}

/* A name at the start of a line, after something that can end a statement. */
static bool starts_line(struct parser *p)
{
	if (p->cur.kind != T_IDENT || p->cur.loc.line == p->prev.loc.line)
		return false;
	switch (p->prev.kind) {
	case T_IDENT: case T_NUM: case T_STR: case T_RPAREN: case T_RBRACK: case T_INC: case T_DEC: case T_BAD:
		return true;
	default:
		return false;
	}
}

void sync_stmt(struct parser *p, int parens)
{
	while (p->cur.kind != T_EOF && p->cur.kind != T_RBRACE && !at_top_keyword(p)) {
		if (p->cur.kind == T_LBRACE || (p->parens <= parens && starts_line(p)))
			break;
		if (starts_stmt(p->cur.kind) && p->prev.kind != T_DOT && p->prev.kind != T_ARROW &&
		    p->cur.loc.line != p->prev.loc.line)
			break;
		if (p->cur.kind == T_SEMI) {
			uint32_t line = p->cur.loc.line;

			if (p->parens <= parens || parser_peek(p)->loc.line != line) {
				parser_next(p);
				break;
			}
		}
		parser_next(p);
	}
	p->parens = parens;
}

void sync_top(struct parser *p)
{
	while (p->cur.kind != T_EOF && !at_top_keyword(p))
		parser_next(p);
	p->parens = 0;
	p->loops = 0;
	p->depth = 0;
	p->in_function = false;
}
