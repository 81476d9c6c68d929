/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads Module.symvers: "0xCRC <tab> NAME <tab> MODULE <tab> KIND <tab> NAMESPACE". */
#include "exports.h"
#include "errmsg.h"
#include "install_hint.h"

#include <stdlib.h>
#include <string.h>

static void export_free(gpointer data)
{
	struct export *e = data;

	g_free(e->module);
	g_free(e->name_space);
	g_free(e);
}

/* The field after *p up to a tab or the end of the line; *p moves behind it. */
static char *field_copy(const char **p, const char *end)
{
	const char *start = *p, *tab = memchr(start, '\t', end - start);
	const char *stop = tab ? tab : end;

	*p = tab ? tab + 1 : end;
	return g_strndup(start, stop - start);
}

static struct export *line_parse(const char *crc, const char *rest, const char *end)
{
	struct export *e = g_new0(struct export, 1);
	char *kind;

	e->crc = strtoul(crc, NULL, 16);
	e->module = field_copy(&rest, end);
	if (strcmp(e->module, "vmlinux") == 0) {
		g_free(e->module);
		e->module = NULL;
	}
	kind = field_copy(&rest, end);
	g_free(kind);
	e->name_space = field_copy(&rest, end);
	if (!*e->name_space) {
		g_free(e->name_space);
		e->name_space = NULL;
	}
	return e;
}

/* A filter before the table of wanted names: the file has tens of thousands of lines, and a few dozen are wanted. */
#define FILTER_BITS 13

static uint32_t filter_place(const char *name, size_t len)
{
	uint32_t tail = 0;

	memcpy(&tail, name + len - MIN(len, sizeof(tail)), MIN(len, sizeof(tail)));
	return ((tail ^ (uint32_t)len) * 0x9e3779b1u) >> (32 - FILTER_BITS);
}

static void filter_fill(uint8_t *filter, GHashTable *wanted)
{
	GHashTableIter it;
	gpointer name;

	g_hash_table_iter_init(&it, wanted);
	while (g_hash_table_iter_next(&it, &name, NULL))
		filter[filter_place(name, strlen(name))] = 1;
}

static void text_scan(const char *p, const char *end, GHashTable *wanted,
		      GHashTable *found)
{
	uint8_t filter[1 << FILTER_BITS] = { 0 };
	char name[512];

	filter_fill(filter, wanted);
	while (p < end) {
		const char *eol = memchr(p, '\n', end - p);
		const char *stop = eol ? eol : end;
		const char *start = memchr(p, '\t', stop - p);
		const char *tab = start ? memchr(start + 1, '\t', stop - start - 1) : NULL;
		size_t len = tab ? tab - start - 1 : 0;

		if (len && len < sizeof(name) && filter[filter_place(start + 1, len)]) {
			memcpy(name, start + 1, len);
			name[len] = '\0';
			if (g_hash_table_contains(wanted, name))
				g_hash_table_replace(found, g_strdup(name),
						     line_parse(p, tab + 1, stop));
		}
		p = stop + 1;
	}
}

GHashTable *exports_find(const struct kernel_target *k, GHashTable *wanted, char **err)
{
	char *path = g_build_filename(k->build_dir, "Module.symvers", NULL);
	GMappedFile *map = g_mapped_file_new(path, FALSE, NULL);
	GHashTable *found = NULL;

	if (!map) {
		char *hint = hint_kernel_headers(k->release);

		errmsg_set(err, "%s is missing: these headers cannot build modules; %s",
			   path, hint);
		g_free(hint);
	} else {
		const char *text = g_mapped_file_get_contents(map);

		found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      export_free);
		if (text)
			text_scan(text, text + g_mapped_file_get_length(map), wanted,
				  found);
		g_mapped_file_unref(map);
	}
	g_free(path);
	return found;
}
