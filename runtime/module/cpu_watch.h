/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel takes the performance events of a CPU that goes offline away for good: this has them made anew when it comes back. */
#ifndef STP_CPU_WATCH_H
#define STP_CPU_WATCH_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

/* In static memory, all zero but for .cpu_is_there. */
struct stp_cpu_watch {
	/* Called for each CPU that is online, from a worker, whenever one has come: makes what that CPU lacks.
	 * It holds no lock, as what makes events waits until no CPU comes or goes; the CPU may be gone again. */
	void (*cpu_is_there)(unsigned int cpu);
	struct work_struct work;
	struct hlist_node node;
	int state;              /* of the kernel's CPU states; 0: not watching */
};

/* From here on until stp_cpu_watch_end(); 0 or an error.  Process context, may sleep. */
int stp_cpu_watch_begin(struct stp_cpu_watch *w);
/* cpu_is_there() does not run any more.  Also where it was not begun.  Process context, may sleep. */
void stp_cpu_watch_end(struct stp_cpu_watch *w);

/* Whether the event still is one of its CPU's (what the kernel does to it: perf_event_exit_cpu()). */
static inline bool stp_event_counts(const struct perf_event *e)
{
	return READ_ONCE(e->attach_state) & PERF_ATTACH_CONTEXT;
}

#endif
