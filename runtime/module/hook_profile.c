/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timer.profile and its like: a timer on every CPU, with the registers of what it interrupted. */
#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <asm/irq_regs.h>
#include "hook.h"
#include "compat/timer.h"

struct profile_timer {
	struct hrtimer timer;
	const struct stp_probe *p;
	s64 period;
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

/* ---- CPUs come and go: each has its timers while it is there ---- */
static int state = -1;                  /* of the kernel's CPU states; -1: none */

/* On that CPU. */
static int cpu_comes(unsigned int cpu)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_PROFILE) {
		struct profile_hook *h = ps->hook;
		struct profile_timer *t = per_cpu_ptr(h->timers, cpu);

		hrtimer_start(&t->timer, ns_to_ktime(t->period), HRTIMER_MODE_REL_PINNED_HARD);
	}
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_PROFILE) {
		struct profile_hook *h = ps->hook;

		hrtimer_cancel(&per_cpu_ptr(h->timers, cpu)->timer);
	}
	return 0;
}

/* ---- the hook ---- */
static int make_timers(struct stp_probe_state *ps)
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
	}
	return 0;
}

static int profile_attach(void)
{
	struct stp_probe_state *ps;
	bool any = false;
	int rc;

	stp_for_each_probe(ps, STP_PROFILE) {
		rc = make_timers(ps);
		if (rc)
			return rc;
		any = true;
	}
	if (!any)
		return 0;
	rc = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "stap:profile", cpu_comes, cpu_goes);
	if (rc < 0)
		return rc;
	state = rc;
	return 0;
}

static void profile_detach(void)
{
	struct stp_probe_state *ps;

	if (state >= 0)
		cpuhp_remove_state(state);
	state = -1;
	stp_for_each_probe(ps, STP_PROFILE) {
		struct profile_hook *h = ps->hook;

		if (!h)
			continue;
		free_percpu(h->timers);
		kfree(h);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_profile = { profile_attach, profile_detach };
