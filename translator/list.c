/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing probe points (list.h). */
#include <stdio.h>
#include <string.h>
#include "derive.h"
#include "infer.h"
#include "list.h"
#include "parse.h"

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

/* -v: where the point is, as nm and gdb take it. */
static void put_address(const struct probe *p, GString *out)
{
	if (p->nsites == 1 && p->sites[0].symbol)
		g_string_append_printf(out, " /* pc=%s+0x%" G_GINT64_MODIFIER "x */", p->sites[0].symbol, p->sites[0].offset);
}

static char *make_line(struct session *s, const struct derived *d)
{
	GString *out = g_string_new(d->name);

	if (!d->probe) /* a kind of point that takes an argument */
		return g_string_free(out, FALSE);
	if (s->opt.verbose[0] && !d->from_alias)
		put_address(d->probe, out);

	if (s->opt.list_vars) {
		if (d->from_alias)
			put_alias_vars(s, d->probe, out);
		if (d->probe->provider->vars)
			d->probe->provider->vars(s, d->probe, out);
	}
	return g_string_free(out, FALSE);
}

/* Of the lines of one point (an inlined function's instances) the one that tells most; -v keeps all. */
static void add_line(struct session *s, GPtrArray *lines, GHashTable *seen, const struct derived *d)
{
	char *line = make_line(s, d);
	char **old = s->opt.verbose[0] && !d->from_alias ? NULL : g_hash_table_lookup(seen, d->name);

	if (old && strlen(*old) < strlen(line)) {
		g_free(*old);
		*old = line;
	} else if (old) {
		g_free(line);
	} else {
		old = g_new(char *, 1);
		*old = line;
		g_ptr_array_add(lines, old);
		g_hash_table_insert(seen, (char *)d->name, old);
	}
}

/* Sorted; g_strfreev() them. */
static char **make_lines(struct session *s, const GPtrArray *found)
{
	GPtrArray *lines = g_ptr_array_new(), *ret = g_ptr_array_new();
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < found->len; i++)
		add_line(s, lines, seen, found->pdata[i]);
	g_hash_table_destroy(seen);
	for (guint i = 0; i < lines->len; i++) {
		g_ptr_array_add(ret, *(char **)lines->pdata[i]);
		g_free(lines->pdata[i]);
	}
	g_ptr_array_free(lines, TRUE);
	g_ptr_array_sort(ret, compare_lines);
	g_ptr_array_add(ret, NULL);
	return (char **)g_ptr_array_free(ret, FALSE);
}

int list_points(struct session *s)
{
	const char *text = arena_printf(s, "probe %s {}", s->opt.list_pattern);
	struct diag_capture *cap;
	GPtrArray *found;
	char **lines;
	struct resolver r;
	const char *last = NULL;
	struct source *src;
	struct file *f;
	int rc;

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
	diag_capture_end(s, cap, !*lines);
	for (char **l = lines; *l; l++) {
		if (!last || strcmp(last, *l))
			puts(*l);
		last = *l;
	}
	g_ptr_array_free(found, TRUE);
	rc = last ? 0 : -1;
	g_strfreev(lines);
	return rc;
}
