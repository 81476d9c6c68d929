/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/sched.h>
#include <asm/fpu/types.h>
#include <asm/fpu/sched.h>
const union fpregs_state *stp_probe(struct task_struct *t);
const union fpregs_state *stp_probe(struct task_struct *t)
{
	return &x86_task_fpu(t)->fpstate->regs;
}
