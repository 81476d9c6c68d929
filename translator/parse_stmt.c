/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements, and how the parser goes on after one that is wrong. */
#include "parse_priv.h"
#include <string.h>

static struct stmt *parse_block_at(struct parser *p, struct stmt *st)
{
	struct loc open = p->cur.loc;
	GPtrArray *list = g_ptr_array_new();

	parser_next(p); /* { */
	while (p->cur.kind != T_RBRACE) {
		int parens = p->parens;
		unsigned depth = p->depth, loops = p->loops;
		size_t ntokens = p->ntokens;
		struct stmt *sub;

		if (p->cur.kind == T_EOF || at_top_keyword(p)) {
			g_ptr_array_free(list, TRUE);
			if (p->cur.kind == T_EOF && p->pp.stop)
				return NULL;
			parser_expected(p, "'}'");
			parser_note(p, open, "it closes this '{'");
			return NULL;
		}
		sub = parse_stmt(p);
		if (sub) {
			if (sub->kind != ST_NULL)
				g_ptr_array_add(list, sub);
			continue;
		}
		p->depth = depth;
		p->loops = loops;
		p->star_ok = p->hist_ok = false;
		if (p->ntokens == ntokens && p->cur.kind != T_LBRACE)
			parser_next(p);
		sync_stmt(p, parens);
	}
	parser_next(p);
	st->list = (struct stmt **)arena_take(p->s, list, &st->nlist);
	return st;
}

struct stmt *parse_block(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_BLOCK, p->cur.loc);

	if (p->cur.kind != T_LBRACE) {
		parser_expected(p, "'{'");
		return NULL;
	}
	if (parser_enter(p))
		return NULL;
	st = parse_block_at(p, st);
	if (st)
		parser_leave(p);
	return st;
}

/* A value that begins a statement by itself. */
static struct stmt *parse_expr_stmt(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_EXPR, p->cur.loc);

	if (token_is(&p->cur, "do") && parser_peek(p)->kind == T_LBRACE) {
		parser_error(p, &p->cur, "no-do-loop", "there is no 'do' loop");
		parser_help(p, "'while (...) { ... }' and 'for (...; ...; ...) { ... }' are the loops");
		return NULL;
	}
	st->expr = parse_expr(p);
	return st->expr ? st : NULL;
}

static struct expr *parse_condition(struct parser *p, const char *what)
{
	struct expr *e;

	parser_next(p);
	if (parser_expect(p, T_LPAREN, what))
		return NULL;
	e = parse_expr(p);
	if (!e || parser_expect(p, T_RPAREN, "')' after the condition"))
		return NULL;
	return e;
}

static struct stmt *parse_if(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_IF, p->cur.loc);

	if (!(st->expr = parse_condition(p, "'(' after 'if'")) || !(st->body = parse_stmt(p)))
		return NULL;
	if (parser_accept(p, T_ELSE) && !(st->other = parse_stmt(p)))
		return NULL;
	return st;
}

struct stmt *parse_loop_body(struct parser *p)
{
	struct stmt *st;

	p->loops++;
	st = parse_stmt(p);
	p->loops--;
	return st;
}

static struct stmt *parse_while(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_WHILE, p->cur.loc);

	if (!(st->expr = parse_condition(p, "'(' after 'while'")) || !(st->body = parse_loop_body(p)))
		return NULL;
	return st;
}

static struct stmt *parse_jump(struct parser *p, enum stmt_kind kind)
{
	struct stmt *st = stmt_new(p->s, kind, p->cur.loc);

	if (kind != ST_NEXT && !p->loops)
		parser_error(p, &p->cur, "outside-loop", "'%.*s' outside of a loop", (int)p->cur.len, p->cur.text);
	parser_next(p);
	return st;
}

static struct stmt *parse_return(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_RETURN, p->cur.loc);

	if (!p->in_function) {
		parser_error(p, &p->cur, "return-place", "'return' outside of a function");
		parser_help(p, "'next' leaves a probe handler");
	}
	parser_next(p);
	if (p->cur.kind == T_SEMI || p->cur.kind == T_RBRACE)
		return st;
	return (st->expr = parse_expr(p)) ? st : NULL;
}

static struct stmt *parse_delete(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_DELETE, p->cur.loc);

	parser_next(p);
	p->star_ok = true;
	st->expr = parse_expr(p);
	p->star_ok = false;
	if (!st->expr)
		return NULL;
	if (st->expr->kind != EX_SYM && st->expr->kind != EX_INDEX)
		parser_error_at(p, st->expr->range, "delete-operand", "'delete' takes a variable, an array or an element of one");
	return st;
}

static struct stmt *parse_try(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_TRY, p->cur.loc);

	parser_next(p);
	if (!(st->body = parse_block(p)) || parser_expect(p, T_CATCH, "'catch' after the block of 'try'"))
		return NULL;
	if (parser_accept(p, T_LPAREN)) {
		if (p->cur.kind != T_IDENT || p->cur.text[0] == '$') {
			parser_expected(p, "the name of a variable for the message");
			return NULL;
		}
		st->catch_var = expr_new(p->s, EX_SYM, p->cur.loc);
		st->catch_var->name = parser_name(p, &p->cur);
		parser_next(p);
		if (parser_expect(p, T_RPAREN, "')'"))
			return NULL;
	}
	return (st->other = parse_block(p)) ? st : NULL;
}

static struct stmt *parse_embedded_stmt(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_EMBEDDED, p->cur.loc);

	st->code = parse_embedded(p);
	return st->code ? st : NULL;
}

static struct stmt *parse_stmt_kind(struct parser *p)
{
	switch (p->cur.kind) {
	case T_SEMI: return stmt_new(p->s, ST_NULL, p->cur.loc);
	case T_LBRACE: return parse_block(p);
	case T_IF: return parse_if(p);
	case T_WHILE: return parse_while(p);
	case T_FOR: return parse_for(p);
	case T_FOREACH: return parse_foreach(p);
	case T_BREAK: return parse_jump(p, ST_BREAK);
	case T_CONTINUE: return parse_jump(p, ST_CONTINUE);
	case T_NEXT: return parse_jump(p, ST_NEXT);
	case T_RETURN: return parse_return(p);
	case T_DELETE: return parse_delete(p);
	case T_TRY: return parse_try(p);
	case T_EMBED: return parse_embedded_stmt(p);
	case T_IDENT: case T_ATWORD: case T_NUM: case T_STR: case T_LPAREN: case T_LBRACK: case T_MINUS:
	case T_PLUS: case T_NOT: case T_TILDE: case T_INC: case T_DEC: case T_AND:
		return parse_expr_stmt(p);
	default:
		break;
	}
	parser_expected(p, "a statement");
	parser_help_keyword(p);
	return NULL;
}

struct stmt *parse_stmt(struct parser *p)
{
	struct stmt *st;

	if (parser_enter(p))
		return NULL;
	st = parse_stmt_kind(p);
	if (!st)
		return NULL;
	parser_leave(p);
	parser_accept(p, T_SEMI); /* may follow any statement */
	return st;
}
