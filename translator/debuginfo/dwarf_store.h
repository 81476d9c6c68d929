/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index as a file: a header, a directory of tables, and tables of fixed-size records in this machine's byte
 * order, with one table of strings.  It is mapped and used in place.  A table's checksum is compared when it is first
 * used, so that a question that needs two tables does not read the others.  All numbers inside records
 * that name other records are checked at use (store_* below), so a file that is wrong in spite of its sums leads to wrong
 * answers but no wild reads.
 *
 * Code addresses are 32-bit distances from the header's `base`, DIE offsets 32-bit distances from the unit's header.
 */
#ifndef STAP_DWARF_STORE_H
#define STAP_DWARF_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include "blob.h"

#define STORE_NONE UINT32_MAX

enum store_table {
	ST_STRINGS,     /* bytes; offset 0 is "" */
	ST_FILES,       /* u32 string: canonical paths, sorted */
	ST_CUS,         /* store_cu, in order of their place */
	ST_CU_FILES,    /* u32 file: those that a unit has code from */
	ST_FUNCS,       /* store_func, in order of unit and DIE; then symbol-only ones */
	ST_FUNC_NAMES,  /* store_name over ST_FUNC_REFS, sorted by name */
	ST_FUNC_REFS,   /* u32 func */
	ST_FUNC_MAP,    /* store_map: code to function, sorted, no overlaps asked of it */
	ST_CU_MAP,      /* store_map: code to unit */
	ST_INLINED,     /* store_inlined, in order of unit and DIE, so grouped by caller */
	ST_INSTANCES,   /* u32 inlined, grouped by abstract function, by entry address */
	ST_RANGES,      /* store_range: of functions with more than one */
	ST_LABELS,      /* store_label, grouped by function */
	ST_VARS, ST_VAR_NAMES, ST_VAR_REFS,
	ST_TYPES, ST_TYPE_NAMES, ST_TYPE_REFS,
	ST_SYMBOLS,     /* store_symbol, sorted by address */
	ST_SYMBOL_NAMES, ST_SYMBOL_REFS,
	ST_NTABLES
};

/* Which file a unit is in. */
enum store_set { STORE_MAIN, STORE_ALT /* dwz */, STORE_TYPES /* .debug_types */, STORE_SPLIT };

struct store_cu {
	uint64_t offset;           /* of its header */
	uint64_t root;             /* of its DIE; the skeleton's when split */
	uint64_t stmt_list;        /* UINT64_MAX: none */
	uint32_t name, comp_dir;
	uint32_t file;             /* id of its primary source file */
	uint32_t first_func, nfuncs, first_file, nfiles;
	uint16_t lang, flags;
	uint32_t set;
};

struct store_func {
	uint32_t name, qualified, linkage;   /* linkage 0: none */
	uint32_t symbol, file, line, cu, flags, origin;
	uint32_t die;
	uint32_t entry, high, prologue;
	uint32_t first_range, nranges;
	uint32_t first_inlined, ninlined;    /* concrete: instances in its code */
	uint32_t first_instance, ninstances; /* abstract: of ST_INSTANCES */
	uint32_t first_label, nlabels;
};

struct store_name { uint32_t name, first, n; };
struct store_map { uint32_t low, high, what; };
struct store_range { uint32_t low, high; };
struct store_inlined { uint32_t func, caller, parent, die, entry, call_file, call_line; };
struct store_label { uint32_t name, func, inlined, die, pc, file, line; };
struct store_var { uint32_t name, qualified, linkage, file, line, cu, flags, die, func; };
struct store_type { uint32_t name, qualified, tag, flags, cu, die, size, file, line; };
struct store_symbol { uint64_t addr, size; uint32_t name; uint8_t type, bind, visibility, pad; };

struct store_header {
	uint64_t magic;
	uint32_t version, ntables;
	uint64_t key;              /* what it was made from: store_load() compares */
	uint64_t base;             /* of code addresses */
	uint32_t damaged, missing_splits;
	struct { uint64_t offset, count, sum; } table[ST_NTABLES];
	uint64_t sum;              /* of all before */
};

struct store {
	struct blob blob;
	const struct store_header *head;
	const void *table[ST_NTABLES];
	uint32_t count[ST_NTABLES];
	bool checked[ST_NTABLES];
	bool damaged;              /* a sum was wrong: the tables concerned are empty now */
};

/* Bytes of a record of that table. */
unsigned store_record_size(enum store_table t);
/* Fills what names the format; tables and sums are the caller's. */
void store_header_init(struct store_header *h, uint64_t key, uint64_t base);
uint64_t store_sum(const void *data, uint64_t size);
/* Maps an index; -1 when it is missing, damaged or made from something else (`key`). */
int store_load(struct store *st, const char *path, uint64_t key);
/* Takes over an index made in memory. Returns 0 or -1. */
int store_attach(struct store *st, struct blob *blob, uint64_t key);
void store_close(struct store *st);
/* True when every table's sum is right: an index that lies elsewhere is checked whole before it is trusted. */
bool store_verify(struct store *st);

/* The records of a table (NULL and *n 0 when it is damaged). */
const void *store_table(struct store *st, enum store_table t, uint32_t *n);
/* One record, NULL when out of range. */
const void *store_record(struct store *st, enum store_table t, uint32_t i);
/* A slice of a u32 table, cut to what is there. */
const uint32_t *store_slice(struct store *st, enum store_table t, uint32_t first, uint32_t n, uint32_t *ret_n);
/* A string, "" when out of range. */
const char *store_string(struct store *st, uint32_t offset);

#endif
