/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Watchpoints on kernel data: one debug register on every CPU each, also on those that come later. */
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include "hook.h"
#include "context.h"
#include "cpu_watch.h"

#define DEFAULT_LENGTH 4

struct data_hook {
	struct perf_event * __percpu *event;
	struct perf_event_attr attr;
};

/* In an exception that may come at any moment, as an NMI may. */
static void data_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	if (!stp_handler_runs()) /* the variable is read by a handler */
		stp_hit_call(event->overflow_handler_context, (u64 *)regs, regs ? instruction_pointer(regs) : 0);
}

/* As many bytes as asked for, or as the address allows. */
static u64 length_at(const struct stp_probe *p, u64 addr)
{
	u64 n = p->arg ?: DEFAULT_LENGTH;

	while (!p->arg && addr & (n - 1))
		n /= 2;
	return n;
}

static int attach_one(struct stp_probe_state *ps)
{
	const struct stp_site *site = ps->sites;
	struct data_hook *h;

	if (!ps->nsites)
		return 0; /* the loader has said so */
	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	hw_breakpoint_init(&h->attr);
	h->attr.bp_addr = site->addr;
	h->attr.bp_len = length_at(ps->p, site->addr); /* HW_BREAKPOINT_LEN_* are numbers of bytes */
	h->attr.bp_type = ps->p->sub;
	h->event = register_wide_hw_breakpoint(&h->attr, data_hit, (void *)ps->p);
	if (IS_ERR((void __force *)h->event)) {
		stp_hook_refused(ps, site, PTR_ERR((void __force *)h->event));
		kfree(h);
		return 0;
	}
	ps->hook = h;
	ps->attached = 1;
	return 0;
}

static void cpu_is_there(unsigned int cpu)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_DATA) {
		struct data_hook *h = ps->hook;
		struct perf_event **e = h ? per_cpu_ptr(h->event, cpu) : NULL;

		if (!h || (*e && stp_event_counts(*e)))
			continue;
		if (*e)
			perf_event_release_kernel(*e);
		*e = perf_event_create_kernel_counter(&h->attr, cpu, NULL, data_hit, (void *)ps->p);
		if (IS_ERR(*e))
			*e = NULL;
	}
}

static struct stp_cpu_watch watch = { .cpu_is_there = cpu_is_there };

static int data_attach(void)
{
	struct stp_probe_state *ps;
	bool any = false;
	int rc;

	stp_for_each_probe(ps, STP_DATA) {
		rc = attach_one(ps);
		if (rc)
			return rc;
		any |= ps->attached;
	}
	return any ? stp_cpu_watch_begin(&watch) : 0;
}

static void data_detach(void)
{
	struct stp_probe_state *ps;

	stp_cpu_watch_end(&watch);
	stp_for_each_probe(ps, STP_DATA) {
		struct data_hook *h = ps->hook;

		if (!h)
			continue;
		unregister_wide_hw_breakpoint(h->event);
		kfree(h);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_data = { data_attach, data_detach };
