/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a name is looked for: the node's own file, the script, the library (scope.h). */
#include <string.h>
#include "library.h"
#include "scope.h"

static struct var *global_in(const struct file *f, const char *name, bool with_private)
{
	for (guint i = 0; f && i < f->globals->len; i++) {
		struct var *v = f->globals->pdata[i];

		if (!strcmp(v->name, name) && (with_private || !v->is_private))
			return v;
	}
	return NULL;
}

static struct var *global_in_files(const GPtrArray *files, const char *name)
{
	for (guint i = 0; i < files->len; i++) {
		struct var *v = global_in(files->pdata[i], name, false);

		if (v)
			return v;
	}
	return NULL;
}

static void note_global(struct resolver *r, struct var *v)
{
	for (guint i = 0; i < r->globals->len; i++)
		if (r->globals->pdata[i] == v)
			return;
	v->lock = -1;
	if (v->type != TY_UNKNOWN && !v->type_loc.src)
		v->type_loc = v->loc;
	g_ptr_array_add(r->globals, v);
}

/*
 * A handler's code from an alias body may use the script's globals, as it shares the handler's locals
 * with the script; a library function keeps to the library.
 */
struct var *find_global(struct resolver *r, const char *name, struct loc loc, bool in_func)
{
	struct file *own = resolver_file(r, loc);
	struct var *v = global_in(own, name, true);

	if (!v && !(in_func && own && own->library))
		v = global_in_files(r->s->files, name);
	if (!v && library_require(r->s, LIB_GLOBAL, name))
		v = global_in_files(library_files(r->s), name);
	if (v)
		note_global(r, v);
	return v;
}

/* ---- functions ---- */

static bool already_in(const GPtrArray *list, const void *item)
{
	for (guint i = 0; i < list->len; i++)
		if (list->pdata[i] == item)
			return true;
	return false;
}

static void funcs_in(const struct file *f, const char *name, size_t n, bool with_private, GPtrArray *out,
		     struct func **other)
{
	for (guint i = 0; f && i < f->funcs->len; i++) {
		struct func *fn = f->funcs->pdata[i];

		if (strcmp(fn->name, name) || (fn->is_private && !with_private))
			continue;
		if (fn->nparams != n)
			*other = fn;
		else if (!already_in(out, fn))
			g_ptr_array_add(out, fn);
	}
}

static int compare_priority(gconstpointer a, gconstpointer b)
{
	const struct func *x = *(struct func *const *)a, *y = *(struct func *const *)b;

	return x->priority < y->priority ? -1 : x->priority > y->priority;
}

/* Insertion sort: equal priorities keep the order of declaration. */
static struct func *chain_overloads(GPtrArray *list)
{
	struct func *first;

	for (guint i = 1; i < list->len; i++)
		for (guint k = i; k > 0 && compare_priority(&list->pdata[k - 1], &list->pdata[k]) > 0; k--) {
			gpointer t = list->pdata[k];

			list->pdata[k] = list->pdata[k - 1];
			list->pdata[k - 1] = t;
		}
	for (guint i = 0; i + 1 < list->len; i++)
		((struct func *)list->pdata[i])->next_overload = list->pdata[i + 1];
	first = list->len ? list->pdata[0] : NULL;
	return first;
}

struct func *find_func(struct resolver *r, const char *name, size_t n, struct loc loc, struct func **other_arity)
{
	struct file *own = resolver_file(r, loc);
	GPtrArray *found = g_ptr_array_new();
	struct func *first;

	*other_arity = NULL;
	funcs_in(own, name, n, true, found, other_arity);
	if (!found->len || !own || !own->library)
		for (guint i = 0; (!own || !own->library) && i < r->s->files->len; i++)
			funcs_in(r->s->files->pdata[i], name, n, false, found, other_arity);
	if (!found->len && library_require(r->s, LIB_FUNC, name)) {
		const GPtrArray *lib = library_files(r->s);

		for (guint i = 0; i < lib->len; i++)
			funcs_in(lib->pdata[i], name, n, false, found, other_arity);
	}
	if (!found->len) /* a library file may count on functions that the script has to define */
		for (guint i = 0; i < r->s->files->len; i++)
			funcs_in(r->s->files->pdata[i], name, n, false, found, other_arity);
	first = chain_overloads(found);
	g_ptr_array_free(found, TRUE);
	return first;
}

static bool private_in(const GPtrArray *files, const char *name, struct loc *ret)
{
	for (guint i = 0; i < files->len; i++) {
		const struct file *f = files->pdata[i];

		for (guint k = 0; k < f->funcs->len; k++) {
			const struct func *fn = f->funcs->pdata[k];

			*ret = fn->loc;
			if (fn->is_private && !strcmp(fn->name, name))
				return true;
		}
	}
	return false;
}

bool find_private(struct resolver *r, const char *name, struct loc *ret)
{
	return private_in(r->s->files, name, ret) || private_in(library_files(r->s), name, ret);
}

/* ---- did you mean ---- */

static const char *const print_family[] = { "print", "println", "printd", "printdln", "printf", "sprint",
	"sprintln", "sprintd", "sprintdln", "sprintf" };

void help_func(struct resolver *r, const char *name)
{
	GPtrArray *names = library_names(r->s, LIB_FUNC);
	const char *near;

	for (guint i = 0; i < r->s->files->len; i++) {
		struct file *f = r->s->files->pdata[i];

		for (guint k = 0; k < f->funcs->len; k++)
			g_ptr_array_add(names, (char *)((struct func *)f->funcs->pdata[k])->name);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(print_family); i++)
		g_ptr_array_add(names, (char *)print_family[i]);
	near = diag_nearest(name, names);
	/* the name itself: its library file could not be parsed, which was reported */
	if (near && strcmp(near, name))
		diag_help(r->s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
}

void help_global(struct resolver *r, const char *name, const struct unit *u)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	for (guint i = 0; i < r->s->files->len; i++) {
		struct file *f = r->s->files->pdata[i];

		for (guint k = 0; k < f->globals->len; k++)
			g_ptr_array_add(names, (char *)((struct var *)f->globals->pdata[k])->name);
	}
	for (guint i = 0; u && i < u->locals->len; i++) {
		const struct var *v = u->locals->pdata[i];

		if (strcmp(v->name, name) && v->nwritten)
			g_ptr_array_add(names, (char *)v->name);
	}
	near = diag_nearest(name, names);
	if (near && strcmp(near, name))
		diag_help(r->s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
}
