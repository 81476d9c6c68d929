/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/perf_event.h>
#include <linux/sched.h>
struct perf_event_context *stp_probe(struct task_struct *task);
struct perf_event_context *stp_probe(struct task_struct *task)
{
	return task->perf_event_ctxp;
}
