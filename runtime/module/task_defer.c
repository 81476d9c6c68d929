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
#include "task_defer.h"

struct deferred {
	struct callback_head work;
	struct hlist_node node;
	struct task_struct *task;
	void (*fn)(void);
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
	void (*fn)(void) = d->fn;
	unsigned long flags;

	spin_lock_irqsave(&pending_lock, flags);
	hlist_del(&d->node);
	spin_unlock_irqrestore(&pending_lock, flags);
	kfree(d);
	fn();
	deferred_done();
}

/* Notes a new one; false: the task has one of that fn already. */
static bool note(struct deferred *new)
{
	struct hlist_head *head = &pending[hash_ptr(new->task, 6)];
	struct deferred *d;
	unsigned long flags;
	bool found = false;

	spin_lock_irqsave(&pending_lock, flags);
	hlist_for_each_entry(d, head, node)
		found |= d->task == new->task && d->fn == new->fn;
	if (!found)
		hlist_add_head(&new->node, head);
	spin_unlock_irqrestore(&pending_lock, flags);
	return !found;
}

bool stp_defer(void (*fn)(void))
{
	struct deferred *d;
	unsigned long flags;

	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return false;
	d = kmalloc(sizeof(*d), GFP_ATOMIC | __GFP_NOWARN);
	if (!d)
		return false;
	d->task = current;
	d->fn = fn;
	if (!note(d)) {
		kfree(d);
		return true;
	}
	init_task_work(&d->work, deferred_run);
	atomic_inc(&under_way);
	if (!task_work_add(current, &d->work, 1 /* true, or TWA_RESUME */))
		return true;
	spin_lock_irqsave(&pending_lock, flags);
	hlist_del(&d->node);
	spin_unlock_irqrestore(&pending_lock, flags);
	kfree(d);
	deferred_done();
	return false;
}

void stp_defer_drain(void)
{
	wait_event(drained, !atomic_read(&under_way));
	/* the last one may still be on its way out of deferred_done */
	synchronize_rcu();
#ifdef CONFIG_TASKS_RCU
	synchronize_rcu_tasks();
#endif
}
