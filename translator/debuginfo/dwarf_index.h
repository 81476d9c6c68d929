/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one ELF file with DWARF has, by name and by address: compilation units, source files, functions,
 * inlined instances, labels, variables, types, symbols, and the line table.  Made once by skimming the debug
 * information with all processors, kept in the cache under the build id, mapped by later runs; line tables
 * and call sites are decoded from the DWARF when they are asked for, a unit at a time.
 *
 * Objects are named by small numbers (`func`, `inlined` ... below), which are stable for one index file only.
 * Strings and records returned by pointer live as long as the index.  Addresses are file addresses
 * (dwarf_file.h).  DIE offsets are those of libdw (dwarf_dieoffset), in .debug_info of the file or of the
 * unit's split file; dwarf_index_die() makes the DIE of them.  Nothing here fails on absence: an empty answer
 * is an answer.  Lists are GArray, to be freed with g_array_free(TRUE), sorted as told.
 */
#ifndef STAP_DWARF_INDEX_H
#define STAP_DWARF_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>
#include <elfutils/libdw.h>

struct cache;
struct dwarf_file;
struct dwarf_index;

#define DWARF_NONE UINT32_MAX   /* no such unit, file, function ... */

/* flags of functions, inlined instances, variables, types, units */
enum dwarf_flag {
	DWARF_EXTERNAL    = 1 << 0, /* visible outside its unit */
	DWARF_INLINE      = 1 << 1, /* abstract: inlined somewhere (DW_AT_inline 1 or 3); may have instances */
	DWARF_DECLARATION = 1 << 2, /* type: no definition in this record */
	DWARF_CONCRETE    = 1 << 3, /* function: has code of its own at entry_pc */
	DWARF_CLONE       = 1 << 4, /* the symbol at its entry has a .constprop/.isra/.part/.cold-like tail */
	DWARF_PARTIAL     = 1 << 5, /* clone by .part or .cold: not entered as a call of the function */
	DWARF_ARTIFICIAL  = 1 << 6, /* made by the compiler */
	DWARF_LOCAL       = 1 << 7, /* variable: static inside a function */
	DWARF_OPTIMISED   = 1 << 8, /* unit: compiled with optimisation, as far as DW_AT_producer tells (default: yes) */
	DWARF_NORETURN    = 1 << 9, /* function: DW_AT_noreturn */
	DWARF_PROTOTYPED  = 1 << 10,
	DWARF_SPLIT       = 1 << 11,/* unit: its DIEs are in a .dwo or .dwp file */
	DWARF_SYMBOL_ONLY = 1 << 12,/* function known from the ELF symbol table alone: no DIE, no file */
};

struct dwarf_cu {
	const char *name;        /* DW_AT_name made canonical */
	const char *comp_dir;    /* or "" */
	uint64_t die_offset;     /* of the unit's DIE (the skeleton's when split) */
	uint16_t lang;           /* DW_LANG_*, 0: not told */
	uint16_t flags;
};

struct dwarf_range { uint64_t low, high; /* high is behind the end */ };

struct dwarf_func {
	const char *name;        /* as written in the source: "vfs_read", "method", "operator<<" */
	const char *qualified;   /* with scopes: "ns::Class::method"; same pointer as name when there are none */
	const char *linkage;     /* mangled name, or NULL */
	const char *symbol;      /* ELF symbol at the entry ("foo.isra.0"), the best of several; NULL: none or abstract */
	const char *file;        /* canonical absolute path of the declaration, NULL: not told */
	uint32_t file_id;        /* or DWARF_NONE */
	uint32_t line;           /* 0: not told */
	uint32_t cu;             /* DWARF_NONE: DWARF_SYMBOL_ONLY */
	uint32_t flags;
	uint32_t origin;         /* of an out-of-line copy of an inline function or a clone: the abstract function, else DWARF_NONE */
	uint64_t die_offset;
	uint64_t entry_pc;       /* when DWARF_CONCRETE */
	uint64_t high_pc;        /* end of the range that holds entry_pc */
	uint64_t prologue_pc;    /* first statement behind the prologue; entry_pc when there is none to see */
	uint32_t nranges;        /* dwarf_index_func_ranges() */
};

struct dwarf_inlined {
	uint32_t func;           /* the abstract function */
	uint32_t caller;         /* the concrete function whose code it is in */
	uint32_t parent;         /* the inlined instance around it, or DWARF_NONE */
	uint32_t cu;
	uint64_t die_offset;
	uint64_t entry_pc;       /* DW_AT_entry_pc, else the start of its first range */
	const char *call_file;   /* canonical, or NULL */
	uint32_t call_line;
};

struct dwarf_label {
	const char *name;
	uint32_t func;           /* function around it */
	uint32_t inlined;        /* innermost inlined instance around it, or DWARF_NONE */
	uint64_t die_offset, pc;
	const char *file;
	uint32_t line;
};

struct dwarf_var {
	const char *name, *qualified, *linkage; /* as of functions */
	const char *file;
	uint32_t file_id, line, cu, flags;
	uint64_t die_offset;     /* of the DIE that has the location */
	uint32_t func;           /* with DWARF_LOCAL: function around it, or DWARF_NONE */
};

struct dwarf_type {
	const char *name;
	const char *qualified;   /* "ns::Class::Inner"; same pointer as name when there are no scopes */
	uint16_t tag;            /* DW_TAG_structure_type, _union_type, _enumeration_type, _class_type, _typedef, _base_type ... */
	uint16_t flags;          /* DWARF_DECLARATION */
	uint32_t cu;             /* the first unit that has it */
	uint64_t die_offset;
	uint32_t size;           /* bytes, 0: not told */
	const char *file;        /* of the declaration, or NULL */
	uint32_t line;
};

struct dwarf_symbol {
	const char *name;
	uint64_t addr, size;
	uint8_t type, bind;      /* STT_FUNC ..., STB_GLOBAL ... */
	uint8_t visibility;      /* STV_* */
};

/* line row flags */
enum { DWARF_LINE_STMT = 1, DWARF_LINE_PROLOGUE_END = 2, DWARF_LINE_END_SEQUENCE = 4 };

struct dwarf_line {
	uint64_t addr;
	uint32_t file_id;        /* dwarf_index_file() */
	uint32_t line;
	uint16_t column;
	uint16_t flags;          /* DWARF_LINE_* */
	uint32_t cu;
};

struct dwarf_call {
	uint64_t return_pc;      /* address behind the call; for a tail call, where the jump's site is told to be */
	const char *callee;      /* name of the called function, NULL: through a pointer */
	const char *linkage;     /* its mangled name, or NULL */
	bool tail;
	bool external;           /* the called function is visible in other units */
};

/*
 * The index of `f`: from the cache `c` (NULL: none), or built and kept there; a damaged or outdated one is built
 * anew.  Building says so on a terminal when it takes longer than half a second.  Returns 0, or -1 with *err
 * that names the file (DWARF too damaged to be read at all; single damaged units are left out and counted).
 */
int dwarf_index_open(struct dwarf_file *f, struct cache *c, struct dwarf_index **ret, char **err);
void dwarf_index_close(struct dwarf_index *ix);

struct dwarf_index_info {
	unsigned cus, files, funcs, inlined, labels, vars, types, symbols;
	unsigned damaged_cus;    /* left out */
	unsigned missing_splits; /* units whose DIEs are in .dwo files that were not found */
	bool built;              /* by this open */
	double seconds;          /* it took */
};
void dwarf_index_info(const struct dwarf_index *ix, struct dwarf_index_info *ret);

/* The DIE at `offset` in unit `cu` (follows split units); false when there is none. */
bool dwarf_index_die(struct dwarf_index *ix, uint32_t cu, uint64_t offset, Dwarf_Die *ret);

/* Records by number; *ret is filled; false (and *ret zeroed) for a number out of range. */
bool dwarf_index_cu(const struct dwarf_index *ix, uint32_t cu, struct dwarf_cu *ret);
bool dwarf_index_func(const struct dwarf_index *ix, uint32_t func, struct dwarf_func *ret);
bool dwarf_index_inlined(const struct dwarf_index *ix, uint32_t inlined, struct dwarf_inlined *ret);
bool dwarf_index_label(const struct dwarf_index *ix, uint32_t label, struct dwarf_label *ret);
bool dwarf_index_var(const struct dwarf_index *ix, uint32_t var, struct dwarf_var *ret);
bool dwarf_index_type(const struct dwarf_index *ix, uint32_t type, struct dwarf_type *ret);
bool dwarf_index_symbol(const struct dwarf_index *ix, uint32_t symbol, struct dwarf_symbol *ret);
/* Canonical absolute path of a source file, NULL out of range. */
const char *dwarf_index_file(const struct dwarf_index *ix, uint32_t file_id);

/*
 * Patterns.  `name`: fnmatch-like (`*`, `?`, `[a-z]`), NULL or "*": all.  Of functions and variables it is compared
 * with the plain name; where it has `::` with the trailing scopes of the qualified name; and always with the
 * linkage name and its demangled form (C++ and Rust) as a whole, without and with parameters.  `file`: NULL for any; a path or
 * its trailing components (`foo.c`, `fs/foo.c`, `/usr/src/linux/fs/foo.c`), `./`, `../` and doubled slashes removed,
 * wildcards allowed (`*` matches `/` too); one with a directory that exists here is also tried with its symbolic links
 * resolved.
 */

/* Ids (uint32_t) of the source files that match. Sorted by path. */
GArray *dwarf_index_files(struct dwarf_index *ix, const char *file);
/* Units whose primary source file matches, or (`any_line`) that have code from a matching file. uint32_t. */
GArray *dwarf_index_cus(struct dwarf_index *ix, const char *file, bool any_line);

/* Which functions dwarf_index_funcs() gives. */
enum dwarf_want {
	DWARF_WANT_CONCRETE = 1,     /* with code of their own, one record for each entry address */
	DWARF_WANT_ABSTRACT = 2,     /* inline functions (abstract records), to be followed by dwarf_index_inlined_of() */
	DWARF_WANT_PARTIAL = 4,      /* with CONCRETE: .part and .cold pieces too */
	DWARF_WANT_SYMBOLS = 8,      /* functions of the ELF symbol tables that no DIE describes (only when `file` is NULL) */
};
/*
 * Functions by name and the file that they are written in (a header's inline matches the header, not the units that
 * include it; where the file is not told, the unit's primary file counts). uint32_t, sorted by name, then address or DIE.
 * Other symbols at a function's entry are names of it too.
 */
GArray *dwarf_index_funcs(struct dwarf_index *ix, const char *name, const char *file, unsigned want);
/* Inlined instances of an abstract function, in all units, sorted by entry address. uint32_t. */
GArray *dwarf_index_inlined_of(struct dwarf_index *ix, uint32_t func);
/* Inlined instances in the code of a concrete function, outermost first, in DIE order. */
GArray *dwarf_index_inlined_in(struct dwarf_index *ix, uint32_t func);
/* Labels by name pattern in a function (and the instances inlined into it). */
GArray *dwarf_index_labels(struct dwarf_index *ix, uint32_t func, const char *name);
/* Calls in the code of a concrete function (struct dwarf_call), sorted by address. */
GArray *dwarf_index_calls(struct dwarf_index *ix, uint32_t func);
/* Of functions with the name that a call in `caller` has (uint32_t), leaves those that it may mean: local ones are called in
 * their own unit only. */
void dwarf_index_keep_callable(struct dwarf_index *ix, uint32_t caller, const struct dwarf_call *call, GArray *funcs);
/* Ranges of a concrete function (struct dwarf_range), the one with the entry first. */
GArray *dwarf_index_func_ranges(struct dwarf_index *ix, uint32_t func);

/* The concrete function with code at `addr`, or DWARF_NONE; symbol-only ones where DWARF has none. */
uint32_t dwarf_index_func_at(struct dwarf_index *ix, uint64_t addr);
/* The instances inlined at `addr`, outermost first (uint32_t): empty when none. */
GArray *dwarf_index_inlined_at(struct dwarf_index *ix, uint64_t addr);
/* The unit with code at `addr`, or DWARF_NONE. */
uint32_t dwarf_index_cu_at(struct dwarf_index *ix, uint64_t addr);
/* The row of the line table that covers `addr`; false when there is none. */
bool dwarf_index_line_at(struct dwarf_index *ix, uint64_t addr, struct dwarf_line *ret);

/*
 * Where statements of lines `first` to `last` inclusive (0 and UINT32_MAX: all) of matching files begin, in all units: rows with
 * the statement flag whose predecessor is of another line; one for each line and address, sorted by line, then address
 * (struct dwarf_line).  Rows of line 0 are left out.
 */
GArray *dwarf_index_lines(struct dwarf_index *ix, const char *file, uint32_t first, uint32_t last);
/* The same restricted to the code of one concrete function; `file` NULL: whatever files it has code from. */
GArray *dwarf_index_func_lines(struct dwarf_index *ix, uint32_t func, const char *file);
/* The lines nearest to `line` in matching files that have statements: below and above, 0 when there is none. */
void dwarf_index_nearest(struct dwarf_index *ix, const char *file, uint32_t line, uint32_t *below, uint32_t *above);
/* All rows of a unit's line table sorted by address (struct dwarf_line), end-of-sequence rows included. */
GArray *dwarf_index_cu_lines(struct dwarf_index *ix, uint32_t cu);

/* Variables by name and file; with `locals` also those static in functions.  Declarations are not there. */
GArray *dwarf_index_vars(struct dwarf_index *ix, const char *name, const char *file, bool locals);
/* Types of that tag (0: any) with exactly that name (with `::`: exactly those trailing scopes), definitions first, then in
 * order of units. */
GArray *dwarf_index_types(struct dwarf_index *ix, int tag, const char *name);
/* Calls fn for the name of every type of that tag. */
void dwarf_index_type_names(struct dwarf_index *ix, int tag, void (*fn)(void *data, const char *name), void *data);

/* Symbols (uint32_t): of that name pattern, sorted by address; functions only or all defined ones. */
GArray *dwarf_index_symbols(struct dwarf_index *ix, const char *name, bool functions_only);
/* The symbol that covers `addr` (its size, else up to the next), the best-known of several; DWARF_NONE. */
uint32_t dwarf_index_symbol_at(struct dwarf_index *ix, uint64_t addr);

/* `name` demangled (C++, Rust) without parameters, NULL when it is no mangled name. g_free() it. */
char *dwarf_demangle(const char *name, bool parameters);
/* A path without `.`, `..` and doubled slashes, joined to `dir` when relative.  g_free() it. */
char *dwarf_canonical_path(const char *dir, const char *path);
/* Whether a canonical path matches a file pattern as told above (without looking at links). */
bool dwarf_file_pattern_match(const char *pattern, const char *path);

#endif
