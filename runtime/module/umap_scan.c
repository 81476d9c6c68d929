/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Reads an address space's mappings and puts a table of them in place; what differs from the one before is told (umap.h). */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "port.h"
#include "session.h"
#include "umap.h"
#include "umap_hint.h"
#include "umap_recent.h"
#include "umap_tell.h"
#include "umap_vma.h"
#include "user_file.h"
#include "usym.h"
#include "compat/vma.h"

#define WAIT_FILES 32

extern typeof(stp_usym_put) stp_usym_put __weak;
extern typeof(stp_user_groups) stp_user_groups __weak;

const struct stp_ranges stp_umap_everything = { .n = 1, .r = { { 0, ~0ull } } };
atomic64_t stp_umap_lost;

/* ---- what is there ---- */
/* Mappings in order, as they are read: mostly very few. */
struct vma_list {
	struct stp_umap *m;
	u32 n, room;
	struct stp_umap few[6];
};

static void list_init(struct vma_list *l)
{
	l->m = l->few;
	l->n = 0;
	l->room = ARRAY_SIZE(l->few);
}

static void list_free(struct vma_list *l)
{
	if (l->m != l->few)
		kvfree(l->m);
}

static struct stp_umap *list_more(struct vma_list *l)
{
	struct stp_umap *more;

	if (l->n == l->room) {
		more = kvmalloc_array(l->room * 4, sizeof(*more), GFP_KERNEL | __GFP_NOWARN);
		if (!more)
			return NULL;
		memcpy(more, l->m, l->n * sizeof(*more));
		list_free(l);
		l->m = more;
		l->room *= 4;
	}
	return &l->m[l->n++];
}

static bool list_vma(struct vma_list *l, struct task_struct *task, const struct vm_area_struct *vma, const struct stp_umap *before)
{
	struct stp_umap new, *m;

	if (!stp_umap_read_vma(&new, vma, l->n ? &l->m[l->n - 1] : before, task))
		return true;
	m = new.file ? list_more(l) : NULL;
	if (m)
		*m = new;
	return m;
}

/* The lower of lo and of where the table's first entry that ends behind `at` begins. */
static u64 begins(const struct stp_umaps *maps, u64 at, u64 lo)
{
	const struct stp_umap *m = maps ? stp_umaps_behind(maps, at) : NULL;

	return m ? min(lo, m->start) : lo;
}

static u64 ends(const struct stp_umaps *maps, u64 at, u64 hi)
{
	const struct stp_umap *m = maps ? stp_umaps_behind(maps, at) : NULL;

	return m && m->start <= at ? max(hi, m->end) : hi;
}

/*
 * Makes a range as large as the mappings and table entries that it cuts, and those beside it: a change may have made one of two, or
 * two of one.  Where a mapping begins no other is cut: only the table is asked there.  mmap_lock is held.
 */
static u64 widen_down(struct mm_struct *mm, const struct stp_umaps *maps, u64 lo)
{
	const struct vm_area_struct *vma;
	u64 at = lo ? lo - 1 : 0, was;

	do {
		was = lo;
		vma = find_vma(mm, at);
		lo = begins(maps, at, vma ? min(lo, (u64)vma->vm_start) : lo);
		lo = lo < was ? begins(maps, lo, lo) : lo;
		at = lo;
	} while (lo < was && (!vma || vma->vm_start != lo));
	return lo;
}

static u64 widen_up(struct mm_struct *mm, const struct stp_umaps *maps, u64 hi)
{
	const struct vm_area_struct *vma;
	u64 at = hi, was;

	do {
		was = hi;
		vma = find_vma(mm, at);
		hi = ends(maps, at, vma && vma->vm_start <= at ? max(hi, (u64)vma->vm_end) : hi);
		hi = hi > was ? ends(maps, hi - 1, hi) : hi;
		at = hi - 1;
	} while (hi > was && (!vma || vma->vm_end != hi));
	return hi;
}

static void range_widen(const struct stp_space *s, const struct stp_umaps *maps, u64 *lo, u64 *hi)
{
	u64 was_lo, was_hi;

	do {
		was_lo = *lo = widen_down(s->mm, maps, *lo);
		was_hi = *hi = widen_up(s->mm, maps, *hi);
		stp_recent_widen(s, lo, hi);
	} while (*lo < was_lo || *hi > was_hi);
}

/* The mapping of a file that ends where this one, of memory, begins: it may be the rest of a program's data. */
static bool read_before(struct stp_umap *before, const struct vm_area_struct *vma, struct task_struct *task)
{
	const struct vm_area_struct *prev = !vma->vm_file && vma->vm_start ? find_vma(vma->vm_mm, vma->vm_start - 1) : NULL;

	return prev && prev->vm_end == vma->vm_start && prev->vm_file && stp_umap_read_vma(before, prev, NULL, task) && before->file;
}

/* The table with what is there now in a range, made wider (*lo, *hi); NULL: no memory.  mmap_lock is held. */
static struct stp_umaps *read_range(struct stp_space *s, struct task_struct *task, const struct stp_umaps *maps, u64 *lo, u64 *hi)
{
	struct stp_umaps *ret = NULL;
	struct vm_area_struct *vma;
	struct stp_umap before;
	bool ok = true, has_before = false;
	struct vma_list l;

	list_init(&l);
	if (*hi != ~0ull)
		range_widen(s, maps, lo, hi);
	{
		STP_VMA_WALK(walk, s->mm, *lo);

		stp_for_each_vma(walk, vma) {
			if (!ok || vma->vm_start >= *hi)
				break;
			if (vma->vm_start == *lo)
				has_before = read_before(&before, vma, task);
			ok = list_vma(&l, task, vma, has_before ? &before : NULL);
		}
	}
	if (ok)
		ret = stp_umaps_replace(maps, *lo, *hi, l.m, l.n);
	list_free(&l);
	return ret;
}

/* Makes one of the first two that overlap; false: none do. */
static bool join_two(struct stp_ranges *ranges)
{
	u32 i, k;

	for (i = 0; i < ranges->n; i++)
		for (k = i + 1; k < ranges->n; k++)
			if (ranges->r[i].lo < ranges->r[k].hi && ranges->r[k].lo < ranges->r[i].hi) {
				ranges->r[i].lo = min(ranges->r[i].lo, ranges->r[k].lo);
				ranges->r[i].hi = max(ranges->r[i].hi, ranges->r[k].hi);
				ranges->r[k] = ranges->r[--ranges->n];
				return true;
			}
	return false;
}

/* ... in all of them.  Ranges are changed; NULL: no memory, or (-EINTR) killed. */
static struct stp_umaps *read_ranges(struct stp_space *s, struct task_struct *task, struct stp_umaps *old, struct stp_ranges *ranges)
{
	struct mm_struct *mm = s->mm;
	struct stp_umaps *maps = old, *more;
	u32 i;

	/* not mmap_read_lock_killable(): its tracepoints take 1 kB of the module */
	if (down_read_killable(&mm->mmap_lock))
		return ERR_PTR(-EINTR);
	WRITE_ONCE(s->scanning, true);
	for (i = 0; i < ranges->n; i++) {
		more = read_range(s, task, maps, &ranges->r[i].lo, &ranges->r[i].hi);
		if (maps != old)
			stp_umaps_free(maps); /* nobody has seen it */
		maps = more;
		if (!maps)
			break;
	}
	up_read(&mm->mmap_lock);
	while (join_two(ranges))
		; /* what differs is to be told once */
	return maps ?: ERR_PTR(-ENOMEM);
}

/* ---- tables of symbols ---- */
static bool tables_wanted(void)
{
	return stp_usym_put || &stp_umap_wants_rows || &stp_umap_wants_data || &stp_umap_wants_lines;
}

bool stp_umap_waits(void)
{
	return stp_session.target && tables_wanted();
}

/* Files in those ranges whose tables are not there yet. */
static u32 find_unsettled(const struct stp_umaps *maps, const struct stp_ranges *ranges, struct stp_ufile **files)
{
	struct stp_umaps_iter it;
	const struct stp_umap *m;
	u32 n = 0, i;

	for (i = 0; i < ranges->n; i++)
		for (m = stp_umaps_seek(&it, maps, ranges->r[i].lo); m && m->start < ranges->r[i].hi; m = stp_umaps_next(&it))
			if (READ_ONCE(m->file->state) < STP_UFILE_READY && m->file->source != STP_SOURCE_PERF_MAP /* nothing is in it yet */ && n < WAIT_FILES && (!n || files[n - 1] != m->file))
				files[n++] = m->file;
	return n;
}

/* Before the program runs on.  They are of programs, and stay. */
static void wait_for_tables(struct stp_ufile *const *files, u32 n)
{
	unsigned long end = jiffies + msecs_to_jiffies(stp_script.config->tables_wait_ms), now;
	u32 i;

	for (i = 0; i < n; i++)
		stp_ufile_want(files[i]);
	for (i = 0; i < n; i++) {
		now = jiffies;
		if (time_after_eq(now, end) || fatal_signal_pending(current))
			break;
		stp_ufile_wait(files[i], end - now);
	}
}

/* Of files that the script names: without a target nothing waits for them later, and their probes' first hits are to have names. */
static void wait_for_named(void)
{
	struct stp_ufile *files[WAIT_FILES], *f;
	const struct stp_user_group *g;
	u32 n = 0;

	for (g = &stp_user_groups ? stp_user_groups : NULL; g && n < WAIT_FILES; g = g->next) {
		f = g->file ? stp_ufile_get(g->file->file) : NULL;
		if (f && (!n || files[n - 1] != f))
			files[n++] = f;
	}
	wait_for_tables(files, n);
}

/* ---- the whole ---- */
static bool wants_telling(void)
{
	return &stp_vma_on && READ_ONCE(stp_vma_on);
}

/* Under the locks: from the table that was to the one that is.  What has gone is told while it can still be looked up. */
static void replace(struct stp_space *s, struct stp_umaps *old, struct stp_umaps *maps, const struct stp_ranges *ranges, u32 how)
{
	struct stp_ufile *files[WAIT_FILES];
	bool tell = wants_telling(), diff = tell && s->told;
	u32 n;

	if (diff)
		stp_vma_tell_gone(old, maps, ranges);
	n = how & STP_SCAN_WAIT && tables_wanted() ? find_unsettled(maps, ranges, files) : 0;
	stp_add_ret(&maps->users, 1);
	if (old)
		stp_add_ret(&old->users, 1);
	stp_space_set(s, maps);
	stp_recent_strike(s, ranges);
	smp_store_release(&s->scanning, false);
	if (n)
		wait_for_tables(files, n);
	if (diff)
		stp_vma_tell_come(old, maps, ranges);
	else if (tell)
		stp_vma_tell_all(maps, current);
	s->told |= tell;
	stp_umaps_put(old);
	stp_umaps_put(maps);
}

static int scan_locked(struct stp_space *s, struct task_struct *task, const struct stp_ranges *given, u32 how)
{
	struct stp_umaps *old = rcu_dereference_protected(s->maps, true), *maps;
	struct stp_ranges ranges = old && !s->stale ? *given : stp_umap_everything;

	down_read(&stp_umap_names_lock);
	WRITE_ONCE(s->stale, false);
	maps = read_ranges(s, task, old, &ranges);
	if (IS_ERR(maps)) {
		WRITE_ONCE(s->stale, true);
		WRITE_ONCE(s->scanning, false);
		if (PTR_ERR(maps) == -ENOMEM)
			atomic64_inc(&stp_umap_lost);
	} else {
		replace(s, old, maps, &ranges, how);
	}
	up_read(&stp_umap_names_lock);
	return PTR_ERR_OR_ZERO(maps);
}

int stp_umap_scan(struct task_struct *task, struct mm_struct *mm, const struct stp_ranges *ranges, u32 how)
{
	struct stp_space *s = stp_space_get(mm, how & STP_SCAN_NEW);
	int rc;

	if (!s)
		return how & STP_SCAN_NEW ? -ENOMEM : 0;
	if (mutex_lock_killable(&s->lock)) {
		WRITE_ONCE(s->stale, true);
		return -EINTR;
	}
	rc = scan_locked(s, task, ranges, how);
	mutex_unlock(&s->lock);
	if (!rc && stp_umap_scanned)
		stp_umap_scanned(task, mm);
	if (stp_umap_names_many())
		stp_umap_sweep_soon();
	return rc;
}

void stp_umap_tell_known(struct mm_struct *mm, struct task_struct *subject)
{
	struct stp_space *s = stp_space_get(mm, false);
	struct stp_umaps *maps;

	if (!s)
		return;
	mutex_lock(&s->lock);
	maps = rcu_dereference_protected(s->maps, true);
	if (maps && !s->told) {
		stp_vma_tell_all(maps, subject);
		s->told = true;
	}
	mutex_unlock(&s->lock);
}

/* ---- processes that are there when the session starts ---- */
static void scan_task(struct task_struct *p)
{
	struct mm_struct *mm = get_task_mm(p);
	bool held; /* the command of -c, forked from the loader: its exec will wait for what it needs */

	if (!mm)
		return;
	held = rcu_access_pointer(mm->exe_file) == rcu_access_pointer(current->mm->exe_file);
	if (stp_umap_of_interest(p, mm))
		stp_umap_scan(p, mm, &stp_umap_everything, STP_SCAN_NEW | (stp_session.target && !held ? STP_SCAN_WAIT : 0));
	mmput(mm);
}

int stp_umap_scan_all(void)
{
	struct task_struct *p, **list;
	u32 n = 0, room = 64, i;

	rcu_read_lock();
	for_each_process(p)
		room++;
	rcu_read_unlock();
	list = kvcalloc(room, sizeof(*list), GFP_KERNEL | __GFP_NOWARN);
	if (!list)
		return -ENOMEM;
	rcu_read_lock();
	for_each_process(p) {
		if (n == room)
			break; /* newer ones are forked from now on: seen */
		get_task_struct(p);
		list[n++] = p;
	}
	rcu_read_unlock();
	for (i = 0; i < n; i++) {
		if (!signal_pending(current))
			scan_task(list[i]);
		put_task_struct(list[i]);
		stp_resched();
	}
	kvfree(list);
	if (tables_wanted())
		wait_for_named();
	return signal_pending(current) ? -EINTR : 0;
}
