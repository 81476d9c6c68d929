/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Reads an address space's mappings into a table (umap.h). */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "session.h"
#include "task_watch.h"
#include "umap.h"
#include "umap_hint.h"
#include "compat/vma.h"

#define MAX_MAPS 65536          /* of one address space */
#define WAIT_MS 10000           /* at most, for the tables of files that a descendant of target() has mapped */

struct scan {
	struct stp_umaps *maps;
	struct task_struct *task; /* whose address space it is */
	u32 room;
	bool full;
};

static struct stp_umap *scan_add(struct scan *sc)
{
	struct stp_umaps *maps = sc->maps, *more;
	u32 room;

	if (maps->n == sc->room) {
		room = sc->room * 2;
		more = room <= MAX_MAPS ? kvmalloc(struct_size(more, m, room), GFP_KERNEL | __GFP_NOWARN) : NULL;
		if (!more) {
			sc->full = true;
			return NULL;
		}
		memcpy(more, maps, struct_size(maps, m, maps->n));
		kvfree(maps);
		sc->maps = more;
		sc->room = room;
	}
	return &sc->maps->m[sc->maps->n++];
}

/*
 * Memory without a file that code is run in.  Compilers take away the right to run it while they write to it: what was
 * such code is still.
 */
static bool jit_file(struct scan *sc, const struct vm_area_struct *vma, struct stp_ufile **file)
{
	*file = stp_umap_jit(vma->vm_mm, vma->vm_start, vma->vm_end);
	if (!*file && vma->vm_flags & VM_EXEC)
		*file = stp_ufile_jit(sc->task, vma->vm_mm);
	return *file;
}

static void scan_vma(struct scan *sc, const struct vm_area_struct *vma)
{
	struct stp_umap *last = sc->maps->n ? &sc->maps->m[sc->maps->n - 1] : NULL, *m;
	unsigned long flags = vma->vm_flags;
	struct stp_umap new = { .start = vma->vm_start, .end = vma->vm_end };

	if (vma->vm_file) {
		if (!(flags & VM_EXEC) && !&stp_umap_wants_data)
			return;
		if (!stp_ufile_is_program(vma->vm_file))
			return;
		new.file = stp_ufile_get(vma->vm_file);
		new.off = (u64)vma->vm_pgoff << PAGE_SHIFT;
		new.flags = (flags & VM_EXEC ? STP_UMAP_EXEC : 0) | (flags & VM_WRITE ? STP_UMAP_WRITE : 0);
	} else if (stp_vma_is_vdso(vma)) {
		new.file = stp_ufile_vdso();
		new.flags = STP_UMAP_EXEC;
	} else if (jit_file(sc, vma, &new.file)) {
		new.off = vma->vm_start; /* the list has run-time addresses */
		new.flags = STP_UMAP_EXEC;
	} else if (last && last->end == vma->vm_start && last->flags & STP_UMAP_WRITE && !(last->flags & STP_UMAP_BSS)) {
		new.file = last->file;
		new.off = last->off + (last->end - last->start);
		new.flags = STP_UMAP_BSS | STP_UMAP_WRITE;
	}
	if (!new.file)
		return;
	m = scan_add(sc);
	if (m)
		*m = new;
}

/* The tables of all files, before the program runs on. */
static void wait_for_tables(const struct stp_umaps *maps)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_MS), now;
	u32 i;

	for (i = 0; i < maps->n; i++)
		if (maps->m[i].file->source != STP_SOURCE_PERF_MAP) /* there is nothing in it yet */
			stp_ufile_want(maps->m[i].file);
	for (i = 0; i < maps->n; i++) {
		now = jiffies;
		if (maps->m[i].file->source == STP_SOURCE_PERF_MAP)
			continue;
		if (time_after_eq(now, end) || fatal_signal_pending(current))
			break;
		stp_ufile_wait(maps->m[i].file, end - now);
	}
}

int stp_umap_scan(struct task_struct *task, struct mm_struct *mm, bool is_new, bool eager)
{
	struct scan sc = { .room = 32, .task = task };
	struct vm_area_struct *vma;

	sc.maps = kvmalloc(struct_size(sc.maps, m, sc.room), GFP_KERNEL | __GFP_NOWARN);
	if (!sc.maps)
		return -ENOMEM;
	sc.maps->n = 0;
	atomic_set(&sc.maps->users, 2); /* the place, and us */
	if (mmap_read_lock_killable(mm)) {
		kvfree(sc.maps);
		return -EINTR;
	}
	sc.maps->seq = stp_umap_seq();
	{
		STP_VMA_WALK(walk, mm);

		stp_for_each_vma(walk, vma)
			scan_vma(&sc, vma);
	}
	mmap_read_unlock(mm);
	stp_umap_publish(mm, sc.maps, is_new);
	if (eager)
		wait_for_tables(sc.maps);
	stp_umaps_put(sc.maps);
	return 0;
}

/* A process that is there when the session starts. */
static void scan_task(struct task_struct *p)
{
	struct mm_struct *mm;

	if (!stp_umap_of_interest(p))
		return;
	mm = get_task_mm(p);
	if (!mm)
		return;
	stp_umap_scan(p, mm, true, stp_session.target);
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
		cond_resched();
	}
	kvfree(list);
	return signal_pending(current) ? -EINTR : 0;
}
