/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a linked object still needs from the kernel. */
#include "link_imports.h"
#include "errmsg.h"
#include "exports.h"
#include "modinfo_elf.h"
#include "stp_msg.h"

#include <string.h>

/* Symbols that the module-info object or the linker provide. */
static bool symbol_is_provided(const char *name)
{
	return strcmp(name, "__this_module") == 0 ||
	       strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0;
}

static gint name_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *sorted_keys(GHashTable *table)
{
	GPtrArray *keys = g_ptr_array_new();
	GHashTableIter it;
	gpointer key;

	g_hash_table_iter_init(&it, table);
	while (g_hash_table_iter_next(&it, &key, NULL))
		g_ptr_array_add(keys, key);
	g_ptr_array_sort(keys, name_compare);
	return keys;
}

/* An error that names the strong symbols which nothing exports. */
static int check_undefined(struct kernel_target *k, GPtrArray *names,
			   GHashTable *undefined, GHashTable *found, char **err)
{
	GString *missing = g_string_new(NULL);
	int count = 0;

	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];

		if (symbol_is_provided(name) || g_hash_table_contains(found, name) ||
		    g_hash_table_lookup(undefined, name) != GINT_TO_POINTER(1))
			continue;
		g_string_append_printf(missing, "%s%s", count++ ? ", " : "", name);
	}
	if (count)
		errmsg_set(err, "nothing provides %s %s: neither the runtime nor the "
			   "exports of kernel %s have %s (a module can only call what "
			   "its kernel exports)", count > 1 ? "the symbols" :
			   "the symbol", missing->str, k->release,
			   count > 1 ? "them" : "it");
	g_string_free(missing, TRUE);
	return count ? -1 : 0;
}

static void add_unique(GPtrArray *list, const char *text)
{
	for (guint i = 0; i < list->len; i++)
		if (strcmp(list->pdata[i], text) == 0)
			return;
	g_ptr_array_add(list, g_strdup(text));
}

/* ".modinfo" strings that follow from the imports, and the licence where no unit
 * states one: without it the kernel refuses what is exported for GPL code. */
static GPtrArray *modinfo_strings(GPtrArray *names, GHashTable *found,
				  const char *object)
{
	GPtrArray *strings = g_ptr_array_new_with_free_func(g_free);
	GPtrArray *modules = g_ptr_array_new_with_free_func(g_free);
	char *license = modinfo_read_value(object, "license");
	GString *depends = g_string_new("depends=");

	for (guint i = 0; i < names->len; i++) {
		struct export *e = g_hash_table_lookup(found, names->pdata[i]);

		if (e && e->module) {
			char *base = g_path_get_basename(e->module);

			add_unique(modules, g_strdelimit(base, "-", '_'));
			g_free(base);
		}
		if (e && e->name_space) {
			char *text = g_strdup_printf("import_ns=%s", e->name_space);

			add_unique(strings, text);
			g_free(text);
		}
	}
	for (guint i = 0; i < modules->len; i++)
		g_string_append_printf(depends, "%s%s", i ? "," : "",
				       (char *)modules->pdata[i]);
	g_ptr_array_add(strings, g_string_free(depends, FALSE));
	g_ptr_array_add(strings, g_strdup("stap=" G_STRINGIFY(STP_MSG_VERSION))); /* staprun loads no others */
	if (!license)
		g_ptr_array_add(strings, g_strdup("license=GPL"));
	g_free(license);
	g_ptr_array_free(modules, TRUE);
	return strings;
}

int link_write_modinfo(struct kernel_target *k, struct kernel_kit *kit,
		       const char *object, const char *module_name,
		       const char *output, char **err)
{
	GHashTable *undefined = modinfo_read_undefined(object, err), *found;
	struct modinfo_import *imports;
	GPtrArray *names;
	size_t count = 0;
	int rc;

	if (!undefined)
		return -1;
	/* Not called by anybody: its version is that of struct module and friends. */
	g_hash_table_insert(undefined, g_strdup("module_layout"), GINT_TO_POINTER(2));
	found = exports_find(k, undefined, err);
	if (!found) {
		g_hash_table_destroy(undefined);
		return -1;
	}
	names = sorted_keys(undefined);
	imports = g_new0(struct modinfo_import, names->len);
	rc = check_undefined(k, names, undefined, found, err);
	for (guint i = 0; i < names->len; i++) {
		struct export *e = g_hash_table_lookup(found, names->pdata[i]);

		if (e)
			imports[count++] = (struct modinfo_import){ names->pdata[i], e->crc };
	}
	if (rc == 0) {
		struct modinfo_spec spec = {
			.template_path = kit->template, .name = module_name,
			.strings = modinfo_strings(names, found, object),
			.imports = imports, .import_count = count,
		};

		rc = modinfo_write(&spec, output, err);
		g_ptr_array_free(spec.strings, TRUE);
	}
	g_free(imports);
	g_ptr_array_free(names, TRUE);
	g_hash_table_destroy(found);
	g_hash_table_destroy(undefined);
	return rc;
}
