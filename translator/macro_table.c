/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the preprocessor keeps for the whole session: library macros, facts for conditions, and which
 * script arguments were used. */
#include "macro_table.h"
#include "arena.h"
#include <string.h>

struct macros {
	GHashTable *library;   /* name -> struct macro */
	GHashTable *loaded;    /* paths of .stpm files read */
	struct pp_env env;
	bool *arg_used;        /* opt.args->len */
	size_t nargs;
};

bool macro_is_builtin(const char *name)
{
	static const char *const names[] = {
		"avg", "cast", "const", "count", "define", "defined", "entry", "enum", "enumname", "errno",
		"hist_linear", "hist_log", "kderef", "kregister", "max", "min", "perf", "probewrite", "sum",
		"uderef", "uregister", "var", "variance",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void macros_free(void *p)
{
	struct macros *m = p;

	g_hash_table_destroy(m->library);
	g_hash_table_destroy(m->loaded);
}

static struct macros *session_macros(struct session *s)
{
	struct macros *m = s->macros;

	if (m)
		return m;
	m = s->macros = arena_alloc(s, sizeof(*m));
	m->library = g_hash_table_new(g_str_hash, g_str_equal);
	m->loaded = g_hash_table_new(g_str_hash, g_str_equal);
	arena_defer(s, macros_free, m);
	pp_env_init(s, &m->env);
	m->nargs = s->opt.args->len;
	m->arg_used = arena_alloc(s, m->nargs + 1);
	return m;
}

GHashTable *macro_library(struct session *s)
{
	return session_macros(s)->library;
}

struct macro *macro_find_library(struct session *s, const char *name)
{
	struct macros *m = session_macros(s);
	struct macro *found = g_hash_table_lookup(m->library, name);
	struct diag_capture *cap;
	const char *path;
	struct source *src;

	if (found || !m->env.macro_path)
		return found;
	path = m->env.macro_path(s, name);
	if (!path || !g_hash_table_add(m->loaded, arena_strdup(s, path)))
		return NULL;
	/* what is wrong with other macros of the file is no matter */
	cap = diag_capture_begin(s);
	src = source_read(s, path);
	if (src)
		macro_load(s, src);
	found = g_hash_table_lookup(m->library, name);
	diag_capture_end(s, cap, !found);
	return found;
}

const struct pp_env *pp_get_env(struct session *s)
{
	return &session_macros(s)->env;
}

GPtrArray *pp_macro_names(struct pp *pp)
{
	const struct pp_env *env = pp_get_env(pp->s);
	GPtrArray *names = g_ptr_array_new(), *more = env->macro_names ? env->macro_names(pp->s) : NULL;
	GHashTable *tables[] = { pp->macros, macro_library(pp->s) };

	for (size_t i = 0; i < 2; i++) {
		GHashTableIter it;
		gpointer key;

		if (!tables[i])
			continue;
		g_hash_table_iter_init(&it, tables[i]);
		while (g_hash_table_iter_next(&it, &key, NULL))
			g_ptr_array_add(names, key);
	}
	for (unsigned i = 0; more && i < more->len; i++)
		g_ptr_array_add(names, more->pdata[i]);
	if (more)
		g_ptr_array_free(more, TRUE);
	return names;
}

void args_mark_used(struct session *s, size_t n)
{
	struct macros *m = session_macros(s);

	for (size_t i = 0; i < m->nargs; i++)
		if (n == 0 || i == n - 1)
			m->arg_used[i] = true;
}

void args_warn_unused(struct session *s)
{
	struct macros *m = session_macros(s);
	GString *list = g_string_new(NULL);
	unsigned n = 0;

	for (size_t i = 0; i < m->nargs; i++) {
		if (m->arg_used[i])
			continue;
		if (n++ < 5)
			g_string_append_printf(list, "%s$%zu ('%.60s')", n > 1 ? ", " : "", i + 1,
					       (char *)s->opt.args->pdata[i]);
	}
	if (n)
		diag_warning(s, (struct loc){ 0 }, "unused-argument", "the script does not use its argument%s %s%s",
			     n > 1 ? "s" : "", list->str, n > 5 ? " and more" : "");
	g_string_free(list, TRUE);
}

char **args_usage(const char *text)
{
	GPtrArray *ret = g_ptr_array_new();
	char **lines = g_strsplit(text, "\n", -1);

	for (int i = 0; lines[i] && lines[i][0] == '#'; i++) {
		const char *line = g_strchug(lines[i] + 1), *name, *end;

		if (!g_str_has_prefix(line, "stap "))
			continue;
		name = line + strlen("stap ");
		end = name + strcspn(name, " ");
		if (end - name > 4 && !strncmp(end - 4, ".stp", 4))
			g_ptr_array_add(ret, g_strdup_printf("stap --example %.*s%s", (int)(end - name - 4), name, end));
	}
	g_strfreev(lines);
	g_ptr_array_add(ret, NULL);
	return (char **)g_ptr_array_free(ret, FALSE);
}
