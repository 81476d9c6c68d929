/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of what was resolved or is known (dump.h). */
#include <stdio.h>
#include <string.h>
#include "dump.h"
#include "library.h"
#include "provider.h"
#include "user_site.h"

static const char *shown_type(enum type t)
{
	return t == TY_STATS ? "stats" : type_name(t);
}

static void put_var(GString *out, const struct var *v)
{
	g_string_append_printf(out, "%s:%s", v->name, shown_type(v->type));
	if (v->arity <= 0)
		return;
	g_string_append(out, " [");
	for (int i = 0; i < v->arity; i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "", shown_type(v->key[i]));
	g_string_append_c(out, ']');
}

static void put_signature(GString *out, const struct func *f)
{
	g_string_append(out, f->name);
	if (f->type != TY_VOID && f->type != TY_UNKNOWN)
		g_string_append_printf(out, ":%s", shown_type(f->type));
	g_string_append(out, " (");
	for (size_t i = 0; i < f->nparams; i++) {
		g_string_append_printf(out, "%s%s", i ? ", " : "", f->params[i]->name);
		if (f->params[i]->type != TY_UNKNOWN)
			g_string_append_printf(out, ":%s", shown_type(f->params[i]->type));
	}
	g_string_append_c(out, ')');
}

static void put_locals(GString *out, struct var *const *locals, size_t n)
{
	if (n)
		g_string_append(out, "  # locals\n");
	for (size_t i = 0; i < n; i++) {
		g_string_append(out, "  ");
		put_var(out, locals[i]);
		g_string_append_c(out, '\n');
	}
}

static size_t user_places(const struct probe *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nuser; i++)
		n += p->user[i].nsites;
	return n;
}

static void put_probe(GString *out, const struct session *s, const struct probe *p)
{
	for (const char *c = p->point; *c; c++)
		if (*c == '\001')
			g_string_append_c(out, '*');
		else
			g_string_append_c(out, *c);
	if (p->nsites > 1)
		g_string_append_printf(out, " /* %zu places */", p->nsites);
	if (user_places(p) > 1)
		g_string_append_printf(out, " /* %zu places */", user_places(p));
	if (p->condition) {
		g_string_append(out, " if (");
		print_expr(out, p->condition);
		g_string_append_c(out, ')');
	}
	if (p->pattern && strcmp(p->pattern, p->point))
		g_string_append_printf(out, " /* <- %s */", p->pattern);
	g_string_append_c(out, '\n');
	put_locals(out, p->locals, p->nlocals);
	if (s->opt.verbose[2] || s->opt.verbose[0])
		print_stmt(out, p->body, 1);
}

void dump_resolved(struct session *s)
{
	GString *out = g_string_new(NULL);

	if (s->globals->len)
		g_string_append(out, "# globals\n");
	for (guint i = 0; i < s->globals->len; i++) {
		put_var(out, s->globals->pdata[i]);
		g_string_append_c(out, '\n');
	}
	if (s->funcs->len)
		g_string_append(out, "# functions\n");
	for (guint i = 0; i < s->funcs->len; i++) {
		struct func *f = s->funcs->pdata[i];

		put_signature(out, f);
		g_string_append_c(out, '\n');
		put_locals(out, f->locals, f->nlocals);
		if (f->body && (s->opt.verbose[2] || s->opt.verbose[0]))
			print_stmt(out, f->body, 1);
	}
	if (s->probes->len)
		g_string_append(out, "# probes\n");
	for (guint i = 0; i < s->probes->len; i++)
		put_probe(out, s, s->probes->pdata[i]);
	fputs(out->str, stdout);
	g_string_free(out, TRUE);
}

/* ---- everything there is ---- */

static int compare_lines(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_sorted(GPtrArray *lines)
{
	const char *last = NULL;

	g_ptr_array_sort(lines, compare_lines);
	for (guint i = 0; i < lines->len; i++) {
		if (!last || strcmp(last, lines->pdata[i]))
			puts(lines->pdata[i]);
		last = lines->pdata[i];
	}
	g_ptr_array_free(lines, TRUE);
}

/* Names with a leading underscore are the library's own business. */
static void dump_functions(struct session *s)
{
	const GPtrArray *files = library_files(s);
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < files->len; i++) {
		const struct file *f = files->pdata[i];

		for (guint k = 0; k < f->funcs->len; k++) {
			const struct func *fn = f->funcs->pdata[k];
			GString *text = g_string_new(NULL);

			if (fn->name[0] != '_' && !fn->is_private)
				put_signature(text, fn);
			if (fn->pure && text->len)
				g_string_append(text, " /* pure */");
			if (text->len)
				g_ptr_array_add(lines, g_strdup(text->str));
			g_string_free(text, TRUE);
		}
	}
	print_sorted(lines);
}

static void dump_aliases(struct session *s)
{
	const GPtrArray *files = library_files(s);
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < files->len; i++) {
		const struct file *f = files->pdata[i];

		for (guint k = 0; k < f->aliases->len; k++) {
			const struct probe_decl *d = f->aliases->pdata[k];

			for (size_t n = 0; n < d->nnames; n++) {
				GString *text = g_string_new(NULL);

				print_point(text, d->names[n]);
				g_string_append(text, d->epilogue ? " += " : " = ");
				for (size_t p = 0; p < d->npoints; p++) {
					if (p)
						g_string_append(text, ", ");
					print_point(text, d->points[p]);
				}
				if (text->str[0] != '_')
					g_ptr_array_add(lines, g_strdup(text->str));
				g_string_free(text, TRUE);
			}
		}
	}
	print_sorted(lines);
}

static void dump_types(void)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	for (const char *const *line = provider_patterns(); *line; line++)
		g_ptr_array_add(lines, g_strdup(*line));
	print_sorted(lines);
}

int dump_known(struct session *s)
{
	s->pass = 2;
	if (s->opt.dump_functions || s->opt.dump_aliases)
		library_require_all(s);
	if (s->opt.dump_functions)
		dump_functions(s);
	if (s->opt.dump_aliases)
		dump_aliases(s);
	if (s->opt.dump_types)
		dump_types();
	return s->nerrors ? -1 : 0;
}
