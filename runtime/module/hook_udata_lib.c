/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Watchpoints on variables of libraries: where a process has the library mapped is known by the vma tracker, which calls when a process's
 * mappings have changed, before the process runs on.
 */
#include <linux/err.h>
#include <linux/sched/mm.h>
#include "udata.h"
#include "umap.h"
#include "umap_tell.h"

static struct udata_hook *hooks;

static bool wants_none(const struct stp_task_events *te, struct task_struct *task)
{
	return false; /* not by its program */
}

static struct perf_event *create(const struct stp_task_events *te, struct task_struct *task, const struct perf_event_attr *extra)
{
	const struct udata_hook *h = container_of(te, struct udata_hook, te);

	return stp_udata_event(h, task, te->addr, extra);
}

/* The variable's address in that memory, 0: the library is not there, or the probe is not for it. */
static u64 address_in(const struct udata_hook *h, struct task_struct *task, struct mm_struct *mm, const struct stp_umaps *maps)
{
	const struct stp_user_file *program = h->group->program;
	const struct stp_umap *m;

	if (!stp_scope_has_task(&h->scope, task) || (program && stp_mm_program(mm) != program->inode))
		return 0;
	m = stp_umaps_code(maps, h->group->file->inode);
	return m ? m->start - m->off + h->group->sites[0].offset : 0;
}

void stp_umap_scanned(struct task_struct *task, struct mm_struct *mm)
{
	struct stp_space *s = stp_space_get(mm, false);
	const struct stp_umaps *maps;
	struct udata_hook *h;
	u64 addr;

	for (h = hooks; h && s; h = h->next) {
		rcu_read_lock();
		maps = rcu_dereference(s->maps);
		addr = maps ? address_in(h, task, mm, maps) : 0;
		rcu_read_unlock();
		stp_task_events_place(&h->te, task, addr);
	}
}

static int attach(void)
{
	const struct stp_user_group *g;
	struct udata_hook *h;

	for (g = stp_user_groups; g; g = g->next) {
		if (g->ps->p->kind != STP_UDATA || !g->nsites || g->ps->p->arg2 != UDATA_LIBRARY)
			continue;
		h = stp_udata_new(g);
		if (!h)
			return -ENOMEM;
		h->te.wants = wants_none;
		h->te.create = create;
		stp_task_events_start(&h->te);
		h->next = hooks;
		hooks = h;
	}
	return 0;
}

/* What runs already was seen while the session's lock was held. */
static void started(void)
{
	struct udata_hook *h;

	for (h = hooks; h; h = h->next)
		stp_task_events_say(&h->te);
}

/* Behind the tracker's end: nobody calls any more. */
static void detach(void)
{
	struct udata_hook *h;

	while ((h = hooks)) {
		hooks = h->next;
		stp_task_events_stop(&h->te);
		kfree(h);
	}
}

const struct stp_hook stp_hook_udata_lib = { .attach = attach, .detach = detach, .started = started };
