/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dead code, unused variables and functions (optimise.h). */
#include <string.h>
#include "access.h"
#include "debuginfo/types.h"
#include "call_order.h"
#include "fold.h"
#include "library.h"
#include "macro_table.h"
#include "optimise.h"

/* ---- counting ---- */

static void count_access(struct access_visitor *v, const struct expr *site, struct var *var, enum access how)
{
	switch (how) {
	case ACC_READ:
	case ACC_STAT_READ:
	case ACC_TEST:
	case ACC_ITERATE:
		var->nread++;
		break;
	case ACC_FETCH_ADD:
	case ACC_EXCHANGE:
		var->nread++;
		var->nwritten++;
		break;
	case ACC_STORE:
	case ACC_ADD:
	case ACC_MODIFY:
	case ACC_STAT_ADD:
	case ACC_DELETE:
		var->nwritten++;
		break;
	}
}

static void count_call(struct access_visitor *v, struct func *f)
{
	struct unit *u = v->data;

	if (f->counted_in == u)
		return;
	f->counted_in = u;
	g_ptr_array_add(u->calls, f);
}

/* Parentheses forgotten: `println(pid)`. */
static bool library_has_function(struct session *s, const char *name)
{
	GPtrArray *names = library_names(s, LIB_FUNC);
	bool found = g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL);

	g_ptr_array_unref(names);
	return found;
}

static void zero_uses(struct var *v)
{
	v->nread = v->nwritten = 0;
}

void count_uses(struct resolver *r)
{
	struct access_visitor v = { .access = count_access, .call = count_call };

	for (guint i = 0; i < r->globals->len; i++)
		zero_uses(r->globals->pdata[i]);
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		for (guint k = 0; k < u->locals->len; k++)
			zero_uses(u->locals->pdata[k]);
		for (size_t k = 0; u->func && k < u->func->nparams; k++)
			zero_uses(u->func->params[k]);
		for (guint k = 0; k < u->calls->len; k++)
			((struct func *)u->calls->pdata[k])->counted_in = NULL;
		g_ptr_array_set_size(u->calls, 0);
	}
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		v.data = u;
		visit_unit_accesses(&v, u);
	}
}

static bool is_c_type(const char *name)
{
	static const char *const types[] = { "int", "char", "short", "unsigned", "float", "double", "bool", "void", "struct", "var", "let", "local",
		"u8", "u16", "u32", "u64", "s32", "s64", "size_t", "uint64_t", "int64_t" };

	for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
		if (!strcmp(types[i], name))
			return true;
	return false;
}

/* Whether a handler or function of the script other than u sets a local of that name. */
static bool is_set_elsewhere(struct resolver *r, const struct unit *u, const struct var *v)
{
	for (guint i = 0; i < r->units->len; i++) {
		const struct unit *o = r->units->pdata[i];
		const struct var *other = o == u ? NULL : g_hash_table_lookup(o->names, v->name);

		if (other && other->nwritten && other->kind == VAR_LOCAL && !other->from_library)
			return true;
	}
	return false;
}

/* A parameter of the probed function: a handler without context variables has not been told of them. */
static bool is_parameter(struct resolver *r, const struct probe *p, const char *name)
{
	const struct site *at = p->nsites ? &p->sites[0] : NULL;
	const struct ctype_param *params;
	struct cfunc f = { 0 };
	size_t n = 0;

	if (!at || !at->symbol || at->offset || !r->s->kernel ||
	    !types_func(types_module(session_types(r->s), at->module), at->symbol, &f) || !f.proto)
		return false;
	params = ctype_params(f.proto, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(params[i].name, name))
			return true;
	return false;
}

/* Whether the target has a variable of that name where the handler runs. */
static bool is_target_variable(struct resolver *r, const struct unit *u, const char *name)
{
	char *want = g_strdup_printf(" $%s:", name);
	GString *vars = g_string_new(NULL);
	bool found;

	if (u->probe && u->probe->provider->vars && !u->probe->dropped) {
		struct diag_capture *cap = diag_capture_begin(r->s);

		u->probe->provider->vars(r->s, u->probe, vars);
		diag_capture_end(r->s, cap, false);
	}
	found = strstr(vars->str, want) || (u->probe && is_parameter(r, u->probe, name));
	g_string_free(vars, TRUE);
	g_free(want);
	return found;
}

/* The name of something near, for a local that nothing assigns. */
static void help_unassigned(struct resolver *r, const struct unit *u, const struct var *v)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	for (guint k = 0; k < u->locals->len; k++)
		if (((struct var *)u->locals->pdata[k])->nwritten)
			g_ptr_array_add(names, (char *)((struct var *)u->locals->pdata[k])->name);
	for (guint k = 0; k < r->globals->len; k++)
		g_ptr_array_add(names, (char *)((struct var *)r->globals->pdata[k])->name);
	near = diag_nearest(v->name, names);
	if (is_c_type(v->name))
		diag_help(r->s, "variables in handlers and functions are not declared: what is assigned tells the type");
	else if (!strcmp(v->name, "true") || !strcmp(v->name, "false"))
		diag_help(r->s, "truth is a number: 1 and 0");
	else if (is_target_variable(r, u, v->name))
		diag_help(r->s, "did you mean '$%s', the target's variable?", v->name);
	else if (macro_find_library(r->s, v->name) || macro_is_builtin(v->name))
		diag_help(r->s, "did you mean the macro '@%s'?", v->name);
	else if (library_has_function(r->s, v->name))
		diag_help(r->s, "it is a function: '%s()'", v->name);
	else if (is_set_elsewhere(r, u, v))
		diag_help(r->s, "the '%s' of another probe or function is another variable: global %s makes them one", v->name, v->name);
	else if (near)
		diag_help(r->s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
}

void warn_unassigned(struct resolver *r)
{
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		for (guint k = 0; k < u->locals->len; k++) {
			struct var *v = u->locals->pdata[k];

			if (!v->nread || v->nwritten || v->from_library)
				continue;
			diag_warning(r->s, v->loc, "never-assigned", "never-assigned local variable '%s'", v->name);
			help_unassigned(r, u, v);
		}
	}
}

/* ---- effects ---- */

struct opt {
	struct resolver *r;
	const GPtrArray *kept;
	bool changed;
	const struct expr *stripped; /* value of the last assignment taken away: warned of already */
};

static bool never_read(const struct opt *o, const struct var *v)
{
	if (v->nread || v->kind == VAR_PARAM)
		return false;
	for (guint i = 0; o->kept && i < o->kept->len; i++)
		if (o->kept->pdata[i] == v)
			return false;
	return true;
}

static bool has_effect(const struct expr *e);

static bool any_effect(struct expr *const *args, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (args[i] && has_effect(args[i]))
			return true;
	return false;
}

static bool has_effect(const struct expr *e)
{
	switch (e->kind) {
	case EX_ASSIGN:
	case EX_PREINC:
	case EX_PREDEC:
	case EX_POSTINC:
	case EX_POSTDEC:
	case EX_AUTOCAST: /* not lowered yet */
	case EX_REGEX:    /* sets what matched() gives */
	case EX_EMBEDDED:
		return true;
	case EX_PRINT:
		if (!e->print->to_string)
			return true;
		break;
	case EX_CALL:
		for (const struct func *f = e->func; f; f = f->next_overload)
			if (!f->pure)
				return true;
		break;
	default:
		break;
	}
	return (e->a && has_effect(e->a)) || (e->b && has_effect(e->b)) || (e->c && has_effect(e->c)) ||
	       any_effect(e->args, e->nargs);
}

/* The variable that the expression assigns, when that is all its purpose. */
static struct var *assigned_var(const struct expr *e)
{
	if (e->kind != EX_ASSIGN && e->kind != EX_PREINC && e->kind != EX_PREDEC && e->kind != EX_POSTINC &&
	    e->kind != EX_POSTDEC)
		return NULL;
	return e->a->kind == EX_SYM || e->a->kind == EX_INDEX ? e->a->var : NULL;
}

static bool is_user(const struct opt *o, struct loc loc)
{
	struct file *f = resolver_file(o->r, loc);

	return f && !f->library;
}

/* A slip of the finger makes a local of a global. */
static const char *nearest_global(struct resolver *r, const char *name)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	for (guint k = 0; k < r->globals->len; k++)
		if (!((struct var *)r->globals->pdata[k])->from_library)
			g_ptr_array_add(names, (char *)((struct var *)r->globals->pdata[k])->name);
	near = diag_nearest(name, names);
	g_ptr_array_free(names, TRUE);
	return near;
}

static void warn_unused(struct opt *o, const struct var *v)
{
	const char *near;

	if (v->from_library || !is_user(o, v->loc))
		return;
	diag_warning(o->r->s, v->loc, "unused-variable", "eliding unused variable '%s'", v->name);
	near = v->kind == VAR_LOCAL && strlen(v->name) > 3 ? nearest_global(o->r, v->name) : NULL;
	if (near)
		diag_help(o->r->s, "did you mean the global '%s'?", near);
}

/* A call of what the library has for scripts that need it elsewhere (asmlinkage() on other processors). */
static bool is_formality(const struct expr *e)
{
	return e->kind == EX_CALL && e->func && e->func->from_library && (e->func->type == TY_UNKNOWN || e->func->type == TY_VOID);
}

/* What is left of an expression statement, or NULL. */
static struct expr *strip_statement(struct opt *o, struct expr *e)
{
	struct var *v = assigned_var(e);

	if (v && never_read(o, v) && !any_effect(e->a->args, e->a->nargs)) {
		o->changed = true;
		warn_unused(o, v);
		return e->kind == EX_ASSIGN && has_effect(e->b) ? e->b : NULL;
	}
	if (!has_effect(e)) {
		o->changed = true;
		if (e != o->stripped && is_user(o, e->loc) && e->kind != EX_NUM && e->kind != EX_STR && !is_formality(e))
			diag_warning(o->r->s, e->loc, "no-effect", "eliding side-effect-free expression");
		return NULL;
	}
	return e;
}

/* An assignment in the middle of an expression keeps its value: x = (unused = 3). */
static bool strip_inner(struct walker *w, struct expr **pe)
{
	struct opt *o = w->data;
	struct expr *e = *pe;
	struct var *v = e->kind == EX_ASSIGN && e->op == OP_NONE ? assigned_var(e) : NULL;

	if (v && v->kind == VAR_LOCAL && never_read(o, v)) {
		o->changed = true;
		warn_unused(o, v);
		*pe = e->b;
		o->stripped = e->b;
	}
	return true;
}

/* The library's constants (NULL, argc): numbers that nothing changes. */
static bool fold_constant(struct walker *w, struct expr **pe)
{
	struct opt *o = w->data;
	const struct var *v = (*pe)->kind == EX_SYM ? (*pe)->var : NULL;

	if (v && v->kind == VAR_GLOBAL && v->from_library && !v->nwritten && v->init && v->init->kind == EX_NUM) {
		*pe = expr_num(o->r->s, v->init->num, (*pe)->loc);
		o->changed = true;
	}
	return true;
}

static bool is_empty(const struct stmt *st)
{
	if (!st || st->kind == ST_NULL)
		return true;
	if (st->kind != ST_BLOCK)
		return false;
	for (size_t i = 0; i < st->nlist; i++)
		if (!is_empty(st->list[i]))
			return false;
	return true;
}

static void make_null(struct stmt *st)
{
	struct stmt null = { .kind = ST_NULL, .loc = st->loc };

	*st = null;
}

static void strip_if(struct opt *o, struct stmt *st)
{
	struct expr *cond = st->expr;

	if (!is_empty(st->body) || !is_empty(st->other))
		return;
	o->changed = true;
	make_null(st);
	if (has_effect(cond)) {
		st->kind = ST_EXPR;
		st->expr = cond;
	}
}

static void strip_foreach(struct opt *o, struct stmt *st)
{
	struct foreach *fe = st->foreach;

	if (fe->value && fe->value->var && never_read(o, fe->value->var)) {
		fe->value = NULL;
		o->changed = true;
	}
	if (is_empty(st->body) && !(fe->limit && has_effect(fe->limit)) && !(fe->slice && any_effect(fe->slice, fe->nkeys))) {
		o->changed = true;
		make_null(st);
	}
}

/* `delete x` of what nobody reads is no effect either. */
static void strip_delete(struct opt *o, struct stmt *st)
{
	struct expr *e = st->expr;

	if (e->var && never_read(o, e->var) && !any_effect(e->args, e->nargs)) {
		o->changed = true;
		make_null(st);
	}
}

static bool strip_stmt(struct walker *w, struct stmt **pst)
{
	struct opt *o = w->data;
	struct stmt *st = *pst;

	switch (st->kind) {
	case ST_EXPR:
		st->expr = strip_statement(o, st->expr);
		if (!st->expr)
			make_null(st);
		break;
	case ST_IF:
		strip_if(o, st);
		break;
	case ST_FOREACH:
		strip_foreach(o, st);
		break;
	case ST_DELETE:
		strip_delete(o, st);
		break;
	case ST_TRY:
		if (st->catch_var && st->catch_var->var && never_read(o, st->catch_var->var)) {
			st->catch_var = NULL;
			o->changed = true;
		}
		if (is_empty(st->body)) {
			o->changed = true;
			make_null(st);
		}
		break;
	default:
		break;
	}
	return true;
}

static void drop_locals(struct unit *u)
{
	guint kept = 0;

	for (guint i = 0; i < u->locals->len; i++) {
		struct var *v = u->locals->pdata[i];

		if (v->nread || v->nwritten)
			u->locals->pdata[kept++] = v;
	}
	g_ptr_array_set_size(u->locals, kept);
}

void optimise_all(struct resolver *r, const GPtrArray *kept)
{
	struct opt o = { .r = r, .kept = kept };
	struct walker w = { .expr = strip_inner, .stmt = strip_stmt, .data = &o };
	struct walker constants = { .expr = fold_constant, .data = &o };
	int rounds = 0;

	count_uses(r);
	resolver_drop_unused(r);
	if (r->s->opt.unoptimized)
		return;
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (*u->body)
			walk_stmt(&constants, u->body);
	}
	do {
		o.changed = false;
		mark_pure(r);
		for (guint i = 0; i < r->units->len; i++) {
			struct unit *u = r->units->pdata[i];

			if (*u->body) {
				fold_stmt(r->s, u->body);
				walk_stmt(&w, u->body);
			}
		}
		count_uses(r);
		resolver_drop_unused(r);
		count_uses(r);
	} while (o.changed && ++rounds < 50);
	for (guint i = 0; i < r->units->len; i++)
		drop_locals(r->units->pdata[i]);
}

/* A library file's own probes of which nothing is left for this script. */
static void drop_library_probes(struct resolver *r)
{
	for (guint i = r->units->len; i-- > 0 && !r->s->opt.unoptimized;) {
		struct unit *u = r->units->pdata[i];

		if (!u->probe || !u->probe->decl || !u->probe->decl->from_library || !is_empty(*u->body))
			continue;
		g_ptr_array_remove(r->s->probes, u->probe);
		g_ptr_array_remove_index(r->units, i);
		unit_free(u);
	}
}

/* perf.*.counter(): @perf() reads it, no handler runs. */
static bool is_counter(const struct probe *p)
{
	return p->attach == ATTACH_PERF_TASK && !p->arg2;
}

void warn_empty_handlers(struct resolver *r)
{
	const struct probe_decl *last = NULL;

	drop_library_probes(r);
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (!u->probe || !is_empty(*u->body) || u->probe->decl == last || u->probe->attach == ATTACH_NEVER || is_counter(u->probe))
			continue;
		last = u->probe->decl;
		if (last)
			diag_warning(r->s, u->probe->loc, "empty-probe", "side-effect-free probe '%s'", u->probe->pattern);
	}
}

/* ---- recursion ---- */

#define MAX_CALL_DEPTH 1000 /* a kernel's stack has no room for more */

int mark_recursion(struct resolver *r)
{
	struct call_node *nodes = g_new0(struct call_node, r->units->len);
	size_t n = 0;
	int ret = 0;

	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->func)
			nodes[n++] = (struct call_node){ .func = u->func, .callees = u->calls };
	}
	call_order(nodes, n, NULL);
	for (size_t i = 0; i < n; i++) {
		nodes[i].func->recursive = nodes[i].recursive;
		if (nodes[i].height == MAX_CALL_DEPTH && !ret)
			ret = diag_error(r->s, nodes[i].func->loc, "call-depth", "functions call one another more than %d deep"
					 " below '%s'", MAX_CALL_DEPTH, nodes[i].func->name);
	}
	g_free(nodes);
	return ret;
}
