/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * perf probes of processes: those that run a program, or the one of target().  A task that does so when the session
 * starts, or comes to it by exec, gets an event; threads and children inherit it.  Events are made where sleeping is
 * possible: by the loader, or by the task itself on its way back from exec.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include "perf_hit.h"
#include "compat/perf.h"

struct task_event {
	struct task_event *next;
	struct perf_event *event;
};

struct perf_task_hook {
	struct path path;               /* the program; no dentry: target()'s processes */
	struct task_event *events;
	bool refused;                   /* said already */
};

static DEFINE_MUTEX(lock);              /* guards the lists of events, and `closing` */
static bool closing;
static atomic_t works;                  /* task works under way */
static struct tracepoint *exec_tp;

/* ---- which tasks ---- */

/* The inode of the program that a task runs; to be compared only.  RCU or the task's own context. */
static const struct inode *program_of(struct task_struct *task)
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

static bool runs_program(const struct perf_task_hook *h, struct task_struct *task)
{
	return h->path.dentry && program_of(task) == d_inode(h->path.dentry);
}

/* ---- events ---- */

static void add_event(struct stp_probe_state *ps, struct task_struct *task, bool held)
{
	struct perf_task_hook *h = ps->hook;
	struct task_event *te = kzalloc(sizeof(*te), GFP_KERNEL);
	struct perf_event_attr attr = { .inherit = 1, .disabled = held, .enable_on_exec = held };
	int err;

	if (!te)
		return;
	if (h->path.dentry)
		stp_perf_remove_on_exec(&attr);
	te->event = stp_perf_create(ps->p, &attr, -1, task);
	if (!IS_ERR(te->event)) {
		te->next = h->events;
		h->events = te;
		ps->attached++;
		return;
	}
	err = PTR_ERR(te->event);
	kfree(te);
	if (err == -ESRCH || h->refused) /* the task has ended */
		return;
	h->refused = true;
	stp_perf_refused(ps->p, err);
}

/* All threads of all processes that run the program. */
static void add_running(struct stp_probe_state *ps)
{
	struct perf_task_hook *h = ps->hook;
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
		if (n < room && runs_program(h, thread)) {
			get_task_struct(thread);
			found[n++] = thread;
		}
	rcu_read_unlock();
	while (n--) {
		add_event(ps, found[n], false);
		put_task_struct(found[n]);
	}
	kvfree(found);
}

/* target() and its threads; a command that waits for its start counts from exec on. */
static void add_target(struct stp_probe_state *ps)
{
	struct task_struct *task = NULL;
	struct pid *pid = find_get_pid(stp_session.target);

	if (pid)
		task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return;
	add_event(ps, task, program_of(task) == program_of(current));
	put_task_struct(task);
}

/* ---- exec ---- */

/* In the task, on its way back to its new program: runs before its first instruction. */
static void after_exec(struct callback_head *work)
{
	struct stp_probe_state *ps;

	kfree(work);
	mutex_lock(&lock);
	stp_for_each_probe(ps, STP_PERF_TASK)
		if (!closing && runs_program(ps->hook, current))
			add_event(ps, current, false);
	mutex_unlock(&lock);
	atomic_dec(&works);
}

static void exec_fn(void *data, struct task_struct *task, pid_t old_pid, void *bprm)
{
	struct callback_head *work;
	struct stp_probe_state *ps;
	bool wanted = false;

	stp_for_each_probe(ps, STP_PERF_TASK)
		wanted |= runs_program(ps->hook, current);
	work = wanted ? kmalloc(sizeof(*work), GFP_ATOMIC) : NULL;
	if (!work)
		return;
	init_task_work(work, after_exec);
	atomic_inc(&works);
	if (task_work_add(current, work, TWA_RESUME)) {
		atomic_dec(&works);
		kfree(work);
	}
}

static void find_exec(struct tracepoint *tp, void *arg)
{
	if (!strcmp(tp->name, "sched_process_exec"))
		exec_tp = tp;
}

/* ---- counters ---- */

s64 stp_perf_counter(struct stp_ctx *c, s64 probe);

/* Interrupts are off, so the running task's list of events stays as it is: others change it by an interrupt. */
static struct perf_event *event_of_current(const struct stp_probe *p)
{
	struct perf_event_context *ctx;
	struct perf_event *e;
	int i;

	for (i = 0; i < stp_perf_contexts; i++) {
		ctx = stp_perf_context(current, i);
		if (!ctx)
			continue;
		list_for_each_entry(e, &ctx->event_list, event_entry)
			if (e->overflow_handler_context == p)
				return e;
	}
	return NULL;
}

/* @perf("NAME"): what the running thread has counted; 0 where it has no such event. */
s64 stp_perf_counter(struct stp_ctx *c, s64 probe)
{
	struct perf_event *e = event_of_current(&stp_script.probes[probe]);

	if (!e)
		return 0;
	if (e->state == PERF_EVENT_STATE_ACTIVE && e->oncpu == raw_smp_processor_id())
		e->pmu->read(e);
	return local64_read(&e->count);
}

/* ---- attaching ---- */

static int attach_one(struct stp_probe_state *ps)
{
	const char *path = ps->p->target;
	struct perf_task_hook *h = kzalloc(sizeof(*h), GFP_KERNEL);
	int rc;

	if (!h)
		return -ENOMEM;
	ps->hook = h;
	if (!*path)
		return 0;
	rc = kern_path(path, LOOKUP_FOLLOW, &h->path);
	if (rc) {
		h->path.dentry = NULL;
		stp_warn("probe %s could not be attached: no program %s (error %d)", ps->p->point, path, rc);
	}
	return 0;
}

static int perf_task_attach(void)
{
	struct stp_probe_state *ps;
	int rc = 0;

	stp_for_each_probe(ps, STP_PERF_TASK) {
		rc = attach_one(ps);
		if (rc)
			return rc;
	}
	closing = false;
	for_each_kernel_tracepoint(find_exec, NULL);
	if (!exec_tp || tracepoint_probe_register(exec_tp, exec_fn, NULL))
		exec_tp = NULL;
	mutex_lock(&lock);
	stp_for_each_probe(ps, STP_PERF_TASK) {
		if (*ps->p->target)
			add_running(ps);
		else
			add_target(ps);
	}
	mutex_unlock(&lock);
	return 0;
}

static void free_hook(struct perf_task_hook *h)
{
	struct task_event *te;

	while ((te = h->events)) {
		h->events = te->next;
		perf_event_release_kernel(te->event);
		kfree(te);
	}
	if (h->path.dentry)
		path_put(&h->path);
	kfree(h);
}

/* The works that exec left behind run when their tasks return to user mode, or die. */
static void perf_task_detach(void)
{
	struct stp_probe_state *ps;

	if (exec_tp)
		tracepoint_probe_unregister(exec_tp, exec_fn, NULL);
	exec_tp = NULL;
	tracepoint_synchronize_unregister();
	mutex_lock(&lock);
	closing = true;
	mutex_unlock(&lock);
	while (atomic_read(&works))
		msleep(1);
	stp_for_each_probe(ps, STP_PERF_TASK) {
		if (ps->hook)
			free_hook(ps->hook);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_perf_task = { perf_task_attach, perf_task_detach };
