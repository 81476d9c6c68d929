/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel stacks, from the probe's registers, by the kernel's own unwinder. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/unwind.h>
#include "context.h"
#include "stack.h"
#include "compat/rcu.h"

/* ftrace callbacks without all registers: the stack pointer is there, the code segment is not. */
static bool regs_are_full(const struct pt_regs *regs)
{
	return regs->cs;
}

static u32 walk(struct unwind_state *st, u64 *pc, u32 n, u32 max, bool skip_own)
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
		return walk(&st, pc, n, max, true);
	}
	full = regs_are_full(regs);
	if (full && user_mode(regs))
		return 0;
	pc[n++] = c->ip;
	if (!full) {
		/* frames that end below the probed function's are ours and ftrace's */
		__unwind_start(&st, current, NULL, (unsigned long *)regs->sp);
		return walk(&st, pc, n, max, false);
	}
	copy = *regs;
	if (c->probe->kind != STP_RETURN)
		copy.ip = c->ip;        /* kprobes report the next one */
	else if (n < max)
		pc[n++] = regs->ip;     /* where it returns to */
	__unwind_start(&st, current, &copy, NULL); /* begins with the caller's frame */
	return walk(&st, pc, n, max, false);
}

/* Scripts hand in any number: it has to be the address of a task that is there.  Under RCU's read lock. */
static bool is_task(struct task_struct *t)
{
	pid_t pid;

	return !copy_from_kernel_nofault(&pid, &t->pid, sizeof(pid)) && pid > 0 &&
	       pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID) == t;
}

u32 stp_stack_of_task(u64 task, u64 *pc, u32 max)
{
	struct task_struct *t = (struct task_struct *)task;
	struct unwind_state st;
	u32 n = 0;

	if (!stp_rcu_enter())
		return 0;
	if (t == current) {
		__unwind_start(&st, t, NULL, __builtin_frame_address(0));
		n = walk(&st, pc, 0, max, true);
	} else if (is_task(t) && !READ_ONCE(t->exit_state)) {
		/* the stack goes after a grace period */
		__unwind_start(&st, t, NULL, (unsigned long *)READ_ONCE(t->thread.sp));
		n = walk(&st, pc, 0, max, false);
	}
	stp_rcu_leave();
	return n;
}
