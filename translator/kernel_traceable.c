/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the table of traceable places from a vmlinux; see kernel_traceable.h. */
#include "kernel_traceable.h"

#include <stdlib.h>
#include <string.h>
#include <glib.h>

#define ENDBR_SIZE 4
#define TABLE_MAX (64u << 20) /* bytes: no kernel has so many functions */

static uint64_t symbol_address(struct dwarf_index *ix, const char *name)
{
	GArray *found = dwarf_index_symbols(ix, name, false);
	struct dwarf_symbol sym;
	uint64_t ret = found->len == 1 && dwarf_index_symbol(ix, g_array_index(found, uint32_t, 0), &sym) ? sym.addr : 0;

	g_array_free(found, TRUE);
	return ret;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void kernel_traceable_open(struct kernel_traceable *t, struct dwarf_file *f, struct dwarf_index *ix)
{
	uint64_t start = symbol_address(ix, "__start_mcount_loc"), stop = symbol_address(ix, "__stop_mcount_loc");
	size_t size = stop > start ? stop - start : 0;

	memset(t, 0, sizeof(*t));
	if (!start || !size || size > TABLE_MAX || size % sizeof(*t->at))
		return;
	t->at = g_malloc(size);
	if (dwarf_file_read(f, start, t->at, size) == size)
		t->count = size / sizeof(*t->at);
	qsort(t->at, t->count, sizeof(*t->at), compare);
	/* a kernel that fills the table in when it starts */
	if (t->count && !t->at[t->count / 2])
		t->count = 0;
}

bool kernel_traceable_has(const struct kernel_traceable *t, uint64_t pc)
{
	uint64_t behind = pc + ENDBR_SIZE;

	return t->count && (bsearch(&pc, t->at, t->count, sizeof(pc), compare) ||
			    bsearch(&behind, t->at, t->count, sizeof(pc), compare));
}

void kernel_traceable_close(struct kernel_traceable *t)
{
	g_free(t->at);
	memset(t, 0, sizeof(*t));
}
