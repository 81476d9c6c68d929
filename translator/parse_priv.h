/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the parse*.c files.  Every parse_ function returns NULL (or -1) after it reported an error. */
#ifndef STAP_PARSE_PRIV_H
#define STAP_PARSE_PRIV_H

#include "literal.h"
#include "macro.h"
#include "parse.h"

#define MAX_ERRORS 20     /* in a file */
#define MAX_NESTING 1000  /* blocks, parentheses, prefix operators */
#define MAX_EXPR_DEPTH 3000 /* of an expression's tree: long chains of operators */
#define MAX_POINTS 10000  /* that braces of one probe may stand for */

struct parser {
	struct session *s;
	struct pp pp;
	struct file *file;
	struct token cur, prev, ahead;
	bool have_ahead;
	unsigned nerrors, depth;
	size_t ntokens;        /* consumed so far */
	bool kept_back;        /* the last error was not printed: nor are its notes */
	int parens;            /* open ( and [ */
	struct loc last_error;
	bool in_function;
	unsigned loops;        /* around the statement being parsed */
	bool star_ok, hist_ok; /* for the next primary expression only: a[*] and @hist_*() */
};

/* parse_token.c */
void parser_next(struct parser *p);
const struct token *parser_peek(struct parser *p); /* the token after cur */
bool parser_accept(struct parser *p, enum tok kind);
/* 0 and moves on when cur is `kind`; else reports "expected WHAT". */
int parser_expect(struct parser *p, enum tok kind, const char *what);
/* Report at a token; the expected form adds what was found.  Always -1. */
int parser_error(struct parser *p, const struct token *t, const char *tag, const char *fmt, ...) G_GNUC_PRINTF(4, 5);
int parser_error_at(struct parser *p, struct loc loc, const char *tag, const char *fmt, ...) G_GNUC_PRINTF(4, 5);
int parser_expected(struct parser *p, const char *what);
/* A help line for the error just reported, unless that was kept back. */
void parser_help(struct parser *p, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* The help for an error at a keyword where one might have thought of a variable. */
void parser_help_keyword(struct parser *p);
void parser_note(struct parser *p, struct loc loc, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
char *parser_name(struct parser *p, const struct token *t);
/* Counts a level of nesting; -1 after an error when there are too many. */
int parser_enter(struct parser *p);
void parser_leave(struct parser *p);
/* After an error: goes to where a statement, or a declaration, may begin again. */
void sync_stmt(struct parser *p, int parens);
void sync_top(struct parser *p);
bool at_top_keyword(struct parser *p);

/* parse_expr.c */
struct expr *parse_expr(struct parser *p);
/* Sets the range and checks the depth of a node whose text began at `start`; NULL when too deep. */
struct expr *expr_done(struct parser *p, struct expr *e, struct loc start);
struct expr *parse_index_args(struct parser *p, struct expr *e, bool star_ok);
struct expr *parse_string(struct parser *p);           /* adjacent strings are joined */
int parse_literal_num(struct parser *p, int64_t *num); /* with sign */
int parse_args(struct parser *p, struct expr *e);      /* behind the '(' up to and including ')' */

/* parse_value.c */
struct expr *parse_primary(struct parser *p);
struct expr *parse_comps(struct parser *p, struct expr *e, struct loc start);
/* parse_atop.c */
struct expr *parse_atword(struct parser *p, bool hist_ok);
enum stat_op stat_op_of(const struct token *t); /* of @count ..., 0: none */

/* parse_printf.c */
bool is_print_name(const struct token *t);
struct expr *parse_print(struct parser *p);

/* parse_stmt.c, parse_loop.c */
struct stmt *parse_stmt(struct parser *p);
struct stmt *parse_block(struct parser *p);
struct stmt *parse_for(struct parser *p);
struct stmt *parse_foreach(struct parser *p);
struct stmt *parse_loop_body(struct parser *p);

/* parse_probe.c, parse_point.c */
int parse_probe(struct parser *p);
/* Appends struct point * to out: several when there are braces. */
int parse_points(struct parser *p, GPtrArray *out);

/* parse_decl.c */
int parse_global(struct parser *p, bool is_private);
int parse_function(struct parser *p, bool is_private);
/* The text of an embedded C token, reported when it is not allowed. */
char *parse_embedded(struct parser *p);

#endif
