/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Performance events of tasks (task_events.h). */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>
#include "task_defer.h"
#include "task_events.h"
#include "task_watch.h"
#include "compat/perf.h"

struct stp_event_node {
	struct stp_event_node *next;
	struct perf_event *event;
};

static DEFINE_MUTEX(lock);              /* guards the lists of events, and changes of `sets` */
static struct stp_task_events *sets;
static struct tracepoint *exec_tp;

const struct inode *stp_task_program(struct task_struct *task)
{
	const struct inode *inode = NULL;
	struct file *file;

	rcu_read_lock();
	task_lock(task);
	file = task->mm ? rcu_dereference(task->mm->exe_file) : NULL;
	if (file)
		inode = file_inode(file);
	task_unlock(task);
	rcu_read_unlock();
	return inode;
}

/* Under the lock. */
static void add_event(struct stp_task_events *te, struct task_struct *task, bool held)
{
	struct stp_event_node *e = kzalloc(sizeof(*e), GFP_KERNEL);
	struct perf_event_attr extra = { .inherit = 1, .disabled = held, .enable_on_exec = held };
	int err;

	if (!e)
		return;
	if (!held)
		stp_perf_remove_on_exec(&extra);
	e->event = te->create(te, task, &extra);
	if (!IS_ERR(e->event)) {
		e->next = te->events;
		te->events = e;
		te->ps->attached++;
		return;
	}
	err = PTR_ERR(e->event);
	kfree(e);
	if (err != -ESRCH && !te->err) /* else the task has ended */
		te->err = err;
}

void stp_task_events_say(struct stp_task_events *te)
{
	if (!READ_ONCE(te->err) || te->said)
		return;
	te->said = true;
	te->refused(te, te->err);
}

/* Under the lock, in any task: now, unless somebody has the session's lock, who may be waiting for this one; else it is said at the end. */
static void try_say(struct stp_task_events *te)
{
	if (!te->err || te->said || !mutex_trylock(&stp_session_lock))
		return;
	stp_task_events_say(te);
	mutex_unlock(&stp_session_lock);
}

/*
 * Under the lock: lets go the events that an exec has ended, which hold the task's counters and debug registers until then. One that
 * children have inherited would take theirs along.
 */
static void free_ended(struct stp_task_events *te)
{
	struct stp_event_node **at = &te->events, *e;

	while ((e = *at)) {
		if (READ_ONCE(e->event->state) > PERF_EVENT_STATE_EXIT || !list_empty(&e->event->child_list)) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		perf_event_release_kernel(e->event);
		kfree(e);
	}
}

void stp_task_events_add(struct stp_task_events *te, struct task_struct *task, bool held)
{
	mutex_lock(&lock);
	add_event(te, task, held);
	mutex_unlock(&lock);
	stp_task_events_say(te);
}

/* All threads of all processes that it wants. */
static void add_running(struct stp_task_events *te)
{
	struct task_struct *process, *thread, **found;
	u32 n = 0, room = 0;

	rcu_read_lock();
	for_each_process_thread(process, thread)
		room++;
	rcu_read_unlock();
	room += 64;
	found = kvmalloc_array(room, sizeof(*found), GFP_KERNEL);
	if (!found)
		return;
	rcu_read_lock();
	for_each_process_thread(process, thread)
		if (n < room && te->wants(te, thread)) {
			get_task_struct(thread);
			found[n++] = thread;
		}
	rcu_read_unlock();
	while (n--) {
		add_event(te, found[n], false);
		put_task_struct(found[n]);
	}
	kvfree(found);
}

/* ---- watchpoints that follow a library ---- */
static bool has_event(const struct stp_task_events *te, const struct task_struct *task)
{
	const struct stp_event_node *e;
	struct perf_event *child;
	bool found = false;

	for (e = te->events; e && !found; e = e->next) {
		found = e->event->hw.target == task;
		mutex_lock(&e->event->child_mutex);
		list_for_each_entry(child, &e->event->child_list, child_list)
			found |= child->hw.target == task;
		mutex_unlock(&e->event->child_mutex);
	}
	return found;
}

/* Those of its process at another address. */
static void free_misplaced(struct stp_task_events *te, const struct task_struct *task, u64 addr)
{
	struct stp_event_node **at = &te->events, *e;

	while ((e = *at)) {
		if (!e->event->hw.target || e->event->hw.target->tgid != task->tgid || e->event->attr.bp_addr == addr) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		perf_event_release_kernel(e->event);
		kfree(e);
	}
}

/* A thread of its process by its place in the list, held; NULL: there are not so many. */
static struct task_struct *thread_number(struct task_struct *task, u32 skip)
{
	struct task_struct *t, *found = NULL;
	u32 n = 0;

	rcu_read_lock();
	for_each_thread(task, t)
		if (n++ == skip) {
			found = t;
			get_task_struct(t);
			break;
		}
	rcu_read_unlock();
	return found;
}

void stp_task_events_place(struct stp_task_events *te, struct task_struct *task, u64 addr)
{
	struct task_struct *t;
	u32 n;

	mutex_lock(&lock);
	free_misplaced(te, task, addr);
	te->addr = addr;
	for (n = 0; addr && (t = thread_number(task, n)); n++) {
		if (!has_event(te, t))
			add_event(te, t, false);
		put_task_struct(t);
	}
	try_say(te);
	mutex_unlock(&lock);
}

/* ---- exec ---- */

/* In the task, on its way back to its new program: runs before its first instruction. */
static void after_exec(void)
{
	struct stp_task_events *te;

	mutex_lock(&lock);
	for (te = sets; te; te = te->next)
		free_ended(te);
	for (te = sets; te; te = te->next)
		if (te->wants(te, current))
			add_event(te, current, false);
	for (te = sets; te; te = te->next)
		try_say(te);
	mutex_unlock(&lock);
}

static void exec_fn(void *data, struct task_struct *task, pid_t old_pid, void *bprm)
{
	struct stp_task_events *te;
	bool wanted = false;

	for (te = smp_load_acquire(&sets); te; te = READ_ONCE(te->next))
		wanted |= te->wants(te, current);
	if (wanted)
		stp_defer(after_exec);
}

static void find_exec(struct tracepoint *tp, void *arg)
{
	if (!strcmp(tp->name, "sched_process_exec"))
		exec_tp = tp;
}

/* ---- the sets ---- */

void stp_task_events_start(struct stp_task_events *te)
{
	bool first;

	mutex_lock(&lock);
	first = !sets;
	te->next = sets;
	smp_store_release(&sets, te);
	mutex_unlock(&lock);
	if (first) {
		for_each_kernel_tracepoint(find_exec, NULL);
		if (!exec_tp || tracepoint_probe_register(exec_tp, exec_fn, NULL))
			exec_tp = NULL;
	}
	mutex_lock(&lock);
	add_running(te);
	mutex_unlock(&lock);
	stp_task_events_say(te);
}

static void stop_exec(void)
{
	if (exec_tp)
		tracepoint_probe_unregister(exec_tp, exec_fn, NULL);
	exec_tp = NULL;
	stp_tracepoints_drain();
	stp_defer_drain();
}

void stp_task_events_stop(struct stp_task_events *te)
{
	struct stp_task_events **at;
	struct stp_event_node *e;
	bool last;

	mutex_lock(&lock);
	for (at = &sets; *at && *at != te;)
		at = &(*at)->next;
	if (*at)
		WRITE_ONCE(*at, te->next);
	last = !sets;
	mutex_unlock(&lock);
	if (last)
		stop_exec();
	else
		stp_tracepoints_drain(); /* exec_fn may be looking at it */
	stp_task_events_say(te);
	while ((e = te->events)) {
		te->events = e->next;
		perf_event_release_kernel(e->event);
		kfree(e);
	}
}
