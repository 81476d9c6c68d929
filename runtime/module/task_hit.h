/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers of task events, and the library's functions about tasks as such handlers see them. */
#ifndef STP_TASK_HIT_H
#define STP_TASK_HIT_H

#include "context.h"

/*
 * Runs a handler about `subject`, which is the current task, or one that does not run or is held by a reference: what
 * pid() and others tell is the subject's.  args: of STP_VMA (stp.h), else NULL.
 */
void stp_task_hit(const struct stp_probe *p, struct task_struct *subject, struct pt_regs *regs, const u64 *args);
#endif
