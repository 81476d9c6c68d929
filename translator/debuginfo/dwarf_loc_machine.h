/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack machine that runs the operations of DWARF locations at translation time: values on its stack are nodes, to be
 * evaluated when the probe is hit.  Private to dwarf_loc_op.c and dwarf_loc_stack.c.
 */
#ifndef STAP_DWARF_LOC_MACHINE_H
#define STAP_DWARF_LOC_MACHINE_H

#include "dwarf_loc.h"

#define LOC_STACK 32      /* values */
#define LOC_WEIGHT 400    /* nodes of one value: beyond, a location is refused */

/* A value; typed ones (DWARF 5) are kept extended to 64 bits as their type says. */
struct loc_value {
	struct expr *e;
	unsigned size;            /* bytes of its type; 0: the generic type */
	bool is_signed;
	bool is_unsigned64;       /* of an unsigned type of 8 bytes: not to be compared as a signed number */
};

struct loc_machine {
	struct loc_env *env;
	const struct loc_ops *ops;
	struct loc_value stack[LOC_STACK];
	unsigned n;
	struct loc_piece now;     /* the simple location described so far; PIECE_NONE: what is on the stack, if anything */
	bool ended;               /* stack_value, a register ...: only a piece may follow */
	GArray *pieces;           /* struct loc_piece */
	unsigned steps;
};

/* 1: done; 0: no such operation; -1 with env->why. */
int loc_stack_op(struct loc_machine *m, const Dwarf_Op *op);

int loc_push(struct loc_machine *m, struct expr *e);      /* generic; NULL: passes a failure on */
int loc_pop(struct loc_machine *m, struct loc_value *v);

#endif
