/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Kernel stacks, from the probe's registers, by the kernel's own unwinder. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "context.h"
#include "stack_walk.h"

/* ftrace callbacks without all registers: the stack pointer is there, the code segment is not. */
static bool regs_are_full(const struct pt_regs *regs)
{
	return regs->cs;
}

u32 stp_stack_walk(struct unwind_state *st, u64 *pc, u32 n, u32 max, bool skip_own)
{
	unsigned long addr;

	for (; n < max && !unwind_done(st); unwind_next_frame(st)) {
		addr = unwind_get_return_address(st);
		if (!addr)
			break;
		if (skip_own && within_module(addr, THIS_MODULE))
			continue;
		skip_own = false;
		pc[n++] = addr;
	}
	return n;
}

u32 stp_stack_frames(struct stp_ctx *c, u64 *pc, u32 max)
{
	struct pt_regs *regs = (struct pt_regs *)c->regs, copy;
	struct unwind_state st;
	u32 n = 0;
	bool full;

	if (!max)
		return 0;
	if (!regs) {
		__unwind_start(&st, current, NULL, __builtin_frame_address(0));
		return stp_stack_walk(&st, pc, n, max, true);
	}
	full = regs_are_full(regs);
	if (full && user_mode(regs))
		return 0;
	pc[n++] = c->ip;
	if (!full) {
		/* frames that end below the probed function's are ours and ftrace's */
		__unwind_start(&st, current, NULL, (unsigned long *)regs->sp);
		return stp_stack_walk(&st, pc, n, max, false);
	}
	copy = *regs;
	if (c->probe->kind != STP_RETURN)
		copy.ip = c->ip;        /* kprobes report the next one */
	else if (n < max)
		pc[n++] = regs->ip;     /* where it returns to */
	__unwind_start(&st, current, &copy, NULL); /* begins with the caller's frame */
	return stp_stack_walk(&st, pc, n, max, false);
}
