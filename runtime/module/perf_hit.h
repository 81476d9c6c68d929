/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two hooks of performance events share: events on CPUs (hook_perf.c) and of tasks (hook_perf_task.c). */
#ifndef STP_PERF_HIT_H
#define STP_PERF_HIT_H

#include <linux/perf_event.h>
#include "hook.h"

/* The probe's event on a CPU (task NULL), or of a task (cpu -1); an error pointer.  Process context, may sleep. */
struct perf_event *stp_perf_create(const struct stp_probe *p, struct perf_event_attr *extra, int cpu,
				   struct task_struct *task);
/* The warning for a probe without any event. */
void stp_perf_refused(const struct stp_probe *p, int err);

#endif
