/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source form of expressions, with the parentheses that reading them back needs and no others. */
#include "ast.h"
#include "ast_print.h"
#include <string.h>

enum { LV_ASSIGN, LV_COND, LV_OROR, LV_ANDAND, LV_OR, LV_XOR, LV_AND, LV_IN, LV_COMPARE, LV_SHIFT, LV_CONCAT,
       LV_ADD, LV_MUL, LV_UNARY, LV_POSTFIX };

const char *stat_name(enum stat_op op)
{
	switch (op) {
	case STAT_COUNT: return "count";
	case STAT_SUM: return "sum";
	case STAT_MIN: return "min";
	case STAT_MAX: return "max";
	case STAT_AVG: return "avg";
	case STAT_VARIANCE: return "variance";
	case STAT_HIST: return "hist";
	}
	return "count";
}

static int op_level(enum op op)
{
	switch (op) {
	case OP_OR: return LV_OR;
	case OP_XOR: return LV_XOR;
	case OP_AND: return LV_AND;
	case OP_LT: case OP_GT: case OP_LE: case OP_GE: case OP_EQ: case OP_NE: return LV_COMPARE;
	case OP_SHL: case OP_SHR: case OP_USHR: return LV_SHIFT;
	case OP_CONCAT: return LV_CONCAT;
	case OP_ADD: case OP_SUB: return LV_ADD;
	default: return LV_MUL;
	}
}

/* How tightly the node's outermost operator binds. */
static int level_of(const struct expr *e)
{
	switch (e->kind) {
	case EX_ASSIGN: return LV_ASSIGN;
	case EX_COND: return LV_COND;
	case EX_LOGOR: return LV_OROR;
	case EX_LOGAND: return LV_ANDAND;
	case EX_BINARY: return op_level(e->op);
	case EX_IN: return LV_IN;
	case EX_REGEX: return LV_COMPARE;
	case EX_UNARY: case EX_PREINC: case EX_PREDEC: case EX_POSTINC: case EX_POSTDEC: return LV_UNARY;
	case EX_NUM: return e->num < 0 ? LV_UNARY : LV_POSTFIX;
	default: return e->addrof ? LV_UNARY : LV_POSTFIX;
	}
}

/* Prints e as an operand that must bind at least as tightly as `level`. */
static void print_operand(GString *out, const struct expr *e, int level)
{
	bool parens = level_of(e) < level;

	if (parens)
		g_string_append_c(out, '(');
	print_expr(out, e);
	if (parens)
		g_string_append_c(out, ')');
}

/* A string literal in quotes that reads back as the same bytes. */
static void print_quoted(GString *out, const char *str, size_t len)
{
	static const char from[] = "\a\b\t\n\v\f\r\"\\", to[] = "abtnvfr\"\\";

	g_string_append_c(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = str[i];
		const char *hit = c ? strchr(from, c) : NULL;

		if (hit)
			g_string_append_printf(out, "\\%c", to[hit - from]);
		else if (c < 0x20 || c == 0x7f)
			g_string_append_printf(out, "\\%03o", c);
		else
			g_string_append_c(out, c);
	}
	g_string_append_c(out, '"');
}

static void print_items(GString *out, struct expr *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		g_string_append(out, i ? ", " : "");
		if (v[i])
			print_expr(out, v[i]);
		else
			g_string_append_c(out, '*');
	}
}

void print_index_list(GString *out, struct expr *const *v, size_t n)
{
	g_string_append_c(out, '[');
	print_items(out, v, n);
	g_string_append_c(out, ']');
}

static void print_comps(GString *out, const struct expr *e)
{
	for (size_t i = 0; i < e->ncomps; i++) {
		const struct comp *c = &e->comps[i];

		switch (c->kind) {
		case COMP_MEMBER: g_string_append_printf(out, "->%s", c->name); break;
		case COMP_INDEX: print_index_list(out, (struct expr *[]){ c->index }, 1); break;
		case COMP_PRETTY: g_string_append_c(out, '$'); break;
		case COMP_PRETTY_DEEP: g_string_append(out, "$$"); break;
		}
	}
}

/* a OP b, left associative */
static void print_binary(GString *out, const struct expr *e, const char *op, int level)
{
	print_operand(out, e->a, level);
	g_string_append_printf(out, " %s ", op);
	print_operand(out, e->b, level + 1);
}

static void print_unary(GString *out, const struct expr *e)
{
	size_t at;

	g_string_append(out, op_text(e->op));
	at = out->len;
	print_operand(out, e->a, LV_UNARY);
	/* `- -x` must not become `--x` */
	if (at < out->len && out->str[at] == out->str[at - 1] && (out->str[at] == '-' || out->str[at] == '+'))
		g_string_insert_c(out, at, ' ');
	/* nor `! ~x` the operator `!~` */
	if (at < out->len && out->str[at - 1] == '!' && out->str[at] == '~')
		g_string_insert_c(out, at, ' ');
}

static void print_in(GString *out, const struct expr *e)
{
	if (e->nargs == 1 && e->args[0])
		print_operand(out, e->args[0], LV_COMPARE);
	else
		print_index_list(out, e->args, e->nargs);
	g_string_append_printf(out, " in %s", e->name);
}

static void print_print(GString *out, const struct expr *e)
{
	const struct print *pr = e->print;
	static const char *const names[] = {
		[PRINT_PRINT] = "print", [PRINT_PRINTLN] = "println", [PRINT_PRINTD] = "printd",
		[PRINT_PRINTDLN] = "printdln", [PRINT_PRINTF] = "printf",
	};

	g_string_append_printf(out, "%s%s(", pr->to_string ? "s" : "", names[pr->kind]);
	if (pr->kind == PRINT_PRINTF)
		print_quoted(out, e->str, e->len);
	else if (pr->delim)
		print_quoted(out, pr->delim, pr->delim_len);
	if ((pr->kind == PRINT_PRINTF || pr->delim) && e->nargs)
		g_string_append(out, ", ");
	print_items(out, e->args, e->nargs);
	g_string_append_c(out, ')');
}

static void print_hist(GString *out, const struct expr *e)
{
	const struct hist_shape *h = &e->hist;

	g_string_append(out, h->kind == HIST_LOG ? "@hist_log(" : "@hist_linear(");
	print_expr(out, e->a);
	if (h->kind == HIST_LINEAR)
		g_string_append_printf(out, ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT,
				       h->low, h->high, h->width);
	g_string_append_c(out, ')');
}

static void print_call(GString *out, const char *prefix, const struct expr *e, bool parens)
{
	g_string_append_printf(out, "%s%s", prefix, e->name);
	if (!parens)
		return;
	g_string_append_c(out, '(');
	print_items(out, e->args, e->nargs);
	g_string_append_c(out, ')');
}

static void print_cast(GString *out, const struct expr *e)
{
	g_string_append(out, "@cast(");
	print_expr(out, e->a);
	g_string_append(out, ", ");
	print_quoted(out, e->str, strlen(e->str));
	if (e->module) {
		g_string_append(out, ", ");
		print_quoted(out, e->module, strlen(e->module));
	}
	g_string_append_c(out, ')');
	print_comps(out, e);
}

static void print_atvar(GString *out, const struct expr *e)
{
	g_string_append(out, "@var(");
	print_quoted(out, e->name, strlen(e->name));
	if (e->module) {
		g_string_append(out, ", ");
		print_quoted(out, e->module, strlen(e->module));
	}
	g_string_append_c(out, ')');
	print_comps(out, e);
}

/* What the steps of an autocast hang on needs parentheses when it would take them itself. */
static void print_autocast(GString *out, const struct expr *e)
{
	const struct expr *base = e->a;
	bool parens = level_of(base) < LV_POSTFIX || base->kind == EX_TARGET || base->kind == EX_CAST ||
		      base->kind == EX_ATVAR || base->kind == EX_AUTOCAST ||
		      (base->kind == EX_SYM && e->comps[0].kind == COMP_INDEX);

	if (parens)
		g_string_append_c(out, '(');
	print_expr(out, base);
	if (parens)
		g_string_append_c(out, ')');
	print_comps(out, e);
}

static void print_wrapped(GString *out, const char *name, const struct expr *e)
{
	g_string_append_printf(out, "@%s(", name);
	print_expr(out, e->a);
	if (e->nargs) {
		g_string_append(out, ", ");
		print_items(out, e->args, e->nargs);
	}
	g_string_append_c(out, ')');
}

static void print_assign(GString *out, const struct expr *e)
{
	print_operand(out, e->a, LV_UNARY);
	if (e->op == OP_STAT)
		g_string_append(out, " <<< ");
	else
		g_string_append_printf(out, " %s= ", op_text(e->op));
	print_operand(out, e->b, LV_ASSIGN);
}

static void print_cond(GString *out, const struct expr *e)
{
	print_operand(out, e->a, LV_OROR);
	g_string_append(out, " ? ");
	print_operand(out, e->b, LV_ASSIGN);
	g_string_append(out, " : ");
	print_operand(out, e->c, LV_ASSIGN);
}

static void print_step(GString *out, const struct expr *e, const char *before, const char *after)
{
	g_string_append(out, before);
	print_operand(out, e->a, LV_POSTFIX);
	g_string_append(out, after);
}

/* Nodes that no script can write: only listings of later passes show them. */
static void print_lowered(GString *out, const struct expr *e)
{
	switch (e->kind) {
	case EX_CTXVAL: g_string_append_printf(out, "context(%s)", e->name ? e->name : "word"); break;
	case EX_LOAD: g_string_append_printf(out, "load%d(", e->load.size * 8); break;
	case EX_CONV: g_string_append_printf(out, "convert%d(", e->load.size * 8); break;
	case EX_CSTRING: g_string_append(out, "cstring("); break;
	default: g_string_append_printf(out, "saved(%d)", (int)e->num); break;
	}
	if (e->a) {
		print_expr(out, e->a);
		g_string_append_c(out, ')');
	}
}

void print_expr(GString *out, const struct expr *e)
{
	if (e->addrof)
		g_string_append_c(out, '&');
	switch (e->kind) {
	case EX_NUM: g_string_append_printf(out, "%" G_GINT64_FORMAT, e->num); break;
	case EX_STR: print_quoted(out, e->str, e->len); break;
	case EX_SYM: g_string_append(out, e->name); break;
	case EX_INDEX:
		g_string_append(out, e->name);
		print_index_list(out, e->args, e->nargs);
		break;
	case EX_CALL: print_call(out, "", e, true); break;
	case EX_UNARY: print_unary(out, e); break;
	case EX_PREINC: print_step(out, e, "++", ""); break;
	case EX_PREDEC: print_step(out, e, "--", ""); break;
	case EX_POSTINC: print_step(out, e, "", "++"); break;
	case EX_POSTDEC: print_step(out, e, "", "--"); break;
	case EX_BINARY: print_binary(out, e, op_text(e->op), op_level(e->op)); break;
	case EX_LOGAND: print_binary(out, e, "&&", LV_ANDAND); break;
	case EX_LOGOR: print_binary(out, e, "||", LV_OROR); break;
	case EX_REGEX: print_binary(out, e, op_text(e->op), LV_COMPARE); break;
	case EX_COND: print_cond(out, e); break;
	case EX_ASSIGN: print_assign(out, e); break;
	case EX_IN: print_in(out, e); break;
	case EX_PRINT: print_print(out, e); break;
	case EX_STATOP: print_wrapped(out, stat_name(e->stat), e); break;
	case EX_HIST: print_hist(out, e); break;
	case EX_BUCKET:
		print_expr(out, e->a);
		print_index_list(out, e->args, e->nargs);
		break;
	case EX_TARGET:
		g_string_append(out, e->name);
		print_comps(out, e);
		break;
	case EX_CAST: print_cast(out, e); break;
	case EX_ATVAR: print_atvar(out, e); break;
	case EX_AUTOCAST: print_autocast(out, e); break;
	case EX_DEFINED: print_wrapped(out, "defined", e); break;
	case EX_ENTRY: print_wrapped(out, "entry", e); break;
	case EX_PERF:
		g_string_append(out, "@perf(");
		print_quoted(out, e->str, e->len);
		g_string_append_c(out, ')');
		break;
	case EX_ATOP: print_call(out, "@", e, e->nargs || strcmp(e->name, "errno") != 0); break;
	case EX_EMBEDDED: g_string_append_printf(out, "%%{%s%%}", e->str); break;
	case EX_CTXVAL: case EX_LOAD: case EX_CONV: case EX_CSTRING: case EX_SAVED:
		print_lowered(out, e);
		break;
	}
}
