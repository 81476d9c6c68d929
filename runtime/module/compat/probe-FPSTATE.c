/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/sched.h>
#include <asm/fpu/types.h>
const union fpregs_state *stp_probe(struct task_struct *t);
const union fpregs_state *stp_probe(struct task_struct *t)
{
	return &t->thread.fpu.fpstate->regs;
}
