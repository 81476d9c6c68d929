/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the stacks of probes and those of tasks. */
#ifndef STP_STACK_WALK_H
#define STP_STACK_WALK_H

#include <asm/unwind.h>
#include "stack.h"

/* Writes addresses from pc[n] on, at most up to pc[max - 1], until the stack ends; skip_own: from the first that is not
 * this module's. How many there are in pc then. */
u32 stp_stack_walk(struct unwind_state *st, u64 *pc, u32 n, u32 max, bool skip_own);

#endif
