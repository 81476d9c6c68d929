/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Histograms: which bucket a value belongs to, what a bucket stands for, and printing them.
 *
 * hist_log: 128 buckets, stp_hist_log_index.  hist_linear: bucket 0 holds what is below low, then one for
 * each width from low to high, and the last what is beyond them.
 */
#include "print_fmt.h"
#include "stat.h"

#define BAR 50               /* widest bar */
#define ELISION 2            /* empty buckets shown beside used ones, if nothing else was said */
#define LOG_BUCKETS 128
#define LOG_ZERO 64          /* the bucket of 0 */
#define MAX_BUCKETS (1 << 20)

static s64 linear_inner(const struct stp_statdesc *d)
{
	u64 n;

	if (d->high < d->low)
		return 1;
	n = ((u64)d->high - (u64)d->low) / (d->width > 0 ? (u64)d->width : 1);
	return n >= MAX_BUCKETS ? MAX_BUCKETS : (s64)n + 1;
}

s64 stp_hist_buckets(const struct stp_statdesc *d)
{
	switch (d->hist) {
	case STP_HIST_LOG:
		return LOG_BUCKETS;
	case STP_HIST_LINEAR:
		return linear_inner(d) + 2;
	}
	return 0;
}

u32 stp_hist_linear_index(const struct stp_statdesc *d, u32 nbucket, s64 v)
{
	u64 i;

	if (v < d->low)
		return 0;
	i = ((u64)v - (u64)d->low) / (d->width > 0 ? (u64)d->width : 1) + 1;
	return i < nbucket - 1 && i ? (u32)i : nbucket - 1;
}

s64 stp_hist_low(const struct stp_statdesc *d, s64 i)
{
	if (d->hist == STP_HIST_LINEAR) {
		if (i <= 0)
			return -0x7fffffffffffffffLL - 1;
		return (s64)((u64)d->low + (u64)(i - 1) * (u64)d->width);
	}
	if (i > 64)
		return i > 127 ? 1LL << 62 : 1LL << (i - 65);
	return i == 64 ? 0 : (s64)(0 - (1ULL << (63 - (i < 0 ? 0 : i))));
}

s64 stp_hist_count(struct stp_ctx *c, const struct stp_stat *st, s64 i)
{
	struct stp_statpool *p = st->group->pool;
	s64 sum = 0;
	u32 s;

	if (i < 0 || i >= (s64)p->nbucket) {
		stp_fail(c, "histogram index out of range");
		return 0;
	}
	for (s = 0; s < p->nslots; s++) {
		char *piece = stp_load_acq(&st->group->piece[s]);

		if (piece)
			sum += ((u64 *)(piece + st->off + p->hist_off))[i];
	}
	return sum;
}

/* Text of a row's left column. */
static struct stp_str row_label(const struct stp_statdesc *d, u32 i, u32 n, char *end)
{
	bool lin = d->hist == STP_HIST_LINEAR;
	s64 v = lin && i == 0 ? d->low : stp_hist_low(d, lin && i == n - 1 ? i - 1 : i);
	char *p = stp_dec_digits(end, v < 0 ? 0 - (u64)v : (u64)v);

	if (v < 0)
		*--p = '-';
	if (lin && i == 0)
		*--p = '<';
	else if (lin && i == n - 1)
		*--p = '>';
	return (struct stp_str){ p, end - p };
}

static u32 count_width(s64 v)
{
	char tmp[24], *end = tmp + sizeof(tmp);

	return end - stp_dec_digits(end, v);
}

/* What is to be shown: rows first..last, the widths of the two columns, and how much a '@' stands for. */
struct table {
	const struct stp_statdesc *desc;
	const s64 *bucket;
	u32 nbucket, first, last, label_width, count_width, elision;
	s64 unit;
};

/* Empty neighbours: of a linear histogram's outer buckets only those in use; no negative ones beside what is not negative. */
static void table_widen(struct table *t)
{
	bool linear = t->desc->hist == STP_HIST_LINEAR;
	u32 lowest = linear ? 1 : t->first >= LOG_ZERO ? LOG_ZERO : 0, i, n = t->elision < MAX_BUCKETS - 1 ? t->elision : ELISION;

	for (i = 0; i < n; i++) {
		if (t->first > lowest)
			t->first--;
		if (t->last + 1 + linear < t->nbucket)
			t->last++;
	}
}

static bool table_measure(struct table *t)
{
	s64 max = 0;
	char tmp[24];
	u32 i, used = 0;

	for (i = 0; i < t->nbucket; i++) {
		if (!t->bucket[i])
			continue;
		if (!used++)
			t->first = i;
		t->last = i;
		if (t->bucket[i] > max)
			max = t->bucket[i];
	}
	if (!used)
		return false;
	table_widen(t);
	t->label_width = 5;
	for (i = t->first; i <= t->last; i++) {
		struct stp_str s = row_label(t->desc, i, t->nbucket, tmp + sizeof(tmp));

		if (s.len > t->label_width)
			t->label_width = s.len;
	}
	t->count_width = count_width(max);
	t->unit = max <= BAR ? 1 : (max - 1) / BAR + 1;
	return true;
}

static bool put_row(struct stp_ctx *c, struct stp_sink *o, const struct table *t, u32 i)
{
	char tmp[24], *end = tmp + sizeof(tmp), *p;
	struct stp_str label = row_label(t->desc, i, t->nbucket, end);
	s64 bar = t->bucket[i] / t->unit;

	if (!stp_put_field(c, o, label.p, label.len, t->label_width, false))
		return false;
	stp_put(c, o, " |", 2);
	stp_put_fill(c, o, '@', bar);
	stp_put_fill(c, o, ' ', BAR + 1 - bar);
	p = stp_dec_digits(end, t->bucket[i]);
	stp_put_field(c, o, p, end - p, t->count_width, false);
	stp_put(c, o, "\n", 1);
	return true;
}

/* Length of the run of empty buckets that begins at i. */
static u32 empty_run(const struct table *t, u32 i)
{
	u32 n = 0;

	while (i + n <= t->last && !t->bucket[i + n])
		n++;
	return n;
}

static void put_table(struct stp_ctx *c, struct stp_sink *o, const struct table *t)
{
	u32 i, run = 0;

	if (!stp_put_field(c, o, "value", 5, t->label_width, false))
		return;
	stp_put(c, o, " |", 2);
	stp_put_fill(c, o, '-', BAR);
	stp_put(c, o, " count\n", 7);
	for (i = t->first; i <= t->last; i++) {
		if (t->bucket[i]) {
			run = 0;
		} else if (!run++) {
			u32 n = empty_run(t, i);

			if (n > 2 * t->elision) { /* the middle of a long run becomes one line */
				u32 j;

				for (j = 0; j < t->elision; j++)
					if (!put_row(c, o, t, i + j))
						return;
				if (!stp_put_field(c, o, "~", 1, t->label_width + 2, false))
					return;
				stp_put(c, o, "\n", 1);
				i += n - t->elision;
				run = t->elision ? run + n : 0;
			}
		}
		if (!put_row(c, o, t, i))
			return;
	}
	stp_put(c, o, "\n", 1);
}

void stp_put_hist(struct stp_ctx *c, struct stp_sink *o, const struct stp_stat *st)
{
	struct stp_statpool *p = st->group->pool;
	char *mark = c->scratch;
	struct table t = { .desc = p->desc, .nbucket = p->nbucket, .elision = p->desc->elision ? p->desc->elision - 1 : ELISION };
	s64 *bucket;

	if (!p->nbucket)
		return;
	bucket = stp_tmp(c, p->nbucket * sizeof(*bucket));
	if (!bucket)
		return;
	stp_stat_buckets(st, bucket);
	t.bucket = bucket;
	if (table_measure(&t))
		put_table(c, o, &t);
	c->scratch = mark;
}
