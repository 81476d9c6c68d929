/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions: constants, variables, arithmetic, comparison, logic; and how pending values are kept safe. */
#include "gen.h"

/* ---- values ---- */

struct val val_text(enum type type, const char *c)
{
	return (struct val){ .type = type, .c = c };
}

static struct val val_atom(enum type type, const char *c)
{
	return (struct val){ .type = type, .c = c, .atom = true };
}

struct val val_num(struct fn *f, int64_t num)
{
	GString *t = g_string_new(NULL);
	struct val v;

	emit_c_number(t, num);
	v = val_atom(TY_LONG, arena_strndup(f->g->s, t->str, t->len));
	v.is_const = true;
	v.num = num;
	v.narrow = num >= INT32_MIN && num <= INT32_MAX;
	g_string_free(t, TRUE);
	return v;
}

struct val val_lit(struct fn *f, const char *str, size_t len)
{
	GString *t = g_string_new("STP_STR(");
	struct val v;

	emit_c_string(t, str, len);
	g_string_append_c(t, ')');
	v = val_atom(TY_STRING, arena_strndup(f->g->s, t->str, t->len));
	v.is_const = true;
	v.lit = str;
	v.len = len;
	g_string_free(t, TRUE);
	return v;
}

const char *paren(struct fn *f, struct val v)
{
	return v.atom ? v.c : gen_text(f, "(%s)", v.c);
}

struct val gen_long_tmp(struct fn *f, const char *c)
{
	unsigned n = ++f->ntmp;

	emit_line(&f->o, "s64 t%u = %s;", n, c);
	return val_atom(TY_LONG, gen_text(f, "t%u", n));
}

struct val gen_str_tmp(struct fn *f, const char *c, struct reads *reads)
{
	unsigned n = ++f->ntmp;
	struct val v;

	emit_line(&f->o, "struct stp_str t%u = %s;", n, c);
	v = val_atom(TY_STRING, gen_text(f, "t%u", n));
	v.reads = reads;
	return v;
}

struct reads *reads_add(struct fn *f, struct reads *r, struct var *v)
{
	struct reads *n;

	for (n = r; n; n = n->next)
		if (n->var == v)
			return r;
	n = arena_alloc(f->g->s, sizeof(*n));
	n->var = v;
	n->next = r;
	return n;
}

struct reads *reads_join(struct fn *f, struct reads *a, struct reads *b)
{
	for (; a; a = a->next)
		b = reads_add(f, b, a->var);
	return b;
}

/* ---- scratch memory ---- */

void gen_scratch(struct fn *f, size_t n)
{
	f->uses_scratch = f->dirty = true;
	f->leaf = false;
	f->bytes += (n ? n : f->g->maxstr) + 8;
	f->max_bytes = MAX(f->max_bytes, f->bytes);
}

void gen_scratch_reset(struct fn *f)
{
	emit_line(&f->o, "c->scratch = %s;", f->mark);
	*f->mark_flag = true;
}

/* ---- keeping values over the evaluation of others ---- */

/* Only what has storage of its own can change under a view; a local view is a pair of words. */
static bool view_may_change(struct fn *f, const struct val *v)
{
	for (struct reads *r = v->reads; r; r = r->next)
		if (r->var->kind == VAR_GLOBAL || var_is_buf(f, r->var))
			return true;
	return false;
}

void gen_keep(struct fn *f, struct val *v, struct loc loc)
{
	if (v->is_const)
		return;
	if (v->type == TY_STRING) {
		if (view_may_change(f, v)) {
			*v = gen_str_tmp(f, gen_text(f, "stp_str_dup(c, %s)", v->c), NULL);
			gen_scratch(f, 0);
			gen_check(f, loc, "string");
		} else if (v->reads || !v->atom) {
			*v = gen_str_tmp(f, v->c, NULL);
		}
	} else if (v->reads || v->call || !v->atom) {
		*v = gen_long_tmp(f, v->c);
	}
}

void gen_hold(struct fn *f, struct val *v, struct expr *e)
{
	bool keep = v->call && expr_calls(e);

	for (struct reads *r = v->reads; r && !keep; r = r->next)
		keep = expr_affects(f->g, e, r->var, EFF_WRITE);
	if (keep)
		gen_keep(f, v, e->loc);
}

void gen_hold_all(struct fn *f, struct val *v, struct expr **e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (e[i])
			gen_hold(f, v, e[i]);
}

void gen_list(struct fn *f, struct expr **e, size_t n, struct val *out)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = gen_expr(f, e[i]);
		gen_hold_all(f, &out[i], e + i + 1, n - i - 1);
	}
}

/* ---- arithmetic ---- */

static bool fold(enum op op, int64_t a, int64_t b, int64_t *ret)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case OP_ADD: *ret = (int64_t)(x + y); return true;
	case OP_SUB: *ret = (int64_t)(x - y); return true;
	case OP_MUL: *ret = (int64_t)(x * y); return true;
	case OP_AND: *ret = a & b; return true;
	case OP_OR: *ret = a | b; return true;
	case OP_XOR: *ret = a ^ b; return true;
	case OP_SHL: *ret = (int64_t)(x << (y & 63)); return true;
	case OP_SHR: *ret = a >> (y & 63); return true;
	case OP_USHR: *ret = (int64_t)(x >> (y & 63)); return true;
	case OP_DIV:
		if (b == 0)
			return false;
		*ret = b == -1 ? (int64_t)(0 - x) : a / b;
		return true;
	case OP_MOD:
		if (b == 0)
			return false;
		*ret = b == -1 ? 0 : a % b;
		return true;
	default:
		return false;
	}
}

static struct val divide(struct fn *f, enum op op, struct val a, struct val b, struct expr *at)
{
	struct val v;

	if (b.is_const && b.num != 0 && b.num != -1)
		return val_text(TY_LONG, gen_text(f, "%s%s %c %s", a.narrow ? "(s64)" : "", paren(f, a),
		                                  op == OP_DIV ? '/' : '%', b.c));
	v = gen_long_tmp(f, gen_text(f, "stp_%s(c, %s, %s)", op == OP_DIV ? "div" : "mod", a.c, b.c));
	gen_check(f, at->loc, expr_what(f, at));
	return v;
}

static const char *shift_count(struct fn *f, struct val b)
{
	return b.is_const ? gen_text(f, "%d", (int)(b.num & 63)) : gen_text(f, "(%s & 63)", paren(f, b));
}

struct val gen_binary_text(struct fn *f, enum op op, struct val a, struct val b, struct expr *at)
{
	const char *sign = op_text(op);
	struct val v;
	int64_t num;

	if (a.is_const && b.is_const && fold(op, a.num, b.num, &num))
		return val_num(f, num);
	switch (op) {
	case OP_DIV: case OP_MOD:
		v = divide(f, op, a, b, at);
		if (v.atom)
			return v; /* a temporary */
		break;
	case OP_SHL: case OP_SHR:
		v = val_text(TY_LONG, gen_text(f, "%s%s %s %s", a.narrow ? "(s64)" : "", paren(f, a), sign,
		                               shift_count(f, b)));
		break;
	case OP_USHR:
		v = val_text(TY_LONG, gen_text(f, "(s64)((u64)%s >> %s)", paren(f, a), shift_count(f, b)));
		break;
	case OP_LT: case OP_GT: case OP_LE: case OP_GE: case OP_EQ: case OP_NE:
		v = val_text(TY_LONG, gen_text(f, "%s %s %s", paren(f, a), sign, paren(f, b)));
		v.narrow = v.truth = true;
		break;
	default:
		v = val_text(TY_LONG, gen_text(f, "%s%s %s %s", a.narrow && b.narrow ? "(s64)" : "", paren(f, a), sign,
		                               paren(f, b)));
	}
	v.reads = reads_join(f, a.reads, b.reads);
	v.call = a.call || b.call;
	return v;
}

static struct val compare_strings(struct fn *f, struct expr *e, struct val a, struct val b)
{
	struct val v;

	if (e->op == OP_EQ || e->op == OP_NE)
		v = val_text(TY_LONG, gen_text(f, "%sstp_str_eq(%s, %s)", e->op == OP_NE ? "!" : "", a.c, b.c));
	else
		v = val_text(TY_LONG, gen_text(f, "stp_str_cmp(%s, %s) %s 0", a.c, b.c, op_text(e->op)));
	v.narrow = v.truth = true;
	v.reads = reads_join(f, a.reads, b.reads);
	v.call = a.call || b.call;
	return v;
}

static struct val gen_binary(struct fn *f, struct expr *e)
{
	struct val a, b;

	if (e->op == OP_CONCAT)
		return gen_concat(f, e);
	a = gen_expr(f, e->a);
	gen_hold(f, &a, e->b);
	b = gen_expr(f, e->b);
	if (a.type == TY_STRING)
		return compare_strings(f, e, a, b);
	return gen_binary_text(f, e->op, a, b, e);
}

static struct val gen_unary(struct fn *f, struct expr *e)
{
	struct val a = gen_expr(f, e->a), v;

	switch (e->op) {
	case OP_PLUS:
		return a;
	case OP_NEG:
		if (a.is_const)
			return val_num(f, (int64_t)(0 - (uint64_t)a.num));
		v = val_text(TY_LONG, gen_text(f, "-%s%s", a.narrow ? "(s64)" : "", paren(f, a)));
		break;
	case OP_BITNOT:
		if (a.is_const)
			return val_num(f, ~a.num);
		v = val_text(TY_LONG, gen_text(f, "~%s%s", a.narrow ? "(s64)" : "", paren(f, a)));
		break;
	default:
		v = val_text(TY_LONG, gen_text(f, "!%s", paren(f, a)));
		v.narrow = v.truth = true;
	}
	v.reads = a.reads;
	v.call = a.call;
	return v;
}

/* ---- logic ---- */

struct val gen_cond_long(struct fn *f, struct expr *e)
{
	struct val v = gen_expr(f, e);

	if (!v.truth && !v.atom)
		v.c = gen_text(f, "(%s) != 0", v.c);
	return v;
}

/* Generates e apart; the caller owns the code. */
static GString *gen_apart(struct fn *f, struct expr *e, struct val *v, bool cond)
{
	GString *outer = emit_capture(&f->o);

	f->o.indent++;
	*v = cond ? gen_cond_long(f, e) : gen_expr(f, e);
	f->o.indent--;
	return emit_release(&f->o, outer);
}

static struct val gen_logic(struct fn *f, struct expr *e)
{
	bool and = e->kind == EX_LOGAND;
	struct val a = gen_cond_long(f, e->a), b, v;
	GString *code = gen_apart(f, e->b, &b, true);

	if (!code->len) {
		v = val_text(TY_LONG, gen_text(f, "%s %s %s", paren(f, (struct val){ .c = a.c, .atom = a.atom }),
		                               and ? "&&" : "||", paren(f, b)));
		v.reads = reads_join(f, a.reads, b.reads);
		v.call = a.call || b.call;
	} else {
		unsigned n = ++f->ntmp;

		emit_line(&f->o, "bool t%u = %s;", n, and ? "false" : "true");
		emit_open(&f->o, and ? "if (%s)" : "if (!(%s))", a.c);
		g_string_append(f->o.text, code->str);
		emit_line(&f->o, b.truth ? "t%u = %s;" : "t%u = (%s) != 0;", n, b.c);
		emit_close(&f->o);
		v = val_atom(TY_LONG, gen_text(f, "t%u", n));
	}
	v.narrow = v.truth = true;
	g_string_free(code, TRUE);
	return v;
}

static void put_branch(struct fn *f, GString *code, unsigned n, struct val *v)
{
	g_string_append(f->o.text, code->str);
	emit_line(&f->o, "t%u = %s;", n, v->c);
	g_string_free(code, TRUE);
}

static struct val gen_choice(struct fn *f, struct expr *e)
{
	struct val cond = gen_cond_long(f, e->a), b, c, v;
	GString *code_b = gen_apart(f, e->b, &b, false), *code_c = gen_apart(f, e->c, &c, false);
	struct reads *reads = b.type == TY_STRING ? reads_join(f, b.reads, c.reads) : NULL;
	unsigned n;

	if (!code_b->len && !code_c->len) {
		v = val_text(b.type, gen_text(f, "%s ? %s : %s", paren(f, cond), paren(f, b), paren(f, c)));
		v.narrow = b.narrow && c.narrow;
		v.call = cond.call || b.call || c.call;
		v.reads = reads_join(f, cond.reads, reads_join(f, b.reads, c.reads));
		g_string_free(code_b, TRUE);
		g_string_free(code_c, TRUE);
		return v;
	}
	n = ++f->ntmp;
	emit_line(&f->o, b.type == TY_STRING ? "struct stp_str t%u;" : "s64 t%u;", n);
	emit_open(&f->o, "if (%s)", cond.c);
	put_branch(f, code_b, n, &b);
	f->o.indent--;
	emit_open(&f->o, "} else");
	put_branch(f, code_c, n, &c);
	emit_close(&f->o);
	v = val_atom(b.type, gen_text(f, "t%u", n));
	v.reads = reads;
	return v;
}

/* ---- variables ---- */

static struct val gen_sym(struct fn *f, struct expr *e)
{
	struct var *v = e->var;
	const char *text = var_text(f, v);
	struct val val;

	if (v->kind != VAR_GLOBAL)
		gen_local(f, v)->read_out = true;
	if (v->type == TY_STRING) {
		f->leaf = false;
		if (var_is_buf(f, v))
			text = gen_text(f, "str_get(%s)", text);
		f->g->uses_buf |= var_is_buf(f, v);
	} else if (f->loop_depth && var_atomic(f, v)) {
		text = gen_text(f, "*(volatile s64 *)&%s", text); /* `while (flag)` */
	}
	val = val_text(v->type == TY_STRING ? TY_STRING : TY_LONG, text);
	val.atom = text[0] != '*';
	val.reads = reads_add(f, NULL, v);
	return val;
}

void gen_error(struct fn *f, struct loc loc, const char *tag, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	diag_error(f->g->s, loc, tag, "%s", text);
	g_free(text);
	f->g->failed = true;
}

static struct val gen_none(struct fn *f, struct expr *e)
{
	return e->type == TY_STRING ? val_lit(f, "", 0) : val_num(f, 0);
}

static struct val gen_unhandled(struct fn *f, struct expr *e)
{
	if (e->kind == EX_HIST)
		gen_error(f, e->loc, "histogram-value", "a histogram has no value; print it or index it");
	else
		gen_error(f, e->loc, "not-lowered", "%s can not be used here", expr_what(f, e));
	return gen_none(f, e);
}

struct val gen_expr(struct fn *f, struct expr *e)
{
	switch (e->kind) {
	case EX_NUM: return val_num(f, e->num);
	case EX_STR: f->leaf = false; return val_lit(f, e->str, MIN(e->len, f->g->maxstr - 1));
	case EX_SYM: return e->var ? gen_sym(f, e) : gen_unhandled(f, e);
	case EX_INDEX: return gen_index(f, e);
	case EX_CALL: return gen_call(f, e, true);
	case EX_UNARY: return gen_unary(f, e);
	case EX_PREINC: case EX_PREDEC: case EX_POSTINC: case EX_POSTDEC: return gen_incdec(f, e, true);
	case EX_BINARY: return gen_binary(f, e);
	case EX_LOGAND: case EX_LOGOR: return gen_logic(f, e);
	case EX_COND: return gen_choice(f, e);
	case EX_ASSIGN: return gen_assign(f, e, true);
	case EX_IN: return gen_in(f, e);
	case EX_REGEX: return gen_regex(f, e);
	case EX_PRINT: return gen_print(f, e);
	case EX_STATOP: return gen_statop(f, e);
	case EX_BUCKET: return gen_bucket(f, e);
	case EX_CTXVAL: return gen_ctxval(f, e);
	case EX_LOAD: case EX_CONV: return gen_load(f, e);
	case EX_CSTRING: return gen_cstring(f, e);
	case EX_EMBEDDED: return gen_embed_expr(f, e);
	case EX_SAVED: return gen_saved(f, e);
	case EX_PERF: return gen_perf(f, e);
	case EX_HIST: case EX_TARGET: case EX_CAST: case EX_ATVAR: case EX_AUTOCAST: case EX_DEFINED: case EX_ENTRY:
	case EX_ATOP:
		return gen_unhandled(f, e);
	}
	return gen_none(f, e);
}

void gen_effect(struct fn *f, struct expr *e)
{
	switch (e->kind) {
	case EX_ASSIGN: gen_assign(f, e, false); break;
	case EX_PREINC: case EX_PREDEC: case EX_POSTINC: case EX_POSTDEC: gen_incdec(f, e, false); break;
	case EX_CALL: gen_call(f, e, false); break;
	default: gen_expr(f, e); /* its text has no effect */
	}
}
