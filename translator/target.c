/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lowering: every context variable, @cast, @var, @defined and @entry of a handler or function becomes plain
 * nodes.  What @defined decides is decided first, so that the branch not taken is never looked at.
 */
#include "target.h"
#include "dwarf_scope.h"

#include <string.h>

struct lowering {
	struct session *s;
	struct probe *p;           /* NULL in a function */
	bool failed;
};

const char *target_text(struct session *s, const struct expr *e)
{
	GString *g = g_string_new(NULL);
	const char *ret;

	for (size_t i = 0; i < e->ncomps && i < 4; i++) {
		if (e->comps[i].kind == COMP_MEMBER)
			g_string_append_printf(g, "->%s", e->comps[i].name);
		else if (e->comps[i].kind == COMP_INDEX)
			g_string_append(g, "[...]");
	}
	ret = arena_printf(s, "%s%s", e->kind == EX_TARGET ? e->name : e->kind == EX_CAST ? "@cast()" : "the value", g->str);
	g_string_free(g, TRUE);
	return ret;
}

/* Variables that stand for several are not in the lists. */
static const char *nearest_name(const char *name, const GPtrArray *names)
{
	static const char *const sums[] = { "$$vars", "$$parms", "$$locals", "$$return" };
	GPtrArray *all = g_ptr_array_new();
	const char *near;

	for (guint i = 0; i < names->len; i++)
		g_ptr_array_add(all, names->pdata[i]);
	for (size_t i = 0; g_str_has_prefix(name, "$$") && i < G_N_ELEMENTS(sums); i++)
		g_ptr_array_add(all, (char *)sums[i]);
	near = diag_nearest(name, all);
	g_ptr_array_free(all, TRUE);
	return near;
}

void target_help_names(struct session *s, const char *name, GPtrArray *names, const char *what)
{
	const char *near = name ? nearest_name(name, names) : NULL;
	GString *list = g_string_new(NULL);

	if (near)
		diag_help(s, "did you mean '%s'?", near);
	for (guint i = 0; i < names->len; i++) {
		if (list->len > 300) {
			g_string_append(list, " ...");
			break;
		}
		g_string_append_printf(list, " %s", (const char *)names->pdata[i]);
	}
	if (names->len)
		diag_help(s, "%s:%s", what, list->str);
	g_string_free(list, TRUE);
}

struct expr *target_unknown(struct session *s, const struct expr *e, const char *where, GPtrArray *names)
{
	diag_error(s, e->loc, "unknown-target-variable", "%s '%s'", where, e->name);
	target_help_names(s, e->name, names, "there are");
	return NULL;
}

/* ---- context variables ---- */

static struct expr *lower_context(struct lowering *lw, struct expr *e, bool lvalue)
{
	struct probe *p = lw->p;
	const char *what = e->kind == EX_ENTRY ? "@entry()" : e->name;

	if (!p) {
		diag_error(lw->s, e->loc, "no-context", "%s has no meaning in a function: pass it as a parameter", what);
		return NULL;
	}
	if (!p->provider || !p->provider->target) {
		diag_error(lw->s, e->loc, "no-context", "%s has no meaning here: probe %s has no context variables", what, p->point);
		return NULL;
	}
	return p->provider->target(lw->s, p, e, lvalue);
}

static struct expr *lower_one(struct lowering *lw, struct expr *e, bool lvalue)
{
	switch (e->kind) {
	case EX_TARGET:
	case EX_ENTRY:
		return lower_context(lw, e, lvalue);
	case EX_CAST:
		return target_cast(lw->s, lw->p, e, lvalue);
	case EX_ATOP:
		return target_op(lw->s, lw->p, e);
	case EX_ATVAR:
		return dwarf_atvar(lw->s, lw->p, lw->p && lw->p->provider && lw->p->provider->scope ?
				   lw->p->provider->scope(lw->p) : NULL, e, lvalue);
	default:
		return e;
	}
}

/* With --skip-badvars what cannot be resolved is 0. */
static struct expr *lower_node(struct lowering *lw, struct expr *e, bool lvalue)
{
	struct diag_capture *cap;
	struct expr *ret;

	const char *why;

	if (!lw->s->opt.skip_badvars || lvalue)
		return lower_one(lw, e, lvalue);
	cap = diag_capture_begin(lw->s);
	ret = lower_one(lw, e, lvalue);
	why = arena_strdup(lw->s, diag_capture_first(cap) ? diag_capture_first(cap) : "unknown");
	diag_capture_end(lw->s, cap, ret != NULL);
	if (ret)
		return ret;
	if (lw->s->opt.verbose[2])
		diag_warning(lw->s, e->loc, "bad-variable", "%s (taken as 0)", why);
	return lowered_num(lw->s, 0, e->loc);
}

/* ---- @defined ---- */

static bool is_defined(struct lowering *lw, const struct expr *what)
{
	struct diag_capture *cap = diag_capture_begin(lw->s);
	size_t nsaved = lw->p ? lw->p->nsaved : 0;
	struct expr *copy = expr_copy(lw->s, what);
	bool lenient = lw->s->opt.skip_badvars, ok;

	lw->s->opt.skip_badvars = false; /* that makes nothing defined */
	ok = target_lower_expr(lw->s, lw->p, &copy) == 0;
	lw->s->opt.skip_badvars = lenient;

	ok = diag_capture_end(lw->s, cap, false) == 0 && ok;
	if (lw->p)
		lw->p->nsaved = nsaved; /* trying it out keeps nothing */
	return ok;
}

/* Replaces every @defined in a condition by its answer. */
static bool answer_defined(struct walker *w, struct expr **e, bool *descend)
{
	if ((*e)->kind != EX_DEFINED)
		return true;
	*e = expr_num(((struct lowering *)w->data)->s, is_defined(w->data, (*e)->a), (*e)->loc);
	return true;
}

/* Truth of a condition made of numbers: 0 or 1; -1 when it is open. */
static int decided(const struct expr *e)
{
	int a, b;

	switch (e->kind) {
	case EX_NUM:
		return e->num != 0;
	case EX_UNARY:
		a = e->op == OP_NOT ? decided(e->a) : -1;
		return a < 0 ? -1 : !a;
	case EX_LOGAND:
		a = decided(e->a);
		b = decided(e->b);
		return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1;
	case EX_LOGOR:
		a = decided(e->a);
		b = decided(e->b);
		return a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : -1;
	default:
		return -1;
	}
}

/* Answers the @defined in *e; tells whether that decides it. */
static int decide(struct walker *w, struct expr **e)
{
	struct walker answer = { .expr_pre = answer_defined, .data = w->data };

	walk_expr(&answer, e);
	return decided(*e);
}

static bool is_lvalue_op(const struct expr *e)
{
	return e->kind == EX_ASSIGN || e->kind == EX_PREINC || e->kind == EX_PREDEC || e->kind == EX_POSTINC ||
	       e->kind == EX_POSTDEC;
}

static bool is_target_node(const struct expr *e)
{
	return e->kind == EX_TARGET || e->kind == EX_CAST || e->kind == EX_ATVAR;
}

static bool lower_pre(struct walker *w, struct expr **e, bool *descend);
static bool lower_post(struct walker *w, struct expr **e);

/* The target of an assignment, lowered as such once what is below it is. */
static void lower_lvalue(struct lowering *lw, struct expr **e)
{
	struct walker w = { .expr_pre = lower_pre, .expr = lower_post, .data = lw };
	struct expr *ret;

	if ((*e)->a && !walk_expr(&w, &(*e)->a))
		return;
	for (size_t i = 0; i < (*e)->ncomps; i++)
		if ((*e)->comps[i].index)
			walk_expr(&w, &(*e)->comps[i].index);
	ret = lower_node(lw, *e, true);
	if (ret)
		*e = ret;
	else
		lw->failed = true;
}

static bool lower_pre(struct walker *w, struct expr **e, bool *descend)
{
	struct lowering *lw = w->data;
	int known;

	answer_defined(w, e, descend);
	while ((*e)->kind == EX_COND && (known = decide(w, &(*e)->a)) >= 0) {
		*e = known ? (*e)->b : (*e)->c;
		answer_defined(w, e, descend);
	}
	if ((*e)->kind == EX_LOGAND || (*e)->kind == EX_LOGOR) {
		known = decide(w, &(*e)->a);
		if (known == ((*e)->kind == EX_LOGOR))
			*e = expr_num(lw->s, known, (*e)->loc);
	}
	if (is_lvalue_op(*e) && is_target_node((*e)->a)) {
		lower_lvalue(lw, &(*e)->a);
		if (is_target_node((*e)->a)) {
			*descend = false; /* failed: say it once */
			return true;
		}
	}
	/* what @entry() is about is lowered as at the entry, by the provider; @probewrite() is about a name */
	if ((*e)->kind == EX_ENTRY || ((*e)->kind == EX_ATOP && !strcmp((*e)->name, "probewrite")))
		*descend = false;
	return true;
}

/* int_arg(1) and the like, where the optimiser has changed what the function takes. */
static void warn_by_position(struct lowering *lw, const struct expr *e)
{
	static const char *const kinds[] = { "int", "uint", "long", "ulong", "longlong", "ulonglong", "pointer", "s32", "u32", "s64", "u64" };
	struct dwarf_scope *sc = lw->p && lw->p->provider && lw->p->provider->scope ? lw->p->provider->scope(lw->p) : NULL;
	size_t len = e->name ? strlen(e->name) : 0;

	if (!sc || len < 4 || strcmp(e->name + len - 4, "_arg"))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (strlen(kinds[i]) == len - 4 && !memcmp(e->name, kinds[i], len - 4) && dwarf_params_changed(lw->s, lw->p, sc))
			diag_warning(lw->s, e->loc, "parameters-changed", "the optimiser has changed which parameters the function takes: %s() counts those "
				     "that are left, whichever they are", e->name);
}

static bool lower_post(struct walker *w, struct expr **e)
{
	struct lowering *lw = w->data;
	struct expr *ret;

	if ((*e)->kind == EX_CALL)
		warn_by_position(lw, *e);

	if (is_lvalue_op(*e) && is_target_node((*e)->a))
		return true;
	if (!is_target_node(*e) && (*e)->kind != EX_ENTRY && (*e)->kind != EX_ATOP)
		return true;
	ret = lower_node(lw, *e, false);
	if (ret) {
		ret->range = (*e)->range; /* messages show the script's text */
		*e = ret;
	} else {
		lw->failed = true; /* go on: other variables may be wrong too */
	}
	return true;
}

static bool lower_stmt_pre(struct walker *w, struct stmt **st, bool *descend)
{
	struct lowering *lw = w->data;
	int known;

	while (*st && (*st)->kind == ST_IF && (known = decide(w, &(*st)->expr)) >= 0) {
		struct stmt *taken = known ? (*st)->body : (*st)->other;

		*st = taken ? taken : stmt_new(lw->s, ST_NULL, (*st)->loc);
	}
	return true;
}

int target_lower_stmt(struct session *s, struct probe *p, struct stmt **st)
{
	struct lowering lw = { .s = s, .p = p };
	struct walker w = { .expr_pre = lower_pre, .expr = lower_post, .stmt_pre = lower_stmt_pre, .data = &lw };

	return walk_stmt(&w, st) && !lw.failed ? 0 : -1;
}

int target_lower_expr(struct session *s, struct probe *p, struct expr **e)
{
	struct lowering lw = { .s = s, .p = p };
	struct walker w = { .expr_pre = lower_pre, .expr = lower_post, .data = &lw };

	return walk_expr(&w, e) && !lw.failed ? 0 : -1;
}
