/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defines: stp_user_xmm */
/* Low halves of the vector registers of the user program that was hit: where its floating-point values are. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <asm/cpufeature.h>
#include "port.h"
#include "compat/fpu.h"

#define SSE_FEATURE 2 /* in the header of a saved state: clear when all of its registers are 0 */

/* Saved, unless they are still in the CPU: the kernel saves them before it uses any. Interrupts are off. */
static const u64 *saved_register(unsigned int n)
{
	const union fpregs_state *regs;
	static const u64 zero;

	if (!test_thread_flag(TIF_NEED_FPU_LOAD))
		return NULL;
	regs = stp_saved_fpu(current);
	if (boot_cpu_has(X86_FEATURE_XSAVE) && !(regs->xsave.header.xfeatures & SSE_FEATURE))
		return &zero;
	return (const u64 *)&regs->fxsave.xmm_space[4 * n];
}

#define XMM(n)									\
s64 stp_user_xmm##n(struct stp_ctx *c);						\
s64 stp_user_xmm##n(struct stp_ctx *c)						\
{										\
	const u64 *saved;							\
	s64 v;									\
										\
	if (!current->mm) {							\
		stp_fail(c, "a register of a program is asked for outside of one"); \
		return 0;							\
	}									\
	saved = saved_register(n);						\
	if (saved)								\
		return (s64)*saved;						\
	asm volatile("movq %%xmm" #n ", %0" : "=r"(v));				\
	return v;								\
}

XMM(0) XMM(1) XMM(2) XMM(3) XMM(4) XMM(5) XMM(6) XMM(7)
XMM(8) XMM(9) XMM(10) XMM(11) XMM(12) XMM(13) XMM(14) XMM(15)
