/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of mappings: which address space has which, and looking up in them (umap.h). */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "port.h"
#include "umap.h"
#include "utab.h"

#define BUCKET_BITS 10

/* An address space.  It holds its mm_struct (mm_count), so that no other can come to be at the same place. */
struct space {
	struct hlist_node node;
	struct rcu_head rcu;
	struct mm_struct *mm;
	struct stp_umaps __rcu *maps;
};

static struct hlist_head spaces[1 << BUCKET_BITS];
static DEFINE_SPINLOCK(spaces_lock);           /* changes of the hash table and of ->maps */
static atomic64_t scans;

static inline struct hlist_head *bucket(const struct mm_struct *mm)
{
	return &spaces[hash_ptr(mm, BUCKET_BITS)];
}

static struct space *space_find(const struct mm_struct *mm)
{
	struct space *s;

	hlist_for_each_entry_rcu(s, bucket(mm), node, true)
		if (s->mm == mm)
			return s;
	return NULL;
}

u64 stp_umap_seq(void)
{
	return (u64)atomic64_inc_return(&scans);
}

bool stp_umap_known(const struct mm_struct *mm)
{
	bool known;

	rcu_read_lock();
	known = mm && space_find(mm);
	rcu_read_unlock();
	return known;
}

void stp_umaps_put(struct stp_umaps *m)
{
	if (m && atomic_dec_and_test(&m->users))
		kvfree_rcu(m, rcu);
}

/* The first mapping that ends behind an address. */
static u32 maps_search(const struct stp_umaps *maps, u64 addr)
{
	u32 lo = 0, hi = maps->n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (maps->m[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct stp_umaps *stp_umaps_current(void)
{
	const struct mm_struct *mm = current->mm;
	struct space *s = mm ? space_find(mm) : NULL;

	return s ? rcu_dereference_raw(s->maps) : NULL;
}

const struct stp_umap *stp_umaps_find(const struct stp_umaps *maps, u64 addr)
{
	u32 i = maps_search(maps, addr);

	return i < maps->n && maps->m[i].start <= addr ? &maps->m[i] : NULL;
}

const struct stp_umap *stp_umap_find(u64 addr)
{
	const struct stp_umaps *maps = stp_umaps_current();

	return maps ? stp_umaps_find(maps, addr) : NULL;
}

struct stp_ufile *stp_umap_jit(const struct mm_struct *mm, u64 start, u64 end)
{
	struct stp_ufile *f = NULL;
	struct space *s;

	rcu_read_lock();
	s = space_find(mm);
	if (s) {
		const struct stp_umaps *maps = rcu_dereference_raw(s->maps);
		u32 i = maps_search(maps, start);

		/* whole: also a part of what was one */
		if (i < maps->n && maps->m[i].start <= start && maps->m[i].end >= end && maps->m[i].file->source == STP_SOURCE_PERF_MAP)
			f = maps->m[i].file;
	}
	rcu_read_unlock();
	return f;
}

bool stp_umap_overlaps(const struct mm_struct *mm, u64 start, u64 end)
{
	struct space *s;
	bool yes = false;

	rcu_read_lock();
	s = space_find(mm);
	if (s) {
		const struct stp_umaps *maps = rcu_dereference_raw(s->maps);
		u32 i = maps_search(maps, start);

		yes = i < maps->n && maps->m[i].start < end;
	}
	rcu_read_unlock();
	return yes;
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
	return stp_utab_addr(t, m->off + (addr - m->start), m->flags & STP_UMAP_EXEC, file_addr) ? t : NULL;
}

/* Under the lock. */
static void space_set(struct space *s, struct stp_umaps *maps)
{
	struct stp_umaps *old = rcu_dereference_protected(s->maps, true);

	rcu_assign_pointer(s->maps, maps);
	stp_umaps_put(old);
}

static struct space *space_new(struct mm_struct *mm, struct stp_umaps *maps, gfp_t gfp)
{
	struct space *s = kzalloc(sizeof(*s), gfp | __GFP_NOWARN);

	if (!s)
		return NULL;
	mmgrab(mm);
	s->mm = mm;
	RCU_INIT_POINTER(s->maps, maps);
	return s;
}

bool stp_umap_publish(struct mm_struct *mm, struct stp_umaps *maps, bool is_new)
{
	struct space *made = is_new ? space_new(mm, maps, GFP_KERNEL) : NULL, *s;
	bool done = false;

	spin_lock(&spaces_lock);
	s = space_find(mm);
	if (s) {
		if (rcu_dereference_protected(s->maps, true)->seq < maps->seq) {
			space_set(s, maps);
			done = true;
		}
	} else if (made) {
		hlist_add_head_rcu(&made->node, bucket(mm));
		made = NULL;
		done = true;
	}
	spin_unlock(&spaces_lock);
	if (made) {
		mmdrop(mm);
		kfree(made);
	}
	if (!done)
		stp_umaps_put(maps);
	return done;
}

void stp_umap_share(struct mm_struct *parent, struct mm_struct *child)
{
	struct stp_umaps *maps;
	struct space *s, *made;

	spin_lock(&spaces_lock);
	s = space_find(parent);
	if (s && !space_find(child)) {
		maps = rcu_dereference_protected(s->maps, true);
		made = space_new(child, maps, GFP_ATOMIC);
		if (made) {
			atomic_inc(&maps->users);
			hlist_add_head_rcu(&made->node, bucket(child));
		}
	}
	spin_unlock(&spaces_lock);
}

static void space_free(struct rcu_head *rcu)
{
	struct space *s = container_of(rcu, struct space, rcu);

	mmdrop(s->mm);
	kfree(s);
}

/* Under the lock. */
static void space_remove(struct space *s)
{
	hlist_del_rcu(&s->node);
	stp_umaps_put(rcu_dereference_protected(s->maps, true));
	call_rcu(&s->rcu, space_free);
}

static void remove_some(bool all)
{
	struct hlist_node *next;
	struct space *s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		spin_lock(&spaces_lock);
		hlist_for_each_entry_safe(s, next, &spaces[i], node)
			if (all || !atomic_read(&s->mm->mm_users))
				space_remove(s);
		spin_unlock(&spaces_lock);
	}
}

/* Marks the files that are mapped somewhere. */
static void mark_files(void)
{
	struct space *s;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		spin_lock(&spaces_lock);
		hlist_for_each_entry(s, &spaces[i], node) {
			const struct stp_umaps *maps = rcu_dereference_protected(s->maps, true);

			for (k = 0; k < maps->n; k++)
				maps->m[k].file->mapped = true;
		}
		spin_unlock(&spaces_lock);
	}
}

void stp_umap_sweep(void)
{
	remove_some(false);
	stp_ufile_unmark_all();
	mark_files();
	stp_ufile_let_go();
}

void stp_umap_forget_all(void)
{
	remove_some(true);
	rcu_barrier(); /* space_free is ours */
}
