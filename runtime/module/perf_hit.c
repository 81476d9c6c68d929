/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Performance events: their attributes, and what runs when one has come to its next sample (perf_hit.h). */
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include "perf_hit.h"

/* Interrupts off or in an NMI, or where a software event happens. */
static void perf_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	stp_hit_call(event->overflow_handler_context, (u64 *)regs, regs ? instruction_pointer(regs) : 0);
}

struct perf_event *stp_perf_create(const struct stp_probe *p, struct perf_event_attr *extra, int cpu,
				   struct task_struct *task)
{
	struct perf_event_attr attr = *extra;

	attr.type = p->sub;
	attr.size = sizeof(attr);
	attr.config = p->arg;
	if (p->arg2 < 0) {
		attr.freq = 1;
		attr.sample_freq = -p->arg2;
	} else {
		attr.sample_period = p->arg2;
	}
	return perf_event_create_kernel_counter(&attr, cpu, task, perf_hit, (void *)p);
}

void stp_perf_refused(const struct stp_probe *p, int err)
{
	if (p->flags & STP_OPTIONAL)
		return;
	if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV)
		stp_warn("probe %s could not be attached: this machine does not count such events (virtual machines often count no hardware events)",
			 p->point);
	else
		stp_warn("probe %s could not be attached: the kernel refuses it (error %d)", p->point, err);
}
