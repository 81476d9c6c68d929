/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of the current process, followed with its files' tables of frames (stp_utab.h). */
#ifndef STP_USTACK_H
#define STP_USTACK_H

#include "stp.h"

#define STP_USTACK_MAX 64

/* The current task's user registers: the probe's own where it hit in user mode, else those with which the task came into the
 * kernel.  NULL: a kernel thread.  Any context. */
const struct pt_regs *stp_user_regs(struct stp_ctx *c);
/*
 * Addresses from the innermost frame outwards, at most max: the first is where the task is in user mode, the others are return
 * addresses.  None for a kernel thread.  Any context; bounded by max.
 */
u32 stp_ustack_frames(struct stp_ctx *c, u64 *pc, u32 max);
/* The same from a pc, stack and frame pointer that the script gives. */
u32 stp_ustack_frames_from(struct stp_ctx *c, u64 ip, u64 sp, u64 bp, u64 *pc, u32 max);

/* As stp_usym_cache(). */
void stp_ustack_cache(bool make) __weak;

#endif
