/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timer.* probes: one high-resolution timer each. */
#include <linux/ktime.h>
#include <linux/random.h>
#include "hook.h"
#include "compat/timer.h"

struct timer_hook {
	struct hrtimer timer;
	const struct stp_probe *p;
	u64 random;                     /* state of the generator; never 0 */
};

static u64 next_random(struct timer_hook *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return t->random;
}

static ktime_t period(struct timer_hook *t)
{
	s64 ns = t->p->arg, spread = t->p->arg2;

	if (spread > 0)
		ns += (s64)(next_random(t) % (2 * (u64)spread + 1)) - spread;
	return ns_to_ktime(max_t(s64, ns, NSEC_PER_USEC));
}

/* These may take as long as begin handlers. */
static void timer_hit(const struct stp_probe *p)
{
	struct stp_context *x;
	unsigned long flags;

	raw_local_irq_save(flags);
	x = !p->condition || p->condition() ? stp_claim(p) : NULL;
	if (x) {
		x->c.regs = NULL;
		x->c.args = NULL;
		x->c.ip = 0;
		stp_run_within(x, p, stp_context_process->maxaction);
	}
	raw_local_irq_restore(flags);
}

static enum hrtimer_restart timer_fn(struct hrtimer *timer)
{
	struct timer_hook *t = container_of(timer, struct timer_hook, timer);

	timer_hit(t->p);
	if (READ_ONCE(stp_session.ending))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, period(t));
	return HRTIMER_RESTART;
}

static int timers_attach(void)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_TIMER) {
		struct timer_hook *t = kzalloc(sizeof(*t), GFP_KERNEL);

		if (!t)
			return -ENOMEM;
		t->p = ps->p;
		get_random_bytes(&t->random, sizeof(t->random));
		t->random |= 1;
		stp_hrtimer_setup(&t->timer, timer_fn, HRTIMER_MODE_REL_HARD);
		ps->hook = t;
	}
	return 0;
}

/* Periods count from when all probes are attached: thousands of functions take their time. */
static void timers_live(void)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_TIMER) {
		struct timer_hook *t = ps->hook;

		hrtimer_start(&t->timer, period(t), HRTIMER_MODE_REL_HARD);
	}
}

static void timers_detach(void)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_TIMER) {
		struct timer_hook *t = ps->hook;

		if (!t)
			continue;
		hrtimer_cancel(&t->timer);
		kfree(t);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_timer = { timers_attach, timers_detach, timers_live };
