/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that was mapped lately (umap_recent.h). */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "port.h"
#include "session.h"
#include "umap_hint.h"
#include "umap_recent.h"
#include "umap_vma.h"

/* ---- looking up ---- */
const struct stp_umap *stp_recent_overlaps(const struct stp_space *s, u64 start, u64 end)
{
	const struct stp_recent *r = rcu_dereference_raw(s->recent);
	u32 i, n = r ? smp_load_acquire(&r->n) : 0;

	for (i = 0; i < n; i++)
		if (r->at[i].m.start < end && r->at[i].m.end > start && READ_ONCE(r->at[i].live))
			return &r->at[i].m;
	return NULL;
}

const struct stp_umap *stp_recent_find(const struct stp_space *s, u64 addr)
{
	return addr + 1 ? stp_recent_overlaps(s, addr, addr + 1) : NULL;
}

/* ---- what the kernel maps ---- */
/* May anything be noted in a range?  Not what the table, or somebody who is about to change it, speaks of. */
static bool is_free(const struct stp_space *s, u64 start, u64 end)
{
	const struct stp_umaps *maps;
	const struct stp_umap *m;
	bool is;

	if (&stp_umap_wants_all || &stp_umap_wants_now || smp_load_acquire(&s->scanning) || READ_ONCE(s->stale))
		return false;
	rcu_read_lock();
	maps = rcu_dereference(s->maps);
	m = maps ? stp_umaps_behind(maps, start) : NULL;
	is = maps && (!m || m->start >= end);
	rcu_read_unlock();
	return is;
}

static struct stp_recent_entry *entry_like(struct stp_recent *r, const struct stp_umap *m)
{
	u32 i;

	for (i = 0; i < r->n; i++) {
		const struct stp_umap *e = &r->at[i].m;

		if (e->start == m->start && e->end == m->end && e->off == m->off && e->file == m->file && e->flags == m->flags)
			return &r->at[i];
	}
	return NULL;
}

/* One for that mapping, not live; NULL: no room, no memory. */
static struct stp_recent_entry *entry_for(struct stp_space *s, const struct stp_umap *m)
{
	struct stp_recent *r = rcu_dereference_protected(s->recent, true);
	struct stp_recent_entry *e;

	if (!r) {
		r = stp_alloc_atomic(sizeof(*r));
		if (!r)
			return NULL;
		rcu_assign_pointer(s->recent, r);
	}
	e = entry_like(r, m);
	if (e || r->n == STP_RECENT)
		return e;
	e = &r->at[r->n];
	e->m = *m;
	smp_store_release(&r->n, r->n + 1);
	return e;
}

bool stp_recent_map(struct stp_space *s, const struct vm_area_struct *vma)
{
	struct stp_umap m = { .start = vma->vm_start, .end = vma->vm_end, .off = (u64)vma->vm_pgoff << PAGE_SHIFT };
	struct stp_recent_entry *e;

	if (!(vma->vm_flags & VM_EXEC) || !vma->vm_file || !is_free(s, m.start, m.end) || stp_recent_overlaps(s, m.start, m.end))
		return false;
	m.flags = stp_umap_flags(vma->vm_flags);
	m.file = stp_ufile_find(vma->vm_file);
	if (!m.file || (stp_umap_waits() && READ_ONCE(m.file->state) < STP_UFILE_READY))
		return false;
	e = entry_for(s, &m);
	if (!e) {
		stp_recent_add_all(s);
		return false;
	}
	WRITE_ONCE(e->live, true);
	if (stp_ufile_keep(m.file))
		return true;
	WRITE_ONCE(e->live, false);
	return false;
}

bool stp_recent_unmap(struct stp_space *s, const struct vm_area_struct *vma, u64 start, u64 end)
{
	const struct stp_umap *m;

	/* one mapping as it was made; it does go then, but for want of memory */
	if (vma->vm_start != start || vma->vm_end != end || !is_free(s, start, end))
		return false;
	m = stp_recent_overlaps(s, start, end); /* no scan strikes it out now */
	if (!m || m->start != start || m->end != end)
		return false;
#ifdef VM_SEALED
	if (vma->vm_flags & VM_SEALED)
		return false;
#endif
	WRITE_ONCE(container_of(m, struct stp_recent_entry, m)->live, false);
	return true;
}

/* ---- into the table ---- */
void stp_recent_add_all(const struct stp_space *s)
{
	const struct stp_recent *r = rcu_dereference_protected(s->recent, true);
	u32 i;

	for (i = 0; r && i < r->n; i++)
		if (r->at[i].live)
			stp_umap_changes(r->at[i].m.start, r->at[i].m.end);
}

void stp_recent_widen(const struct stp_space *s, u64 *lo, u64 *hi)
{
	const struct stp_recent *r = rcu_dereference_protected(s->recent, true);
	u32 i;

	for (i = 0; r && i < r->n; i++)
		if (r->at[i].live && r->at[i].m.start < *hi && r->at[i].m.end > *lo) {
			*lo = min(*lo, r->at[i].m.start);
			*hi = max(*hi, r->at[i].m.end);
		}
}

static void recent_free(struct rcu_head *rcu)
{
	stp_free(container_of(rcu, struct stp_recent, rcu));
}

void stp_recent_strike(struct stp_space *s, const struct stp_ranges *ranges)
{
	struct stp_recent *r = rcu_dereference_protected(s->recent, true);
	u32 i, k, live = 0;

	if (!r)
		return;
	for (i = 0; i < r->n; i++) {
		for (k = 0; k < ranges->n; k++)
			if (r->at[i].m.start < ranges->r[k].hi && r->at[i].m.end > ranges->r[k].lo)
				WRITE_ONCE(r->at[i].live, false);
		live += r->at[i].live;
	}
	if (live || r->n < STP_RECENT)
		return;
	RCU_INIT_POINTER(s->recent, NULL);
	call_rcu(&r->rcu, recent_free);
}

void stp_recent_mark(const struct stp_space *s)
{
	const struct stp_recent *r = rcu_dereference_raw(s->recent);
	u32 i, n = r ? smp_load_acquire(&r->n) : 0;

	for (i = 0; i < n; i++)
		if (READ_ONCE(r->at[i].live))
			r->at[i].m.file->mapped = true;
}

struct stp_recent *stp_recent_copy(const struct stp_space *s, bool *failed)
{
	const struct stp_recent *r;
	struct stp_recent *copy = NULL;
	u32 i, n;

	rcu_read_lock();
	r = rcu_dereference(s->recent);
	n = r && stp_recent_overlaps(s, 0, ~0ull) ? smp_load_acquire(&r->n) : 0;
	copy = n ? stp_alloc_atomic(sizeof(*copy)) : NULL;
	*failed = n && !copy;
	for (i = 0; copy && i < n; i++)
		if (READ_ONCE(r->at[i].live))
			copy->at[copy->n++] = (struct stp_recent_entry){ r->at[i].m, true };
	rcu_read_unlock();
	return copy;
}
