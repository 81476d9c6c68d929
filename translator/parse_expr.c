/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions: operators.  From loose to tight: assignment (right), ?:, ||, &&, |, ^, &, in,
 * comparison and =~, shift, concatenation, + -, * / %, prefix operators, ++ --, values.
 */
#include "parse_priv.h"

enum { PREC_NONE, PREC_OROR, PREC_ANDAND, PREC_OR, PREC_XOR, PREC_AND, PREC_IN, PREC_COMPARE, PREC_SHIFT,
       PREC_CONCAT, PREC_ADD, PREC_MUL };

static const struct { unsigned char prec, op; } binary[T_NTOKENS] = {
	[T_OROR] = { PREC_OROR, OP_NONE }, [T_ANDAND] = { PREC_ANDAND, OP_NONE },
	[T_OR] = { PREC_OR, OP_OR }, [T_XOR] = { PREC_XOR, OP_XOR }, [T_AND] = { PREC_AND, OP_AND },
	[T_IN] = { PREC_IN, OP_NONE },
	[T_LT] = { PREC_COMPARE, OP_LT }, [T_GT] = { PREC_COMPARE, OP_GT }, [T_LE] = { PREC_COMPARE, OP_LE },
	[T_GE] = { PREC_COMPARE, OP_GE }, [T_EQ] = { PREC_COMPARE, OP_EQ }, [T_NE] = { PREC_COMPARE, OP_NE },
	[T_MATCH] = { PREC_COMPARE, OP_MATCH }, [T_NOMATCH] = { PREC_COMPARE, OP_NOMATCH },
	[T_SHL] = { PREC_SHIFT, OP_SHL }, [T_SHR] = { PREC_SHIFT, OP_SHR }, [T_USHR] = { PREC_SHIFT, OP_USHR },
	[T_DOT] = { PREC_CONCAT, OP_CONCAT },
	[T_PLUS] = { PREC_ADD, OP_ADD }, [T_MINUS] = { PREC_ADD, OP_SUB },
	[T_STAR] = { PREC_MUL, OP_MUL }, [T_SLASH] = { PREC_MUL, OP_DIV }, [T_PERCENT] = { PREC_MUL, OP_MOD },
};

static const unsigned char assign_op[T_NTOKENS] = {
	[T_ASSIGN] = OP_NONE, [T_STAT] = OP_STAT, [T_ADD_SET] = OP_ADD, [T_SUB_SET] = OP_SUB,
	[T_MUL_SET] = OP_MUL, [T_DIV_SET] = OP_DIV, [T_MOD_SET] = OP_MOD, [T_AND_SET] = OP_AND,
	[T_OR_SET] = OP_OR, [T_XOR_SET] = OP_XOR, [T_SHL_SET] = OP_SHL, [T_SHR_SET] = OP_SHR,
	[T_USHR_SET] = OP_USHR, [T_CAT_SET] = OP_CONCAT,
};

static unsigned depth_of(const struct expr *e)
{
	return e ? e->depth : 0;
}

struct expr *expr_done(struct parser *p, struct expr *e, struct loc start)
{
	unsigned depth = MAX(depth_of(e->a), MAX(depth_of(e->b), depth_of(e->c)));

	for (size_t i = 0; i < e->nargs; i++)
		depth = MAX(depth, depth_of(e->args[i]));
	for (size_t i = 0; i < e->ncomps; i++)
		depth = MAX(depth, depth_of(e->comps[i].index));
	e->depth = depth + 1;
	e->range = start;
	if (p->prev.loc.src == start.src && p->prev.loc.line == start.line && p->prev.loc.col >= start.col)
		e->range.len = p->prev.loc.col + p->prev.loc.len - start.col;
	if (e->depth > MAX_EXPR_DEPTH) {
		parser_error_at(p, e->loc, "nesting", "this expression is nested too deeply");
		return NULL;
	}
	return e;
}

static bool expr_is_lvalue(const struct expr *e)
{
	switch (e->kind) {
	case EX_SYM: case EX_INDEX: case EX_TARGET: case EX_CAST: case EX_ATVAR: case EX_AUTOCAST:
		return !e->addrof;
	default:
		return false;
	}
}

/* Not an error of syntax: parsing goes on after the message. */
static void need_lvalue(struct parser *p, const struct expr *e, const struct token *op)
{
	if (!expr_is_lvalue(e)) {
		parser_error_at(p, e->range, "not-assignable", "the operand of '%.*s' must be a variable", (int)op->len, op->text);
		if (op->kind == T_ASSIGN)
			parser_help(p, "'==' compares; a variable is set without a type in front: NAME = VALUE");
	}
}

struct expr *parse_index_args(struct parser *p, struct expr *e, bool star_ok)
{
	GPtrArray *args = g_ptr_array_new();

	parser_next(p); /* [ */
	do {
		struct expr *arg = NULL;

		if (p->cur.kind == T_STAR) {
			if (!star_ok)
				parser_error(p, &p->cur, "slice-place", "'*' as an index works only in foreach, delete and 'in'");
			parser_next(p);
		} else if (!(arg = parse_expr(p))) {
			goto fail;
		}
		g_ptr_array_add(args, arg);
	} while (parser_accept(p, T_COMMA));
	if (parser_expect(p, T_RBRACK, "',' or ']'"))
		goto fail;
	e->args = (struct expr **)arena_take(p->s, args, &e->nargs);
	return e;
fail:
	g_ptr_array_free(args, TRUE);
	return NULL;
}

int parse_args(struct parser *p, struct expr *e)
{
	GPtrArray *args = g_ptr_array_new();

	if (p->cur.kind != T_RPAREN) {
		do {
			struct expr *arg = parse_expr(p);

			if (!arg)
				goto fail;
			g_ptr_array_add(args, arg);
		} while (parser_accept(p, T_COMMA));
	}
	if (parser_expect(p, T_RPAREN, args->len ? "',' or ')'" : "')'"))
		goto fail;
	e->args = (struct expr **)arena_take(p->s, args, &e->nargs);
	return 0;
fail:
	g_ptr_array_free(args, TRUE);
	return -1;
}

/* `in NAME` behind the keys in e->args */
static struct expr *parse_in_array(struct parser *p, struct expr *e, struct loc start)
{
	e->loc = p->cur.loc;
	if (parser_expect(p, T_IN, "'in' after the list of indexes"))
		return NULL;
	if (p->cur.kind != T_IDENT || p->cur.text[0] == '$') {
		parser_expected(p, "the name of an array");
		return NULL;
	}
	e->name = parser_name(p, &p->cur);
	parser_next(p);
	return expr_done(p, e, start);
}

/* [a, *, b] in NAME */
static struct expr *parse_in_list(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e = expr_new(p->s, EX_IN, start);

	if (!parse_index_args(p, e, true))
		return NULL;
	return parse_in_array(p, e, start);
}

static struct expr *parse_in_single(struct parser *p, struct expr *key, struct loc start)
{
	struct expr *e = expr_new(p->s, EX_IN, start);

	e->args = arena_alloc(p->s, sizeof(*e->args));
	e->args[0] = key;
	e->nargs = 1;
	return parse_in_array(p, e, start);
}

static struct expr *parse_unary(struct parser *p);

/* The operand of a prefix operator. */
static struct expr *parse_operand(struct parser *p, const struct token *op)
{
	struct expr *e;

	p->star_ok = p->hist_ok = false;
	parser_next(p);
	if (p->cur.kind == T_LBRACK) {
		parser_expected(p, "a value");
		parser_help(p, "put parentheses around an 'in' test behind a prefix operator: %.*s([...] in array)",
			    (int)op->len, op->text);
		return NULL;
	}
	if (parser_enter(p))
		return NULL;
	e = parse_unary(p);
	parser_leave(p);
	return e;
}

static struct expr *parse_prefix(struct parser *p, enum expr_kind kind, enum op op)
{
	struct token tok = p->cur;
	struct expr *e = expr_new(p->s, kind, tok.loc);
	bool literal = op == OP_NEG && parser_peek(p)->kind == T_NUM;

	e->op = op;
	e->a = parse_operand(p, &tok);
	if (e->a && literal && e->a->kind == EX_NUM) { /* -5 is a number */
		e = expr_num(p->s, -(uint64_t)e->a->num, tok.loc);
		return expr_done(p, e, tok.loc);
	}
	if (!e->a)
		return NULL;
	if (kind != EX_UNARY)
		need_lvalue(p, e->a, &tok);
	return expr_done(p, e, tok.loc);
}

static struct expr *parse_addrof(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e;

	parser_next(p);
	e = parse_primary(p);
	if (!e)
		return NULL;
	switch (e->kind) {
	case EX_TARGET: case EX_CAST: case EX_ATVAR: case EX_AUTOCAST:
		e->addrof = true;
		return expr_done(p, e, start);
	default:
		parser_error_at(p, start, "addrof-place", "'&' takes the address only of $variables, @cast(), @var() and their members");
		return NULL;
	}
}

static struct expr *parse_unary(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e, *post;

	switch (p->cur.kind) {
	case T_MINUS: return parse_prefix(p, EX_UNARY, OP_NEG);
	case T_PLUS: return parse_prefix(p, EX_UNARY, OP_PLUS);
	case T_NOT: return parse_prefix(p, EX_UNARY, OP_NOT);
	case T_TILDE: return parse_prefix(p, EX_UNARY, OP_BITNOT);
	case T_INC: return parse_prefix(p, EX_PREINC, OP_NONE);
	case T_DEC: return parse_prefix(p, EX_PREDEC, OP_NONE);
	case T_AND: return parse_addrof(p);
	default: break;
	}
	e = parse_primary(p);
	if (!e || (p->cur.kind != T_INC && p->cur.kind != T_DEC))
		return e;
	need_lvalue(p, e, &p->cur);
	post = expr_new(p->s, p->cur.kind == T_INC ? EX_POSTINC : EX_POSTDEC, p->cur.loc);
	post->a = e;
	parser_next(p);
	return expr_done(p, post, start);
}

static enum expr_kind binary_kind(enum tok kind)
{
	switch (kind) {
	case T_OROR: return EX_LOGOR;
	case T_ANDAND: return EX_LOGAND;
	case T_MATCH: case T_NOMATCH: return EX_REGEX;
	default: return EX_BINARY;
	}
}

static struct expr *parse_binary(struct parser *p, int min)
{
	struct loc start = p->cur.loc;
	bool is_list = p->cur.kind == T_LBRACK && min <= PREC_IN;
	int max = is_list ? PREC_IN - 1 : PREC_MUL;
	struct expr *l = is_list ? parse_in_list(p) : parse_unary(p);

	while (l) {
		struct token op = p->cur;
		int prec = binary[op.kind].prec;
		struct expr *e;

		if (prec < min || prec == PREC_NONE || prec > max)
			return l;
		if (op.kind == T_IN) {
			l = parse_in_single(p, l, start);
			max = PREC_IN - 1;
			continue;
		}
		e = expr_new(p->s, binary_kind(op.kind), op.loc);
		parser_next(p);
		e->op = binary[op.kind].op;
		e->a = l;
		if (e->kind == EX_REGEX && p->cur.kind != T_STR) {
			parser_expected(p, "a regular expression as a literal string");
			return NULL;
		}
		e->b = e->kind == EX_REGEX ? parse_string(p) : parse_binary(p, prec + 1);
		if (!e->b)
			return NULL;
		l = expr_done(p, e, start);
	}
	return NULL;
}

static struct expr *parse_ternary(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e, *cond = parse_binary(p, PREC_OROR);

	if (!cond || p->cur.kind != T_QUESTION)
		return cond;
	e = expr_new(p->s, EX_COND, p->cur.loc);
	parser_next(p);
	e->a = cond;
	if (!(e->b = parse_expr(p)) || parser_expect(p, T_COLON, "':' of the '?:' operator") ||
	    !(e->c = parse_expr(p)))
		return NULL;
	return expr_done(p, e, start);
}

static struct expr *parse_assign(struct parser *p)
{
	struct loc start = p->cur.loc;
	struct expr *e, *l = parse_ternary(p);
	struct token op = p->cur;

	if (!l || !tok_is_assign(op.kind))
		return l;
	need_lvalue(p, l, &op);
	e = expr_new(p->s, EX_ASSIGN, op.loc);
	e->op = assign_op[op.kind];
	e->a = l;
	parser_next(p);
	if (!(e->b = parse_expr(p)))
		return NULL;
	return expr_done(p, e, start);
}

struct expr *parse_expr(struct parser *p)
{
	struct expr *e;

	if (parser_enter(p))
		return NULL;
	e = parse_assign(p);
	parser_leave(p);
	return e;
}
