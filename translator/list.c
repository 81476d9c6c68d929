/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing probe points (list.h). */
#include <stdio.h>
#include <string.h>
#include "derive.h"
#include "infer.h"
#include "list.h"
#include "parse.h"
#include "scope.h"

static int compare_lines(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Variables that the aliases' bodies make for whoever uses them. */
static void put_alias_vars(struct session *s, struct probe *p, GString *out)
{
	struct diag_capture *cap = diag_capture_begin(s);
	struct resolver r;
	struct unit *u;

	resolver_init(&r, s);
	u = unit_for_probe(&r, p);
	if (!resolver_scope(&r))
		infer_all(&r);
	for (guint i = 0; i < u->locals->len; i++) {
		struct var *v = u->locals->pdata[i];

		if (v->name[0] != '_')
			g_string_append_printf(out, " %s:%s", v->name, type_name(v->type));
	}
	resolver_free(&r);
	diag_capture_end(s, cap, false);
}

static char *make_line(struct session *s, const struct derived *d)
{
	GString *out = g_string_new(d->name);

	if (s->opt.list_vars) {
		if (d->from_alias)
			put_alias_vars(s, d->probe, out);
		if (d->probe->provider->vars)
			d->probe->provider->vars(s, d->probe, out);
	}
	return g_string_free(out, FALSE);
}

static GPtrArray *make_lines(struct session *s, const GPtrArray *found)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < found->len; i++) {
		const struct derived *d = found->pdata[i];

		/* an alias comes once, whatever it stands for */
		if (!d->from_alias || g_hash_table_add(seen, (char *)d->name))
			g_ptr_array_add(lines, make_line(s, d));
	}
	g_hash_table_destroy(seen);
	g_ptr_array_sort(lines, compare_lines);
	return lines;
}

int list_points(struct session *s)
{
	const char *text = arena_printf(s, "probe %s {}", s->opt.list_pattern);
	struct diag_capture *cap;
	GPtrArray *found, *lines;
	struct resolver r;
	const char *last = NULL;
	struct source *src;
	struct file *f;

	src = source_text(s, "<input>", text, strlen(text));
	f = src ? parse_source(s, src, false, s->opt.guru) : NULL;
	if (!f || pass1_parse(s) || s->nerrors) /* pass 1: aliases of -E */
		return -1;
	s->pass = 2;
	found = g_ptr_array_new();
	cap = diag_capture_begin(s);
	resolver_init(&r, s);
	for (guint i = 0; i < f->probes->len; i++)
		derive_decl(&r, f->probes->pdata[i], true, found);
	resolver_free(&r);
	lines = make_lines(s, found);
	diag_capture_end(s, cap, s->opt.verbose[0] > 0 && !lines->len);
	for (guint i = 0; i < lines->len; i++) {
		if (!last || strcmp(last, lines->pdata[i]))
			puts(lines->pdata[i]);
		last = lines->pdata[i];
	}
	g_ptr_array_free(found, TRUE);
	g_ptr_array_free(lines, TRUE);
	return last ? 0 : -1;
}
