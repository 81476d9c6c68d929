/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of expressions (infer.h). */
#include <string.h>
#include "debuginfo/ctype.h"
#include "embed.h"
#include "infer.h"
#include "probe_util.h"
#include "regex_dfa.h"

/* ---- messages ---- */

static const char *type_word(enum type t)
{
	return t == TY_STATS ? "statistic" : type_name(t);
}

/* Where the type of the thing behind `e` was settled. */
static void note_origin(struct infer *in, const struct expr *e)
{
	const struct var *v = e->var;

	if (v && e->kind != EX_IN && v->type_loc.src &&
	    (v->type_loc.src != e->loc.src || v->type_loc.line != e->loc.line || v->type_loc.col != e->loc.col))
		diag_note(in->s, v->type_loc, "'%s' is a %s because of this", v->name, type_word(v->type));
	if (e->kind == EX_CALL && e->func && e->func->type_loc.src)
		diag_note(in->s, e->func->type_loc, "function '%s' gives a %s because of this", e->func->name,
			  type_word(e->func->type));
}

/* One message for a variable that is two things: its other uses are wrong for the same reason. */
static bool told_of_variable(struct infer *in, const struct expr *e)
{
	return e->kind == EX_SYM && e->var && !g_hash_table_add(in->failed, e->var);
}

void type_mismatch(struct infer *in, struct expr *e, enum type want, enum type got)
{
	if (!g_hash_table_add(in->failed, e))
		return;
	in->errors++;
	if (told_of_variable(in, e))
		return;
	if (got == TY_VOID)
		diag_error(in->s, e->loc, "no-value", "'%s' gives no value", expr_describe(in->s, e));
	else
		diag_error(in->s, e->loc, "type-mismatch", "type mismatch: %s expected, but '%s' is a %s", type_word(want),
			   expr_describe(in->s, e), type_word(got));
	note_origin(in, e);
	if (got == TY_STATS)
		diag_help(in->s, "@count, @sum, @min, @max and @avg tell of a statistic, <<< adds to it, delete empties it");
}

/* Notes what e's type is and complains when another is wanted. */
static void settle_type(struct infer *in, struct expr *e, enum type t, enum type want)
{
	if (t != TY_UNKNOWN && e->type != t) {
		e->type = t;
		in->changed++;
	}
	if (want != TY_UNKNOWN && e->type != TY_UNKNOWN && e->type != want)
		type_mismatch(in, e, want, e->type);
}

/* ---- variables ---- */

static bool same_ctype(const struct ctype *a, const struct ctype *b)
{
	GString *x = g_string_new(NULL), *y = g_string_new(NULL);
	bool same;

	ctype_print(x, a);
	ctype_print(y, b);
	same = g_string_equal(x, y);
	g_string_free(x, TRUE);
	g_string_free(y, TRUE);
	return same;
}

/* A variable that gets pointers of two types has none: using it as one of them would be a guess. */
void learn_ctype(struct infer *in, struct var *v, const struct ctype *c)
{
	if (!c || v->ctype == c || g_hash_table_contains(in->mixed, v))
		return;
	if (v->ctype && same_ctype(v->ctype, c))
		return;
	if (v->ctype)
		g_hash_table_add(in->mixed, v);
	v->ctype = v->ctype ? NULL : c;
	in->changed++;
}

void infer_var(struct infer *in, struct expr *e, enum type want)
{
	struct var *v = e->var;

	if (!v)
		return;
	if (v->type == TY_UNKNOWN && want != TY_UNKNOWN && want != TY_VOID) {
		v->type = want;
		v->type_loc = e->loc;
		in->changed++;
	}
	if (e->ctype != v->ctype) {
		e->ctype = v->ctype;
		in->changed++;
	}
	settle_type(in, e, v->type, want);
}

/* For foreach, whose variables get the keys. */
static void learn_key_ctype(struct infer *in, struct var *v, size_t i, const struct ctype *c)
{
	const struct ctype *old;

	if (!c || g_hash_table_contains(in->mixed, &v->key[i]))
		return;
	if (!v->key_ctype)
		v->key_ctype = arena_alloc(in->s, MAX_KEYS * sizeof(*v->key_ctype));
	old = v->key_ctype[i];
	if (old && (old == c || same_ctype(old, c)))
		return;
	if (old)
		g_hash_table_add(in->mixed, &v->key[i]);
	v->key_ctype[i] = old ? NULL : c;
	in->changed++;
}

static void key_mismatch(struct infer *in, struct var *v, size_t i, struct expr *arg)
{
	if (!g_hash_table_add(in->failed, arg))
		return;
	in->errors++;
	if (told_of_variable(in, arg))
		return;
	diag_error(in->s, arg->loc, "type-mismatch", "type mismatch: index %zu of array '%s' is a %s, but '%s' is a %s", i + 1,
		   v->name, type_word(v->key[i]), expr_describe(in->s, arg), type_word(arg->type));
	diag_note(in->s, v->arity_loc.src ? v->arity_loc : v->loc, "the array is first used here");
}

void infer_keys(struct infer *in, struct var *v, struct expr **args, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!args[i])
			continue;
		infer_expr(in, &args[i], TY_UNKNOWN);
		if (!v || i >= MAX_KEYS || args[i]->type == TY_VOID)
			continue;
		learn_key_ctype(in, v, i, args[i]->ctype);
		if (args[i]->type == TY_STATS) {
			type_mismatch(in, args[i], TY_LONG, TY_STATS);
		} else if (v->key[i] == TY_UNKNOWN) {
			v->key[i] = args[i]->type;
			in->changed += args[i]->type != TY_UNKNOWN;
		} else if (args[i]->type == TY_UNKNOWN) {
			infer_expr(in, &args[i], v->key[i]);
		} else if (args[i]->type != v->key[i]) {
			key_mismatch(in, v, i, args[i]);
		}
	}
}

/* ---- operators ---- */

static void infer_assign(struct infer *in, struct expr *e, enum type want)
{
	enum type need = e->op == OP_NONE ? TY_UNKNOWN : e->op == OP_CONCAT ? TY_STRING : TY_LONG;

	if (e->op == OP_STAT) {
		infer_expr(in, &e->a, TY_STATS);
		infer_expr(in, &e->b, TY_LONG);
		settle_type(in, e, TY_LONG, want);
		return;
	}
	if (e->op != OP_NONE) {
		infer_expr(in, &e->a, need);
		infer_expr(in, &e->b, need);
		settle_type(in, e, need, want);
		return;
	}
	infer_expr(in, &e->b, want);
	if (e->b->kind == EX_PRINT && !e->b->print->to_string) {
		type_mismatch(in, e->b, want, TY_VOID);
		return;
	}
	if (e->b->type == TY_VOID || e->b->type == TY_STATS) {
		type_mismatch(in, e->b, TY_LONG, e->b->type);
		return;
	}
	infer_expr(in, &e->a, e->b->type);
	if (e->a->type == TY_STATS)
		type_mismatch(in, e->a, e->b->type != TY_UNKNOWN ? e->b->type : TY_LONG, TY_STATS);
	else if (e->b->type == TY_UNKNOWN && e->a->type != TY_UNKNOWN)
		infer_expr(in, &e->b, e->a->type);
	if (e->a->var)
		learn_ctype(in, e->a->var, e->b->ctype);
	e->ctype = e->b->ctype;
	settle_type(in, e, e->a->type, want);
}

/* Two operands of one type, whichever is known first. */
static void infer_pair(struct infer *in, struct expr **a, struct expr **b, enum type want)
{
	infer_expr(in, a, want);
	infer_expr(in, b, (*a)->type == TY_VOID ? TY_UNKNOWN : (*a)->type != TY_UNKNOWN ? (*a)->type : want);
	if ((*a)->type == TY_UNKNOWN && (*b)->type != TY_UNKNOWN)
		infer_expr(in, a, (*b)->type);
}

static void infer_binary(struct infer *in, struct expr *e, enum type want)
{
	int errors = in->errors;

	if (e->op >= OP_LT && e->op <= OP_NE) {
		infer_pair(in, &e->a, &e->b, TY_UNKNOWN);
		if (e->a->type == TY_STATS || e->a->type == TY_VOID)
			type_mismatch(in, e->a, TY_LONG, e->a->type);
		settle_type(in, e, TY_LONG, want);
	} else if (e->op == OP_CONCAT) {
		infer_expr(in, &e->a, TY_STRING);
		infer_expr(in, &e->b, TY_STRING);
		if (in->errors > errors && e->a->kind == EX_NUM && e->b->kind == EX_NUM)
			diag_help(in->s, "there are whole numbers only; '.' joins strings");
		else if (in->errors > errors && (e->a->type == TY_LONG || e->b->type == TY_LONG))
			diag_help(in->s, "'.' joins strings; sprint(NUMBER) makes one of a number");
		settle_type(in, e, TY_STRING, want);
	} else {
		infer_expr(in, &e->a, TY_LONG);
		infer_expr(in, &e->b, TY_LONG);
		if (in->errors > errors && e->op == OP_ADD && (e->a->type == TY_STRING || e->b->type == TY_STRING))
			diag_help(in->s, "strings are joined with '.'");
		settle_type(in, e, TY_LONG, want);
	}
}

static void infer_cond(struct infer *in, struct expr *e, enum type want)
{
	int errors = in->errors;

	infer_expr(in, &e->a, TY_LONG);
	infer_pair(in, &e->b, &e->c, want);
	if (in->errors > errors)
		want = TY_UNKNOWN; /* said of what it chooses from */
	if (e->b->type == TY_STATS || e->b->type == TY_VOID)
		type_mismatch(in, e->b, TY_LONG, e->b->type);
	if (!e->ctype && (e->b->ctype || e->c->ctype)) {
		e->ctype = e->b->ctype ? e->b->ctype : e->c->ctype;
		in->changed++;
	}
	settle_type(in, e, e->b->type, want);
}

/* ---- calls ---- */

static void infer_argument(struct infer *in, struct func *f, size_t i, struct expr **arg)
{
	struct var *v = f->params[i];

	infer_expr(in, arg, TY_UNKNOWN);
	learn_ctype(in, v, (*arg)->ctype);
	if ((*arg)->type == TY_VOID || (*arg)->type == TY_STATS) {
		type_mismatch(in, *arg, v->type == TY_STRING ? TY_STRING : TY_LONG, (*arg)->type);
	} else if ((*arg)->type == TY_UNKNOWN) {
		infer_expr(in, arg, v->type);
	} else if (v->type == TY_UNKNOWN) {
		v->type = (*arg)->type;
		v->type_loc = (*arg)->loc;
		in->changed++;
	} else if (v->type != (*arg)->type && g_hash_table_add(in->failed, *arg)) {
		in->errors++;
		diag_error(in->s, (*arg)->loc, "type-mismatch",
			   "type mismatch: argument %zu of '%s' is a %s, but '%s' is a %s", i + 1, f->name,
			   type_word(v->type), expr_describe(in->s, *arg), type_word((*arg)->type));
		diag_note(in->s, v->type_loc.src ? v->type_loc : v->loc, "parameter '%s' is a %s because of this", v->name,
			  type_word(v->type));
	}
}

static void infer_call(struct infer *in, struct expr *e, enum type want)
{
	enum type result = TY_UNKNOWN;

	for (struct func *f = e->func; f; f = f->next_overload) {
		if (in->autocast && f->runtime && !f->ctype)
			f->ctype = target_pragma_type(in->s, f);
		for (size_t i = 0; i < f->nparams && i < e->nargs; i++)
			infer_argument(in, f, i, &e->args[i]);
		if (f->type == TY_UNKNOWN && want != TY_UNKNOWN) {
			f->type = want;
			f->type_loc = e->loc;
			in->changed++;
		}
		if (result == TY_UNKNOWN)
			result = f->type;
		if (f->ctype && !e->ctype) {
			e->ctype = f->ctype;
			in->changed++;
		}
	}
	for (struct func *f = e->func; f && result != TY_UNKNOWN && result != TY_VOID; f = f->next_overload)
		if (f->type == TY_UNKNOWN) { /* it runs `next` before one that gives a value */
			f->type = result;
			f->type_loc = e->loc;
			in->changed++;
		}
	settle_type(in, e, result, want);
}

/* ---- autocast ---- */

/* Puts in *pe what the base's C type makes of it. */
static void infer_autocast(struct infer *in, struct expr **pe, enum type want)
{
	struct expr *e = *pe, *lowered;

	if (!in->autocast) {
		in->autocast = true; /* what C types functions give is of interest now */
		in->changed++;
	}
	infer_expr(in, &e->a, TY_LONG);
	if (!e->a->ctype) {
		if (in->final && g_hash_table_add(in->failed, e)) {
			in->errors++;
			diag_error(in->s, e->loc, "unknown-c-type", "the C type that '%s' points to is %s",
				   expr_describe(in->s, e->a),
				   e->a->var && g_hash_table_contains(in->mixed, e->a->var) ?
				   "not the same in all assignments" : "not known");
			diag_help(in->s, "write @cast(%s, \"TYPE\")->... with the name of its type", expr_describe(in->s, e->a));
		}
		return;
	}
	if (!in->lower)
		return;
	lowered = target_autocast(in->s, e, e->a->ctype);
	in->changed++;
	if (!lowered) {
		in->errors++;
		*pe = expr_num(in->s, 0, e->loc);
		g_hash_table_add(in->failed, *pe);
		return;
	}
	lowered->range = e->range;
	*pe = lowered;
	infer_expr(in, pe, want);
}

static void infer_statop(struct infer *in, struct expr *e, enum type want)
{
	infer_expr(in, &e->a, TY_STATS);
	if (e->nargs && e->args[0])
		infer_expr(in, &e->args[0], TY_LONG);
	settle_type(in, e, TY_LONG, want);
}

void infer_hist(struct infer *in, struct expr *e)
{
	infer_expr(in, &e->a, TY_STATS);
	e->type = TY_STATS;
}

static void infer_perf(struct infer *in, struct expr *e, enum type want)
{
	settle_type(in, e, TY_LONG, want);
	if (!in->final || perf_counter_index(in->s, e->str) >= 0 || !g_hash_table_add(in->failed, e))
		return;
	in->errors++;
	diag_error(in->s, e->loc, "unknown-counter", "no probe has the counter '%s': perf.*.process(\"PATH\").counter(\"%s\")", e->str,
		   e->str);
}

static void infer_word(struct infer *in, struct expr *e, enum type want)
{
	struct probe *p = in->u ? unit_probe(in->u) : NULL;
	enum type t = e->type != TY_UNKNOWN ? e->type : TY_LONG;

	if (e->kind == EX_SAVED && p && (size_t)e->num < p->nsaved && p->saved[e->num]->type != TY_UNKNOWN)
		t = p->saved[e->num]->type;
	if (e->kind == EX_SAVED && p && (size_t)e->num < p->nsaved && !e->ctype)
		e->ctype = p->saved[e->num]->ctype;
	settle_type(in, e, t, want);
}

void infer_effect(struct infer *in, struct expr **pe)
{
	struct expr *e = *pe;

	if (e->kind == EX_CALL)
		infer_call(in, e, TY_UNKNOWN);
	else if (e->kind == EX_HIST)
		infer_hist(in, e);
	else
		infer_expr(in, pe, TY_UNKNOWN);
}

static void infer_lookup(struct infer *in, struct expr *e, enum type want)
{
	if (e->kind != EX_SYM)
		infer_keys(in, e->var, e->args, e->nargs);
	if (e->kind == EX_IN)
		settle_type(in, e, TY_LONG, want);
	else
		infer_var(in, e, want);
}

/* Whether the pattern is one; that its automaton gets too large shows later. */
static void check_regex(struct infer *in, struct expr *e)
{
	struct rparse ps = { .p = e->str, .start = e->str, .end = e->str + e->len };

	if (!regex_parse(&ps) && g_hash_table_add(in->failed, e)) {
		in->errors++;
		diag_error(in->s, e->loc, "bad-regex", "regular expression: %s, at character %zu", ps.err, (size_t)(ps.p - ps.start) + 1);
	}
	regex_parse_free(&ps);
}

/* Operators whose operands and result are numbers. */
static void infer_number(struct infer *in, struct expr *e, enum type want)
{
	infer_expr(in, &e->a, TY_LONG);
	if (e->b)
		infer_expr(in, &e->b, TY_LONG);
	settle_type(in, e, TY_LONG, want);
}

static void infer_regex(struct infer *in, struct expr *e, enum type want)
{
	infer_expr(in, &e->a, TY_STRING);
	if (e->type == TY_UNKNOWN) /* the first time */
		check_regex(in, e->b);
	settle_type(in, e, TY_LONG, want);
}

static void infer_bucket(struct infer *in, struct expr *e, enum type want)
{
	infer_hist(in, e->a);
	for (size_t i = 0; i < e->nargs; i++)
		infer_expr(in, &e->args[i], TY_LONG);
	settle_type(in, e, TY_LONG, want);
}

/* A histogram where a value is needed. */
static void refuse_hist(struct infer *in, struct expr *e)
{
	infer_hist(in, e);
	if (!g_hash_table_add(in->failed, e))
		return;
	in->errors++;
	diag_error(in->s, e->loc, "misplaced-histogram", "a histogram can be printed, indexed by bucket or looped over, but is no value");
}

static void infer_cstring(struct infer *in, struct expr *e, enum type want)
{
	infer_expr(in, &e->a, TY_LONG);
	settle_type(in, e, TY_STRING, want);
}

static void infer_print_value(struct infer *in, struct expr *e, enum type want)
{
	infer_print(in, e);
	settle_type(in, e, e->print->to_string ? TY_STRING : TY_LONG, want);
}

void infer_expr(struct infer *in, struct expr **pe, enum type want)
{
	struct expr *e = *pe;

	switch (e->kind) {
	case EX_NUM: settle_type(in, e, TY_LONG, want); break;
	case EX_STR: settle_type(in, e, TY_STRING, want); break;
	case EX_SYM:
	case EX_INDEX:
	case EX_IN: infer_lookup(in, e, want); break;
	case EX_CALL: infer_call(in, e, want); break;
	case EX_ASSIGN: infer_assign(in, e, want); break;
	case EX_BINARY: infer_binary(in, e, want); break;
	case EX_COND: infer_cond(in, e, want); break;
	case EX_UNARY:
	case EX_PREINC:
	case EX_PREDEC:
	case EX_POSTINC:
	case EX_POSTDEC:
	case EX_LOGAND:
	case EX_LOGOR:
	case EX_LOAD:
	case EX_CONV: infer_number(in, e, want); break;
	case EX_CSTRING: infer_cstring(in, e, want); break;
	case EX_REGEX: infer_regex(in, e, want); break;
	case EX_PRINT: infer_print_value(in, e, want); break;
	case EX_STATOP: infer_statop(in, e, want); break;
	case EX_HIST: refuse_hist(in, e); break;
	case EX_BUCKET: infer_bucket(in, e, want); break;
	case EX_AUTOCAST: infer_autocast(in, pe, want); break;
	case EX_CTXVAL:
	case EX_SAVED: infer_word(in, e, want); break;
	case EX_PERF: infer_perf(in, e, want); break;
	case EX_TARGET:
	case EX_CAST:
	case EX_ATVAR:
	case EX_DEFINED:
	case EX_ENTRY:
	case EX_ATOP: break; /* reported by scope.c */
	case EX_EMBEDDED: settle_type(in, e, embed_has_pragma(e->str, "string") ? TY_STRING : TY_LONG, want); break;
	}
}
