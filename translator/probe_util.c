/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers of the probe providers: components of points, points as text, new probes. */
#include "probe_util.h"
#include "name_glob.h"
#include "point_help.h"

#include <inttypes.h>
#include <string.h>

char *quote_text(struct session *s, const char *name)
{
	GString *out = g_string_new("\"");
	char *ret;

	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *name);
	}
	g_string_append_c(out, '"');
	ret = arena_strdup(s, out->str);
	g_string_free(out, TRUE);
	return ret;
}

char *point_text(struct session *s, const struct point *p)
{
	GString *out = g_string_new(NULL);
	char *ret;

	for (size_t i = 0; i < p->ncomps; i++) {
		const struct point_comp *c = &p->comps[i];

		if (i)
			g_string_append_c(out, '.');
		g_string_append(out, c->name);
		if (!c->arg)
			continue;
		if (c->arg->kind == EX_NUM && c->arg->num < -(INT64_C(1) << 30) && strcmp(c->name, "begin") && strcmp(c->name, "end") &&
		    strcmp(c->name, "error")) /* an address of the kernel */
			g_string_append_printf(out, "(0x%" PRIx64 ")", (uint64_t)c->arg->num);
		else if (c->arg->kind == EX_NUM)
			g_string_append_printf(out, "(%" PRId64 ")", c->arg->num);
		else
			g_string_append_printf(out, "(%s)", quote_text(s, c->arg->str));
	}
	ret = arena_strdup(s, out->str);
	g_string_free(out, TRUE);
	return ret;
}

struct probe *probe_new(struct session *s, const struct provider *pr, const struct point *p,
			enum attach_kind attach)
{
	struct probe *ret = arena_alloc(s, sizeof(*ret));

	ret->provider = pr;
	ret->attach = attach;
	ret->loc = p->loc;
	ret->point = point_text(s, p);
	return ret;
}

bool point_has(const struct point *p, size_t i, const char *name)
{
	return i < p->ncomps && strcmp(p->comps[i].name, name) == 0;
}

int point_number(struct session *s, const struct point *p, size_t i, int64_t *ret)
{
	const struct point_comp *c = &p->comps[i];

	if (!c->arg || c->arg->kind != EX_NUM)
		return diag_error(s, c->loc, "point-argument", "'%s' needs a number: %s(N)", c->name, c->name);
	*ret = c->arg->num;
	return 0;
}

const char *point_string(struct session *s, const struct point *p, size_t i)
{
	const struct point_comp *c = &p->comps[i];

	if (!c->arg || c->arg->kind != EX_STR) {
		diag_error(s, c->loc, "point-argument", "'%s' needs a string: %s(\"NAME\")", c->name, c->name);
		return NULL;
	}
	return c->arg->str;
}

int point_no_arg(struct session *s, const struct point *p, size_t i)
{
	if (!p->comps[i].arg)
		return 0;
	return diag_error(s, p->comps[i].loc, "point-argument", "'%s' takes no argument", p->comps[i].name);
}

int point_once(struct session *s, const struct point *p, size_t i)
{
	const char *other = point_has(p, i, "call") ? "return" : point_has(p, i, "return") ? "call" : NULL;

	for (size_t k = 0; k < i; k++) {
		if (!strcmp(p->comps[k].name, p->comps[i].name))
			return diag_error(s, p->comps[i].loc, "point-argument", "'%s' is there twice", p->comps[i].name);
		if (other && point_has(p, k, other))
			return diag_error(s, p->comps[i].loc, "point-argument", ".call and .return exclude each other");
	}
	return 0;
}

static const char *joined_words(struct session *s, const GPtrArray *names)
{
	GString *list = g_string_new(NULL);
	const char *ret;

	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(list, "%s%s", i ? " " : "", (const char *)names->pdata[i]);
	ret = arena_strdup(s, list->str);
	g_string_free(list, TRUE);
	return ret;
}

int point_unknown(struct session *s, const struct point *p, size_t i, const char *const *known)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	if (name_is_glob(p->comps[i].name)) {
		diag_error(s, p->comps[i].loc, "unknown-probe-point", "no probe point matches '%s'", point_text(s, p));
		point_help_wildcard(s, p, i);
		g_ptr_array_free(names, TRUE);
		return -1;
	}
	diag_error(s, p->comps[i].loc, "unknown-probe-point", "unknown probe point component '%s' in '%s'",
		   p->comps[i].name, point_text(s, p));
	for (; known && *known; known++)
		g_ptr_array_add(names, (char *)*known);
	near = diag_nearest(p->comps[i].name, names);
	if (near)
		diag_help(s, "did you mean '%s'?", near);
	else if (names->len)
		diag_help(s, "there are: %s", joined_words(s, names));
	g_ptr_array_free(names, TRUE);
	return -1;
}

struct expr *named_value(struct session *s, const struct expr *e, const char *name, enum type type)
{
	struct expr *ret;

	if (e->kind != EX_TARGET || e->ncomps || e->addrof) {
		diag_error(s, e->loc, "no-members", "%s is a %s: it has no members and no address", e->name,
			   type == TY_STRING ? "string" : "number");
		return NULL;
	}
	ret = expr_new(s, EX_CTXVAL, e->loc);
	ret->type = type;
	ret->ctxval = CTX_NAMED;
	ret->name = name;
	return ret;
}
