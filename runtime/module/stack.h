/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel stacks. */
#ifndef STP_STACK_H
#define STP_STACK_H

#include "stp.h"

/*
 * Return addresses from the probe outwards, at most max; the first is the probed function's own.  None when the
 * probe interrupted user code.  Any context.
 */
u32 stp_stack_frames(struct stp_ctx *c, u64 *pc, u32 max);
/* Where another task waits in the kernel; none for one that runs, and for what is no task.  Not from NMIs. */
u32 stp_stack_of_task(u64 task, u64 *pc, u32 max);
#endif
