/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Work that a task does itself on its way back to user mode (task_defer.h). */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include "port.h"
#include "task_defer.h"

struct deferred {
	struct callback_head work;
	struct hlist_node node;
	struct task_struct *task;
	void (*fn)(void);
	void (*ranged)(const struct stp_ranges *);
	struct stp_ranges ranges;       /* of `ranged` */
};

static atomic_t under_way;
static DECLARE_WAIT_QUEUE_HEAD(drained);
static struct hlist_head pending[64];
static DEFINE_SPINLOCK(pending_lock);

static noinline void deferred_done(void)
{
	if (atomic_dec_and_test(&under_way))
		wake_up_all(&drained);
}

static void deferred_run(struct callback_head *work)
{
	struct deferred *d = container_of(work, struct deferred, work);
	unsigned long flags;

	/* from here on a change makes a new one */
	spin_lock_irqsave(&pending_lock, flags);
	hlist_del(&d->node);
	spin_unlock_irqrestore(&pending_lock, flags);
	if (d->fn)
		d->fn();
	else
		d->ranged(&d->ranges);
	stp_free(d);
	deferred_done();
}

void stp_ranges_add(struct stp_ranges *ranges, u64 lo, u64 hi)
{
	u32 i;

	for (i = 0; i < ranges->n; i++)
		if (lo <= ranges->r[i].hi && hi >= ranges->r[i].lo)
			break;
	if (i == ranges->n && i < STP_RANGES) {
		ranges->r[ranges->n].lo = lo;
		ranges->r[ranges->n++].hi = hi;
		return;
	}
	i = min_t(u32, i, STP_RANGES - 1);
	ranges->r[i].lo = min(ranges->r[i].lo, lo);
	ranges->r[i].hi = max(ranges->r[i].hi, hi);
}

/* The current task's for the same function, under the lock. */
static struct deferred *pending_find(const struct deferred *like)
{
	struct deferred *d;

	hlist_for_each_entry(d, &pending[hash_ptr(current, 6)], node)
		if (d->task == current && d->fn == like->fn && d->ranged == like->ranged)
			return d;
	return NULL;
}

/* Is one under way already?  Then it also does what this one is for. */
static bool pending_join(const struct deferred *like)
{
	struct deferred *d;
	unsigned long flags;

	spin_lock_irqsave(&pending_lock, flags);
	d = pending_find(like);
	if (d && like->ranged)
		stp_ranges_add(&d->ranges, like->ranges.r[0].lo, like->ranges.r[0].hi);
	spin_unlock_irqrestore(&pending_lock, flags);
	return d;
}

/* Only the task itself adds to what is pending for it, and not from interrupts: between looking and adding nothing comes. */
static bool defer(const struct deferred *like)
{
	struct deferred *d;
	unsigned long flags;

	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return false;
	if (pending_join(like))
		return true;
	d = stp_alloc_atomic(sizeof(*d));
	if (!d)
		return false;
	*d = *like;
	d->task = current;
	spin_lock_irqsave(&pending_lock, flags);
	hlist_add_head(&d->node, &pending[hash_ptr(current, 6)]);
	spin_unlock_irqrestore(&pending_lock, flags);
	init_task_work(&d->work, deferred_run);
	atomic_inc(&under_way);
	if (!task_work_add(current, &d->work, 1 /* true, or TWA_RESUME */))
		return true;
	spin_lock_irqsave(&pending_lock, flags);
	hlist_del(&d->node);
	spin_unlock_irqrestore(&pending_lock, flags);
	stp_free(d);
	deferred_done();
	return false;
}

bool stp_defer(void (*fn)(void))
{
	struct deferred d = { .fn = fn };

	return defer(&d);
}

bool stp_defer_range(void (*fn)(const struct stp_ranges *), u64 lo, u64 hi)
{
	struct deferred d = { .ranged = fn, .ranges = { .n = 1, .r = { { lo, hi } } } };

	return defer(&d);
}

/*
 * As the kernel's own task_work_cancel() (kernel/task_work.c, alike from 5.10 on), which is not for modules: true when the work was
 * queued and is not any more.  The task lives while it has work to run.
 */
static bool take_back(struct task_struct *task, struct callback_head *work)
{
	struct callback_head **at = &task->task_works, *w;
	unsigned long flags;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	w = READ_ONCE(*at);
	while (w) {
		if (w != work) {
			at = &w->next;
			w = READ_ONCE(*at);
		} else if (try_cmpxchg(at, &w, w->next)) {
			break;
		}
	}
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
	return w == work;
}

/* A task may wait before it comes to its work (in munmap(2) for a userfaultfd, say), for as long as somebody likes. */
static void take_back_all(void)
{
	struct hlist_node *next;
	struct deferred *d;
	unsigned long flags;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pending); i++) {
		spin_lock_irqsave(&pending_lock, flags);
		hlist_for_each_entry_safe(d, next, &pending[i], node)
			if (take_back(d->task, &d->work)) {
				hlist_del(&d->node);
				stp_free(d);
				atomic_dec(&under_way);
			}
		spin_unlock_irqrestore(&pending_lock, flags);
	}
}

void stp_defer_drain(void)
{
	take_back_all();
	__wait_event(drained, !atomic_read(&under_way)); /* without might_sleep(), which takes 100 bytes */
	/* the last one may still be on its way out of deferred_done */
	synchronize_rcu();
#ifdef CONFIG_TASKS_RCU
	synchronize_rcu_tasks();
#endif
}
