/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Performance events of tasks: all that a probe wants when the session starts, and those that come to it by exec, get an event;
 * threads and children inherit it.  Events are made where sleeping is possible: by the loader, or by the task itself on its way back
 * from exec, before its first instruction.
 */
#ifndef STP_TASK_EVENTS_H
#define STP_TASK_EVENTS_H

#include <linux/perf_event.h>
#include "hook.h"

struct stp_event_node;
struct stp_task_events {
	struct stp_probe_state *ps;
	/* Is a task to have an event?  Under RCU, or in the task's own context; does not sleep. */
	bool (*wants)(const struct stp_task_events *te, struct task_struct *task);
	/* Its event, with attr's inherit, disabled, enable_on_exec and remove_on_exec taken from *extra; an error pointer.  May sleep. */
	struct perf_event *(*create)(const struct stp_task_events *te, struct task_struct *task, const struct perf_event_attr *extra);
	void (*refused)(const struct stp_task_events *te, int err); /* once, for the first that cannot be had; under stp_session_lock */
	/* private */
	struct stp_task_events *next;
	struct stp_event_node *events;
	int err;                        /* why the first was refused; 0: none was */
	bool said;
	u64 addr;                       /* while create() runs for stp_task_events_place() */
};

/* Process context, under stp_session_lock: from now on, and (stop) no more: no handler of its events runs any longer. */
void stp_task_events_start(struct stp_task_events *te);
void stp_task_events_stop(struct stp_task_events *te);
/* One task more; `held`: it counts from its exec on. */
void stp_task_events_add(struct stp_task_events *te, struct task_struct *task, bool held);

/* Likewise: says now what was refused since the start, where it could not be said at once. */
void stp_task_events_say(struct stp_task_events *te);

/*
 * The threads of the task's process have one watchpoint each at addr, and none elsewhere; 0: none.  Those that inherited theirs are left
 * as they are.  Process context.
 */
void stp_task_events_place(struct stp_task_events *te, struct task_struct *task, u64 addr);

/* The inode of the program that a task runs; to be compared only.  RCU or the task's own context. */
const struct inode *stp_task_program(struct task_struct *task);

#endif
