/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside statistics.  A statistic is a place in a group: groups hold, for each slot (struct stp_ctx's), a piece
 * of memory with the blocks of all statistics of the group, so that updates are plain and never shared.  A scalar
 * is a group of one.  In a map the nodes of a chunk share groups; a piece is made at a slot's first use from a
 * pool that is refilled outside probes.  Pieces are never given back before the end, only zeroed.
 *
 * @variance is exact (128-bit sums), so bit_shift, which trades range for precision elsewhere, changes nothing.
 */
#ifndef STP_STAT_H
#define STP_STAT_H

#include "port.h"

struct stp_piece {           /* free piece */
	struct stp_piece *next;
};

/* What all statistics of one global have in common. */
struct stp_statpool {
	const struct stp_statdesc *desc;
	struct stp_budget *budget;
	u32 ops;             /* closed under what ops need of each other */
	u32 hist_off, nbucket;
	u32 block_size;
	u32 nslots, neager;  /* slots 0..neager-1 have their pieces from the start */
	u32 group;           /* statistics in a group */
	u32 kicked;
	struct stp_piece *free;
	s64 nfree, low;
	u64 lost;            /* updates without a piece */
	void *chunks;        /* all memory, linked by the first word; process context, under mutex */
	struct stp_mutex mutex;
};

#define STP_STAT_REST 0x80000000u /* something that the fast path of updates does not do */

/* A scalar: all memory is taken at once.  Process context; NULL: no memory or over budget. */
struct stp_stat *stp_stat_create(const struct stp_statdesc *d, u32 ncpus, struct stp_budget *b);
void stp_stat_destroy(struct stp_stat *st);
/* Updates lost for want of memory (always 0 for scalars). */
u64 stp_stat_lost(const struct stp_stat *st);

/* For maps.  group_max: most statistics in a group. */
void stp_statpool_init(struct stp_statpool *p, const struct stp_statdesc *d, u32 ncpus, u32 group_max,
		       struct stp_budget *b);
void stp_statpool_deinit(struct stp_statpool *p);
/* Bytes a statistic takes at first (for sizing pools). */
u64 stp_statpool_cost(const struct stp_statpool *p);
/* Memory of n statistics laid out by stp_statpool_cell; NULL: no memory or budget.  Process context. */
void *stp_statpool_grow(struct stp_statpool *p, u64 n);
void stp_statpool_cell(struct stp_statpool *p, void *groups, u64 i, struct stp_stat *st);
/* Keep pieces for `fresh` statistics that will soon be used.  Process context. */
void stp_statpool_refill(struct stp_statpool *p, u64 fresh);

/* One value of a statistic, 0 when it is empty: the key of foreach's sort. */
s64 stp_stat_value(const struct stp_stat *st, u32 op);

/* Histogram of a value: bucket number (stat_hist.c). */
u32 stp_hist_linear_index(const struct stp_statdesc *d, u32 nbucket, s64 v);
/* Buckets merged over the slots into out[pool->nbucket]. */
void stp_stat_buckets(const struct stp_stat *st, s64 *out);

#endif
