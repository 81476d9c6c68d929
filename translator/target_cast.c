/* SPDX-License-Identifier: GPL-2.0-or-later */
/* @cast() and values whose C type is known: types by name, of the kernel and its modules. */
#include "target.h"

#include <string.h>

/*
 * One element of @cast's third argument: "kernel", "kernel<linux/fs.h>", "ext4".  NULL for what only debuginfo of
 * user space could answer: "<time.h>", "/bin/program".
 */
static struct types_module *named_module(struct session *s, const char *name)
{
	char *plain = g_strndup(name, strcspn(name, "<"));
	struct types_module *m = NULL;

	if (*plain && !strchr(plain, '/'))
		m = types_module(session_types(s), plain);
	g_free(plain);
	return m;
}

static void unknown_type(struct session *s, const struct expr *e, struct types_module *m)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	diag_error(s, e->loc, "unknown-type", "no type '%s' in %s", e->str, m->name ? m->name : "the kernel");
	types_names(m, names);
	near = diag_nearest(g_str_has_prefix(e->str, "struct ") ? e->str + 7 : e->str, names);
	if (near)
		diag_help(s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
}

const struct ctype *target_type(struct session *s, const struct expr *e, struct types_module **module)
{
	char **parts = g_strsplit(e->module && *e->module ? e->module : "kernel", ":", -1);
	struct types_module *first = NULL;
	const struct ctype *t = NULL;
	const char *foreign = NULL;

	for (char **part = parts; *part && !t; part++) {
		struct types_module *m = **part ? named_module(s, *part) : NULL;

		if (!m && !foreign && **part)
			foreign = arena_strdup(s, *part);
		if (!m)
			continue;
		if (!first)
			first = m;
		t = m->problem ? NULL : types_named(m, e->str);
		*module = m;
	}
	g_strfreev(parts);
	if (t)
		return t;
	if (foreign || !first)
		diag_error(s, e->loc, "not-supported", "type '%s': types of '%s' need debuginfo, which is not supported yet",
			   e->str, foreign ? foreign : e->module);
	else if (first->problem)
		diag_error(s, e->loc, "no-types", "type '%s' is not known: %s", e->str, first->problem);
	else
		unknown_type(s, e, first);
	return NULL;
}

/* @cast(a, "type"): a is the address of such a thing. */
struct expr *target_cast(struct session *s, struct expr *e, bool lvalue)
{
	struct types_module *m;
	const struct ctype *t = target_type(s, e, &m);
	struct expr plain = *e;
	struct place at;
	bool pointer;

	if (!t)
		return NULL;
	/* a pointer type names what its value is, other types what the value points to */
	pointer = ctype_strip(t, NULL)->kind == CTYPE_PTR;
	if (!pointer)
		t = types_pointer_to(session_types(s), t);
	at = place_value(t, m, arena_printf(s, "@cast(\"%s\")", e->str), e->a);
	if (e->addrof && e->ncomps == 0) {
		if (pointer) {
			diag_error(s, e->loc, "no-address", "@cast() is a value and has no address; its members have");
			return NULL;
		}
		plain.addrof = false; /* the address of the thing at address a is a */
	}
	return place_apply(s, &at, &plain, lvalue);
}

struct expr *target_autocast(struct session *s, struct expr *e, const struct ctype *base)
{
	const struct ctype *t = ctype_strip(base, NULL);
	struct place at;

	if (ctype_is_aggregate(t) || t->kind == CTYPE_ARRAY || t->kind == CTYPE_FWD)
		t = t->kind == CTYPE_ARRAY ? types_pointer_to(session_types(s), t->to) : types_pointer_to(session_types(s), t);
	at = place_value(t, types_module(session_types(s), NULL), "the value", e->a);
	at.late = true;
	return place_apply(s, &at, e, e->num != 0);
}

const struct ctype *target_pragma_type(struct session *s, const struct func *f)
{
	static const char word[] = "/* ctype:";
	const char *c = f->code ? strstr(f->code, word) : NULL, *end = c ? strstr(c, "*/") : NULL;
	struct types_module *m;
	const struct ctype *t;

	if (!c || !end)
		return NULL;
	c += strlen(word);
	m = types_module(session_types(s), NULL);
	t = m->problem ? NULL : types_named(m, arena_strndup(s, c, end - c));
	return t ? types_pointer_to(session_types(s), t) : NULL;
}
