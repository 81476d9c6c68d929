/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and functions of the target: the chain of sources, and types by the names scripts use. */
#include "types.h"
#include "module_pack.h"

#include <string.h>

void types_module_free(gpointer data)
{
	struct types_module *m = data;

	for (guint i = m->sources->len; i-- > 0; ) {
		struct type_source *src = m->sources->pdata[i];

		if (strcmp(src->kind, "DWARF") != 0) /* closed with their file */
			src->ops->close(src);
	}
	g_ptr_array_free(m->sources, TRUE);
	g_free(m->problem);
	g_free(m->name);
	g_free(m);
}

static struct types_module *module_new(struct types *t, char *name)
{
	struct types_module *m = g_new0(struct types_module, 1);

	m->types = t;
	m->name = name;
	m->sources = g_ptr_array_new();
	types_load(m, t->session->kernel);
	if (m->problem)
		types_want_dwarf(m); /* without BTF it is what there is */
	return m;
}

struct types *session_types(struct session *s)
{
	struct types *t = s->types;

	if (t)
		return t;
	t = g_new0(struct types, 1);
	t->session = s;
	t->modules = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, types_module_free);
	t->pointers = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	s->types = t;
	return t;
}

void types_close(struct types *t)
{
	if (!t)
		return;
	g_hash_table_destroy(t->modules); /* before the kernel: their types refer to its */
	if (t->kernel)
		types_module_free(t->kernel);
	types_dwarf_close(t);
	g_hash_table_destroy(t->pointers);
	if (t->module_line)
		g_hash_table_destroy(t->module_line);
	module_pack_close(t->pack);
	g_free(t);
}

struct types_module *types_module(struct types *t, const char *name)
{
	struct types_module *m;
	char *key;

	if (!name || strcmp(name, "kernel") == 0 || strcmp(name, "vmlinux") == 0) {
		if (!t->kernel)
			t->kernel = module_new(t, NULL);
		return t->kernel;
	}
	key = g_strdelimit(g_strdup(name), "-", '_');
	m = g_hash_table_lookup(t->modules, key);
	if (m) {
		g_free(key);
		return m;
	}
	m = module_new(t, key);
	g_hash_table_insert(t->modules, m->name, m);
	return m;
}

struct type_source *types_btf(const struct types_module *m)
{
	struct type_source *src = m->sources->len ? m->sources->pdata[0] : NULL; /* it comes first */

	return src && strcmp(src->kind, "BTF") == 0 ? src : NULL;
}

const struct ctype *types_find(struct types_module *m, enum ctype_kind kind, const char *name, unsigned *ndefs)
{
	for (guint i = 0; i < m->sources->len; i++) {
		struct type_source *src = m->sources->pdata[i];
		const struct ctype *ret = src->ops->find_type(src, kind, name, ndefs);

		if (ret)
			return ret;
	}
	return m->name && !m->user ? types_find(types_module(m->types, NULL), kind, name, ndefs) : NULL;
}

bool types_func(struct types_module *m, const char *name, struct cfunc *ret)
{
	for (guint i = 0; i < m->sources->len; i++) {
		struct type_source *src = m->sources->pdata[i];

		if (src->ops->find_func(src, name, ret)) {
			ret->module = m->name;
			return true;
		}
	}
	return false;
}

/* The first source that knows functions at all lists them; a later one knows more of the same. */
void types_each_func(struct types_module *m, bool (*match)(void *data, const char *name), cfunc_fn fn, void *data)
{
	if (m->sources->len) {
		struct type_source *src = m->sources->pdata[0];

		src->ops->each_func(src, match, fn, data);
	}
}

const struct ctype *types_pointer_to(struct types *types, const struct ctype *t)
{
	struct ctype *p = g_hash_table_lookup(types->pointers, t);

	if (!p) {
		p = g_new0(struct ctype, 1);
		p->kind = CTYPE_PTR;
		p->name = "";
		p->size = 8;
		p->to = t;
		p->complete = true;
		g_hash_table_insert(types->pointers, (gpointer)t, p);
	}
	return p;
}

/* The compiler's spelling of a base type: "long unsigned int" for "unsigned long" and the like. */
static const char *base_spelling(const char *name)
{
	static const char *const same[][2] = {
		{ "unsigned", "unsigned int" }, { "unsigned long", "long unsigned int" }, { "signed", "int" },
		{ "unsigned long int", "long unsigned int" }, { "long", "long int" }, { "signed int", "int" },
		{ "long long", "long long int" }, { "unsigned long long", "long long unsigned int" },
		{ "unsigned long long int", "long long unsigned int" }, { "short", "short int" },
		{ "unsigned short", "short unsigned int" }, { "unsigned short int", "short unsigned int" },
		{ "bool", "_Bool" }, { "signed long", "long int" }, { "signed long int", "long int" },
		{ "short unsigned", "short unsigned int" }, { "long unsigned", "long unsigned int" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(same); i++)
		if (strcmp(same[i][0], name) == 0)
			return same[i][1];
	return name;
}

/* What every C program for this machine has, for targets that do not mention it. */
static const struct ctype *base_named(const char *name)
{
	static const struct ctype base[] = {
		{ .name = "char", .size = 1, .is_signed = true, .is_char = true }, { .name = "signed char", .size = 1, .is_signed = true, .is_char = true },
		{ .name = "unsigned char", .size = 1, .is_char = true }, { .name = "_Bool", .size = 1, .is_bool = true },
		{ .name = "short int", .size = 2, .is_signed = true }, { .name = "short unsigned int", .size = 2 },
		{ .name = "int", .size = 4, .is_signed = true }, { .name = "unsigned int", .size = 4 },
		{ .name = "long int", .size = 8, .is_signed = true }, { .name = "long unsigned int", .size = 8 },
		{ .name = "long long int", .size = 8, .is_signed = true }, { .name = "long long unsigned int", .size = 8 },
		{ .name = "size_t", .size = 8 }, { .name = "ssize_t", .size = 8, .is_signed = true },
		{ .name = "ptrdiff_t", .size = 8, .is_signed = true }, { .name = "uintptr_t", .size = 8 },
		{ .name = "intptr_t", .size = 8, .is_signed = true }, { .name = "off_t", .size = 8, .is_signed = true },
		{ .name = "time_t", .size = 8, .is_signed = true }, { .name = "pid_t", .size = 4, .is_signed = true },
		{ .name = "int8_t", .size = 1, .is_signed = true }, { .name = "uint8_t", .size = 1 },
		{ .name = "int16_t", .size = 2, .is_signed = true }, { .name = "uint16_t", .size = 2 },
		{ .name = "int32_t", .size = 4, .is_signed = true }, { .name = "uint32_t", .size = 4 },
		{ .name = "int64_t", .size = 8, .is_signed = true }, { .name = "uint64_t", .size = 8 },
	};
	static struct ctype whole[G_N_ELEMENTS(base)];

	for (size_t i = 0; i < G_N_ELEMENTS(base); i++) {
		if (strcmp(base[i].name, name) != 0)
			continue;
		whole[i] = base[i];
		whole[i].kind = CTYPE_INT;
		whole[i].complete = true;
		return &whole[i];
	}
	return NULL;
}

static const struct ctype *bare_named(struct types_module *m, const char *name)
{
	static const enum ctype_kind order[] = { CTYPE_TYPEDEF, CTYPE_STRUCT, CTYPE_UNION, CTYPE_ENUM };
	const struct ctype *t = types_find(m, CTYPE_INT, base_spelling(name), NULL);

	if (strcmp(name, "void") == 0)
		return &ctype_void;
	for (size_t i = 0; !t && i < G_N_ELEMENTS(order); i++)
		t = types_find(m, order[i], name, NULL);
	return t ? t : base_named(base_spelling(name));
}

/* Splits "const struct x * *" into words without qualifiers, joined by single blanks, and stars. */
static char *normalize(const char *text, unsigned *stars)
{
	char *copy = g_strdup(text), **words, *ret;
	GPtrArray *keep = g_ptr_array_new();

	*stars = 0;
	for (char *p = copy; *p; p++) {
		if (*p == '*') {
			++*stars;
			*p = ' ';
		}
	}
	words = g_strsplit_set(copy, " \t\n", -1);
	for (char **w = words; *w; w++)
		if (**w && strcmp(*w, "const") && strcmp(*w, "volatile") && strcmp(*w, "__user") && strcmp(*w, "restrict"))
			g_ptr_array_add(keep, *w);
	g_ptr_array_add(keep, NULL);
	ret = g_strjoinv(" ", (char **)keep->pdata);
	g_ptr_array_free(keep, TRUE);
	g_strfreev(words);
	g_free(copy);
	return ret;
}

const struct ctype *types_named(struct types_module *m, const char *text)
{
	unsigned stars;
	char *name = normalize(text, &stars);
	const struct ctype *t;

	if (g_str_has_prefix(name, "struct "))
		t = types_find(m, CTYPE_STRUCT, name + 7, NULL);
	else if (g_str_has_prefix(name, "union "))
		t = types_find(m, CTYPE_UNION, name + 6, NULL);
	else if (g_str_has_prefix(name, "enum "))
		t = types_find(m, CTYPE_ENUM, name + 5, NULL);
	else
		t = bare_named(m, name);
	while (t && stars--)
		t = types_pointer_to(m->types, t);
	g_free(name);
	return t;
}

bool types_enumerator(struct types_module *m, const char *name, int64_t *value)
{
	for (guint i = 0; i < m->sources->len; i++) {
		struct type_source *src = m->sources->pdata[i];

		if (src->ops->find_enumerator(src, name, value))
			return true;
		if (strcmp(src->kind, "BTF") == 0)
			break; /* it has them all */
	}
	return m->name && !m->user && types_enumerator(types_module(m->types, NULL), name, value);
}

void types_each_enumerator(const struct ctype *t, enumerator_fn fn, void *data)
{
	t = ctype_strip(t, NULL);
	if (t->kind == CTYPE_ENUM && t->source)
		t->source->ops->each_enumerator(t->source, t, fn, data);
}

void types_names(struct types_module *m, GPtrArray *names)
{
	static const enum ctype_kind kinds[] = { CTYPE_STRUCT, CTYPE_UNION, CTYPE_TYPEDEF, CTYPE_ENUM, CTYPE_INT };

	for (guint i = 0; i < m->sources->len; i++) {
		struct type_source *src = m->sources->pdata[i];

		for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++)
			src->ops->type_names(src, kinds[k], names);
	}
	if (m->name && !m->user)
		types_names(types_module(m->types, NULL), names);
}
