/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a task's floating-point registers are kept while they are not in the CPU: names that changed. */
#ifndef STP_COMPAT_FPU_H
#define STP_COMPAT_FPU_H

#include <linux/sched.h>
#include <asm/fpu/types.h>
#ifdef STP_HAVE_TASK_FPU
#include <asm/fpu/api.h>
#include <asm/fpu/sched.h>
#endif

static inline const union fpregs_state *stp_saved_fpu(struct task_struct *t)
{
#if defined(STP_HAVE_TASK_FPU) /* 6.16: cb7ca40a3882 */
	/* x86_task_fpu(), which is a function that modules can not call where the kernel checks its use (CONFIG_X86_DEBUG_FPU) */
	return &((const struct fpu *)(t + 1))->fpstate->regs;
#elif defined(STP_HAVE_FPSTATE) /* 5.16: 87d0e5be0fac */
	return &t->thread.fpu.fpstate->regs;
#else
	return &t->thread.fpu.state;
#endif
}
#endif
