/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Sorting for foreach, in place: a heap when only the first few are wanted, else quicksort, with the heap when
 * that meets a bad order.  Equal elements stay in their order, as `ord` decides last.
 */
#include "map.h"

struct order {
	const struct stp_map *m;
	int dir, strkey;     /* strkey: -1 by v; 0 by string value; n by string key n */
};

static struct stp_str ent_string(const struct order *o, const struct stp_ent *e)
{
	const struct stp_link *l = &e->n->link;

	if (!o->strkey)
		return stp_buf_get((const struct stp_buf *)(l + 1));
	return stp_keystr_get(l, (const struct stp_keystr *)stp_link_keys(o->m, l) + o->strkey - 1);
}

static inline bool before(const struct order *o, const struct stp_ent *a, const struct stp_ent *b)
{
	s64 d;

	if (o->strkey < 0) {
		if (a->v != b->v)
			return (a->v < b->v) == (o->dir > 0);
		return a->ord < b->ord;
	}
	d = stp_str_cmp(ent_string(o, a), ent_string(o, b));
	if (d)
		return (d < 0) == (o->dir > 0);
	return a->ord < b->ord;
}

static inline void swap_ents(struct stp_ent *a, struct stp_ent *b)
{
	struct stp_ent t = *a;

	*a = *b;
	*b = t;
}

/* Heap with the last of the order on top: let e[i] of n sink to its place. */
static void sink(const struct order *o, struct stp_ent *e, u64 i, u64 n)
{
	for (;;) {
		u64 k = 2 * i + 1;

		if (k >= n)
			return;
		if (k + 1 < n && before(o, &e[k], &e[k + 1]))
			k++;
		if (!before(o, &e[i], &e[k]))
			return;
		swap_ents(&e[i], &e[k]);
		i = k;
	}
}

static void make_heap(const struct order *o, struct stp_ent *e, u64 n)
{
	u64 i;

	for (i = n / 2; i-- > 0;)
		sink(o, e, i, n);
}

static void heap_sort(const struct order *o, struct stp_ent *e, u64 n)
{
	make_heap(o, e, n);
	while (n-- > 1) {
		swap_ents(&e[0], &e[n]);
		sink(o, e, 0, n);
	}
}

static void insertion_sort(const struct order *o, struct stp_ent *e, u64 n)
{
	u64 i, j;

	for (i = 1; i < n; i++)
		for (j = i; j > 0 && before(o, &e[j], &e[j - 1]); j--)
			swap_ents(&e[j], &e[j - 1]);
}

/* Entries before the pivot (the middle one of three) left of the returned place, where it is, the others right. */
static u64 split(const struct order *o, struct stp_ent *e, u64 n)
{
	u64 mid = n / 2, i, at = 0;

	if (before(o, &e[mid], &e[0]))
		swap_ents(&e[mid], &e[0]);
	if (before(o, &e[n - 1], &e[0]))
		swap_ents(&e[n - 1], &e[0]);
	if (before(o, &e[n - 1], &e[mid]))
		swap_ents(&e[n - 1], &e[mid]);
	swap_ents(&e[mid], &e[n - 1]);
	for (i = 0; i < n - 1; i++)
		if (before(o, &e[i], &e[n - 1]))
			swap_ents(&e[i], &e[at++]);
	swap_ents(&e[at], &e[n - 1]);
	return at;
}

static void quick_sort(const struct order *o, struct stp_ent *e, u64 n)
{
	struct { struct stp_ent *e; u64 n; u32 level; } todo[64];
	u32 depth = 0, level = 2 * (64 - __builtin_clzll(n | 1)); /* splits left before the heap takes over */

	for (;;) {
		u64 at, right;

		if (n <= 12 || !level) {
			if (n <= 12)
				insertion_sort(o, e, n);
			else
				heap_sort(o, e, n);
			if (!depth)
				return;
			e = todo[--depth].e;
			n = todo[depth].n;
			level = todo[depth].level;
			continue;
		}
		at = split(o, e, n);
		right = n - at - 1;
		todo[depth].level = --level;
		if (at < right) { /* the larger part waits, so 64 places are enough */
			todo[depth].e = e + at + 1;
			todo[depth++].n = right;
			n = at;
		} else {
			todo[depth].e = e;
			todo[depth++].n = at;
			e += at + 1;
			n = right;
		}
	}
}

u64 stp_ents_sort(struct stp_map *m, struct stp_ent *e, u64 n, u64 keep, int dir, int strkey)
{
	struct order o = { m, dir, strkey };
	u64 i;

	if (!keep)
		return 0;
	if (keep >= n / 4) {
		quick_sort(&o, e, n);
		return keep < n ? keep : n;
	}
	make_heap(&o, e, keep);
	for (i = keep; i < n; i++)
		if (before(&o, &e[i], &e[0])) {
			e[0] = e[i];
			sink(&o, e, 0, keep);
		}
	heap_sort(&o, e, keep);
	return keep;
}
