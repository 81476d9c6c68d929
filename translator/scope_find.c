/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a name is looked for: the node's own file, the script, the library (scope.h). */
#include <string.h>
#include "arena.h"
#include "library.h"
#include "scope.h"

static void free_index(void *index)
{
	g_hash_table_destroy(index);
}

static GHashTable *new_index(struct session *s, GDestroyNotify free_value)
{
	GHashTable *index = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_value);

	arena_defer(s, free_index, index);
	return index;
}

static struct var *global_in(struct session *s, struct file *f, const char *name, bool with_private)
{
	struct var *v;

	if (!f)
		return NULL;
	if (!f->global_index) {
		f->global_index = new_index(s, NULL);
		for (guint i = f->globals->len; i-- > 0;) { /* the first of a name stays */
			v = f->globals->pdata[i];
			g_hash_table_insert(f->global_index, (char *)v->name, v);
		}
	}
	v = g_hash_table_lookup(f->global_index, name);
	return v && (with_private || !v->is_private) ? v : NULL;
}

static struct var *global_in_files(struct session *s, const GPtrArray *files, const char *name)
{
	for (guint i = 0; i < files->len; i++) {
		struct var *v = global_in(s, files->pdata[i], name, false);

		if (v)
			return v;
	}
	return NULL;
}

static void note_global(struct resolver *r, struct var *v)
{
	if (!g_hash_table_add(r->global_set, v))
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
	struct var *v = global_in(r->s, own, name, true);

	if (!v && !(in_func && own && own->library))
		v = global_in_files(r->s, r->s->files, name);
	if (!v && library_require(r->s, LIB_GLOBAL, name))
		v = global_in_files(r->s, library_files(r->s), name);
	if (v)
		note_global(r, v);
	return v;
}

/* ---- functions ---- */

static const GPtrArray *funcs_named(struct session *s, struct file *f, const char *name)
{
	if (!f->func_index) {
		f->func_index = new_index(s, (GDestroyNotify)g_ptr_array_unref);
		for (guint i = 0; i < f->funcs->len; i++) {
			struct func *fn = f->funcs->pdata[i];
			GPtrArray *list = g_hash_table_lookup(f->func_index, fn->name);

			if (!list) {
				list = g_ptr_array_new();
				g_hash_table_insert(f->func_index, (char *)fn->name, list);
			}
			g_ptr_array_add(list, fn);
		}
	}
	return g_hash_table_lookup(f->func_index, name);
}

static void funcs_in(struct session *s, struct file *f, const char *name, size_t n, bool with_private, GPtrArray *out,
		     struct func **other)
{
	const GPtrArray *list = f ? funcs_named(s, f, name) : NULL;

	for (guint i = 0; list && i < list->len; i++) {
		struct func *fn = list->pdata[i];

		if (fn->is_private && !with_private)
			continue;
		if (fn->nparams != n)
			*other = fn;
		else
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

/* What a call means: the same for all calls out of one file. */
struct call_meaning {
	const struct file *own;
	const char *name;
	size_t nargs;
	struct func *first, *other_arity;
};

static guint hash_meaning(gconstpointer p)
{
	const struct call_meaning *m = p;

	return g_str_hash(m->name) ^ g_direct_hash(m->own) ^ (guint)m->nargs;
}

static gboolean equal_meaning(gconstpointer a, gconstpointer b)
{
	const struct call_meaning *x = a, *y = b;

	return x->own == y->own && x->nargs == y->nargs && !strcmp(x->name, y->name);
}

GHashTable *call_meanings_new(void)
{
	return g_hash_table_new(hash_meaning, equal_meaning);
}

static void funcs_in_files(struct session *s, const GPtrArray *files, const struct file *but, struct call_meaning *m, GPtrArray *found)
{
	for (guint i = 0; i < files->len; i++)
		if (files->pdata[i] != but)
			funcs_in(s, files->pdata[i], m->name, m->nargs, false, found, &m->other_arity);
}

static void find_meaning(struct session *s, struct file *own, struct call_meaning *m)
{
	GPtrArray *found = g_ptr_array_new();
	bool library = own && own->library;

	funcs_in(s, own, m->name, m->nargs, true, found, &m->other_arity);
	if (!library)
		funcs_in_files(s, s->files, own, m, found);
	if (!found->len && library_require(s, LIB_FUNC, m->name))
		funcs_in_files(s, library_files(s), own, m, found);
	if (!found->len) /* a library file may count on functions that the script has to define */
		funcs_in_files(s, s->files, own, m, found);
	m->first = chain_overloads(found);
	g_ptr_array_free(found, TRUE);
}

struct func *find_func(struct resolver *r, const char *name, size_t n, struct loc loc, struct func **other_arity)
{
	struct file *own = resolver_file(r, loc);
	struct call_meaning key = { own, name, n, NULL, NULL }, *m = g_hash_table_lookup(r->meanings, &key);

	if (!m) {
		m = arena_alloc(r->s, sizeof(*m));
		*m = key;
		find_meaning(r->s, own, m);
		g_hash_table_add(r->meanings, m);
	}
	*other_arity = m->other_arity;
	return m->first;
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

/* Words of other languages. */
static const char *foreign_word(const char *name)
{
	static const struct {
		const char *word, *help;
	} words[] = {
		{ "switch", "there is no 'switch': 'if' and 'else if' do it" },
		{ "sizeof", "@cast_sizeof(\"TYPE\") is the size of a C type" },
		{ "puts", "println(TEXT) prints a line" },
		{ "echo", "println(TEXT) prints a line" },
		{ "strcat", "strings are joined with '.' and '.='" },
		{ "strcmp", "strings are compared with '==', '<' and the like" },
		{ "strcpy", "strings are assigned with '='" },
		{ "len", "strlen(TEXT) is the length of a string" },
		{ "length", "strlen(TEXT) is the length of a string" },
		{ "atoi", "strtol(TEXT, 10) makes a number of a string" },
		{ "count", "@count(STATISTIC) is an operator, with '@'" },
		{ "sum", "@sum(STATISTIC) is an operator, with '@'" },
		{ "avg", "@avg(STATISTIC) is an operator, with '@'" },
		{ "min", "@min(STATISTIC) is an operator, with '@'" },
		{ "max", "@max(STATISTIC) is an operator, with '@'" },
		{ "hist_log", "@hist_log(STATISTIC) is an operator, with '@'" },
		{ "hist_linear", "@hist_linear(STATISTIC, LOW, HIGH, WIDTH) is an operator, with '@'" },
		{ "cast", "@cast(POINTER, \"TYPE\")->MEMBER is an operator, with '@'" },
		{ "defined", "@defined($VARIABLE) is an operator, with '@'" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (!strcmp(words[i].word, name))
			return words[i].help;
	return NULL;
}

void help_func(struct resolver *r, const char *name)
{
	GPtrArray *names = g_ptr_array_new(), *more;
	const char *near;

	if (foreign_word(name)) {
		diag_help(r->s, "%s", foreign_word(name));
		g_ptr_array_free(names, TRUE);
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(print_family); i++)
		g_ptr_array_add(names, (char *)print_family[i]);

	for (guint i = 0; i < r->s->files->len; i++) {
		struct file *f = r->s->files->pdata[i];

		for (guint k = 0; k < f->funcs->len; k++)
			g_ptr_array_add(names, (char *)((struct func *)f->funcs->pdata[k])->name);
	}
	more = library_names(r->s, LIB_FUNC);
	g_ptr_array_extend_and_steal(names, more);
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
