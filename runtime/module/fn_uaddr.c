/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the current task is in its program. */
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "context.h"
#include "fn.h"
#include "fn_more.h"

/* The user's instruction: where the probe is, or where the task entered the kernel. */
s64 stp_fn_uaddr(struct stp_ctx *c)
{
	const struct pt_regs *r = (const struct pt_regs *)stp_registers(c);

	if (r && user_mode((struct pt_regs *)r))
		return r->ip;
	if (in_interrupt() || current->flags & PF_KTHREAD)
		return 0;
	return task_pt_regs(current)->ip;
}
