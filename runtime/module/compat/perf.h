/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a task's events are: one context since 6.2 (bd2756811766), one for each kind of PMU before. */
#ifndef STP_COMPAT_PERF_H
#define STP_COMPAT_PERF_H

#include <linux/perf_event.h>
#include <linux/sched.h>

#ifdef STP_HAVE_PERF_ONE_CONTEXT
#define stp_perf_contexts 1
static inline struct perf_event_context *stp_perf_context(struct task_struct *task, int i)
{
	return READ_ONCE(task->perf_event_ctxp);
}
#else
#define stp_perf_contexts perf_nr_task_contexts
static inline struct perf_event_context *stp_perf_context(struct task_struct *task, int i)
{
	return READ_ONCE(task->perf_event_ctxp[i]);
}
#endif

/* Events go when their task execs: since 5.13 (2e498d0a74e5). */
#ifdef STP_HAVE_PERF_REMOVE_ON_EXEC
#define stp_perf_remove_on_exec(attr) ((attr)->remove_on_exec = 1)
#define stp_perf_removes_on_exec(attr) ((attr)->remove_on_exec)
#else
#define stp_perf_remove_on_exec(attr) ((void)(attr))
#define stp_perf_removes_on_exec(attr) ((void)(attr), false)
#endif

#endif
