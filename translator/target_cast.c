/* SPDX-License-Identifier: GPL-2.0-or-later */
/* @cast() and values whose C type is known: types by name, of the kernel and its modules. */
#include "target.h"
#include "dwarf_scope.h"
#include "target_header.h"
#include "debuginfo/dwarf_file.h"

#include <string.h>

/* How far a search for a type goes. */
enum effort { EFFORT_LOOK, EFFORT_MAKE /* compile headers, open debug information of the kernel */, EFFORTS };

struct type_search {
	struct session *s;
	const struct expr *e;      /* str: the type's name */
	char *problem;             /* the first that was met */
	struct types_module *first;
};

static void note_problem(struct type_search *ts, char *problem)
{
	if (!ts->problem)
		ts->problem = problem;
	else
		g_free(problem);
}

/* The program of a path, with its types. */
static struct types_module *program_module(struct type_search *ts, const char *path)
{
	char *err = NULL;
	struct dwarf_file *f = dwarf_user(ts->s, path, &err);

	if (!f)
		note_problem(ts, err ? err : g_strdup_printf("%s cannot be opened", path));
	return f ? types_of_file(session_types(ts->s), f) : NULL;
}

static const struct ctype *in_module(struct type_search *ts, struct types_module *m, enum effort effort)
{
	const struct ctype *t;

	if (!ts->first)
		ts->first = m;
	if (effort == EFFORT_MAKE && !types_want_dwarf(m))
		return NULL;
	if (m->problem) {
		note_problem(ts, g_strdup(m->problem));
		return NULL;
	}
	t = types_named(m, ts->e->str);
	return t;
}

/*
 * One element of @cast's third argument: "kernel", "kernel<linux/fs.h>", "ext4", "<time.h>", "/bin/program".  Sets *module
 * when it has the type.
 */
static const struct ctype *in_element(struct type_search *ts, const char *part, enum effort effort, struct types_module **module)
{
	const char *headers = strchr(part, '<');
	char *plain = g_strndup(part, headers ? (size_t)(headers - part) : strlen(part)), *err = NULL;
	struct types_module *m = NULL;
	const struct ctype *t = NULL;

	if (*plain) {
		m = strchr(plain, '/') ? program_module(ts, plain) : types_module(session_types(ts->s), plain);
		t = m && !(headers && effort == EFFORT_MAKE) ? in_module(ts, m, effort) : NULL;
	}
	if (!t && headers && (effort == EFFORT_MAKE || !*plain)) {
		m = header_types(ts->s, headers, *plain != '\0', &err);
		t = m ? types_named(m, ts->e->str) : NULL;
		if (m && *plain)
			m = types_module(session_types(ts->s), plain); /* kernel memory, not a program's */
		if (err)
			note_problem(ts, g_strdup_printf("%s: %s", part, err));
	}
	if (t)
		*module = m;
	g_free(err);
	g_free(plain);
	return t;
}

static void unknown_type(struct type_search *ts, const char *where)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near, *str = ts->e->str;

	diag_error(ts->s, ts->e->loc, "unknown-type", "no type '%s' in %s", str, where);
	if (ts->problem)
		diag_help(ts->s, "%s", ts->problem);
	if (ts->first && !ts->first->problem) {
		types_names(ts->first, names);
		near = diag_nearest(g_str_has_prefix(str, "struct ") ? str + 7 : str, names);
		if (near)
			diag_help(ts->s, "did you mean '%s'?", near);
	}
	g_ptr_array_free(names, TRUE);
}

/* Modules are separated by colons, but for those of C++ names and of paths in <>. */
static char **split_modules(const char *list)
{
	return g_strsplit(list, ":", -1);
}

const struct ctype *target_type(struct session *s, struct probe *p, const struct expr *e, struct types_module **module)
{
	struct type_search ts = { .s = s, .e = e };
	struct dwarf_scope *sc = p && p->provider && p->provider->scope && !(e->module && *e->module) ? p->provider->scope(p) : NULL;
	const char *list = e->module && *e->module ? e->module : "kernel";
	char **parts = split_modules(list);
	const struct ctype *t = NULL;
	bool user_scope = sc && sc->file->kind == DWARF_FILE_USER;

	if (sc) {
		*module = types_of_file(session_types(s), sc->file);
		t = in_module(&ts, *module, EFFORT_LOOK);
	}
	for (enum effort effort = EFFORT_LOOK; !t && !user_scope && effort < EFFORTS; effort++)
		for (char **part = parts; *part && !t; part++)
			t = **part ? in_element(&ts, *part, effort, module) : NULL;
	g_strfreev(parts);
	if (!t && ts.first && ts.first->problem && ts.problem && !strpbrk(list, ":<"))
		diag_error(s, e->loc, "no-types", "type '%s' is not known: %s", e->str, ts.problem);
	else if (!t)
		unknown_type(&ts, user_scope ? sc->file->name : strcmp(list, "kernel") ? list : "the kernel");
	g_free(ts.problem);
	return t;
}

/* @cast(a, "type"): a is the address of such a thing. */
struct expr *target_cast(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	struct types_module *m;
	const struct ctype *t = target_type(s, p, e, &m);
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
	at.user = m->user;
	if (e->addrof && e->ncomps == 0) {
		if (pointer) {
			diag_error(s, e->loc, "no-address", "@cast() is a value and has no address; its members have");
			return NULL;
		}
		plain.addrof = false; /* the address of the thing at address a is a */
	}
	return place_apply(s, &at, &plain, lvalue);
}

/* The program whose type a value's is, or NULL: the kernel's. */
static struct types_module *ctype_program(const struct ctype *t)
{
	for (int i = 0; i < 32 && t && !t->source; i++)
		t = t->to;
	return t && t->source ? t->source->program : NULL;
}

struct expr *target_autocast(struct session *s, struct expr *e, const struct ctype *base)
{
	const struct ctype *t = ctype_strip(base, NULL);
	struct place at;

	if (ctype_is_aggregate(t) || t->kind == CTYPE_ARRAY || t->kind == CTYPE_FWD)
		t = t->kind == CTYPE_ARRAY ? types_pointer_to(session_types(s), t->to) : types_pointer_to(session_types(s), t);
	at = place_value(t, types_module(session_types(s), NULL), "the value", e->a);
	if (ctype_program(t)) {
		at.module = ctype_program(t);
		at.user = true;
	}
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
