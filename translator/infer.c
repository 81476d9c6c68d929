/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of statements and the way to a fixed point (infer.h). */
#include <string.h>
#include "embed.h"
#include "infer.h"

static void infer_stmt(struct infer *in, struct stmt *st);

/* ---- printing ---- */

static void print_arg_count(struct infer *in, struct expr *e, size_t need)
{
	if (!g_hash_table_add(in->failed, e))
		return;
	in->errors++;
	diag_error(in->s, e->loc, "format-arguments", "the format takes %zu argument%s, but there %s %zu", need,
		   need == 1 ? "" : "s", e->nargs == 1 ? "is" : "are", e->nargs);
}

static void infer_format(struct infer *in, struct expr *e)
{
	struct print *p = e->print;
	size_t need = 0, k = 0;

	for (size_t i = 0; i < p->npiece; i++)
		need += (p->piece[i].conv != 0) + p->piece[i].width_arg + p->piece[i].prec_arg;
	if (need != e->nargs) {
		print_arg_count(in, e, need);
		return;
	}
	for (size_t i = 0; i < p->npiece; i++) {
		const struct fmt_piece *f = &p->piece[i];

		if (f->width_arg)
			infer_expr(in, &e->args[k++], TY_LONG);
		if (f->prec_arg)
			infer_expr(in, &e->args[k++], TY_LONG);
		if (f->conv)
			infer_expr(in, &e->args[k++], f->conv == 's' ? TY_STRING : TY_LONG);
	}
}

void infer_print(struct infer *in, struct expr *e)
{
	if (e->print->kind == PRINT_PRINTF) {
		infer_format(in, e);
		return;
	}
	for (size_t i = 0; i < e->nargs; i++) {
		struct expr **arg = &e->args[i];

		if ((*arg)->kind == EX_HIST && !e->print->to_string) {
			infer_hist(in, *arg);
			continue;
		}
		infer_expr(in, arg, TY_UNKNOWN);
		if ((*arg)->type == TY_STATS || (*arg)->type == TY_VOID)
			type_mismatch(in, *arg, TY_LONG, (*arg)->type);
	}
}

/* ---- statements ---- */

/* A loop variable and what runs through it learn from each other. */
static void infer_loop_var(struct infer *in, struct expr *e, enum type *t)
{
	infer_var(in, e, *t);
	if (*t == TY_UNKNOWN && e->type != TY_UNKNOWN) {
		*t = e->type;
		in->changed++;
	}
}

struct value_walk {
	struct session *s;
	struct foreach *fe;
};

static bool replace_one(struct walker *w, struct expr **pe)
{
	struct value_walk *vw = w->data;
	struct expr *e;

	if ((*pe)->kind != EX_SYM || (*pe)->var != vw->fe->value->var)
		return true;
	e = expr_new(vw->s, EX_INDEX, (*pe)->loc);
	e->name = vw->fe->array->name;
	e->var = vw->fe->array->var;
	e->nargs = vw->fe->nkeys;
	e->args = arena_alloc(vw->s, e->nargs * sizeof(*e->args));
	for (size_t i = 0; i < e->nargs; i++)
		e->args[i] = expr_copy(vw->s, vw->fe->keys[i]);
	*pe = e;
	return true;
}

/* A statistic can not be copied to a variable, so foreach (v = [k] in stats) means stats[k] by v. */
static void replace_value(struct infer *in, struct stmt *st)
{
	struct value_walk vw = { in->s, st->foreach };
	struct walker w = { .expr = replace_one, .data = &vw };

	walk_stmt(&w, &st->body);
	vw.fe->value->var->nread = vw.fe->value->var->nwritten = 0;
	g_ptr_array_remove(in->u->locals, vw.fe->value->var);
	vw.fe->value = NULL;
	in->changed++;
}

static void infer_foreach(struct infer *in, struct stmt *st)
{
	struct foreach *fe = st->foreach;
	struct var *v = fe->array->var;
	enum type num = TY_LONG;

	if (fe->limit)
		infer_expr(in, &fe->limit, TY_LONG);
	if (fe->array->kind == EX_HIST) {
		infer_hist(in, fe->array);
		for (size_t i = 0; i < fe->nkeys; i++)
			infer_loop_var(in, fe->keys[i], &num);
		if (fe->value)
			infer_loop_var(in, fe->value, &num);
	} else if (v) {
		if (fe->sort_stat)
			infer_var(in, fe->array, TY_STATS);
		else
			infer_var(in, fe->array, TY_UNKNOWN);
		for (size_t i = 0; i < fe->nkeys; i++) {
			infer_loop_var(in, fe->keys[i], &v->key[i]);
			if (v->key_ctype && i < MAX_KEYS)
				learn_ctype(in, fe->keys[i]->var, v->key_ctype[i]);
		}
		if (fe->slice)
			infer_keys(in, v, fe->slice, fe->nkeys);
		if (fe->value && v->type == TY_STATS)
			replace_value(in, st);
		if (fe->value) {
			infer_loop_var(in, fe->value, &v->type);
			learn_ctype(in, fe->value->var, v->ctype);
		}
	}
	infer_stmt(in, st->body);
}

static void infer_return(struct infer *in, struct stmt *st)
{
	struct func *f = in->u->func;
	int errors = in->errors;

	if (!st->expr || !f)
		return;
	infer_expr(in, &st->expr, f->type);
	if (in->errors > errors && f->type_loc.src)
		diag_note(in->s, f->type_loc, "the result of function '%s' is a %s because of this", f->name, type_name(f->type));
	if (st->expr->type == TY_VOID || st->expr->type == TY_STATS)
		type_mismatch(in, st->expr, TY_LONG, st->expr->type);
	else if (f->type == TY_UNKNOWN && st->expr->type != TY_UNKNOWN) {
		f->type = st->expr->type;
		f->type_loc = st->expr->loc;
		in->changed++;
	}
	if (st->expr->ctype && !f->ctype) {
		f->ctype = st->expr->ctype;
		in->changed++;
	}
}

static void infer_delete(struct infer *in, struct stmt *st)
{
	struct expr *e = st->expr;

	if (e->kind == EX_INDEX)
		infer_keys(in, e->var, e->args, e->nargs);
	infer_var(in, e, TY_UNKNOWN);
}

static void infer_stmt(struct infer *in, struct stmt *st)
{
	switch (st->kind) {
	case ST_BLOCK:
		for (size_t i = 0; i < st->nlist; i++)
			infer_stmt(in, st->list[i]);
		break;
	case ST_EXPR:
		infer_effect(in, &st->expr);
		break;
	case ST_FOR:
		if (st->init)
			infer_effect(in, &st->init);
		if (st->step)
			infer_effect(in, &st->step);
		G_GNUC_FALLTHROUGH;
	case ST_IF:
	case ST_WHILE:
		if (st->expr)
			infer_expr(in, &st->expr, TY_LONG);
		if (st->body)
			infer_stmt(in, st->body);
		if (st->other)
			infer_stmt(in, st->other);
		break;
	case ST_FOREACH:
		infer_foreach(in, st);
		break;
	case ST_RETURN:
		infer_return(in, st);
		break;
	case ST_DELETE:
		infer_delete(in, st);
		break;
	case ST_TRY:
		infer_stmt(in, st->body);
		if (st->catch_var)
			infer_var(in, st->catch_var, TY_STRING);
		if (st->other)
			infer_stmt(in, st->other);
		break;
	case ST_NULL:
	case ST_BREAK:
	case ST_CONTINUE:
	case ST_NEXT:
	case ST_EMBEDDED:
		break;
	}
}

/* ---- the whole ---- */

struct value_search {
	bool passes_on; /* `next` counts as well: its value is that of the next function of the name */
	bool found;
};

static bool find_value(struct walker *w, struct stmt **st)
{
	struct value_search *vs = w->data;

	vs->found |= ((*st)->kind == ST_RETURN && (*st)->expr) || ((*st)->kind == ST_NEXT && vs->passes_on);
	return !vs->found;
}

/* Functions that never give a value are void; the others start out unknown. */
static void settle_void(struct unit *u, bool passes_on)
{
	struct value_search vs = { .passes_on = passes_on && u->func && u->func->next_overload };
	struct walker w = { .stmt = find_value, .data = &vs };

	if (!u->func || u->func->type != TY_UNKNOWN)
		return;
	if (u->func->code && !u->func->runtime)
		vs.found = embed_sets_value(u->func->code);
	else if (*u->body)
		walk_stmt(&w, u->body);
	if (!vs.found)
		u->func->type = TY_VOID;
}

static void settle_voids(struct resolver *r, bool passes_on)
{
	for (guint i = 0; i < r->units->len; i++)
		settle_void(r->units->pdata[i], passes_on);
}

static void infer_unit(struct infer *in, struct unit *u)
{
	struct probe *p = u->probe;

	in->u = u;
	for (size_t i = 0; p && i < p->nsaved; i++)
		infer_expr(in, &p->saved[i], TY_UNKNOWN);
	if (*u->body)
		infer_stmt(in, *u->body);
	if (p && p->condition)
		infer_expr(in, &p->condition, TY_LONG);
}

static void infer_inits(struct infer *in)
{
	for (guint i = 0; i < in->r->globals->len; i++) {
		struct var *v = in->r->globals->pdata[i];

		if (!v->init)
			continue;
		infer_expr(in, &v->init, TY_UNKNOWN);
		if (v->type == TY_UNKNOWN) {
			v->type = v->init->type;
			v->type_loc = v->init->loc;
			in->changed++;
		} else {
			infer_expr(in, &v->init, v->type);
		}
		if (v->arity > 0 && g_hash_table_add(in->failed, v)) {
			in->errors++;
			diag_error(in->s, v->init->loc, "array-init", "array '%s' can not have an initial value", v->name);
			diag_note(in->s, v->arity_loc, "it is an array because of this");
		}
	}
}

/* Of the points that a handler was written for, this one leaves the name without a value, and others do not. */
static void help_point(struct infer *in, const struct unit *u, const struct var *v)
{
	const struct probe *here = u ? u->probe : NULL, *other;
	const struct var *set;

	for (guint i = 0; here && i < in->r->units->len; i++) {
		const struct unit *o = in->r->units->pdata[i];

		other = o->probe;
		if (!other || other->decl != here->decl || o == u)
			continue;
		set = g_hash_table_lookup(o->names, v->name);
		if (!set || !set->nwritten)
			continue;
		diag_help(in->s, "%s gives it no value, %s does", here->name ? here->name : here->pattern,
			  other->name ? other->name : other->pattern);
		return;
	}
	diag_help(in->s, "nothing is ever assigned to it");
}

static void report_unresolved(struct infer *in, const struct unit *u, struct var *v)
{
	if (v->type == TY_STATS && v->kind != VAR_GLOBAL) {
		in->errors++;
		diag_error(in->s, v->loc, "local-statistic", "'%s' is %s, and these can not be statistics", v->name,
			   v->kind == VAR_PARAM ? "a parameter" : "a local variable");
		diag_help(in->s, "a global can be: global %s", v->name);
		return;
	}
	if (v->type != TY_UNKNOWN && v->type != TY_VOID)
		return;
	in->errors++;
	diag_error(in->s, v->loc, "unresolved-type", "unresolved type of '%s'", v->name);
	if (v->nwritten)
		return;
	if (v->kind == VAR_GLOBAL)
		diag_help(in->s, "nothing is ever assigned to it; its type can be written down: global %s:long", v->name);
	else
		help_point(in, u, v);
}

/* What is still unknown: a parameter nobody looks at is a long, the rest an error. */
static void check_resolved(struct infer *in)
{
	for (guint i = 0; i < in->r->units->len; i++) {
		struct unit *u = in->r->units->pdata[i];

		for (guint k = 0; k < u->locals->len; k++)
			report_unresolved(in, u, u->locals->pdata[k]);
		for (size_t k = 0; u->func && k < u->func->nparams; k++)
			if (u->func->params[k]->type == TY_UNKNOWN) {
				if (u->func->params[k]->nread)
					report_unresolved(in, u, u->func->params[k]);
				else
					u->func->params[k]->type = TY_LONG;
			}
		if (u->func && u->func->type == TY_UNKNOWN) {
			in->errors++;
			diag_error(in->s, u->func->loc, "unresolved-type", "unresolved type of the result of function '%s'",
				   u->func->name);
			diag_help(in->s, "it can be written down: function %s:long (...)", u->func->name);
		}
	}
	for (guint i = 0; i < in->r->globals->len; i++) {
		struct var *v = in->r->globals->pdata[i];

		if (!v->nread && !v->nwritten && (!in->s->opt.unoptimized || v->from_library))
			continue;
		report_unresolved(in, NULL, v);
		for (int k = 0; k < v->arity; k++)
			if (v->key[k] == TY_UNKNOWN)
				v->key[k] = TY_LONG; /* only ever deleted or looped over */
	}
}

/* -1 in arity: only `delete x` was seen of it. */
static void settle_arity(struct resolver *r)
{
	for (guint i = 0; i < r->globals->len; i++) {
		struct var *v = r->globals->pdata[i];

		if (v->arity < 0)
			v->arity = v->maxsize ? 1 : 0;
	}
}

static void infer_round(struct infer *in, bool backwards)
{
	const struct probe_decl *failed = NULL;
	guint n = in->r->units->len;

	in->changed = 0;
	infer_inits(in);
	for (guint i = 0; i < n; i++) {
		/* a type goes along a chain of calls in either direction in one round */
		struct unit *u = in->r->units->pdata[backwards ? n - 1 - i : i];
		int errors = in->errors;

		/* what is wrong in one probe's handler is wrong in the copies for its other points */
		if (u->probe && u->probe->decl && u->probe->decl == failed)
			continue;
		infer_unit(in, u);
		if (u->probe && in->errors > errors)
			failed = u->probe->decl;
	}
}

int infer_all(struct resolver *r)
{
	struct infer in = { .r = r, .s = r->s, .failed = g_hash_table_new(NULL, NULL),
			    .mixed = g_hash_table_new(NULL, NULL) };
	int rounds = 0;

	settle_arity(r);
	settle_voids(r, true);
	/* All that assignments say is known before an autocast is lowered; lowering may tell more. */
	do {
		in.lower = !in.changed && rounds;
		infer_round(&in, rounds % 2);
	} while ((in.changed || !in.lower) && !in.errors && ++rounds < 1000);
	if (!in.errors) {
		settle_voids(r, false);
		in.final = true;
		infer_round(&in, false);
	}
	if (!in.errors)
		check_resolved(&in);
	g_hash_table_destroy(in.failed);
	g_hash_table_destroy(in.mixed);
	return in.errors ? -1 : 0;
}
