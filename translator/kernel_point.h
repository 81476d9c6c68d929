/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points of kernel and module code: what one asks for, as probe_kernel.c reads it, and how places that debuginfo knows
 * (probe_function.c, probe_statement.c) become probes (kernel_place.c).
 */
#ifndef STAP_KERNEL_POINT_H
#define STAP_KERNEL_POINT_H

#include "kernel_traceable.h"
#include "dwarf_scope.h"
#include "point_pattern.h"
#include "probe_util.h"
#include "target.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"

/* What a point asks for. */
struct wanted {
	struct session *s;
	const struct point *p;
	struct point_pattern pat;
	const char *pattern;       /* pat.func */
	bool has_addr;             /* function(ADDRESS), statement(ADDRESS) */
	uint64_t addr;
	bool is_return, is_call, is_inline, exported, nearest, wild;
	const char *label;         /* .label("L") */
	const char *callee;        /* .callee("x"); .callees: "*" */
	int64_t depth;             /* of callees, 1 unless .callees(N) */
	bool any_module;           /* a pattern of modules: that one is not loaded is no matter */
	bool is_statement;
	int64_t maxactive;
	bool uses_target;
	const char *path;          /* module("/path/x.ko"), or NULL */
	GHashTable *symvers;       /* exported names, loaded when asked for */
	GPtrArray *names;          /* matches in the module at hand */
};

/* struct probe.priv of a probe of this provider. */
struct kernel_context {
	struct func_context fc;    /* first: target_func.c looks for it there; without DWARF all there is */
	struct dwarf_scope *sc;    /* or NULL */
};

/* Debuginfo of the kernel or of one module, open. */
struct kernel_debug {
	struct dwarf_file *f;
	struct dwarf_index *ix;
	const char *module;        /* NULL: the kernel */
	bool has_init;             /* init_low to init_high: code that is gone once the kernel is up */
	uint64_t init_low, init_high;
	struct kernel_traceable traceable; /* while places of a wildcard become probes */
};

/* A place to probe. */
struct kernel_place {
	uint64_t pc;
	enum attach_kind attach;   /* ATTACH_ENTRY, ATTACH_RETURN (pc is the entry) or ATTACH_ADDRESS */
	uint64_t die;              /* as in struct dwarf_scope ... */
	uint32_t cu;               /* ... with its unit */
	const char *name, *file;   /* of the function as the source has it; file NULL: not told */
	uint32_t line;             /* the declaration's, or the statement's */
	const char *comp_dir;      /* file names begin there, or NULL */
	struct expr *condition;    /* or NULL */
	const char *caller;        /* .callee: the function that calls it; else NULL */
	const char *label;         /* .label: its name; else NULL */
};

/*
 * kernel_place.c.  Opens the debuginfo; with `what` (the part of the point that needs it) says why when there is none; with
 * `what` NULL, symbols without debuginfo will do for a module.  1: there is debuginfo of another build: the warning names
 * both, and the probe is dropped.  -1 after diag_error (or in silence when `what` is NULL).
 */
int kernel_debug_open(struct wanted *w, const char *module, const char *what, struct kernel_debug *d);
/* Is it a function of the compiler's or the tracing machinery's making? */
bool kernel_name_hidden(const char *name);
/* After an error that there is no function `w->pattern` (in `w->pat.file`): where there is one, or one that is called nearly so. */
void kernel_help_function(struct wanted *w, struct kernel_debug *d);
bool kernel_name_exported(const struct wanted *w, const struct kernel_debug *d, const struct dwarf_func *fn);
bool kernel_pc_init(const struct kernel_debug *d, uint64_t pc);
/* Fills in name, file, line and die from a concrete function or an inlined instance (DWARF_NONE: none). */
void kernel_place_name(struct kernel_debug *d, struct kernel_place *pl, uint32_t func, uint32_t inlined);
/* Probes for the places (struct kernel_place; sorted and freed here), each address once: returns how many there are. */
int kernel_places_derive(struct wanted *w, struct kernel_debug *d, GArray *places, GPtrArray *out);
/* A probe that stands for one that is dropped with a warning. */
int kernel_derive_dropped(struct wanted *w, GPtrArray *out);

/* probe_function.c: returns how many probes came, 0 when there is no such function, -1 after diag_error. */
int function_dwarf(struct wanted *w, struct kernel_debug *d, GPtrArray *out);
/* probe_statement.c: 0, -1 after diag_error. */
int statement_dwarf(struct wanted *w, struct kernel_debug *d, GPtrArray *out);

#endif
