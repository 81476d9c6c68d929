/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF locations as lowered expressions: where a variable is at one address of the program, in terms of the
 * registers of `struct pt_regs` and of loads from memory (../target.h).
 *
 * x86-64: registers 0 to 15 and the return address (System V ABI, "DWARF register number mapping").  All nodes come from
 * the session's arena.
 */
#ifndef STAP_DWARF_LOC_H
#define STAP_DWARF_LOC_H

#include "dwarf_die.h"
#include "../ast.h"

struct session;

/* The place at which locations are looked at.  The caller fills it and keeps it. */
struct loc_env {
	struct session *s;
	struct loc at;             /* for the nodes */
	Dwarf_CFI *debug_frame, *eh_frame; /* each may be NULL */
	Dwarf_Die func;            /* the concrete function around pc: its frame base; addr NULL: none */
	uint64_t pc;
	uint64_t entry;            /* address of the function's first instruction */
	bool user;                 /* memory is the current process' */
	/* The run-time address of a file address; NULL with env->why set. */
	struct expr *(*address)(struct loc_env *env, uint64_t addr);
	/* The address of a thread-local variable; NULL with env->why set. */
	struct expr *(*tls)(struct loc_env *env, uint64_t offset);
	void *data;                /* the callbacks' own */
	/* why something cannot be told; set when a function below returns -1 or NULL.  Lives as long as the session. */
	const char *why;
	int depth;                 /* expressions in expressions */
};

enum piece_kind {
	PIECE_NONE,                /* optimised out */
	PIECE_MEMORY,              /* e: its address */
	PIECE_REGISTER,            /* e: the register, which can be written to */
	PIECE_VALUE,               /* e: the value */
	PIECE_BYTES,               /* bytes, nbytes: a constant */
	PIECE_VECTOR,              /* reg: number of an SSE register, from 0 */
	PIECE_POINTER,             /* a pointer into something that is in no memory: `target` + offset */
};

struct loc_piece {
	enum piece_kind kind;
	struct expr *e;
	const uint8_t *bytes;      /* belongs to the Dwarf */
	size_t nbytes;
	unsigned reg;
	Dwarf_Die target;
	int64_t offset;
	uint64_t bits;             /* how long the piece is; 0: all of the variable */
	unsigned bit;              /* the piece begins at this bit of e */
};

struct location {
	struct loc_piece *piece;
	unsigned npieces;          /* 0: the variable has no location here (optimised out) */
};

/* The location or constant value of a variable at env->pc.  0, or -1 with env->why. */
int loc_find(struct loc_env *env, Dwarf_Die *var, struct location *ret);

/*
 * Calls fn for each address range in which a variable has a location that can be read anywhere in it; false when it has the same one everywhere in
 * its scope (or none at all).
 */
bool loc_ranges(Dwarf_Die *var, void (*fn)(void *data, uint64_t start, uint64_t end), void *data);
/* True when the variable is described by one slot of its function's own frame, as compilers do without optimisation: one
 * that the function itself has to fill. */
bool loc_is_frame_slot(Dwarf_Die *var, Dwarf_Die *func);
/* The same where the slot has but the variable's address. */
bool loc_is_frame_address(Dwarf_Die *var, Dwarf_Die *func);

/* A variable that is in the caller's frame at some of its function's addresses: bytes from the CFA on. */
bool loc_caller_slot(Dwarf_Die *var, int64_t *offset);

/* The file address of a variable that has a fixed one. */
bool loc_static_address(Dwarf_Die *var, uint64_t *addr);

/* ---- between dwarf_loc*.c ---- */

/*
 * A location attribute of the entry or its origins; false when there is none.  Go's compiler writes expressions as blocks also in DWARF 4,
 * where libdw no longer takes those for expressions: they become what they mean, which is encoded alike.
 */
bool loc_attr(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attr);

/* A list of operations and the attribute that it comes from. */
struct loc_ops {
	Dwarf_Attribute *attr;     /* NULL in call frame information */
	Dwarf_Op *op;
	size_t n;
};

/* dwarf_loc_op.c: runs the operations.  0 or -1 with env->why. */
int loc_run(struct loc_env *env, const struct loc_ops *ops, struct location *ret);
/* The same for operations whose result is one value (a frame base, a CFA). */
struct expr *loc_run_value(struct loc_env *env, const struct loc_ops *ops);
/* dwarf_loc_frame.c: the value of the frame base of env->func, and the CFA, at env->pc.  NULL with env->why. */
struct expr *loc_frame_base(struct loc_env *env);
struct expr *loc_cfa(struct loc_env *env);

/* dwarf_loc_expr.c: nodes; constants are folded. */
struct expr *loc_num(struct loc_env *env, int64_t n);
struct expr *loc_binary(struct loc_env *env, enum op op, struct expr *a, struct expr *b);
/* General register of the machine by its DWARF number; NULL with env->why for others. */
struct expr *loc_register(struct loc_env *env, unsigned reg);
/* How many nodes. */
unsigned loc_weight(const struct expr *e);
int loc_fail(struct loc_env *env, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

#endif
