/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of .debug_info for one purpose: going over all of it fast, in several threads, with nothing in
 * between but the mapped bytes.  It knows forms and abbreviations (DWARF standard 2 to 5, section 7), checks every
 * bound, and keeps no state outside its arguments.  What a single DIE means in full is libdw's business.
 */
#ifndef STAP_DWARF_SKIM_H
#define STAP_DWARF_SKIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf_cursor.h"

enum dw_section {
	DW_INFO, DW_ABBREV, DW_STR, DW_LINE, DW_LINE_STR, DW_STR_OFFSETS, DW_ADDR, DW_RANGES, DW_RNGLISTS, DW_TYPES,
	DW_NSECTIONS
};

struct dw_span {
	const uint8_t *data;       /* never NULL */
	size_t size;
};

/* The sections of one file; alt is the dwz file's, or NULL. */
struct dw_sections {
	struct dw_span s[DW_NSECTIONS];
	const struct dw_sections *alt;
};

struct dw_spec {
	uint16_t attr, form;
	int64_t implicit;
};

struct dw_abbrev {
	uint32_t code;
	uint16_t tag;
	bool children;
	uint8_t sibling;           /* 1 + index of a DW_AT_sibling of a fixed-size form, 0: none */
	uint32_t nspecs;
	uint32_t first;            /* of dw_abbrevs.specs */
	int32_t fixed;             /* bytes of all attributes together, -1: not fixed */
};

/* The abbreviations of one unit; reused from unit to unit (dw_abbrevs_free() at the end). */
struct dw_abbrevs {
	struct dw_abbrev *list;
	struct dw_spec *specs;
	size_t n, room, nspecs, specs_room;
	bool dense;                /* code i is list[i - 1] */
};

struct dw_unit {
	const struct dw_sections *sec;
	const struct dw_sections *line_sec; /* where .debug_line, .debug_addr are: the skeleton's file for a split unit */
	const uint8_t *base, *dies, *end;  /* header, first DIE, behind the unit */
	uint64_t offset;           /* of the header in its section */
	bool types;                /* section is .debug_types */
	uint8_t version, addr_size, off_size, type; /* DW_UT_* */
	uint64_t abbrev_off;
	/* from the unit's DIE: dw_unit_root() */
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	uint64_t low_pc, stmt_list;
	uint16_t lang, tag;
	const char *name, *comp_dir, *producer, *dwo_name;
	bool has_low_pc, has_ranges, has_high_pc;
	uint64_t high_pc;
	struct dw_abbrevs abbrevs;
};

enum dw_class { DW_NONE, DW_NUM, DW_SNUM, DW_ADDRESS, DW_STRING, DW_BLOCK, DW_EXPR, DW_REF, DW_REF_ALT, DW_REF_SIG, DW_SECOFF, DW_LISTX, DW_FLAG };

struct dw_value {
	enum dw_class class;
	uint16_t form;
	uint64_t num;              /* number, address, global offset of a reference, flag, block's length */
	const char *str;           /* DW_STRING; NULL when it is out of bounds */
	const uint8_t *block;
};

/* The header at `offset`; *next is the offset behind the unit (0 when that is not known).  False for what is no unit. */
bool dw_unit_header(const struct dw_sections *sec, bool types, uint64_t offset, struct dw_unit *u, uint64_t *next);
/* Reads the abbreviations and the unit's own DIE.  False when it is damaged. */
bool dw_unit_root(struct dw_unit *u);
/* Room for one more behind n elements of a size; false: no memory, and the list is as it was. */
bool dw_list_grow(void **list, size_t *room, size_t n, size_t size);
void dw_abbrevs_free(struct dw_abbrevs *a);
const struct dw_abbrev *dw_abbrev_find(const struct dw_abbrevs *a, uint64_t code);

/* One attribute's value; false (and c->bad) when it does not fit or the form is not known. */
bool dw_form_read(const struct dw_unit *u, struct dw_cursor *c, const struct dw_spec *spec, struct dw_value *v);
/* Over all attributes of a DIE. */
void dw_attrs_skip(const struct dw_unit *u, struct dw_cursor *c, const struct dw_abbrev *a);
/* Behind the whole subtree of a DIE whose attributes start at the cursor. */
void dw_subtree_skip(const struct dw_unit *u, struct dw_cursor *c, const struct dw_abbrev *a);

/* Calls fn for each range that DW_AT_ranges names; false when the list is damaged. */
bool dw_ranges(const struct dw_unit *u, const struct dw_value *v, void (*fn)(void *data, uint64_t lo, uint64_t hi), void *data);

#endif
