/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Library functions of guru mode that act on the machine: delays, panic, a signal to the current thread.
 * The signal's lock may be held where a probe hits, so that signals wait in slots for an interrupt of our own,
 * which comes as soon as the handler is left and interrupts are on again.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/panic.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "fn_more.h"
#include "session.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define SLOTS 64

struct signal_slot {
	struct irq_work work;
	int busy, sig;
	struct task_struct *task; /* a reference */
};
static void send_signal(struct irq_work *w)
{
	struct signal_slot *s = container_of(w, struct signal_slot, work);

	send_sig(s->sig, s->task, 1);
	put_task_struct(s->task);
	smp_store_release(&s->busy, 0);
}
/* Each with an interrupt of its own: the signal has to be there before the thread goes on. */
static struct signal_slot slot[SLOTS] = { [0 ... SLOTS - 1] = { .work = IRQ_WORK_INIT_HARD(send_signal) } };

void stp_fn_raise(struct stp_ctx *c, s64 sig)
{
	struct signal_slot *s;

	if (sig <= 0 || sig > _NSIG) {
		stp_fail(c, "raise: no such signal");
		return;
	}
	for (s = slot; s < slot + SLOTS; s++)
		if (!irq_work_is_busy(&s->work) && !cmpxchg(&s->busy, 0, 1))
			break;
	if (s == slot + SLOTS) {
		stp_fail(c, "raise: too many signals at once");
		return;
	}
	s->sig = sig;
	s->task = get_task_struct(current);
	irq_work_queue(&s->work);
}

void stp_raise_drain(void)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		irq_work_sync(&slot[i].work);
}

/* Handlers run with interrupts off: a delay of more than a second would make watchdogs bark. */
static bool delay_is_sane(struct stp_ctx *c, s64 us)
{
	if (us >= 0 && us <= 1000000)
		return true;
	stp_fail(c, "a delay must be from 0 to 1 second");
	return false;
}

void stp_fn_mdelay(struct stp_ctx *c, s64 ms)
{
	s64 i;

	if (delay_is_sane(c, ms > 1000 || ms < 0 ? -1 : ms * 1000))
		for (i = 0; i < ms; i++)
			__udelay(1000);
}

void stp_fn_udelay(struct stp_ctx *c, s64 us)
{
	if (!delay_is_sane(c, us))
		return;
	for (; us > 1000; us -= 1000)
		__udelay(1000);
	__udelay(us);
}

void stp_fn_panic(struct stp_ctx *c, struct stp_str msg)
{
	panic("%.*s", (int)msg.len, msg.p);
}
