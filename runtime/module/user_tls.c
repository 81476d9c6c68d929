/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread pointer of the user program that was hit: where its thread-local variables are. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <asm/msr-index.h>
#include "port.h"

/* On x86-64 the kernel never changes the FS base of the task that runs. */
s64 stp_user_thread_pointer(struct stp_ctx *c)
{
	u32 low, high;

	if (!current->mm) {
		stp_fail(c, "a thread-local variable of a program is asked for outside of one");
		return 0;
	}
	asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(MSR_FS_BASE));
	return (s64)((u64)high << 32 | low);
}
