/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kinds of process(...) points share: probe_process*.c. */
#ifndef STAP_PROBE_PROCESS_H
#define STAP_PROBE_PROCESS_H

#include "probe_util.h"
#include "user_elf.h"
#include "user_site.h"

struct dwarf_scope;

/* struct probe.priv of a probe in a program. */
struct user_context {
	struct user_object object;
	struct dwarf_scope *scope;       /* where there is debuginfo, or NULL */
	const struct user_mark *mark;    /* of a mark */
	bool plt;                        /* of a linkage stub: $$name is its name */
	bool data;                       /* a watchpoint */
	const char *name;
};

/* A point being derived. */
struct user_point {
	struct session *s;
	const struct point *p;
	size_t at;                       /* index of the word that says what is probed */
	bool uses_target;
	bool at_returns;                 /* .return.instruction */
	GPtrArray *out;                  /* struct probe * */
};

/*
 * user_returns.c: does the program move its stacks (Go)?  Has it code that exceptions (C++, Rust's panics) pass through?  A function's
 * start and where it is left, its return instructions and jumps to other functions, *n of them; NULL when they cannot be found, after diag_error with `must`, or
 * when there are none because it never returns (*never; not with `must`).
 */
bool user_moves_stacks(const struct user_elf *ue);
bool user_has_exceptions(const struct user_elf *ue);
/* ... of its own language's making?  C libraries have such code for what others throw through them. */
bool user_throws(const struct user_elf *ue);
/* Is one of them a jump to a function that is not followed? */
bool user_jumps_out(const struct user_place *places, size_t n);
struct user_place *user_return_places(struct user_point *up, const struct user_object *o, const struct user_place *f, bool must, size_t *n,
				     bool *never);

/* user_code.c: the bytes at an address of the file; NULL when they are not all there. */
const uint8_t *user_code_at(const struct user_elf *ue, uint64_t addr, uint64_t size);
/*
 * Is the instruction there one that a breakpoint would turn into nothing?  The kernel's uprobes take what has the opcode 0x90 for a nop, whatever
 * its prefixes (arch/x86/kernel/uprobes.c, branch_setup_xol_ops); with REX.B it is `xchg %r8, %rax`.
 */
bool user_is_mistaken_nop(const struct user_elf *ue, uint64_t addr);

/* Each derives the point for one object: how many probes came, or -1 after diag_error. */
int user_derive_function(struct user_point *up, const struct user_object *o);
int user_derive_statement(struct user_point *up, const struct user_object *o);
int user_derive_mark(struct user_point *up, const struct user_object *o);
int user_derive_plt(struct user_point *up, const struct user_object *o);
int user_derive_data(struct user_point *up, const struct user_object *o);
/* Events of tasks, and of their mappings, for all objects: 0, or -1. */
int user_derive_task(struct user_point *up, const GArray *objects);
int user_derive_vma(struct user_point *up, const GArray *objects);

/* Context variables of marks, of task events, of mappings. */
struct expr *user_mark_target(struct session *s, struct probe *p, struct expr *e, bool lvalue);
void user_mark_vars(struct session *s, struct probe *p, GString *out);
struct expr *user_data_target(struct session *s, struct probe *p, struct expr *e, bool lvalue);
void user_data_vars(GString *out);
struct expr *user_task_target(struct session *s, struct probe *p, struct expr *e, bool lvalue);
void user_task_vars(struct session *s, struct probe *p, GString *out);
struct expr *user_vma_target(struct session *s, struct probe *p, struct expr *e, bool lvalue);
void user_vma_vars(struct session *s, struct probe *p, GString *out);

/* A probe for `o` whose point is the object's text and `rest` (".function(\"x\").return"). */
struct probe *user_probe_new(struct user_point *up, const struct user_object *o, enum attach_kind attach, const char *rest);
/*
 * Probes on n places: one on each where the handler has variables, else one on all; `rest` has a byte \001 where the
 * place's name belongs.
 */
int user_add_probes(struct user_point *up, const struct user_object *o, enum attach_kind attach, const struct user_place *places,
		    size_t n, const char *rest, int64_t maxactive);

#endif
