/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: the update in the probe, and reading, which merges the slots' blocks.  Readers have the lock
 * group exclusively (or run alone), so that what they merge stands still.
 */
#include "stat.h"

static inline struct stp_block *block_of(const struct stp_stat *st, u32 slot)
{
	char *piece = stp_load_acq(&st->group->piece[slot]);

	return piece ? (struct stp_block *)(piece + st->off) : NULL;
}

static inline u64 *buckets_of(const struct stp_statpool *p, struct stp_block *b)
{
	return (u64 *)((char *)b + p->hist_off);
}

/*
 * First use of a group on this slot.  Pieces are popped by any context and pushed only when they are new, so
 * the plain stack has no ABA case; the slot belongs to this context alone.
 */
static stp_cold char *piece_take(struct stp_ctx *c, struct stp_statgroup *g)
{
	struct stp_statpool *p = g->pool;
	struct stp_piece *f, *next;
	bool again = stp_may_sleep(c);
	s64 left;

	f = stp_load_acq(&p->free);
	for (;;) {
		if (!f) {
			if (!again) {
				stp_add_ret(&p->lost, 1);
				stp_refill_kick();
				return NULL;
			}
			again = false;
			stp_statpool_refill(p, 1);
			f = stp_load_acq(&p->free);
			continue;
		}
		next = stp_load_rlx(&f->next);
		if (stp_cas(&p->free, &f, next))
			break;
	}
	f->next = NULL;
	left = stp_sub_ret(&p->nfree, 1);
	if (left < stp_load_rlx(&p->low) && !stp_load_rlx(&p->kicked)) {
		stp_store_rlx(&p->kicked, 1);
		stp_refill_kick();
	}
	stp_store_rel(&g->piece[c->slot], (char *)f);
	return (char *)f;
}

static inline void sum_squares(struct stp_block *b, s64 old_sum, s64 v)
{
	u64 a = v < 0 ? 0 - (u64)v : (u64)v;
	unsigned __int128 sq = (unsigned __int128)a * a;

	sq += (unsigned __int128)b->sq_hi << 64 | b->sq_lo;
	b->sq_lo = (u64)sq;
	b->sq_hi = (u64)(sq >> 64);
	/* carry of the 128-bit sum of sign-extended v */
	b->sum_hi += (v >> 63) + ((u64)old_sum + (u64)v < (u64)v);
}

/* Variance and linear histograms, and whatever goes with them. */
static stp_noinline void add_rest(struct stp_statgroup *g, struct stp_block *b, s64 v, u64 n)
{
	u32 ops = g->ops;

	if (ops & STP_SUM) {
		s64 old = b->sum;

		b->sum = (s64)((u64)old + (u64)v);
		if (ops & STP_VARIANCE)
			sum_squares(b, old, v);
	}
	if (ops & (STP_MIN | STP_MAX)) {
		if (v < b->min || !n)
			b->min = v;
		if (v > b->max || !n)
			b->max = v;
	}
	if (ops & STP_HIST) {
		u32 i = g->hist == STP_HIST_LOG ? stp_hist_log_index(v)
						: stp_hist_linear_index(g->pool->desc, g->pool->nbucket, v);

		buckets_of(g->pool, b)[i]++;
	}
}

static stp_cold void add_first(struct stp_ctx *c, struct stp_stat *st, s64 v)
{
	if (piece_take(c, st->group))
		stp_stat_add(c, st, v);
}

/* No calls but at the very end: the common kinds need no stack. */
void stp_stat_add(struct stp_ctx *c, struct stp_stat *st, s64 v)
{
	struct stp_statgroup *g = st->group;
	char *piece = g->piece[c->slot];
	struct stp_block *b;
	u32 ops = g->ops;
	u64 n;

	if (unlikely(!piece)) {
		add_first(c, st, v);
		return;
	}
	b = (struct stp_block *)(piece + st->off);
	n = b->count++;
	if (ops == STP_COUNT)
		return;
	if (unlikely(ops & STP_STAT_REST)) {
		add_rest(g, b, v, n);
		return;
	}
	if (ops & STP_SUM)
		b->sum = (s64)((u64)b->sum + (u64)v);
	if (ops & (STP_MIN | STP_MAX)) {
		if (v < b->min || !n)
			b->min = v;
		if (v > b->max || !n)
			b->max = v;
	}
	if (ops & STP_HIST)
		((u64 *)((char *)b + g->hist_off))[stp_hist_log_index(v)]++;
}

void stp_stat_clear(struct stp_ctx *c, struct stp_stat *st)
{
	struct stp_statpool *p = st->group->pool;
	u32 i;

	for (i = 0; i < p->nslots; i++) {
		struct stp_block *b = block_of(st, i);

		if (b)
			stp_memset(b, 0, p->block_size);
	}
}

/* u / d for any d but 0; quotients over 64 bits lose their upper part (they are cut by the caller's check). */
static u64 divide_wide(unsigned __int128 u, u64 d, u64 *rem, bool *over)
{
	u64 r = 0, q = 0;
	int i;

	*over = false;
	for (i = 127; i >= 0; i--) {
		u64 carry = r >> 63;

		r = r << 1 | ((u64)(u >> i) & 1);
		if (q >> 63)
			*over = true;
		q <<= 1;
		if (carry || r >= d) {
			r -= d;
			q |= 1;
		}
	}
	*rem = r;
	return q;
}

/*
 * Sample variance: (sum of squares - sum^2 / n) / (n - 1), rounded down.  With sum = n q + r the first
 * bracket is sum((v - q)^2) - r^2 / n, and no term of it needs more than 128 bits in the end.
 */
static s64 variance_of(u64 n, unsigned __int128 sq, __int128 sum)
{
	unsigned __int128 abs = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum, m2;
	u64 q, r, rest, less, v;
	bool over;

	if (n < 2)
		return 0;
	q = divide_wide(abs, n, &r, &over);
	m2 = sq - 2 * (unsigned __int128)q * abs + (unsigned __int128)n * q * q;
	less = divide_wide((unsigned __int128)r * r, n, &rest, &over);
	m2 -= (unsigned __int128)less + !!rest;
	v = divide_wide(m2, n - 1, &rest, &over);
	return over || v >> 63 ? 0x7fffffffffffffffLL : (s64)v;
}

struct merged {
	u64 count;
	s64 sum, min, max;
	unsigned __int128 sq;
	__int128 wide;
};

static void merge_slots(const struct stp_stat *st, u32 ops, struct merged *m)
{
	struct stp_statpool *p = st->group->pool;
	u32 i;

	stp_memset(m, 0, sizeof(*m));
	if (ops & STP_AVG)
		ops |= STP_SUM;
	ops &= p->ops; /* what is not kept is not there to be read */
	for (i = 0; i < p->nslots; i++) {
		struct stp_block *b = block_of(st, i);

		if (!b || !b->count)
			continue;
		if (ops & (STP_MIN | STP_MAX)) {
			if (!m->count || b->min < m->min)
				m->min = b->min;
			if (!m->count || b->max > m->max)
				m->max = b->max;
		}
		if (ops & STP_SUM)
			m->sum = (s64)((u64)m->sum + (u64)b->sum);
		if (ops & STP_VARIANCE) {
			m->sq += (unsigned __int128)b->sq_hi << 64 | b->sq_lo;
			m->wide += (__int128)((unsigned __int128)(u64)b->sum_hi << 64 | (u64)b->sum);
		}
		m->count += b->count;
	}
}

void stp_stat_get(struct stp_ctx *c, const struct stp_stat *st, u32 ops, struct stp_agg *agg)
{
	struct stp_statpool *p = st->group->pool;
	struct merged m;

	merge_slots(st, ops, &m);
	stp_memset(agg, 0, sizeof(*agg));
	agg->count = m.count;
	agg->sum = m.sum;
	agg->min = m.min;
	agg->max = m.max;
	if (!m.count && (ops & (STP_MIN | STP_MAX | STP_AVG | STP_VARIANCE))) {
		stp_fail(c, "empty aggregate");
		return;
	}
	if (ops & STP_AVG)
		agg->avg = m.sum / (s64)m.count;
	if (ops & STP_VARIANCE)
		agg->variance = variance_of(m.count, m.sq, m.wide);
	if ((ops & STP_HIST) && p->nbucket) {
		s64 *out = stp_tmp(c, p->nbucket * sizeof(*out));

		if (!out)
			return;
		stp_stat_buckets(st, out);
		agg->bucket = out;
		agg->nbucket = p->nbucket;
	}
}

s64 stp_stat_value(const struct stp_stat *st, u32 op)
{
	struct merged m;

	merge_slots(st, op, &m);
	if (!m.count)
		return 0;
	switch (op) {
	case STP_SUM:
		return m.sum;
	case STP_MIN:
		return m.min;
	case STP_MAX:
		return m.max;
	case STP_AVG:
		return m.sum / (s64)m.count;
	case STP_VARIANCE:
		return variance_of(m.count, m.sq, m.wide);
	}
	return m.count;
}

void stp_stat_buckets(const struct stp_stat *st, s64 *out)
{
	struct stp_statpool *p = st->group->pool;
	u32 i, j;

	stp_memset(out, 0, p->nbucket * sizeof(*out));
	for (i = 0; i < p->nslots; i++) {
		struct stp_block *b = block_of(st, i);

		if (!b || !b->count)
			continue;
		for (j = 0; j < p->nbucket; j++)
			out[j] += buckets_of(p, b)[j];
	}
}
