/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks that programs are compiled with (<sys/sdt.h>): process(...).mark("NAME") and
 * process(...).provider("NAME").mark("NAME"), with wildcards.  $arg1, $arg2 ...; $$name, $$provider, $$parms, $$vars.
 */
#include <string.h>

#include "name_glob.h"
#include "probe_process.h"
#include "sdt_operand.h"
#include "target.h"

struct wanted_mark {
	const char *provider, *name; /* patterns; provider NULL: any */
};

static int read_point(struct user_point *up, struct wanted_mark *w)
{
	static const char *const known[] = { "mark", NULL };
	const struct point *p = up->p;
	size_t i = up->at;

	if (point_has(p, i, "provider")) {
		w->provider = point_string(up->s, p, i++);
		if (!w->provider)
			return -1;
		if (i >= p->ncomps)
			return diag_error(up->s, p->loc, "unknown-probe-point", "'%s' is no probe point: say .mark(\"NAME\") behind it",
					  point_text(up->s, p));
	}
	if (!point_has(p, i, "mark"))
		return point_unknown(up->s, p, i, known);
	w->name = point_string(up->s, p, i);
	if (!w->name)
		return -1;
	return i + 1 < p->ncomps ? point_unknown(up->s, p, i + 1, NULL) : 0;
}

/* In C, names have "__" where other tools and scripts have "-". */
static bool name_matches(struct session *s, const char *pattern, const char *name)
{
	GString *g;
	bool ret;

	if (name_glob(pattern, name))
		return true;
	g = g_string_new(pattern);
	g_string_replace(g, "-", "__", 0);
	ret = strchr(pattern, '-') && name_glob(g->str, name);
	g_string_free(g, TRUE);
	return ret;
}

static bool is_wanted(struct session *s, const struct wanted_mark *w, const struct user_mark *m)
{
	return (!w->provider || name_matches(s, w->provider, m->provider)) && name_matches(s, w->name, m->name);
}

static int error_unknown(struct user_point *up, const struct user_object *o, const struct wanted_mark *w, const GArray *marks)
{
	GPtrArray *names = g_ptr_array_new();
	struct loc loc = up->p->comps[up->at].loc;
	bool no_provider = w->provider;

	for (guint i = 0; no_provider && i < marks->len; i++)
		no_provider = !name_matches(up->s, w->provider, g_array_index(marks, struct user_mark, i).provider);
	if (!marks->len)
		diag_error(up->s, loc, "no-marks", "%s has no marks", o->elf->path);
	else if (no_provider)
		diag_error(up->s, loc, "unknown-mark", "%s has no marks of provider '%s'", o->elf->path, w->provider);
	else
		diag_error(up->s, loc, "unknown-mark", "%s has no mark '%s'%s%s", o->elf->path, w->name,
			   w->provider ? " of provider " : "", w->provider ? w->provider : "");
	for (guint i = 0; i < marks->len; i++) {
		const struct user_mark *m = &g_array_index(marks, struct user_mark, i);
		const char *name = no_provider ? m->provider : m->name;

		if (!no_provider && w->provider && !name_matches(up->s, w->provider, m->provider))
			continue;
		if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
			g_ptr_array_add(names, (char *)name);
	}
	if (marks->len)
		target_help_names(up->s, no_provider ? w->provider : w->name, names, no_provider ? "it has marks of" : "it has");
	g_ptr_array_free(names, TRUE);
	return -1;
}

/* One probe for each mark where the handler has variables, else one for all. */
static void add_probe(struct user_point *up, const struct user_object *o, const struct user_mark *const *m, size_t n, int *count)
{
	struct session *s = up->s;
	struct user_place *places = arena_alloc(s, n * sizeof(*places));
	const char *rest = n == 1 ? arena_printf(s, ".provider(%s).mark(%s)", quote_text(s, m[0]->provider), quote_text(s, m[0]->name)) :
		".mark(\"\001\")";
	struct probe *p = user_probe_new(up, o, ATTACH_UPROBE, rest);
	struct user_context *ctx = p->priv;

	for (size_t i = 0; i < n; i++)
		places[i] = (struct user_place){ .name = m[i]->name, .addr = m[i]->addr, .semaphore = m[i]->semaphore };
	ctx->mark = m[0];
	if (*count >= 0 && user_probe_places(s, p, o, places, n, up->p->optional)) {
		*count = -1;
		return;
	}
	g_ptr_array_add(up->out, p);
	*count += n;
}

int user_derive_mark(struct user_point *up, const struct user_object *o)
{
	const GArray *marks = user_elf_marks(up->s, o->elf);
	struct wanted_mark w = { 0 };
	GPtrArray *found;
	int n = 0;

	if (read_point(up, &w))
		return -1;
	found = g_ptr_array_new();
	for (guint i = 0; i < marks->len; i++) {
		struct user_mark *m = &g_array_index(marks, struct user_mark, i);

		if (is_wanted(up->s, &w, m))
			g_ptr_array_add(found, m);
	}
	if (!found->len)
		n = error_unknown(up, o, &w, marks);
	else if (!up->uses_target)
		add_probe(up, o, (const struct user_mark *const *)found->pdata, found->len, &n);
	for (guint i = 0; up->uses_target && i < found->len; i++)
		add_probe(up, o, (const struct user_mark *const *)&found->pdata[i], 1, &n);
	g_ptr_array_free(found, TRUE);
	return n;
}

/* ---- context variables ---- */

static const char *type_name_of(const char *arg)
{
	static const char *const names[2][4] = { { "unsigned char", "unsigned short", "unsigned int", "unsigned long" },
						 { "signed char", "short", "int", "long" } };
	unsigned size;
	bool is_signed;

	sdt_size(arg, &size, &is_signed);
	return names[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

static struct expr *all_arguments(struct session *s, const struct user_context *ctx, struct expr *e)
{
	struct types_module *kernel = types_module(session_types(s), NULL);
	char **args = ctx->mark ? sdt_arguments(s, ctx->mark) : NULL;
	size_t room = args ? g_strv_length(args) : 0, n = 0;
	struct place *places = arena_alloc(s, (room + 1) * sizeof(*places));
	const char **names = arena_alloc(s, (room + 1) * sizeof(*names));
	const char *why;

	for (size_t i = 0; i < room; i++) {
		struct expr *v = sdt_operand(s, ctx->object.elf, ctx->mark, args[i], e->loc, &why);

		if (!v)
			continue;
		names[n] = arena_printf(s, "arg%zu", i + 1);
		places[n] = place_value(types_named(kernel, type_name_of(args[i])), kernel, names[n], v);
		n++;
	}
	return pretty_list(s, places, names, n, e->loc, e);
}

static struct expr *argument(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	struct user_context *ctx = p->priv;
	char **args = sdt_arguments(s, ctx->mark);
	size_t n = g_strv_length(args), i = strtoul(e->name + 4, NULL, 10);
	const char *why;
	struct expr *v;
	GPtrArray *names;

	if (i < 1 || i > n) {
		names = g_ptr_array_new();
		for (size_t k = 0; k < n; k++)
			g_ptr_array_add(names, arena_printf(s, "$arg%zu", k + 1));
		target_unknown(s, e, arena_printf(s, "mark '%s' has no argument", ctx->mark->name), names);
		g_ptr_array_free(names, TRUE);
		return NULL;
	}
	v = sdt_operand(s, ctx->object.elf, ctx->mark, args[i - 1], e->loc, &why);
	if (!v)
		diag_error(s, e->loc, "no-location", "%s of mark '%s' cannot be read: %s", e->name, ctx->mark->name, why);
	else if (lvalue)
		diag_error(s, e->loc, "not-assignable", "%s of a mark cannot be assigned to", e->name);
	else if (e->addrof)
		diag_error(s, e->loc, "no-address", "%s has no address: it is a copy", e->name);
	else if (e->ncomps)
		diag_error(s, e->loc, "not-a-struct", "%s is a plain number: @cast(%s, \"TYPE\", \"%s\") gives it a type", e->name, e->name,
			   ctx->object.elf->path);
	else
		return v;
	return NULL;
}

struct expr *user_mark_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	struct user_context *ctx = p->priv;
	GPtrArray *names;

	if (e->kind == EX_ENTRY) {
		diag_error(s, e->loc, "misplaced-entry", "@entry() has a meaning in .return probes of functions only");
		return NULL;
	}
	if (!strcmp(e->name, "$$name"))
		return expr_str(s, ctx->mark ? ctx->mark->name : ctx->name, e->loc);
	if (!strcmp(e->name, "$$provider") && ctx->mark)
		return expr_str(s, ctx->mark->provider, e->loc);
	if (!strcmp(e->name, "$$vars") || !strcmp(e->name, "$$parms"))
		return all_arguments(s, ctx, e);
	if (ctx->mark && !strncmp(e->name, "$arg", 4) && e->name[4] && strspn(e->name + 4, "0123456789") == strlen(e->name + 4))
		return argument(s, p, e, lvalue);
	names = g_ptr_array_new();
	g_ptr_array_add(names, "$$name");
	if (ctx->mark) {
		g_ptr_array_add(names, "$$provider");
		g_ptr_array_add(names, "$$parms");
		for (size_t n = g_strv_length(sdt_arguments(s, ctx->mark)), i = 0; i < n; i++)
			g_ptr_array_add(names, arena_printf(s, "$arg%zu", i + 1));
	}
	target_unknown(s, e, ctx->mark ? arena_printf(s, "mark '%s' has no variable", ctx->mark->name) :
		       "a linkage stub has no variable", names);
	g_ptr_array_free(names, TRUE);
	return NULL;
}

void user_mark_vars(struct session *s, struct probe *p, GString *out)
{
	struct user_context *ctx = p->priv;
	char **args = ctx->mark ? sdt_arguments(s, ctx->mark) : NULL;

	g_string_append(out, ctx->mark ? " $$name:string $$provider:string" : " $$name:string");
	for (size_t i = 0; args && args[i]; i++)
		g_string_append_printf(out, " $arg%zu:long", i + 1);
}
