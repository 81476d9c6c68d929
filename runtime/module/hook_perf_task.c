/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* perf probes of processes: those that run a program, or the one of target(). */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "perf_hit.h"
#include "task_events.h"
#include "compat/perf.h"

struct perf_task_hook {
	struct stp_task_events te;
	struct path path;               /* the program; no dentry: target()'s processes */
};

static bool runs_program(const struct stp_task_events *te, struct task_struct *task)
{
	const struct perf_task_hook *h = container_of(te, struct perf_task_hook, te);

	return h->path.dentry && stp_task_program(task) == d_inode(h->path.dentry);
}

static struct perf_event *create(const struct stp_task_events *te, struct task_struct *task, const struct perf_event_attr *extra)
{
	struct perf_event_attr attr = *extra;

	return stp_perf_create(te->ps->p, &attr, -1, task);
}

static void refused(const struct stp_task_events *te, int err)
{
	stp_perf_refused(te->ps->p, err);
}

/* target() and its threads; a command that waits for its start counts from exec on. */
static void add_target(struct perf_task_hook *h)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(stp_session.target, &init_pid_ns), PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return;
	stp_task_events_add(&h->te, task, stp_task_program(task) == stp_task_program(current));
	put_task_struct(task);
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
	h->te = (struct stp_task_events){ .ps = ps, .wants = runs_program, .create = create, .refused = refused };
	rc = *path ? kern_path(path, LOOKUP_FOLLOW, &h->path) : 0;
	if (rc) {
		h->path.dentry = NULL;
		stp_warn("probe %s could not be attached: no program %s (error %d)", ps->p->point, path, rc);
	}
	stp_task_events_start(&h->te);
	if (!*path)
		add_target(h);
	return 0;
}

static int perf_task_attach(void)
{
	struct stp_probe_state *ps;
	int rc = 0;

	stp_for_each_probe(ps, STP_PERF_TASK) {
		rc = attach_one(ps);
		if (rc)
			break;
	}
	return rc;
}

static void perf_task_detach(void)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_PERF_TASK) {
		struct perf_task_hook *h = ps->hook;

		if (!h)
			continue;
		stp_task_events_stop(&h->te);
		if (h->path.dentry)
			path_put(&h->path);
		kfree(h);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_perf_task = { perf_task_attach, perf_task_detach };
