/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tokens, straight from the text in memory: nothing is copied, a token points into its source.  What
 * is wrong becomes a T_BAD token with the reason, so that text in a branch not taken stays silent.
 */
#ifndef STAP_LEX_H
#define STAP_LEX_H

#include "ast.h"
#include "source.h"

enum tok {
	T_EOF, T_BAD,
	T_IDENT,               /* also $name, $$name */
	T_ATWORD,              /* @name */
	T_ARG,                 /* $1 @1 $# @# */
	T_NUM, T_STR,          /* raw text; a string with its quotes */
	T_EMBED,               /* %{ ... %} with the delimiters */
	T_PP_OPEN, T_PP_THEN, T_PP_ELSE, T_PP_CLOSE, /* %( %? %: %) */
	/* keywords */
	T_PROBE, T_GLOBAL, T_PRIVATE, T_FUNCTION, T_IF, T_ELSE, T_FOR, T_FOREACH, T_WHILE, T_IN, T_LIMIT,
	T_RETURN, T_DELETE, T_BREAK, T_CONTINUE, T_NEXT, T_STRING, T_LONG, T_TRY, T_CATCH,
	/* punctuation */
	T_LPAREN, T_RPAREN, T_LBRACK, T_RBRACK, T_LBRACE, T_RBRACE, T_COMMA, T_SEMI, T_COLON, T_QUESTION,
	T_DOT, T_ARROW, T_INC, T_DEC, T_PLUS, T_MINUS, T_STAR, T_SLASH, T_PERCENT, T_SHL, T_SHR, T_USHR,
	T_AND, T_OR, T_XOR, T_ANDAND, T_OROR, T_NOT, T_TILDE, T_LT, T_GT, T_LE, T_GE, T_EQ, T_NE,
	T_MATCH, T_NOMATCH,
	T_ASSIGN, T_STAT, T_ADD_SET, T_SUB_SET, T_MUL_SET, T_DIV_SET, T_MOD_SET, T_AND_SET, T_OR_SET,
	T_XOR_SET, T_SHL_SET, T_SHR_SET, T_USHR_SET, T_CAT_SET,
	T_NTOKENS,
};

struct macro_call;

struct token {
	enum tok kind;
	bool glued;            /* nothing between it and the token before */
	bool from_arg;         /* text of a script argument: T_STR then has no quotes and no escapes */
	struct loc loc;        /* a script argument's text has the place of its $1 */
	const char *text;
	size_t len;
	const char *bad;       /* T_BAD: what is wrong */
	struct macro_call *env; /* macro.c: whose parameters an @name may mean */
};

struct lexer {
	struct source *src;
	const char *p, *end, *line_start;
	uint32_t line;
	const struct loc *fixed; /* every token gets this place, or NULL */
};

void lexer_init(struct lexer *lx, struct source *src);
void lex_next(struct lexer *lx, struct token *t);

/* Is the token a keyword?  Keywords are names all the same behind `.` and `->`. */
static inline bool tok_is_keyword(enum tok k)
{
	return k >= T_PROBE && k <= T_CATCH;
}

static inline bool tok_is_assign(enum tok k)
{
	return k >= T_ASSIGN && k <= T_CAT_SET;
}

/* Does the token consist of exactly this text? */
bool token_is(const struct token *t, const char *text);

#endif
