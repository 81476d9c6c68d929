/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that a task does itself, in sleepable context, on its way back to user mode (the kernel's task_work).  Queued only by a
 * task on itself: a stopped task would not run it.
 */
#ifndef STP_TASK_DEFER_H
#define STP_TASK_DEFER_H

#include <linux/types.h>
#include "stp.h"

/* False: no memory, or the task is past the point where it runs such work (it exits), or is a kernel thread.  The current task's
 * context (tracepoint, kprobe; not interrupts or NMIs).  A second call of the same fn before the first ran is one. */
bool stp_defer(void (*fn)(void));

/*
 * The same with ranges of addresses: those of all calls before fn runs, put together where there are more than STP_RANGES.
 */
#define STP_RANGES 4
struct stp_ranges {
	u32 n;
	struct {
		u64 lo, hi;
	} r[STP_RANGES];
};
bool stp_defer_range(void (*fn)(const struct stp_ranges *), u64 lo, u64 hi);
/* Adds one; ranges that touch become one. */
void stp_ranges_add(struct stp_ranges *ranges, u64 lo, u64 hi);

/* After all that calls stp_defer has ended: takes back what is queued, and waits for what runs.  Process context. */
void stp_defer_drain(void);

#endif
