/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * STP_VMA: changes of a process's mappings, as the vma tracker finds them (umap_scan.c), in the process's own context on its way back to user mode.
 * What a program has mapped when it begins, by exec or before the session, is told as if it came then; what a child has from its parent is not.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/workqueue.h>
#include "port.h"
#include "task_hit.h"
#include "task_wants.h"
#include "task_watch.h"
#include "umap.h"
#include "umap_all.h"
#include "umap_hint.h"
#include "umap_tell.h"
#include "umap_text.h"
#include "user_file.h"
#include "usym.h"
#include "extras.h"

STP_NEEDS_EXTRAS;
STP_NEEDS_ALL_MAPS;

#define EVENTS (STP_VMA_MOVE + 1)

static struct stp_want *wants[EVENTS]; /* who wants an event */
static const struct inode *loader_program;
bool stp_vma_on;

extern typeof(stp_usym_put) stp_usym_put __weak;
extern const u8 stp_umap_functions __weak; /* fn_umap.c */

/* ---- whom it is about ---- */
static bool wants_process(const struct stp_want *w, const struct task_struct *t, const struct inode *program)
{
	return (!w->program || w->program->inode == program) && (!w->pid || w->pid == t->tgid) && (!w->tree || stp_in_tree(t->tgid));
}

bool stp_vma_of_interest(struct task_struct *p, struct mm_struct *mm)
{
	const struct inode *program = stp_mm_program(mm);
	const struct stp_want *w;
	u32 i;

	if (program == loader_program)
		return false;
	if (stp_usym_put || &stp_umap_wants_rows || &stp_umap_wants_data || &stp_umap_wants_lines || &stp_umap_functions)
		return true;
	for (i = 0; i < EVENTS; i++)
		for (w = wants[i]; w; w = w->next)
			if (wants_process(w, p, program))
				return true;
	return false;
}

/* ---- telling ---- */
/* start, end: of the stretch that changed; m: what is there, of STP_VMA_UNMAP what was; was: of STP_VMA_PROTECT what it was before. */
static void tell(u32 event, struct task_struct *subject, u64 start, u64 end, const struct stp_umap *m, u64 old)
{
	const struct inode *program = stp_mm_program(current->mm); /* the subject's, or taken from it */
	u64 args[STP_VMA_ARGS] = {
		[STP_VMA_START] = start, [STP_VMA_END] = end, [STP_VMA_OFFSET] = m->flags & STP_UMAP_NOFILE ? 0 : m->off + (start - m->start),
		[STP_VMA_FLAGS] = m->flags & (STP_UMAP_PERMS | STP_UMAP_SHARED), [STP_VMA_OLD] = old, [STP_VMA_ENTRY] = (u64)m,
	};
	const struct stp_want *w;

	for (w = wants[event]; w; w = w->next)
		if (wants_process(w, subject, program))
			stp_task_hit(w->p, subject, task_pt_regs(subject), args);
}

/* A move, of so many bytes; moved: there was one. */
struct telling {
	u64 from, to, len;
	bool moved;
};

/* What is left of start..end without lo..hi. */
static void tell_around(u32 event, u64 start, u64 end, u64 lo, u64 hi, const struct stp_umap *m)
{
	if (start < min(end, lo))
		tell(event, current, start, min(end, lo), m, 0);
	if (max(start, hi) < end)
		tell(event, current, max(start, hi), end, m, 0);
}

static void tell_gone(void *data, u64 start, u64 end, const struct stp_umap *was, const struct stp_umap *is)
{
	const struct telling *t = data;

	if (!was || (is && stp_umap_same(was, is, 0)))
		return;
	if (t->moved && !is)
		tell_around(STP_VMA_UNMAP, start, end, t->from, t->from + t->len, was);
	else
		tell(STP_VMA_UNMAP, current, start, end, was, 0);
}

static void tell_come(void *data, u64 start, u64 end, const struct stp_umap *was, const struct stp_umap *is)
{
	const struct telling *t = data;
	u64 lo = max(start, t->to), hi = min(end, t->to + t->len);

	if (!is)
		return;
	if (was && stp_umap_same(was, is, 0)) {
		tell(STP_VMA_PROTECT, current, start, end, is, was->flags & (STP_UMAP_PERMS | STP_UMAP_SHARED));
		return;
	}
	if (!t->moved || lo >= hi) {
		tell(STP_VMA_MAP, current, start, end, is, 0);
		return;
	}
	tell(STP_VMA_MOVE, current, lo, hi, is, lo - t->to + t->from);
	tell_around(STP_VMA_MAP, start, end, lo, hi, is);
}

/*
 * Did the current system call move something, in a way that the tables show as such?  Memory that took the place of other memory of the same kind
 * makes no difference there: that is no move, but an unmapping.
 */
static void find_move(struct telling *t, const struct stp_umaps *old, const struct stp_umaps *new)
{
	struct stp_umaps_iter it;
	const struct stp_umap *m, *goal;
	struct stp_move mv;

	if (!stp_umap_moved(&mv))
		return;
	t->from = mv.from;
	t->to = mv.to;
	t->len = min(PAGE_ALIGN(mv.was_len), PAGE_ALIGN(mv.len));
	m = stp_umaps_find(old, t->from);
	goal = stp_umaps_find(new, t->to);
	if (!t->len || !m || m->end < t->from + t->len || !goal || goal->end < t->to + t->len || !stp_umap_same(m, goal, t->to - t->from))
		return;
	m = stp_umaps_behind(new, t->from);
	if (m && m->start < t->from + t->len)
		return;
	for (m = stp_umaps_seek(&it, old, t->to); m && m->start < t->to + t->len; m = stp_umaps_next(&it))
		if (stp_umap_same(m, goal, 0))
			return;
	t->moved = true;
}

static void tell_each(const struct stp_umaps *old, const struct stp_umaps *new, const struct stp_ranges *ranges,
		      void (*fn)(void *data, u64 start, u64 end, const struct stp_umap *was, const struct stp_umap *is))
{
	struct telling t = { 0 };
	u32 i;

	if (stp_task_begin_told)
		stp_task_begin_told();
	find_move(&t, old, new);
	for (i = 0; i < ranges->n; i++)
		stp_umaps_diff(old, new, ranges->r[i].lo, ranges->r[i].hi, fn, &t);
}

void stp_vma_tell_gone(const struct stp_umaps *old, const struct stp_umaps *new, const struct stp_ranges *ranges)
{
	tell_each(old, new, ranges, tell_gone);
}

void stp_vma_tell_come(const struct stp_umaps *old, const struct stp_umaps *new, const struct stp_ranges *ranges)
{
	tell_each(old, new, ranges, tell_come);
}

void stp_vma_tell_all(const struct stp_umaps *maps, struct task_struct *subject)
{
	struct stp_umaps_iter it;
	const struct stp_umap *m;

	if (subject == current && stp_task_begin_told)
		stp_task_begin_told();
	for (m = stp_umaps_seek(&it, maps, 0); m; m = stp_umaps_next(&it))
		tell(STP_VMA_MAP, subject, m->start, m->end, m, 0);
}

/* ---- context variables ---- */
static const struct stp_umap *entry_of(struct stp_ctx *c)
{
	return (const struct stp_umap *)c->args[STP_VMA_ENTRY];
}

struct stp_str stp_vma_path(struct stp_ctx *c);
struct stp_str stp_vma_path(struct stp_ctx *c)
{
	return stp_umap_path(c, entry_of(c));
}

struct stp_str stp_vma_perms(struct stp_ctx *c);
struct stp_str stp_vma_perms(struct stp_ctx *c)
{
	return stp_umap_perms(c, c->args[STP_VMA_FLAGS]);
}

s64 stp_vma_inode(struct stp_ctx *c);
s64 stp_vma_inode(struct stp_ctx *c)
{
	const struct stp_umap *m = entry_of(c);

	return m->flags & STP_UMAP_NOFILE ? 0 : m->file->user_ino;
}

s64 stp_vma_dev(struct stp_ctx *c);
s64 stp_vma_dev(struct stp_ctx *c)
{
	const struct stp_umap *m = entry_of(c);

	return m->flags & STP_UMAP_NOFILE ? 0 : m->file->user_dev;
}

/* ---- what runs already ---- */
static void survey_one(struct task_struct *t)
{
	struct mm_struct *mm = get_task_mm(t);

	if (!mm)
		return;
	kthread_use_mm(mm); /* what a handler looks up or reads is this task's */
	stp_umap_tell_known(mm, t);
	kthread_unuse_mm(mm);
	mmput(mm);
}

/* The next process behind a pid, with a reference to it; NULL: none. */
static struct task_struct *process_behind(s32 pid)
{
	struct task_struct *p, *best = NULL;

	rcu_read_lock();
	for_each_process(p)
		if (p->pid > pid && !(p->flags & PF_KTHREAD) && (!best || p->pid < best->pid))
			best = p;
	if (best)
		get_task_struct(best);
	rcu_read_unlock();
	return best;
}

/* In a kernel thread, which can take the memory of one process after another for its own. */
static void survey_fn(struct work_struct *work)
{
	struct task_struct *t;
	s32 pid = 0;

	while (!READ_ONCE(stp_session.ending) && (t = process_behind(pid)) != NULL) {
		pid = t->pid;
		survey_one(t);
		put_task_struct(t);
		stp_resched();
	}
}

static void vma_started(void)
{
	struct work_struct work;

	WRITE_ONCE(stp_vma_on, true);
	INIT_WORK_ONSTACK(&work, survey_fn);
	schedule_work(&work);
	flush_work(&work);
	destroy_work_on_stack(&work);
}

/* ---- the hook ---- */
static int vma_attach(void)
{
	loader_program = stp_mm_program(current->mm);
	return stp_wants_collect(wants, EVENTS, STP_VMA);
}

/* Behind the tracker's own end: it tells nothing any more. */
static void vma_detach(void)
{
	WRITE_ONCE(stp_vma_on, false);
	stp_wants_free(wants, EVENTS);
}

const struct stp_hook stp_hook_vma = { .attach = vma_attach, .detach = vma_detach, .started = vma_started };
