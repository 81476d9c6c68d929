/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the opened index share. */
#ifndef STAP_DWARF_INDEX_PRIV_H
#define STAP_DWARF_INDEX_PRIV_H

#include "dwarf_index.h"
#include "dwarf_skim_line.h"
#include "dwarf_store.h"

/* A unit's decoded line table, rows sorted by address. */
struct index_lines {
	struct dwarf_line *rows;
	uint32_t n;
};

struct dwarf_index {
	struct dwarf_file *file;
	struct store st;
	bool built;
	double seconds;
	GHashTable *lines;         /* unit + 1 to struct index_lines */
	uint64_t nrows;            /* in `lines` */
	struct dw_sections sec;    /* of the main file, for line tables: sec_asked */
	bool sec_asked;
	struct dw_lines scratch;
};

/* Of each file id, whether a pattern matches; NULL when the pattern is NULL (any). g_free() it. */
uint8_t *index_file_mask(struct dwarf_index *ix, const char *pattern);

static inline uint64_t index_address(const struct dwarf_index *ix, uint32_t distance)
{
	return ix->st.head->base + distance;
}

/* Distance of an address from the index's base; false when it cannot be code of the file. */
static inline bool index_distance(const struct dwarf_index *ix, uint64_t addr, uint32_t *ret)
{
	if (addr < ix->st.head->base || addr - ix->st.head->base >= STORE_NONE)
		return false;
	*ret = addr - ix->st.head->base;
	return true;
}

#endif
