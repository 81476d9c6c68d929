/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timer.profile and its like: a timer on every CPU, with the registers of what it interrupted. */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>
#include "hook.h"
#include "compat/timer.h"

struct profile_timer {
	struct hrtimer timer;
	const struct stp_probe *p;
	s64 period;
	bool set;
};

struct profile_hook {
	struct profile_timer __percpu *timers;
};

static enum hrtimer_restart profile_fn(struct hrtimer *timer)
{
	struct profile_timer *t = container_of(timer, struct profile_timer, timer);
	struct pt_regs *regs = get_irq_regs();

	stp_hit(t->p, (u64 *)regs, NULL, regs ? instruction_pointer(regs) : 0);
	if (READ_ONCE(stp_session.ending))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(t->period));
	return HRTIMER_RESTART;
}

/* On the timer's CPU. */
static void start_here(void *arg)
{
	struct profile_hook *h = arg;
	struct profile_timer *t = this_cpu_ptr(h->timers);

	hrtimer_start(&t->timer, ns_to_ktime(t->period), HRTIMER_MODE_REL_PINNED_HARD);
}

static int attach_one(struct stp_probe_state *ps)
{
	struct profile_hook *h = kzalloc(sizeof(*h), GFP_KERNEL);
	int cpu;

	if (!h)
		return -ENOMEM;
	ps->hook = h;
	h->timers = alloc_percpu(struct profile_timer);
	if (!h->timers)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct profile_timer *t = per_cpu_ptr(h->timers, cpu);

		stp_hrtimer_setup(&t->timer, profile_fn, HRTIMER_MODE_REL_PINNED_HARD);
		t->p = ps->p;
		t->period = max_t(s64, ps->p->arg > 0 ? ps->p->arg : TICK_NSEC, 10 * NSEC_PER_USEC);
		t->set = true;
	}
	on_each_cpu(start_here, h, 1);
	return 0;
}

static int profile_attach(void)
{
	struct stp_probe_state *ps;
	int rc = 0;

	stp_for_each_probe(ps, STP_PROFILE) {
		rc = attach_one(ps);
		if (rc)
			break;
	}
	return rc;
}

static void profile_detach(void)
{
	struct stp_probe_state *ps;
	int cpu;

	stp_for_each_probe(ps, STP_PROFILE) {
		struct profile_hook *h = ps->hook;

		if (!h)
			continue;
		for_each_possible_cpu(cpu)
			if (h->timers && per_cpu_ptr(h->timers, cpu)->set)
				hrtimer_cancel(&per_cpu_ptr(h->timers, cpu)->timer);
		free_percpu(h->timers);
		kfree(h);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_profile = { profile_attach, profile_detach };
