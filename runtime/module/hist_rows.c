/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* The buckets of a histogram in order of their counts, for foreach. */
#include "stat.h"

static bool goes_before(const struct stp_hist_row *a, const struct stp_hist_row *b, int dir)
{
	return dir < 0 ? a->count > b->count : a->count < b->count;
}

/* By insertion: there are a hundred or so. */
static void sort_rows(struct stp_hist_row *row, s64 n, int dir)
{
	s64 i, at;

	for (i = 1; i < n; i++) {
		struct stp_hist_row one = row[i];

		for (at = i; at > 0 && goes_before(&one, &row[at - 1], dir); at--)
			row[at] = row[at - 1];
		row[at] = one;
	}
}

struct stp_hist_row *stp_hist_rows(struct stp_ctx *c, const struct stp_stat *st, s64 n, int dir)
{
	struct stp_hist_row *row = stp_tmp(c, n * sizeof(*row));
	s64 i;

	if (!row)
		return NULL;
	for (i = 0; i < n; i++) {
		row[i].index = i;
		row[i].count = st ? stp_hist_count(c, st, i) : 0;
	}
	if (dir)
		sort_rows(row, n, dir);
	return row;
}
