/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DWARF among the sources of types: behind BTF for the kernel and its modules, alone for user programs (types.h). */
#include "types.h"
#include "kernel.h"
#include "dwarf_file.h"
#include "dwarf_type.h"

static void types_add_source(struct types_module *m, struct type_source *src);

struct type_source *dwarf_file_types(struct types *t, struct dwarf_file *f)
{
	struct type_source *src;
	Dwarf *dw;

	if (!t->dwarf)
		t->dwarf = g_hash_table_new(NULL, NULL);
	src = g_hash_table_lookup(t->dwarf, f);
	if (src)
		return src;
	dw = dwarf_file_dwarf(f);
	if (!dw)
		return NULL;
	src = dwarf_types_new(dw, session_dwarf_index(t->session, f, NULL));
	g_hash_table_insert(t->dwarf, f, src);
	return src;
}

static struct types_module *program_new(struct types *t, struct dwarf_file *f)
{
	struct types_module *m = g_new0(struct types_module, 1);
	struct type_source *src = dwarf_file_types(t, f);

	m->types = t;
	m->name = g_strdup(f->name);
	m->user = true;
	m->sources = g_ptr_array_new();
	if (src) {
		types_add_source(m, src);
		src->program = m;
	} else
		m->problem = g_strdup_printf("no types of %s: %s", f->name, f->problem ? f->problem : "it has no debug information");
	return m;
}

struct types_module *types_of_file(struct types *t, struct dwarf_file *f)
{
	struct types_module *m;
	struct type_source *src;

	if (f->kind != DWARF_FILE_USER) {
		m = types_module(t, f->kind == DWARF_FILE_MODULE ? f->name : NULL);
		src = dwarf_file_types(t, f);
		if (src)
			types_add_source(m, src);
		return m;
	}
	if (!t->programs)
		t->programs = g_hash_table_new_full(NULL, NULL, NULL, types_module_free);
	m = g_hash_table_lookup(t->programs, f);
	if (!m) {
		m = program_new(t, f);
		g_hash_table_insert(t->programs, f, m);
	}
	return m;
}

static void types_add_source(struct types_module *m, struct type_source *src)
{
	for (guint i = 0; i < m->sources->len; i++)
		if (m->sources->pdata[i] == src)
			return;
	g_ptr_array_add(m->sources, src);
	g_clear_pointer(&m->problem, g_free);
}

bool types_dwarf_at_hand(struct session *s)
{
	return s->kernel && (s->kernel->vmlinux_debug || g_getenv("SYSTEMTAP_DEBUGINFO_PATH"));
}

bool types_want_dwarf(struct types_module *m)
{
	struct dwarf_file *f;
	struct type_source *src;
	char *err = NULL;

	if (m->user || m->dwarf_asked || !types_dwarf_at_hand(m->types->session))
		return false;
	m->dwarf_asked = true;
	f = m->name ? dwarf_module(m->types->session, m->name, &err) : dwarf_kernel(m->types->session, &err);
	src = f ? dwarf_file_types(m->types, f) : NULL;
	g_free(err);
	if (src)
		types_add_source(m, src);
	return src != NULL;
}

void types_dwarf_close(struct types *t)
{
	GHashTableIter it;
	gpointer src;

	if (t->programs)
		g_hash_table_destroy(t->programs);
	if (!t->dwarf)
		return;
	g_hash_table_iter_init(&it, t->dwarf);
	while (g_hash_table_iter_next(&it, NULL, &src))
		((struct type_source *)src)->ops->close(src);
	g_hash_table_destroy(t->dwarf);
}
