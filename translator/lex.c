/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lexer: see lex.h.  One pass over the bytes, each looked at a fixed number of times. */
#include "lex.h"
#include <string.h>

enum { C_SPACE = 1, C_ALPHA = 2, C_DIGIT = 4, C_NAME = C_ALPHA | C_DIGIT };

/* Letters, _ and $ make names. */
static const unsigned char class[256] = {
	[' '] = C_SPACE, ['\t'] = C_SPACE, ['\r'] = C_SPACE, ['\n'] = C_SPACE, ['\f'] = C_SPACE, ['\v'] = C_SPACE,
	['a' ... 'z'] = C_ALPHA, ['A' ... 'Z'] = C_ALPHA, ['_'] = C_ALPHA, ['$'] = C_ALPHA, ['0' ... '9'] = C_DIGIT,
};

static inline bool is_name(char c)
{
	return class[(unsigned char)c] & C_NAME;
}

bool token_is(const struct token *t, const char *text)
{
	return strlen(text) == t->len && memcmp(t->text, text, t->len) == 0;
}

void lexer_init(struct lexer *lx, struct source *src)
{
	*lx = (struct lexer){ .src = src, .p = src->text, .end = src->text + src->len, .line = 1 };
	lx->line_start = lx->p;
	if (src->len >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0)
		lx->p += 3; /* a byte order mark, which some editors put before UTF-8 */
}

static void new_line(struct lexer *lx, const char *after)
{
	lx->line++;
	lx->line_start = after;
}

/* Counts the lines of [from, to) and moves there. */
static void skip_to(struct lexer *lx, const char *from, const char *to)
{
	const char *nl;

	while (from < to && (nl = memchr(from, '\n', to - from))) {
		new_line(lx, nl + 1);
		from = nl + 1;
	}
	lx->p = to;
}

/* End of the delimiter `stop` (two bytes) behind p, or NULL. */
static const char *find_pair(const char *p, const char *end, const char *stop)
{
	for (; p < end && (p = memchr(p, stop[0], end - p)); p++)
		if (p + 1 < end && p[1] == stop[1])
			return p + 2;
	return NULL;
}

/* Skips blanks and comments; false with *bad at an open comment. */
static bool skip_blank(struct lexer *lx, const char **bad)
{
	while (lx->p < lx->end) {
		char c = *lx->p, c2 = lx->p + 1 < lx->end ? lx->p[1] : 0;

		if (c == '\n') {
			new_line(lx, ++lx->p);
		} else if (class[(unsigned char)c] == C_SPACE) {
			lx->p++;
		} else if (c == '#' || (c == '/' && c2 == '/')) {
			const char *nl = memchr(lx->p, '\n', lx->end - lx->p);

			lx->p = nl ? nl : lx->end;
		} else if (c == '/' && c2 == '*') {
			const char *stop = find_pair(lx->p + 2, lx->end, "*/");

			if (!stop) {
				*bad = "this comment is never closed";
				return false;
			}
			skip_to(lx, lx->p, stop);
		} else {
			break;
		}
	}
	return true;
}

static enum tok keyword(const char *p, size_t len)
{
	static const struct { const char *name; enum tok tok; } words[] = {
		{ "probe", T_PROBE }, { "global", T_GLOBAL }, { "private", T_PRIVATE }, { "function", T_FUNCTION },
		{ "if", T_IF }, { "else", T_ELSE }, { "for", T_FOR }, { "foreach", T_FOREACH },
		{ "while", T_WHILE }, { "in", T_IN }, { "limit", T_LIMIT }, { "return", T_RETURN },
		{ "delete", T_DELETE }, { "break", T_BREAK }, { "continue", T_CONTINUE }, { "next", T_NEXT },
		{ "string", T_STRING }, { "long", T_LONG }, { "try", T_TRY }, { "catch", T_CATCH },
	};

	/* letters that words begin with */
	static const uint32_t first = 1u << ('p' - 'a') | 1u << ('g' - 'a') | 1u << ('f' - 'a') | 1u << ('i' - 'a') | 1u << ('e' - 'a') |
		1u << ('w' - 'a') | 1u << ('l' - 'a') | 1u << ('r' - 'a') | 1u << ('d' - 'a') | 1u << ('b' - 'a') | 1u << ('c' - 'a') |
		1u << ('n' - 'a') | 1u << ('s' - 'a') | 1u << ('t' - 'a');

	if (len < 2 || len > 8 || *p < 'a' || *p > 'z' || !(first >> (*p - 'a') & 1))
		return T_IDENT;
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (words[i].name[0] == p[0] && words[i].name[1] == p[1] && strncmp(words[i].name, p, len) == 0 && !words[i].name[len])
			return words[i].tok;
	return T_IDENT;
}

static void lex_name(struct lexer *lx, struct token *t)
{
	const char *p = lx->p;

	while (p < lx->end && is_name(*p))
		p++;
	t->kind = keyword(lx->p, p - lx->p);
	lx->p = p;
}

static void lex_number(struct lexer *lx, struct token *t)
{
	while (lx->p < lx->end && is_name(*lx->p) && *lx->p != '$')
		lx->p++;
	t->kind = T_NUM;
}

/* $1 @1 $# @#; false when it is something else. */
static bool lex_arg(struct lexer *lx, struct token *t)
{
	const char *p = lx->p + 1;

	if (p >= lx->end || (*p != '#' && class[(unsigned char)*p] != C_DIGIT))
		return false;
	if (*p == '#')
		p++;
	else
		while (p < lx->end && class[(unsigned char)*p] == C_DIGIT)
			p++;
	lx->p = p;
	t->kind = T_ARG;
	return true;
}

static void lex_atword(struct lexer *lx, struct token *t)
{
	lx->p++;
	while (lx->p < lx->end && is_name(*lx->p))
		lx->p++;
	t->kind = T_ATWORD;
	if (lx->p - t->text == 1) {
		t->kind = T_BAD;
		t->bad = "a name must follow '@'";
	}
}

static void lex_string(struct lexer *lx, struct token *t)
{
	const char *p = lx->p + 1;

	t->kind = T_STR;
	for (; p < lx->end && *p != '"' && *p != '\n'; p++) {
		if (*p != '\\' || p + 1 >= lx->end)
			continue;
		if (*++p == '\r' && p + 1 < lx->end && p[1] == '\n')
			p++;
		if (*p == '\n')
			new_line(lx, p + 1);
	}
	if (p < lx->end && *p == '"') {
		lx->p = p + 1;
		return;
	}
	lx->p = p;
	t->kind = T_BAD;
	t->bad = "this string has no closing quote";
}

static void lex_embed(struct lexer *lx, struct token *t)
{
	const char *stop = find_pair(lx->p + 2, lx->end, "%}");

	t->kind = stop ? T_EMBED : T_BAD;
	t->bad = "'%{' is never closed by '%}'";
	skip_to(lx, lx->p, stop ? stop : lx->end);
}

/* Operators, longest first among those that start alike. */
static const struct { char text[5]; enum tok tok; } operators[] = {
	{ "!=", T_NE }, { "!~", T_NOMATCH }, { "!", T_NOT },
	{ "%(", T_PP_OPEN }, { "%?", T_PP_THEN }, { "%:", T_PP_ELSE }, { "%)", T_PP_CLOSE },
	{ "%=", T_MOD_SET }, { "%", T_PERCENT },
	{ "&&", T_ANDAND }, { "&=", T_AND_SET }, { "&", T_AND },
	{ "(", T_LPAREN }, { ")", T_RPAREN },
	{ "*=", T_MUL_SET }, { "*", T_STAR },
	{ "++", T_INC }, { "+=", T_ADD_SET }, { "+", T_PLUS },
	{ ",", T_COMMA },
	{ "->", T_ARROW }, { "--", T_DEC }, { "-=", T_SUB_SET }, { "-", T_MINUS },
	{ ".=", T_CAT_SET }, { ".", T_DOT },
	{ "/=", T_DIV_SET }, { "/", T_SLASH },
	{ ":", T_COLON }, { ";", T_SEMI },
	{ "<<<", T_STAT }, { "<<=", T_SHL_SET }, { "<<", T_SHL }, { "<=", T_LE }, { "<", T_LT },
	{ "==", T_EQ }, { "=~", T_MATCH }, { "=", T_ASSIGN },
	{ ">>>=", T_USHR_SET }, { ">>>", T_USHR }, { ">>=", T_SHR_SET }, { ">>", T_SHR }, { ">=", T_GE }, { ">", T_GT },
	{ "?", T_QUESTION },
	{ "[", T_LBRACK }, { "]", T_RBRACK },
	{ "^=", T_XOR_SET }, { "^", T_XOR },
	{ "{", T_LBRACE }, { "||", T_OROR }, { "|=", T_OR_SET }, { "|", T_OR }, { "}", T_RBRACE },
	{ "~", T_TILDE },
};

/* Characters that no longer operator begins with: the most frequent ones. */
static enum tok single_operator(char c)
{
	switch (c) {
	case '(': return T_LPAREN;
	case ')': return T_RPAREN;
	case '{': return T_LBRACE;
	case '}': return T_RBRACE;
	case '[': return T_LBRACK;
	case ']': return T_RBRACK;
	case ',': return T_COMMA;
	case ';': return T_SEMI;
	case ':': return T_COLON;
	case '?': return T_QUESTION;
	default: return T_EOF;
	}
}

static void lex_operator(struct lexer *lx, struct token *t)
{
	size_t left = lx->end - lx->p;
	enum tok single = single_operator(*lx->p);

	if (single) {
		lx->p++;
		t->kind = single;
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(operators) && operators[i].text[0] <= *lx->p; i++) {
		const char *op = operators[i].text;
		size_t n = 1;

		if (op[0] != *lx->p)
			continue;
		while (op[n] && n < left && op[n] == lx->p[n])
			n++;
		if (!op[n]) {
			lx->p += n;
			t->kind = operators[i].tok;
			return;
		}
	}
	t->kind = T_BAD;
	if (*lx->p == '\'') {
		const char *nl = memchr(lx->p, '\n', left), *stop = memchr(lx->p + 1, '\'', (nl ? nl : lx->end) - lx->p - 1);

		t->bad = "strings stand in double quotes, not in single ones";
		lx->p = stop ? stop + 1 : lx->p + 1;
		return;
	}
	t->bad = "this character means nothing here";
	/* one message for a run of foreign bytes */
	do
		lx->p++;
	while (lx->p < lx->end && (unsigned char)*lx->p >= 0x80);
}

static void lex_token(struct lexer *lx, struct token *t)
{
	char c = *lx->p;

	if ((c == '$' || c == '@') && lex_arg(lx, t))
		return;
	if (class[(unsigned char)c] & C_ALPHA)
		lex_name(lx, t);
	else if (class[(unsigned char)c] & C_DIGIT)
		lex_number(lx, t);
	else if (c == '"')
		lex_string(lx, t);
	else if (c == '@')
		lex_atword(lx, t);
	else if (c == '%' && lx->p + 1 < lx->end && lx->p[1] == '{')
		lex_embed(lx, t);
	else
		lex_operator(lx, t);
}

void lex_next(struct lexer *lx, struct token *t)
{
	const char *before = lx->p;
	bool closed;

	*t = (struct token){ .kind = T_EOF };
	closed = skip_blank(lx, &t->bad);
	t->glued = before == lx->p && before != lx->src->text;
	t->text = lx->p;
	t->loc = (struct loc){ lx->src, lx->line, lx->p - lx->line_start + 1, 0 };
	if (!closed) {
		t->kind = T_BAD;
		t->len = 2;
		lx->p = lx->end;
	} else if (lx->p < lx->end) {
		const char *nl;

		lex_token(lx, t);
		t->len = lx->p - t->text;
		/* the caret range stays on the first line */
		nl = t->kind == T_STR || t->kind == T_EMBED || t->kind == T_BAD ? memchr(t->text, '\n', t->len) : NULL;
		t->loc.len = nl ? nl - t->text : (long)t->len;
	}
	if (lx->fixed)
		t->loc = *lx->fixed;
}
