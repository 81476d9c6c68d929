/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls' entry points that types do not have; see syscall_alias.h. */
#include "syscall_alias.h"
#include "session.h"

#include <string.h>
#include <glib.h>

#define BODY "__do_sys_"

static const char *const entries[] = { "__x64_sys_", "__ia32_sys_" };

bool syscall_alias_is(struct types_module *kernel, const char *name)
{
	struct cfunc f;
	char *body;
	bool ret = false;

	for (size_t i = 0; i < G_N_ELEMENTS(entries) && !kernel->name && !kernel->problem; i++) {
		if (!g_str_has_prefix(name, entries[i]) || types_func(kernel, name, &f))
			continue;
		body = g_strconcat(BODY, name + strlen(entries[i]), NULL);
		ret = types_func(kernel, body, &f);
		g_free(body);
	}
	return ret;
}

static bool is_body(void *data, const char *name)
{
	return g_str_has_prefix(name, BODY);
}

static void body_add(void *data, const char *name)
{
	g_ptr_array_add(data, (char *)name);
}

void syscall_alias_each(struct session *s, struct types_module *kernel, const char *pattern,
			void (*fn)(void *data, const char *name), void *data)
{
	GPtrArray *bodies;
	struct cfunc f;

	for (size_t i = 0; i < G_N_ELEMENTS(entries) && !kernel->name && !kernel->problem; i++) {
		if (!g_str_has_prefix(pattern, entries[i]))
			continue;
		bodies = g_ptr_array_new();
		types_each_func(kernel, is_body, body_add, bodies);
		for (guint k = 0; k < bodies->len; k++) {
			const char *name = arena_printf(s, "%s%s", entries[i], (char *)bodies->pdata[k] + strlen(BODY));

			if (!types_func(kernel, name, &f))
				fn(data, name);
		}
		g_ptr_array_free(bodies, TRUE);
	}
}
