/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Watchpoints on kernel data: one debug register on every CPU each. */
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include "hook.h"
#include "context.h"

#define DEFAULT_LENGTH 4

struct data_hook {
	struct perf_event * __percpu *event;
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
	struct perf_event_attr attr;

	if (!ps->nsites)
		return 0; /* the loader has said so */
	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	hw_breakpoint_init(&attr);
	attr.bp_addr = site->addr;
	attr.bp_len = length_at(ps->p, site->addr); /* HW_BREAKPOINT_LEN_* are numbers of bytes */
	attr.bp_type = ps->p->sub;
	h->event = register_wide_hw_breakpoint(&attr, data_hit, (void *)ps->p);
	if (IS_ERR((void __force *)h->event)) {
		stp_hook_refused(ps, site, PTR_ERR((void __force *)h->event));
		kfree(h);
		return 0;
	}
	ps->hook = h;
	ps->attached = 1;
	return 0;
}

static int data_attach(void)
{
	struct stp_probe_state *ps;
	int rc = 0;

	stp_for_each_probe(ps, STP_DATA) {
		rc = attach_one(ps);
		if (rc)
			break;
	}
	return rc;
}

static void data_detach(void)
{
	struct stp_probe_state *ps;

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
