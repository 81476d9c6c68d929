/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 2: the steps in order (resolve.h). */
#include <errno.h>
#include <string.h>
#include "derive.h"
#include "display.h"
#include "fold.h"
#include "infer.h"
#include "library.h"
#include "lock.h"
#include "macro.h"
#include "optimise.h"
#include "probe_util.h"
#include "resolve.h"
#include "scope.h"

static const struct loc nowhere;

/* ---- declarations ---- */

/* Two globals of one name are an error, unless both keep to their own files. */
static int check_duplicates(struct session *s)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
	int ret = 0;

	for (guint i = 0; i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];
		GHashTable *own = g_hash_table_new(g_str_hash, g_str_equal);

		for (guint k = 0; k < f->globals->len; k++) {
			struct var *v = f->globals->pdata[k], *other = g_hash_table_lookup(own, v->name);

			if (!other && !v->is_private)
				other = g_hash_table_lookup(seen, v->name);
			if (other) {
				ret = diag_error(s, v->loc, "duplicate-global", "duplicate global variable '%s'", v->name);
				diag_note(s, other->loc, "declared here first");
			}
			g_hash_table_insert(own, (char *)v->name, v);
			if (!v->is_private)
				g_hash_table_insert(seen, (char *)v->name, v);
		}
		g_hash_table_destroy(own);
	}
	g_hash_table_destroy(seen);
	return ret;
}

static struct var *user_global(struct session *s, const char *name)
{
	for (guint i = 0; i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];

		for (guint k = 0; k < f->globals->len; k++)
			if (!strcmp(((struct var *)f->globals->pdata[k])->name, name))
				return f->globals->pdata[k];
	}
	return NULL;
}

static void help_user_global(struct session *s, const char *name)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	for (guint i = 0; i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];

		for (guint k = 0; k < f->globals->len; k++)
			g_ptr_array_add(names, (char *)((struct var *)f->globals->pdata[k])->name);
	}
	near = diag_nearest(name, names);
	if (near && strcmp(near, name))
		diag_help(s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
}

/* -G NAME=VALUE: the initial value of a scalar; a number where the text is one and the type allows. */
static int set_global(struct session *s, const char *text)
{
	const char *eq = strchr(text, '=');
	char *name = eq ? g_strndup(text, eq - text) : g_strdup(text), *end;
	struct var *v = user_global(s, name);
	int64_t num;

	if (!eq || !v) {
		diag_error(s, nowhere, "bad-option", eq ? "-G %s: the script has no such global" : "-G %s: NAME=VALUE is needed",
			   text);
		help_user_global(s, name);
		g_free(name);
		return -1;
	}
	g_free(name);
	errno = 0;
	num = eq[1] == '-' ? g_ascii_strtoll(eq + 1, &end, 0) : (int64_t)g_ascii_strtoull(eq + 1, &end, 0); /* as in scripts */
	if (errno == ERANGE && !*end && v->type != TY_STRING && !(v->init && v->init->kind == EX_STR))
		return diag_error(s, v->loc, "bad-option", "-G %s: the number does not fit in 64 bits", text);
	if (eq[1] && !*end && v->type != TY_STRING && !(v->init && v->init->kind == EX_STR))
		v->init = expr_num(s, num, v->loc);
	else if (v->type == TY_LONG || (v->init && v->init->kind != EX_STR))
		return diag_error(s, v->loc, "bad-option", "-G %s: '%s' is a number", text, v->name);
	else
		v->init = expr_str(s, arena_strdup(s, eq + 1), v->loc);
	return 0;
}

static int set_globals(struct session *s)
{
	int ret = 0;

	for (guint i = 0; s->opt.globals && i < s->opt.globals->len; i++)
		ret |= set_global(s, s->opt.globals->pdata[i]);
	return ret;
}

/* Initial values are folded, so that -5 is a literal. */
static void fold_inits(struct resolver *r)
{
	for (guint i = 0; i < r->globals->len; i++) {
		struct var *v = r->globals->pdata[i];

		if (v->init)
			fold_expr(r->s, &v->init);
	}
}

/* ---- results ---- */

/* A C identifier that no other name of this kind has.  `taken` has the last number that was put behind each name. */
static const char *unique_name(struct session *s, GHashTable *taken, const char *name)
{
	const char *text = name;
	int n = GPOINTER_TO_INT(g_hash_table_lookup(taken, name));

	for (; g_hash_table_contains(taken, text); n++)
		text = arena_printf(s, "%s__%d", name, n + 1);
	if (text != name)
		g_hash_table_insert(taken, (char *)name, GINT_TO_POINTER(n));
	g_hash_table_insert(taken, (char *)text, GINT_TO_POINTER(1));
	return text;
}

static struct var **take_locals(struct session *s, struct unit *u, size_t *n)
{
	GPtrArray *copy = g_ptr_array_new();
	GHashTable *taken = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t i = 0; u->func && i < u->func->nparams; i++)
		u->func->params[i]->cname = unique_name(s, taken, u->func->params[i]->name);
	for (guint i = 0; i < u->locals->len; i++) {
		struct var *v = u->locals->pdata[i];

		v->cname = unique_name(s, taken, v->name);
		g_ptr_array_add(copy, v);
	}
	g_hash_table_destroy(taken);
	return (struct var **)arena_take(s, copy, n);
}

static void collect_results(struct resolver *r)
{
	struct session *s = r->s;
	GHashTable *taken = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < r->globals->len; i++) {
		struct var *v = r->globals->pdata[i];

		if (!v->nread && !v->nwritten && !s->opt.unoptimized)
			continue;
		v->cname = unique_name(s, taken, v->name);
		g_ptr_array_add(s->globals, v);
	}
	g_hash_table_remove_all(taken);
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->probe) {
			u->probe->locals = take_locals(s, u, &u->probe->nlocals);
			continue;
		}
		u->func->cname = unique_name(s, taken, u->func->name);
		u->func->locals = take_locals(s, u, &u->func->nlocals);
		g_ptr_array_add(s->funcs, u->func);
	}
	g_hash_table_destroy(taken);
}

/* Does something that is used come from the library file? */
static bool file_is_used(struct session *s, const struct file *f)
{
	if (f->aliases->len)
		return true;
	for (guint i = 0; i < s->funcs->len; i++)
		if (((struct func *)s->funcs->pdata[i])->loc.src == f->src)
			return true;
	return false;
}

/* Embedded C at top level: the library's first, the script's may build on it. */
static void collect_embeds(struct session *s)
{
	const GPtrArray *lib = library_files(s);

	for (guint i = 0; i < lib->len; i++) {
		struct file *f = lib->pdata[i];

		for (guint k = 0; k < f->embeds->len && file_is_used(s, f); k++)
			g_ptr_array_add(s->embeds, f->embeds->pdata[k]);
	}
	for (guint i = 0; i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];

		for (guint k = 0; !f->library && k < f->embeds->len; k++)
			g_ptr_array_add(s->embeds, f->embeds->pdata[k]);
	}
}

/* ---- the steps ---- */

static int resolve_file(struct resolver *r, struct file *f)
{
	struct session *s = r->s;
	guint from = s->probes->len;
	int ret = derive_file(r, f, s->probes);

	for (guint i = from; i < s->probes->len; i++)
		unit_for_probe(r, s->probes->pdata[i]);
	return ret;
}

/* Is something of the library file in use, so that its probes are wanted? */
static bool names_are_used(struct resolver *r, const struct file *f)
{
	for (guint i = 0; i < f->funcs->len; i++)
		if (((struct func *)f->funcs->pdata[i])->used)
			return true;
	for (guint i = 0; i < r->globals->len; i++)
		if (((struct var *)r->globals->pdata[i])->loc.src == f->src)
			return true;
	return false;
}

/* A library file may have probes that fill its globals: they come with what is used of it. */
static int resolve_library_probes(struct resolver *r)
{
	GHashTable *done = g_hash_table_new(NULL, NULL);
	const GPtrArray *lib = library_files(r->s);
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		more = false;
		for (guint i = 0; i < lib->len; i++) {
			struct file *f = lib->pdata[i];

			if (!f->probes->len || !names_are_used(r, f) || !g_hash_table_add(done, f))
				continue;
			ret |= resolve_file(r, f) | resolver_scope(r);
			more = true;
		}
	}
	g_hash_table_destroy(done);
	return ret;
}

/* Functions of the script that nothing calls, which optimisation takes away again. */
static int resolve_idle(struct resolver *r)
{
	struct session *s = r->s;
	int ret;

	for (guint i = 0; i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];

		for (guint k = 0; k < f->funcs->len && !f->library; k++) {
			struct func *fn = f->funcs->pdata[k];

			/* variables of a probe that is not known */
			if (fn->used || func_needs_context(r, fn))
				continue;
			fn->used = true;
			unit_for_func(r, fn, f)->idle = !s->opt.unoptimized;
		}
		for (guint k = 0; s->opt.unoptimized && k < f->globals->len; k++) {
			struct var *v = f->globals->pdata[k];

			find_global(r, v->name, v->loc, false);
		}
	}
	ret = resolver_scope(r);
	if (!ret) {
		count_uses(r);
		resolver_drop_unused(r);
	}
	return ret;
}

static int error_no_probes(struct session *s)
{
	bool any = false;

	for (guint i = 0; i < s->files->len; i++)
		any |= ((struct file *)s->files->pdata[i])->probes->len > 0;
	diag_error(s, nowhere, "no-probes", "no probes found");
	if (any)
		diag_help(s, "its points are optional ('?', '!') and match nothing; -v tells why");
	else
		diag_help(s, "a script needs a probe to do something: probe begin { ... }");
	return -1;
}

static int resolve_names(struct resolver *r)
{
	struct session *s = r->s;
	int ret = 0;

	for (guint i = 0; i < s->files->len; i++)
		ret |= resolve_file(r, s->files->pdata[i]);
	if (resolver_scope(r))
		ret = -1;
	if (!ret)
		ret = resolve_library_probes(r);
	ret |= resolve_idle(r);
	if (!ret && !s->probes->len)
		ret = error_no_probes(s);
	return ret || procfs_check_files(s) ? -1 : data_check_count(s);
}

static void warn_unused_declarations(struct resolver *r)
{
	struct session *s = r->s;

	for (guint i = 0; !s->opt.unoptimized && i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];

		for (guint k = 0; k < f->globals->len; k++) {
			struct var *v = f->globals->pdata[k];

			if (!f->library && !v->nread && !v->nwritten)
				diag_warning(s, v->loc, "unused-variable", "eliding unused variable '%s'", v->name);
		}
		for (guint k = 0; k < f->funcs->len; k++) {
			struct func *fn = f->funcs->pdata[k];

			if (!f->library && !fn->used)
				diag_warning(s, fn->loc, "unused-function", "eliding unused function '%s'", fn->name);
		}
	}
}

static int resolve_rest(struct resolver *r)
{
	GPtrArray *shown;
	int ret;

	count_uses(r);
	fold_inits(r);
	warn_unassigned(r);
	warn_unused_declarations(r);
	if (check_loops(r))
		return -1;
	shown = display_globals(r);
	optimise_all(r, shown);
	ret = mark_recursion(r);
	if (!ret)
		ret = infer_all(r);
	if (!ret) {
		warn_empty_handlers(r);
		display_add_probe(r, shown);
		count_uses(r);
		ret = infer_stats(r);
	}
	g_ptr_array_free(shown, TRUE);
	if (ret)
		return ret;
	lock_assign(r);
	collect_results(r);
	collect_embeds(r->s);
	return 0;
}

int pass2_resolve(struct session *s)
{
	struct resolver r;
	int ret;

	resolver_init(&r, s);
	ret = check_duplicates(s);
	ret |= set_globals(s);
	scope_shapes(s);
	ret |= resolve_names(&r);
	args_warn_unused(s);
	if (!ret && !s->nerrors)
		ret = resolve_rest(&r);
	resolver_free(&r);
	return ret || s->nerrors ? -1 : 0;
}
