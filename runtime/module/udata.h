/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What watchpoints of programs' (hook_udata.c) and of libraries' variables (hook_udata_lib.c) share. */
#ifndef STP_UDATA_H
#define STP_UDATA_H

#include "task_events.h"
#include "user_scope.h"

enum { UDATA_PROGRAM, UDATA_ABSOLUTE, UDATA_LIBRARY }; /* struct stp_probe.arg2: what the site's offset counts from */

struct udata_hook {
	struct stp_task_events te;
	struct udata_hook *next;
	const struct stp_user_group *group;
	struct stp_user_scope scope;
};

/* A hook for the group, not started; NULL: no memory.  Its te.wants is the caller's. */
struct udata_hook *stp_udata_new(const struct stp_user_group *g);
/* The event of a task at that address, an error pointer.  May sleep. */
struct perf_event *stp_udata_event(const struct udata_hook *h, struct task_struct *task, u64 addr, const struct perf_event_attr *extra);

#endif
