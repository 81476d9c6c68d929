/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* perf probes on all CPUs: an event on each, and on those that come later. */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/percpu.h>
#include "cpu_watch.h"
#include "perf_hit.h"

struct perf_hook {
	struct perf_event **events;     /* of each CPU, NULL where there is none */
};

/* The last error in *err, where some CPU has no event. */
static int attach_one(struct stp_probe_state *ps)
{
	struct perf_hook *h = kzalloc(sizeof(*h), GFP_KERNEL);
	struct perf_event_attr plain = { 0 };
	int cpu, err = -ENODEV;

	if (!h)
		return -ENOMEM;
	ps->hook = h;
	h->events = kvcalloc(nr_cpu_ids, sizeof(*h->events), GFP_KERNEL);
	if (!h->events)
		return -ENOMEM;
	/* no cpus_read_lock(): what makes an event takes it, too, and looks whether the CPU is there */
	for_each_online_cpu(cpu) {
		struct perf_event *e = stp_perf_create(ps->p, &plain, cpu, NULL);

		if (IS_ERR(e)) {
			err = PTR_ERR(e);
			continue;
		}
		h->events[cpu] = e;
		ps->attached++;
	}
	if (!ps->attached)
		stp_perf_refused(ps->p, err);
	return 0;
}

/* Probes without any event have been told of, and stay so. */
static void cpu_is_there(unsigned int cpu)
{
	struct perf_event_attr plain = { 0 };
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_PERF) {
		struct perf_event **e = &((struct perf_hook *)ps->hook)->events[cpu];

		if (!ps->attached || (*e && stp_event_counts(*e)))
			continue;
		if (*e)
			perf_event_release_kernel(*e);
		*e = stp_perf_create(ps->p, &plain, cpu, NULL);
		if (IS_ERR(*e))
			*e = NULL;
	}
}

static struct stp_cpu_watch watch = { .cpu_is_there = cpu_is_there };

static int perf_attach(void)
{
	struct stp_probe_state *ps;
	bool any = false;
	int rc;

	stp_for_each_probe(ps, STP_PERF) {
		rc = attach_one(ps);
		if (rc)
			return rc;
		any |= ps->attached;
	}
	return any ? stp_cpu_watch_begin(&watch) : 0;
}

static void perf_detach(void)
{
	struct stp_probe_state *ps;

	stp_cpu_watch_end(&watch);
	stp_for_each_probe(ps, STP_PERF) {
		struct perf_hook *h = ps->hook;
		u32 cpu;

		if (!h)
			continue;
		for (cpu = 0; h->events && cpu < nr_cpu_ids; cpu++)
			if (h->events[cpu])
				perf_event_release_kernel(h->events[cpu]);
		kvfree(h->events);
		kfree(h);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_perf = { perf_attach, perf_detach };
