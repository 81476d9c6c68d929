/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Tells hooks with an event on each CPU that one has come (cpu_watch.h). */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include "cpu_watch.h"

static void watch_fn(struct work_struct *work)
{
	struct stp_cpu_watch *w = container_of(work, struct stp_cpu_watch, work);
	unsigned int cpu;

	for_each_online_cpu(cpu)
		w->cpu_is_there(cpu);
}

/* While nobody else may make an event: left to the worker. */
static int cpu_comes(unsigned int cpu, struct hlist_node *node)
{
	schedule_work(&hlist_entry(node, struct stp_cpu_watch, node)->work);
	return 0;
}

int stp_cpu_watch_begin(struct stp_cpu_watch *w)
{
	int rc = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "stap:events", cpu_comes, NULL);

	if (rc < 0)
		return rc;
	INIT_WORK(&w->work, watch_fn);
	w->state = rc;
	rc = cpuhp_state_add_instance(w->state, &w->node); /* calls it at once: one may have come meanwhile */
	if (rc) {
		cpuhp_remove_multi_state(w->state);
		w->state = 0;
	}
	return rc;
}

void stp_cpu_watch_end(struct stp_cpu_watch *w)
{
	if (!w->state)
		return;
	cpuhp_state_remove_instance_nocalls(w->state, &w->node);
	cpuhp_remove_multi_state(w->state);
	cancel_work_sync(&w->work);
	w->state = 0;
}
