/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making an index: the parts that only dwarf_build*.c share.
 *
 *   dwarf_build.c        sets of sections, the list of units, threads, progress
 *   dwarf_build_walk.c   one unit's DIEs to records (in a thread)
 *   dwarf_build_die.c    one DIE's attributes
 *   dwarf_build_line.c   one unit's files and the ends of prologues (in a thread)
 *   dwarf_build_merge.c  all units' records to one list: references between DIEs followed, numbers assigned
 *   dwarf_build_write.c  tables and the file
 *
 * Strings in records point into the sections (or a worker's chunk); nothing is copied before the merge.
 */
#ifndef STAP_DWARF_BUILD_H
#define STAP_DWARF_BUILD_H

#include <glib.h>
#include "dwarf_index.h"
#include "dwarf_skim.h"
#include "dwarf_skim_line.h"
#include "dwarf_store.h"

#define NONE STORE_NONE

/* A set of sections: of the file, its dwz file, or one .dwo file. */
struct build_set {
	struct dw_sections sec;
	enum store_set kind;
	bool types;                /* units of .debug_types */
	int alt;                   /* set that alternate references go to, -1 */
	const struct dw_unit *skeleton; /* of a split set */
	uint64_t skeleton_root;
};

/* A reference from one DIE to another: `set` -1 when there is none. */
struct build_ref {
	int set;
	uint64_t offset;
};

struct build_func {
	uint64_t die;              /* offset in the set */
	struct build_ref origin;   /* DW_AT_abstract_origin or DW_AT_specification */
	uint64_t entry, high, prologue;
	const char *name, *linkage, *scope;
	uint32_t file, line, flags, unit;
	uint32_t first_range, nranges; /* of the worker's ranges; becomes global in the merge */
	uint32_t first_inlined, ninlined, first_label, nlabels;
	bool declaration, is_origin;   /* origin: through abstract_origin */
	/* the merge: */
	uint32_t target;           /* index of what origin names, NONE */
	uint32_t number, abstract; /* in the index; index of its abstract function */
	uint32_t symbol;
	uint8_t state;
};

struct build_inlined {
	uint64_t die, entry;
	struct build_ref origin;
	uint32_t caller, parent;   /* indices in the unit, then in all */
	uint32_t file, line, func;
	bool bad;                  /* no code left of it */
	uint32_t number;
};

struct build_label {
	uint64_t die, pc;
	const char *name;
	uint32_t func, inlined, file, line;
};

struct build_var {
	uint64_t die;
	struct build_ref origin;
	const char *name, *linkage, *scope;
	uint32_t file, line, flags, unit, func;
	bool has_place;            /* a location or a constant: a definition */
	uint8_t state;
};

struct build_type {
	const char *name, *scope;
	uint64_t die;
	uint32_t unit, tag, flags, size, file, line;
};

struct build_range { uint64_t low, high; };

/* One unit, and where its records are: in its worker's arrays until the merge. */
struct build_unit {
	int set;
	uint64_t offset, next;     /* of the header; behind the unit */
	uint64_t root, stmt_list;
	const char *name, *comp_dir;
	uint32_t file;             /* primary */
	uint16_t lang, flags, tag;
	bool damaged, partial;
	uint32_t worker;
	uint32_t first_func, nfuncs, first_inlined, ninlined, first_label, nlabels, first_var, nvars;
	uint32_t first_range, nranges; /* the unit's own code */
	uint32_t first_file, nfiles;
};

/* Growable array of records. */
struct build_list {
	void *data;
	uint32_t n, room;
};

/* One thread's state and results. */
struct build_worker {
	struct build *b;
	GThread *thread;
	struct dw_unit u;          /* the unit being read, abbreviations reused */
	struct dw_unit peek;       /* another unit that references led into */
	uint32_t peek_no;          /* its number, NONE */
	struct dw_lines peek_lines;/* its files, when peek_files is its number */
	uint32_t peek_files;
	GHashTable *declared;      /* DIE offset of a declared type of the unit to its scope */
	struct dw_lines lines;
	struct build_list funcs, inlined, labels, vars, ranges, cu_files;
	GHashTable *types;         /* struct build_type as its own key */
	GHashTable *paths;         /* canonical path -> id + 1 */
	GPtrArray *path_list;
	GHashTable *path_cache;    /* "comp_dir\0dir\0name" -> id + 1 */
	GStringChunk *strings;
	struct build_list file_ids;/* u32: of the unit's file table, NONE - 1: not asked yet */
	struct build_unit *unit;   /* being read */
	uint32_t unit_no;
	bool scopes;               /* the language has namespaces or methods */
};

struct build {
	struct dwarf_file *file;
	struct build_set *sets;
	unsigned nsets, sets_room;
	struct build_unit *units;
	uint32_t nunits, units_room;
	uint32_t *order;           /* units by size, largest first */
	struct build_worker *workers;
	unsigned nworkers;
	gint next_unit;            /* of order: atomic */
	gint bytes_done;           /* in KiB: atomic */
	uint64_t bytes_all;
	uint32_t damaged, missing_splits;
	uint64_t base;             /* lowest code address */
	uint64_t limit;            /* behind the highest */
};

/* All units' records in one list, while they are made to tables. */
struct build_merged {
	struct build *b;
	struct build_func *funcs;
	struct build_inlined *inlined;
	uint32_t nfuncs, ninlined;
	uint32_t **file_map;       /* of each worker: id to id in the index */
	GPtrArray *paths;          /* of the index, sorted */
	struct build_symbol *symbols; /* sorted by address, the best name of an address first */
	GStringChunk *plain_names; /* those of symbols that had a version */
	uint32_t nsymbols;
	uint32_t nout;             /* functions with a number */
	struct build_list table[ST_NTABLES];
	struct build_names *names; /* strings of the index */
};

/* An ELF symbol while building. */
struct build_symbol {
	uint64_t addr, size;
	const char *name;
	uint8_t type, bind, visibility;
};

/* What the skimmer wants to know of one DIE. */
struct build_die {
	uint64_t offset;
	const char *name, *linkage;
	uint64_t decl_file, decl_line, call_file, call_line, size;
	uint64_t low, high, entry;
	struct dw_value ranges, location;
	struct build_ref origin;
	bool is_origin, has_low, has_high, high_is_size, has_entry, entry_is_offset, has_ranges;
	bool has_location, has_const, declaration, external, artificial, noreturn, prototyped;
	uint8_t inlined;           /* DW_AT_inline */
};

guint build_type_hash(gconstpointer data);
gboolean build_type_equal(gconstpointer x, gconstpointer y);
void *build_list_add(struct build_list *l, size_t size);

/* The debug sections of an ELF file, as elf_getdata() gives them; `dwo`: those of a split file. */
void build_sections_of(Elf *elf, bool dwo, struct dw_sections *sec);

/* dwarf_build_die.c: reads the attributes; false when they are damaged. */
bool build_die_read(struct build_worker *w, struct dw_cursor *c, const struct dw_abbrev *a, struct build_die *d);
/* Fills what a DIE without name of its own has from the DIE that it refers to, in whatever unit; decl_file becomes
 * that unit's, so it is an id already (build_file_id()) in *file. */
void build_die_inherit(struct build_worker *w, struct build_die *d, uint32_t *file);
/* True when the location is an address (a static variable). */
bool build_die_is_static(const struct dw_unit *u, const struct build_die *d);

/* dwarf_build_walk.c: all of w->unit; false when it is damaged. */
bool build_walk(struct build_worker *w);

/* dwarf_build_line.c */
/* Reads the unit's line table header; ids are made when asked for. */
void build_lines_begin(struct build_worker *w);
/* Id (of the worker's paths) of the unit's file number, NONE when not told. */
uint32_t build_file_id(struct build_worker *w, uint64_t number);
/* Id of a path. */
uint32_t build_path_id(struct build_worker *w, const char *comp_dir, const char *dir, const char *name);
/* Runs the line program: fills the unit's list of files with code, and the prologue ends of its functions. */
void build_lines_end(struct build_worker *w);

/* dwarf_build_merge.c: everything to one blob in memory. */
int build_merge(struct build *b, uint64_t key, struct blob *ret, char **err);
/* Unit with that reference, or NONE (dwarf_build_die.c). */
uint32_t build_unit_of_ref(const struct build *b, struct build_ref ref);

/* dwarf_build_symbols.c: the file's symbol tables; frees with g_free(). */
void build_symbols(struct build_merged *m);
/* First symbol at that very address, or NONE. */
uint32_t build_symbol_at(const struct build_merged *m, uint64_t addr);

/* dwarf_build_write.c: the tables of merged records, and the file. */
void build_tables(struct build_merged *m);
int build_assemble(struct build_merged *m, uint64_t key, struct blob *ret, char **err);

/* All of it. */
int dwarf_build(struct dwarf_file *f, uint64_t key, struct blob *ret, char **err);

#endif
