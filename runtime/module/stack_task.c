/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Kernel stacks of other tasks, for scripts that ask for them. */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "context.h"
#include "stack_walk.h"
#include "compat/rcu.h"

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
		n = stp_stack_walk(&st, pc, 0, max, true);
	} else if (is_task(t) && !READ_ONCE(t->exit_state)) {
		/* the stack goes after a grace period */
		__unwind_start(&st, t, NULL, (unsigned long *)READ_ONCE(t->thread.sp));
		n = stp_stack_walk(&st, pc, 0, max, false);
	}
	stp_rcu_leave();
	return n;
}
