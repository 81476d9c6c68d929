/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolving the names of one unit (scope.h). */
#include <string.h>
#include "embed.h"
#include "scope.h"

struct scope {
	struct resolver *r;
	struct unit *u; /* NULL: a probe's condition */
	unsigned loops;
	int errors;
};

static void scope_expr(struct scope *sc, struct expr *e);
static void scope_stmt(struct scope *sc, struct stmt *st);

static void scope_args(struct scope *sc, struct expr **args, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (args[i])
			scope_expr(sc, args[i]);
}

static void fail(struct scope *sc)
{
	sc->errors++;
}

/* ---- variables ---- */

/* Is the code at the expression the library's? */
static bool in_library(struct scope *sc, const struct expr *e)
{
	const struct file *f = resolver_file(sc->r, e->loc);

	return f && f->library;
}

static void note_arity(struct scope *sc, const struct expr *e, struct var *v, int arity)
{
	if (arity > MAX_KEYS) {
		fail(sc);
		diag_error(sc->r->s, e->loc, "array-indexes", "an array can have at most %d indexes, not %d", MAX_KEYS, arity);
		return;
	}
	if (v->arity < 0 && !arity && v->maxsize) {
		fail(sc);
		diag_error(sc->r->s, e->loc, "array-without-index", "'%s' was given a size, so it is an array, and is used without an index",
			   v->name);
		diag_note(sc->r->s, v->loc, "the size is here");
		return;
	}
	if (v->arity < 0) {
		v->arity = arity;
		v->arity_loc = e->loc;
		return;
	}
	if (v->arity == arity)
		return;
	fail(sc);
	if (arity == 0)
		diag_error(sc->r->s, e->loc, "array-without-index", "array '%s' is used without its %d index%s", v->name,
			   v->arity, v->arity == 1 ? "" : "es");
	else if (v->arity == 0)
		diag_error(sc->r->s, e->loc, "not-an-array", "'%s' is used as an array here, but is not one", v->name);
	else
		diag_error(sc->r->s, e->loc, "array-arity", "array '%s' is used with %d index%s here, but has %d", v->name,
			   arity, arity == 1 ? "" : "es", v->arity);
	diag_note(sc->r->s, v->arity_loc.src ? v->arity_loc : v->loc, "%s",
		  v->arity == 0 ? "used without an index here" : "the number of its indexes comes from here");
	if (!v->from_library && in_library(sc, e))
		diag_help(sc->r->s, "the library's alias has a variable of that name: give your global '%s' another one", v->name);
}

/* Whether the library's code in this unit is its own, where a script's globals have no say: a function, or a probe of the library.
 * In the body of an alias, which is part of the script's probe, they have. */
static bool own_names(const struct unit *u)
{
	return u && (u->func || (u->probe && u->probe->decl && u->probe->decl->from_library));
}

/* A variable of the unit by that name, NULL when none is meant: the script does not mean an alias's by the name of an array of its own. */
static struct var *find_local(struct scope *sc, const struct expr *e)
{
	struct var *v = sc->u ? g_hash_table_lookup(sc->u->names, e->name) : NULL, *global;

	if (!v || !v->from_library || in_library(sc, e))
		return v;
	global = find_global(sc->r, e->name, e->loc, own_names(sc->u));
	return global && global->composite ? NULL : v;
}

/* The global that a name without index means: in the library's code no array or statistic of the script. */
static struct var *find_scalar_global(struct scope *sc, const struct expr *e)
{
	struct var *v = find_global(sc->r, e->name, e->loc, own_names(sc->u));

	return v && v->composite && !v->from_library && in_library(sc, e) ? NULL : v;
}

static struct var *local_new(struct scope *sc, const struct expr *e)
{
	struct session *s = sc->r->s;
	struct var *v = arena_alloc(s, sizeof(*v));

	v->kind = VAR_LOCAL;
	v->name = v->cname = e->name;
	v->loc = e->loc;
	v->lock = -1;
	v->from_library = in_library(sc, e);
	g_hash_table_insert(sc->u->names, (char *)v->name, v);
	g_ptr_array_add(sc->u->locals, v);
	return v;
}

/* A script's global by the name of a variable in a library's alias: the alias's assignments change it. */
static void warn_shared(struct scope *sc, const struct expr *e, struct var *v)
{
	if (v->from_library || v->shared_told || !sc->u || !in_library(sc, e))
		return;
	v->shared_told = true;
	diag_warning(sc->r->s, v->loc, "shared-global", "global '%s' is also set by a library's alias that the script uses", v->name);
	diag_note(sc->r->s, e->loc, "as '%s' here", e->name);
	diag_help(sc->r->s, "give the global another name");
}

static void scope_scalar(struct scope *sc, struct expr *e)
{
	if (e->var)
		return;
	e->var = find_local(sc, e);
	if (!e->var) {
		e->var = find_scalar_global(sc, e);
		if (e->var) {
			note_arity(sc, e, e->var, 0);
			warn_shared(sc, e, e->var);
		}
	}
	if (e->var)
		return;
	if (!sc->u) {
		fail(sc);
		diag_error(sc->r->s, e->loc, "unknown-global", "a probe's condition may use globals only, and '%s' is none",
			   e->name);
		help_global(sc->r, e->name, NULL);
		return;
	}
	e->var = local_new(sc, e);
}

/* Resolves an array (arity > 0) or, with arity -1, any global: delete x, foreach (.. in x). */
static bool scope_global(struct scope *sc, struct expr *e, int arity)
{
	struct var *v = e->var;

	if (!v && arity != -1 && find_local(sc, e)) {
		fail(sc);
		diag_error(sc->r->s, e->loc, "not-an-array", "'%s' is a local variable, and these can not be arrays", e->name);
		diag_help(sc->r->s, "declare the array with 'global'");
		return false;
	}
	if (!v)
		v = find_global(sc->r, e->name, e->loc, own_names(sc->u));
	if (!v) {
		fail(sc);
		if (arity > 0)
			diag_error(sc->r->s, e->loc, "unknown-array",
				   "unresolved arity-%d global array %s, missing global declaration?", arity, e->name);
		else
			diag_error(sc->r->s, e->loc, "unknown-global", "unresolved global %s, missing global declaration?",
				   e->name);
		help_global(sc->r, e->name, sc->u);
		return false;
	}
	e->var = v;
	if (arity > 0)
		note_arity(sc, e, v, arity);
	return true;
}

/* ---- calls ---- */

static struct func *use_func(struct scope *sc, struct func *f)
{
	struct probe *p = sc->u ? unit_probe(sc->u) : NULL;

	if (p && func_needs_context(sc->r, f))
		return func_for_probe(sc->r, f, p);
	for (struct func *o = f; o; o = o->next_overload) {
		if (o->used)
			continue;
		o->used = true;
		unit_for_func(sc->r, o, resolver_file(sc->r, o->loc));
	}
	return f;
}

/* Whether the call is refused: the library itself may call what scripts may in guru mode only. */
static bool guru_only(struct scope *sc, struct expr *e)
{
	const struct file *f = resolver_file(sc->r, e->loc);

	if (!e->func->guru || sc->r->s->opt.guru || (f && f->library))
		return false;
	fail(sc);
	diag_error(sc->r->s, e->loc, "needs-guru", "function '%s' may be called in guru mode (-g) only", e->name);
	return true;
}

static void scope_call(struct scope *sc, struct expr *e)
{
	struct func *other = NULL;
	struct loc private;

	scope_args(sc, e->args, e->nargs);
	if (!e->func)
		e->func = find_func(sc->r, e->name, e->nargs, e->loc, &other);
	if (e->func && guru_only(sc, e))
		return;
	if (e->func) {
		e->func = use_func(sc, e->func);
		return;
	}
	fail(sc);
	if (other) {
		diag_error(sc->r->s, e->loc, "argument-count", "function '%s' is called with %zu argument%s, but takes %zu",
			   e->name, e->nargs, e->nargs == 1 ? "" : "s", other->nparams);
		diag_note(sc->r->s, other->loc, "declared here");
	} else {
		diag_error(sc->r->s, e->loc, "unknown-function", "unresolved function '%s'", e->name);
		if (find_private(sc->r, e->name, &private))
			diag_note(sc->r->s, private, "this function is private to its file");
		else
			help_func(sc->r, e->name);
	}
}

/* ---- what has no meaning here ---- */

static void refuse(struct scope *sc, const struct expr *e)
{
	struct session *s = sc->r->s;

	fail(sc);
	switch (e->kind) {
	case EX_ATOP:
		diag_error(s, e->loc, "not-supported", "operator '@%s' is not supported here", e->name);
		break;
	default:
		diag_error(s, e->loc, "no-context", "'%s' can not be used here", expr_describe(s, e));
		if (!sc->u || sc->u->func)
			diag_help(s, "only the handlers of probes have context variables; pass the value as an argument");
		break;
	}
}

/* The thing that @count() and friends look at. */
static void scope_stat(struct scope *sc, struct expr *e)
{
	struct expr *a = e->a;

	if (a->kind != EX_SYM && a->kind != EX_INDEX) {
		fail(sc);
		diag_error(sc->r->s, e->loc, "not-a-statistic", "this operator takes a statistic: a global or an array element");
		return;
	}
	scope_expr(sc, a);
	if (e->kind == EX_STATOP && e->nargs && e->args[0])
		scope_expr(sc, e->args[0]);
}

static bool is_lvalue(const struct expr *e)
{
	switch (e->kind) {
	case EX_SYM:
	case EX_INDEX:
	case EX_LOAD:
	case EX_CTXVAL:
	case EX_AUTOCAST:
		return true;
	case EX_CONV: /* a narrowed or widened context value */
		return e->a && is_lvalue(e->a);
	default:
		return false;
	}
}

static void scope_lvalue(struct scope *sc, struct expr *e)
{
	if (!is_lvalue(e->a)) {
		fail(sc);
		diag_error(sc->r->s, e->a->loc, "not-assignable", "this can not be assigned to");
		return;
	}
	if (e->a->kind == EX_AUTOCAST)
		e->a->num = 1;
	scope_expr(sc, e->a);
}

static void check_stars(struct scope *sc, const struct expr *e)
{
	for (size_t i = 0; i < e->nargs; i++)
		if (!e->args[i]) {
			fail(sc);
			diag_error(sc->r->s, e->loc, "misplaced-slice", "'*' as an index has a meaning in 'foreach', 'in' and 'delete' only");
			return;
		}
}

/* ---- embedded C ---- */

struct embed_scope {
	struct scope *sc;
	struct expr *e;
	GPtrArray *args;
};

/* A global that the code names becomes an argument, an EX_SYM whose num is of enum embed_use. */
static void embed_global(void *data, const char *name, enum embed_use use)
{
	struct embed_scope *es = data;
	struct expr *arg;

	for (guint i = 0; i < es->args->len; i++) {
		arg = es->args->pdata[i];
		if (!strcmp(arg->name, name)) {
			arg->num |= use;
			return;
		}
	}
	arg = expr_new(es->sc->r->s, EX_SYM, es->e->loc);
	arg->name = name;
	arg->num = use;
	arg->var = find_global(es->sc->r, name, es->e->loc, own_names(es->sc->u));
	if (!arg->var) {
		fail(es->sc);
		diag_error(es->sc->r->s, es->e->loc, "unknown-global", "embedded C names a global variable '%s', which is not declared",
			   name);
		help_global(es->sc->r, name, NULL);
		return;
	}
	g_ptr_array_add(es->args, arg);
}

static void scope_embedded(struct scope *sc, struct expr *e)
{
	struct embed_scope es = { sc, e, NULL };

	if (e->args)
		return;
	es.args = g_ptr_array_new();
	embed_globals(sc->r->s, e->str, embed_global, &es);
	e->args = (struct expr **)arena_take(sc->r->s, es.args, &e->nargs);
}

/* An element, or the question whether there is one. */
static void scope_element(struct scope *sc, struct expr *e)
{
	if (e->kind == EX_INDEX)
		check_stars(sc, e);
	scope_args(sc, e->args, e->nargs);
	scope_global(sc, e, e->nargs);
}

static void scope_operands(struct scope *sc, struct expr *e)
{
	scope_expr(sc, e->a);
	if (e->b)
		scope_expr(sc, e->b);
	if (e->c)
		scope_expr(sc, e->c);
}

static void scope_autocast(struct scope *sc, struct expr *e)
{
	scope_expr(sc, e->a);
	for (size_t i = 0; i < e->ncomps; i++)
		if (e->comps[i].index)
			scope_expr(sc, e->comps[i].index);
}

static void scope_expr(struct scope *sc, struct expr *e)
{
	switch (e->kind) {
	case EX_NUM:
	case EX_STR:
	case EX_CTXVAL:
	case EX_SAVED:
	case EX_PERF: break;
	case EX_EMBEDDED: scope_embedded(sc, e); break;
	case EX_SYM: scope_scalar(sc, e); break;
	case EX_INDEX:
	case EX_IN: scope_element(sc, e); break;
	case EX_CALL: scope_call(sc, e); break;
	case EX_PREINC:
	case EX_PREDEC:
	case EX_POSTINC:
	case EX_POSTDEC: scope_lvalue(sc, e); break;
	case EX_ASSIGN:
		scope_lvalue(sc, e);
		scope_expr(sc, e->b);
		break;
	case EX_UNARY:
	case EX_LOAD:
	case EX_CONV:
	case EX_CSTRING: scope_expr(sc, e->a); break;
	case EX_BINARY:
	case EX_LOGAND:
	case EX_LOGOR:
	case EX_REGEX:
	case EX_COND: scope_operands(sc, e); break;
	case EX_PRINT: scope_args(sc, e->args, e->nargs); break;
	case EX_STATOP:
	case EX_HIST: scope_stat(sc, e); break;
	case EX_BUCKET:
		scope_expr(sc, e->a);
		scope_args(sc, e->args, e->nargs);
		break;
	case EX_AUTOCAST: scope_autocast(sc, e); break;
	case EX_TARGET:
	case EX_CAST:
	case EX_ATVAR:
	case EX_DEFINED:
	case EX_ENTRY:
	case EX_ATOP: refuse(sc, e); break;
	}
}

/* ---- statements ---- */

static void scope_foreach(struct scope *sc, struct stmt *st)
{
	struct foreach *fe = st->foreach;

	if (fe->array->kind == EX_HIST)
		scope_expr(sc, fe->array);
	else if (fe->array->kind == EX_SYM)
		scope_global(sc, fe->array, fe->slice || fe->nkeys ? (int)fe->nkeys : 1);
	for (size_t i = 0; fe->slice && i < fe->nkeys; i++)
		if (fe->slice[i])
			scope_expr(sc, fe->slice[i]);
	for (size_t i = 0; i < fe->nkeys; i++)
		scope_scalar(sc, fe->keys[i]);
	if (fe->value)
		scope_scalar(sc, fe->value);
	if (fe->limit)
		scope_expr(sc, fe->limit);
	if (fe->sort_by > (int)fe->nkeys) {
		fail(sc);
		diag_error(sc->r->s, st->loc, "sort-key", "there is no index number %d to sort by", fe->sort_by);
	}
	sc->loops++;
	scope_stmt(sc, st->body);
	sc->loops--;
}

static void scope_delete(struct scope *sc, struct stmt *st)
{
	struct expr *e = st->expr;

	if (e->kind == EX_INDEX) {
		scope_args(sc, e->args, e->nargs);
		scope_global(sc, e, e->nargs);
	} else if (e->kind == EX_SYM) {
		if (find_local(sc, e))
			scope_scalar(sc, e);
		else
			scope_global(sc, e, -1);
	} else {
		fail(sc);
		diag_error(sc->r->s, e->loc, "not-deletable", "'delete' takes a variable, an array or an array element");
	}
}

static void scope_jump(struct scope *sc, const struct stmt *st)
{
	if (sc->loops)
		return;
	fail(sc);
	diag_error(sc->r->s, st->loc, "outside-loop", "'%s' outside of a loop",
		   st->kind == ST_BREAK ? "break" : "continue");
}

static void scope_children(struct scope *sc, struct stmt *st)
{
	if (st->init)
		scope_expr(sc, st->init);
	if (st->expr)
		scope_expr(sc, st->expr);
	if (st->step)
		scope_expr(sc, st->step);
	if (st->kind == ST_WHILE || st->kind == ST_FOR)
		sc->loops++;
	if (st->body)
		scope_stmt(sc, st->body);
	if (st->kind == ST_WHILE || st->kind == ST_FOR)
		sc->loops--;
	if (st->catch_var)
		scope_scalar(sc, st->catch_var);
	if (st->other)
		scope_stmt(sc, st->other);
}

static void scope_stmt(struct scope *sc, struct stmt *st)
{
	switch (st->kind) {
	case ST_NULL:
		break;
	case ST_NEXT:
		break;
	case ST_BLOCK:
		for (size_t i = 0; i < st->nlist; i++)
			scope_stmt(sc, st->list[i]);
		break;
	case ST_EXPR:
	case ST_IF:
	case ST_WHILE:
	case ST_FOR:
	case ST_TRY:
		scope_children(sc, st);
		break;
	case ST_FOREACH:
		scope_foreach(sc, st);
		break;
	case ST_BREAK:
	case ST_CONTINUE:
		scope_jump(sc, st);
		break;
	case ST_RETURN:
		if (!sc->u->func) {
			fail(sc);
			diag_error(sc->r->s, st->loc, "return-in-probe", "'return' in the handler of a probe");
			diag_help(sc->r->s, "'next' ends a handler");
		}
		if (st->expr)
			scope_expr(sc, st->expr);
		break;
	case ST_DELETE:
		scope_delete(sc, st);
		break;
	case ST_EMBEDDED:
		if (!st->expr) {
			st->expr = expr_new(sc->r->s, EX_EMBEDDED, st->loc);
			st->expr->str = st->code;
		}
		scope_expr(sc, st->expr);
		break;
	}
}

int scope_unit(struct resolver *r, struct unit *u)
{
	struct scope sc = { .r = r, .u = u };

	if (*u->body)
		scope_stmt(&sc, *u->body);
	for (size_t i = 0; u->probe && i < u->probe->nsaved; i++)
		scope_expr(&sc, u->probe->saved[i]);
	return sc.errors ? -1 : 0;
}

int scope_saved(struct resolver *r, struct unit *u, size_t from)
{
	struct scope sc = { .r = r, .u = u };

	for (size_t i = from; i < u->probe->nsaved; i++)
		scope_expr(&sc, u->probe->saved[i]);
	return sc.errors ? -1 : 0;
}

int scope_condition(struct resolver *r, struct expr **e)
{
	struct scope sc = { .r = r };

	scope_expr(&sc, *e);
	return sc.errors ? -1 : 0;
}
