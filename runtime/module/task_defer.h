/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that a task does itself, in sleepable context, on its way back to user mode (the kernel's task_work).  Queued only by a
 * task on itself: work on a stopped task would never run, and work that is queued can not be taken back.
 */
#ifndef STP_TASK_DEFER_H
#define STP_TASK_DEFER_H

#include <linux/types.h>

/* False: no memory, or the task is past the point where it runs such work (it exits), or is a kernel thread.  The current task's
 * context (tracepoint, kprobe; not interrupts or NMIs).  A second call of the same fn before the first ran is one. */
bool stp_defer(void (*fn)(void));

/* After all that calls stp_defer has ended: waits until no work is under way.  Process context. */
void stp_defer_drain(void);

#endif
