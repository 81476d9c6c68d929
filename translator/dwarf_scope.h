/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables of a probe that rests on DWARF: what a provider (probe_kernel.c, probe_statement.c, probe_process.c ...)
 * fills in when it derives the probe, and what it calls to lower `$name` and to list variables for -L.
 */
#ifndef STAP_DWARF_SCOPE_H
#define STAP_DWARF_SCOPE_H

#include "provider.h"

struct dwarf_file;   /* debuginfo/dwarf_file.h */
struct types_module; /* debuginfo/types.h */

/* Where a probe is; in the session's arena.  The provider fills the first part, all else zero. */
struct dwarf_scope {
	struct dwarf_file *file;     /* lives as long as the session */
	uint64_t die;                /* offset in .debug_info of the concrete function (DW_TAG_subprogram) or inlined instance
	                              * (DW_TAG_inlined_subroutine) whose variables are meant; 0: none is known, so globals
	                              * only.  Blocks in it that hold pc are found from there, inlined instances in it are not
	                              * looked into. */
	uint32_t cu;                 /* the unit's number in the index (dwarf_index.h), where it is not the one with code at pc */
	uint64_t pc;                 /* file address of the probed instruction (an ELF virtual address; of a relocatable
	                              * object, the address that dwarf_file.h gives it); of the entry when is_return */
	bool user;                   /* a user program: memory is the current process' */
	bool is_return;              /* a return probe: variables are as they were at the entry, and there is $return */
	bool bad_build;              /* the file is of another build than what will be probed: nothing may rest on it */
	/* private to target_dwarf*.c */
	struct types_module *module;
	bool at_entry;               /* @entry() is being lowered */
};

/*
 * Lowers a context variable (EX_TARGET: `$x`, `$x->y[1]`, `&$x`, `$$vars` ..., EX_ENTRY) of a handler of p at sc; as
 * provider.target.  In a user program registers are those of `struct pt_regs` too; relocated addresses of the probed
 * file are taken from stp_ctx.ip, which has to be the run-time address of sc->pc.  NULL after diag_error.
 */
struct expr *dwarf_target(struct session *s, struct probe *p, struct dwarf_scope *sc, struct expr *e, bool lvalue);

/* True when the function that the scope is in takes other parameters than its source says (DW_CC_nocall), or may: a program's f.constprop.0. */
bool dwarf_params_changed(struct session *s, struct probe *p, struct dwarf_scope *sc);

/* -L: appends " $name:type" for each variable visible at sc that has a value there; as provider.vars. */
void dwarf_vars(struct session *s, struct probe *p, struct dwarf_scope *sc, GString *out);

/*
 * The scope of a function of the kernel or a module (name NULL: the kernel) by its name alone, where debug information of it is
 * on this machine and has one such function; NULL without a word otherwise.
 */
struct dwarf_scope *dwarf_function_scope(struct session *s, const char *module, const char *func, bool is_return);

/*
 * @var("name"), @var("name@file"), @var("name@file", "module" or "/path/program") in a handler at sc, or with sc NULL
 * where no DWARF scope is known (functions, timers): the kernel, then.  NULL after diag_error.
 */
struct expr *dwarf_atvar(struct session *s, struct probe *p, struct dwarf_scope *sc, struct expr *e, bool lvalue);

#endif
