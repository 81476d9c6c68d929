/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Memory of statistics: sizes of blocks, groups of statistics, and the pool of pieces.  Process context.
 */
#include "stat.h"

#define EAGER_BYTES 256u     /* a statistic whose blocks for all CPUs fit here has them from the start */

static u32 close_ops(const struct stp_statdesc *d)
{
	u32 ops = d->ops | STP_COUNT;

	if (ops & (STP_AVG | STP_VARIANCE))
		ops |= STP_SUM;
	if (d->hist == STP_HIST_NONE)
		ops &= ~STP_HIST;
	else
		ops |= STP_HIST;
	return ops & ~STP_AVG;
}

static u32 block_head(u32 ops)
{
	if (ops & STP_VARIANCE)
		return sizeof(struct stp_block);
	if (ops & (STP_MIN | STP_MAX))
		return offsetof(struct stp_block, sq_lo);
	if (ops & STP_SUM)
		return offsetof(struct stp_block, min);
	return offsetof(struct stp_block, sum);
}

void stp_statpool_init(struct stp_statpool *p, const struct stp_statdesc *d, u32 ncpus, u32 group_max,
		       struct stp_budget *b)
{
	stp_memset(p, 0, sizeof(*p));
	stp_mutex_init(&p->mutex);
	p->desc = d;
	p->budget = b;
	p->ops = close_ops(d);
	p->hist_off = block_head(p->ops);
	if (p->ops & STP_HIST)
		p->nbucket = stp_hist_buckets(d);
	p->block_size = p->hist_off + p->nbucket * sizeof(u64);
	p->nslots = stp_slots(ncpus);
	if (p->block_size * ncpus <= EAGER_BYTES)
		p->neager = ncpus;
	p->group = 1;
	while (p->group < group_max && p->group * p->block_size < 512)
		p->group *= 2;
}

void stp_statpool_deinit(struct stp_statpool *p)
{
	void *next;

	for (; p->chunks; p->chunks = next) {
		next = *(void **)p->chunks;
		stp_free(p->chunks);
	}
}

static u64 piece_bytes(const struct stp_statpool *p)
{
	return ((u64)p->group * p->block_size + 63) & ~63ULL;
}

static u64 group_bytes(const struct stp_statpool *p)
{
	return sizeof(struct stp_statgroup) + p->nslots * sizeof(char *);
}

/* n bytes that start at a cache line, behind the link of the pool's memory list */
static void *pool_alloc(struct stp_statpool *p, u64 n)
{
	void *mem;

	n += 128;
	if (!stp_budget_take(p->budget, n))
		return NULL;
	mem = stp_alloc(n);
	if (!mem) {
		stp_budget_give(p->budget, n);
		return NULL;
	}
	stp_mutex_lock(&p->mutex);
	*(void **)mem = p->chunks;
	p->chunks = mem;
	stp_mutex_unlock(&p->mutex);
	return (void *)(((unsigned long)mem + sizeof(void *) + 63) & ~63UL);
}

u64 stp_statpool_cost(const struct stp_statpool *p)
{
	u64 pieces = p->neager ? p->neager : 2;

	return (pieces * piece_bytes(p) + group_bytes(p)) / p->group;
}

void *stp_statpool_grow(struct stp_statpool *p, u64 n)
{
	u64 ngroups = (n + p->group - 1) / p->group, i;
	u64 heads = (ngroups * group_bytes(p) + 63) & ~63ULL;
	char *mem = pool_alloc(p, heads + ngroups * p->neager * piece_bytes(p)), *piece;
	u32 s;

	if (!mem)
		return NULL;
	piece = mem + heads;
	for (i = 0; i < ngroups; i++) {
		struct stp_statgroup *g = (struct stp_statgroup *)(mem + i * group_bytes(p));

		g->pool = p;
		g->ops = p->ops;
		g->hist = p->desc->hist;
		g->hist_off = p->hist_off;
		if ((p->ops & STP_VARIANCE) || ((p->ops & STP_HIST) && g->hist != STP_HIST_LOG))
			g->ops |= STP_STAT_REST;
		for (s = 0; s < p->neager; s++, piece += piece_bytes(p))
			g->piece[s] = piece;
		if (!(i & 1023))
			stp_resched();
	}
	return mem;
}

void stp_statpool_cell(struct stp_statpool *p, void *groups, u64 i, struct stp_stat *st)
{
	st->group = (struct stp_statgroup *)((char *)groups + i / p->group * group_bytes(p));
	st->off = i % p->group * p->block_size;
}

void stp_statpool_refill(struct stp_statpool *p, u64 fresh)
{
	u64 want = fresh / p->group + 8, n, i;
	struct stp_piece *f, *last;
	char *mem;

	want = p->neager ? 8 + want / 8 : 2 * want;
	stp_store_rlx(&p->kicked, 0);
	if (stp_load_rlx(&p->nfree) >= (s64)want) {
		stp_store_rlx(&p->low, want / 2);
		return;
	}
	n = want - stp_load_rlx(&p->nfree);
	mem = pool_alloc(p, n * piece_bytes(p));
	if (!mem) {
		stp_store_rlx(&p->low, 0);
		return;
	}
	for (i = 0; i + 1 < n; i++) {
		f = (struct stp_piece *)(mem + i * piece_bytes(p));
		f->next = (struct stp_piece *)(mem + (i + 1) * piece_bytes(p));
	}
	last = (struct stp_piece *)(mem + i * piece_bytes(p));
	stp_add_ret(&p->nfree, n);
	f = stp_load_acq(&p->free);
	do
		stp_store_rlx(&last->next, f);
	while (!stp_cas(&p->free, &f, (struct stp_piece *)mem));
	stp_store_rlx(&p->low, want / 2);
}

/* A scalar's pool, group and statistic lie together. */
struct scalar {
	struct stp_statpool pool;
	struct stp_stat st;
};

struct stp_stat *stp_stat_create(const struct stp_statdesc *d, u32 ncpus, struct stp_budget *b)
{
	struct scalar *sc = stp_alloc(sizeof(*sc));
	void *groups;

	if (!sc)
		return NULL;
	stp_statpool_init(&sc->pool, d, ncpus, 1, b);
	sc->pool.neager = sc->pool.nslots;
	groups = stp_statpool_grow(&sc->pool, 1);
	if (!groups) {
		stp_free(sc);
		return NULL;
	}
	stp_statpool_cell(&sc->pool, groups, 0, &sc->st);
	return &sc->st;
}

void stp_stat_destroy(struct stp_stat *st)
{
	struct scalar *sc;

	if (!st)
		return;
	sc = container_of(st, struct scalar, st);
	stp_statpool_deinit(&sc->pool);
	stp_free(sc);
}

u64 stp_stat_lost(const struct stp_stat *st)
{
	return st->group->pool->lost;
}
