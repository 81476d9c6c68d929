/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Tasks' notes, and the tracepoints that keep them (task_watch.h).
 *
 * The notes are a table of pages of words, by pid; pages are made when their first pid is met and stay until the
 * end.  A pid's notes are made afresh when it is forked.
 */
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>
#include "port.h"
#include "task_watch.h"
#include "umap_hint.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

u32 **stp_task_notes;

u32 *stp_task_note(s32 pid, bool create)
{
	u32 n = (u32)pid / STP_NOTES_PAGE, *page, *old;

	if (unlikely(!stp_task_notes || n >= STP_NOTES_PAGES))
		return NULL;
	page = READ_ONCE(stp_task_notes[n]);
	if (unlikely(!page)) {
		page = create ? stp_alloc_atomic(PAGE_SIZE) : NULL;
		if (!page)
			return NULL;
		old = cmpxchg(&stp_task_notes[n], NULL, page);
		if (old) {
			stp_free(page);
			page = old;
		}
	}
	return &page[(u32)pid % STP_NOTES_PAGE];
}

/* ---- events ---- */
static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	bool process = child->tgid == child->pid;
	u32 *up = stp_task_note(parent->tgid, false), *note = stp_task_note(child->pid, true);
	u32 inherited = up && process ? READ_ONCE(*up) & (STP_NOTE_TREE | STP_NOTE_IGNORED) : 0;

	if (!note)
		return;
	WRITE_ONCE(*note, inherited);
	if (stp_task_forked)
		stp_task_forked(child, note);
	if (stp_umap_forked)
		stp_umap_forked(child);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, void *bprm)
{
	if (stp_task_execed)
		stp_task_execed(old_pid);
	if (stp_umap_execed)
		stp_umap_execed();
}

static void on_exit(void *data, struct task_struct *task)
{
	/* the note stays: handlers that run later still ask, and who has the pid next gets a new one at its fork */
	if (stp_umap_exiting)
		stp_umap_exiting();
	if (stp_task_exiting)
		stp_task_exiting();
}

static struct {
	const char *name;
	void *fn;
	struct tracepoint *tp;
	bool on;
} events[] = {
	{ "sched_process_fork", on_fork },
	{ "sched_process_exec", on_exec },
	{ "sched_process_exit", on_exit },
};

/* ---- target()'s tree ---- */
/* Marks what descends from marked ones; returns how many are new. */
static u32 mark_children(void)
{
	struct task_struct *p;
	u32 *note, n = 0;

	rcu_read_lock();
	for_each_process(p) {
		if (!stp_in_tree(rcu_dereference(p->real_parent)->tgid) || stp_in_tree(p->tgid))
			continue;
		note = stp_task_note(p->tgid, true);
		if (note) {
			*note |= STP_NOTE_TREE;
			n++;
		}
	}
	rcu_read_unlock();
	return n;
}

static int mark_tree(void)
{
	u32 *note = stp_task_note(stp_session.target, true);

	if (!note)
		return -ENOMEM;
	*note |= STP_NOTE_TREE;
	while (mark_children())
		;
	return 0;
}

int stp_task_watch_start(void)
{
	size_t i;
	int rc = 0;

	if (!stp_session.target && !stp_task_forked && !stp_umap_forked)
		return 0;
	stp_task_notes = kvcalloc(STP_NOTES_PAGES, sizeof(*stp_task_notes), GFP_KERNEL);
	if (!stp_task_notes)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(events) && !rc; i++) {
		events[i].tp = stp_tracepoint_find(events[i].name);
		rc = events[i].tp ? tracepoint_probe_register(events[i].tp, events[i].fn, NULL) : -ENOENT;
		events[i].on = !rc;
		if (rc)
			stp_warn("tasks can not be watched: this kernel's tracepoint %s can not be had (error %d)", events[i].name, rc);
	}
	if (!rc && stp_session.target)
		rc = mark_tree();
	return rc;
}

void stp_task_watch_stop(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].on)
			tracepoint_probe_unregister(events[i].tp, events[i].fn, NULL);
	stp_tracepoints_drain();
	for (i = 0; stp_task_notes && i < STP_NOTES_PAGES; i++)
		stp_free(stp_task_notes[i]);
	kvfree(stp_task_notes);
	stp_task_notes = NULL;
}
