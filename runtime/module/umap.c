/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Address spaces and their tables of mappings: which is whose, and looking up in them (umap.h). */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "port.h"
#include "umap.h"
#include "umap_recent.h"
#include "utab.h"

#define SWEEP_TRIES 10          /* readers may be waiting for a table, and others should not wait behind a sweep that waits for them */

struct hlist_head stp_spaces[1 << STP_SPACES_BITS];
static DEFINE_SPINLOCK(spaces_lock);           /* changes of the hash table */

static inline struct hlist_head *bucket(const struct mm_struct *mm)
{
	return &stp_spaces[hash_ptr(mm, STP_SPACES_BITS)];
}

static struct stp_space *space_find(const struct mm_struct *mm)
{
	struct stp_space *s;

	hlist_for_each_entry_rcu(s, bucket(mm), node, true)
		if (s->mm == mm)
			return s;
	return NULL;
}

bool stp_umap_known(const struct mm_struct *mm)
{
	bool known;

	if (!mm || !stp_umap_maybe(mm))
		return false;
	rcu_read_lock();
	known = space_find(mm);
	rcu_read_unlock();
	return known;
}

void stp_umap_stale(const struct mm_struct *mm)
{
	struct stp_space *s;

	rcu_read_lock();
	s = space_find(mm);
	if (s)
		WRITE_ONCE(s->stale, true);
	rcu_read_unlock();
}

static void maps_free(struct rcu_head *rcu)
{
	stp_umaps_free(container_of(rcu, struct stp_umaps, rcu));
}

void stp_umaps_put(struct stp_umaps *m)
{
	if (m && !stp_sub_ret(&m->users, 1))
		call_rcu(&m->rcu, maps_free);
}

const struct stp_space *stp_space_current(void)
{
	const struct mm_struct *mm = current->mm;

	return mm ? space_find(mm) : NULL;
}

const struct stp_umaps *stp_umaps_current(void)
{
	const struct stp_space *s = stp_space_current();

	return s ? rcu_dereference_raw(s->maps) : NULL;
}

const struct stp_umap *stp_space_find(const struct stp_space *s, u64 addr)
{
	const struct stp_umaps *maps = rcu_dereference_raw(s->maps);
	const struct stp_umap *m = maps ? stp_umaps_find(maps, addr) : NULL;

	if (!m)
		m = stp_recent_find(s, addr);
	if (m)
		return m;
	/* a scan may just have put it from there into a new table */
	smp_rmb();
	return rcu_access_pointer(s->maps) == maps ? NULL : stp_umaps_find(rcu_dereference_raw(s->maps), addr);
}

const struct stp_umap *stp_umap_find(u64 addr)
{
	const struct stp_space *s = stp_space_current();

	return s ? stp_space_find(s, addr) : NULL;
}

bool stp_space_overlaps(const struct stp_space *s, u64 start, u64 end)
{
	const struct stp_umaps *maps;
	const struct stp_umap *m;
	bool does;

	rcu_read_lock();
	maps = rcu_dereference(s->maps);
	m = maps ? stp_umaps_behind(maps, start) : NULL;
	does = (m && m->start < end) || stp_recent_overlaps(s, start, end);
	rcu_read_unlock();
	return does;
}

const struct stp_utab *stp_umap_table(const struct stp_umap *m, u64 addr, u64 *file_addr)
{
	struct stp_ufile *f = m->file;
	const struct stp_utab *t = smp_load_acquire(&f->tab);

	if (!t) {
		if (READ_ONCE(f->state) != STP_UFILE_NONE) {
			atomic64_inc(&stp_ufile_late);
			stp_ufile_want(f);
		} else {
			stp_ufile_grown(f);
		}
		return NULL;
	}
	addr += m->off - m->start;
	if (m->flags & STP_UMAP_BSS)
		return stp_utab_bss_addr(t, addr, file_addr) ? t : NULL;
	return stp_utab_addr(t, addr, m->flags & (STP_UMAP_EXEC | STP_UMAP_JIT), file_addr) ? t : NULL;
}

/* Whole: also a part of what was one. */
struct stp_ufile *stp_umap_jit(const struct mm_struct *mm, u64 start, u64 end)
{
	const struct stp_umaps *maps;
	const struct stp_umap *m = NULL;
	struct stp_ufile *f = NULL;
	struct stp_space *s;

	rcu_read_lock();
	s = space_find(mm);
	maps = s ? rcu_dereference_raw(s->maps) : NULL;
	if (maps)
		m = stp_umaps_find(maps, start);
	if (m && m->end >= end && m->flags & STP_UMAP_JIT)
		f = m->file;
	rcu_read_unlock();
	return f;
}

bool stp_ufile_same(const struct stp_ufile *a, const struct stp_ufile *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->generation == b->generation;
}

void stp_space_set(struct stp_space *s, struct stp_umaps *maps)
{
	struct stp_umaps *old = rcu_dereference_protected(s->maps, true);

	/* stp_umap_share takes what is there under this lock */
	spin_lock(&spaces_lock);
	rcu_assign_pointer(s->maps, maps);
	spin_unlock(&spaces_lock);
	stp_umaps_put(old);
}

static struct stp_space *space_new(struct mm_struct *mm, bool locked)
{
	struct stp_space *s = locked ? stp_alloc_atomic(sizeof(*s)) : stp_alloc(sizeof(*s));

	if (!s)
		return NULL;
	mmgrab(mm);
	s->mm = mm;
	mutex_init(&s->lock);
	return s;
}

static struct stp_space *space_add(struct mm_struct *mm)
{
	struct stp_space *made = space_new(mm, false), *s;

	if (!made)
		return NULL;
	spin_lock(&spaces_lock);
	s = space_find(mm);
	if (!s)
		hlist_add_head_rcu(&made->node, bucket(mm));
	spin_unlock(&spaces_lock);
	if (!s)
		return made;
	mmdrop(mm);
	stp_free(made);
	return s;
}

struct stp_space *stp_space_get(struct mm_struct *mm, bool create)
{
	struct stp_space *s;

	rcu_read_lock();
	s = space_find(mm);
	rcu_read_unlock();
	return s || !create ? s : space_add(mm);
}

void stp_umap_share(struct mm_struct *parent, struct mm_struct *child)
{
	struct stp_space *s, *made;

	spin_lock(&spaces_lock);
	s = space_find(parent);
	if (s && rcu_dereference_protected(s->maps, true) && !space_find(child)) {
		made = space_new(child, true);
		if (made) {
			struct stp_umaps *maps = rcu_dereference_protected(s->maps, true);
			bool failed;

			stp_add_ret(&maps->users, 1);
			RCU_INIT_POINTER(made->maps, maps);
			RCU_INIT_POINTER(made->recent, stp_recent_copy(s, &failed));
			made->told = s->told;
			made->stale = s->stale || failed;
			hlist_add_head_rcu(&made->node, bucket(child));
		}
	}
	spin_unlock(&spaces_lock);
}

/* ---- those that are no more ---- */
/* Under the lock: from the table to a list. */
static void space_remove(struct stp_space *s, struct stp_space **gone)
{
	hlist_del_rcu(&s->node);
	s->next_gone = *gone;
	*gone = s;
}

/* The last mmdrop() takes locks that are not for RCU's callbacks. */
static void spaces_free(struct stp_space *gone)
{
	struct stp_space *s;

	if (!gone)
		return;
	synchronize_rcu();
	while ((s = gone) != NULL) {
		gone = s->next_gone;
		stp_umaps_put(rcu_dereference_protected(s->maps, true));
		stp_free(rcu_dereference_protected(s->recent, true));
		mmdrop(s->mm);
		stp_free(s);
	}
}

static void remove_some(bool all)
{
	struct stp_space *s, *gone = NULL;
	struct hlist_node *next;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stp_spaces); i++) {
		spin_lock(&spaces_lock);
		hlist_for_each_entry_safe(s, next, &stp_spaces[i], node)
			if (all || !atomic_read(&s->mm->mm_users))
				space_remove(s, &gone);
		spin_unlock(&spaces_lock);
	}
	spaces_free(gone);
}

static void mark_files_of(const struct stp_umaps *maps)
{
	struct stp_umaps_iter it;
	const struct stp_umap *m;

	for (m = stp_umaps_seek(&it, maps, 0); m; m = stp_umaps_next(&it))
		m->file->mapped = true;
}

/* Marks the files that are mapped somewhere. */
static void mark_files(void)
{
	struct stp_umaps *maps;
	struct stp_space *s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stp_spaces); i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(s, &stp_spaces[i], node) {
			maps = rcu_dereference_raw(s->maps);
			if (maps)
				mark_files_of(maps);
			stp_recent_mark(s);
		}
		rcu_read_unlock();
	}
}

bool stp_umap_sweep(void)
{
	static u32 tries;

	remove_some(false);
	if (!down_write_trylock(&stp_umap_names_lock)) {
		if (++tries < SWEEP_TRIES)
			return false;
		down_write(&stp_umap_names_lock);
	}
	tries = 0;
	stp_ufile_unmark_all();
	stp_umap_names_unmark();
	mark_files();
	stp_ufile_let_go();
	stp_umap_names_drop();
	up_write(&stp_umap_names_lock);
	return true;
}

void stp_umap_forget_all(void)
{
	remove_some(true);
	stp_umap_names_unmark();
	stp_umap_names_drop();
	rcu_barrier(); /* what is called then is ours */
}
