/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics and histograms, against naive computation.
 */
/* link: runtime/module/stat.c runtime/module/stat_pool.c runtime/module/hist.c runtime/module/print_fmt.c runtime/module/print_put.c runtime/module/print_slow.c runtime/module/print_mem.c runtime/module/str.c */
#include "unit.h"
#include "rt_env.h"
#include "stat.h"

static struct stp_budget budget = { .limit = 1 << 30 };

struct naive {
	s64 n, sum, min, max;
	__int128 wide;
	unsigned __int128 sq;
	long double mean, m2;
};

static void naive_add(struct naive *a, s64 v)
{
	long double d;

	if (!a->n || v < a->min)
		a->min = v;
	if (!a->n || v > a->max)
		a->max = v;
	a->n++;
	a->sum = (s64)((u64)a->sum + (u64)v);
	a->wide += v;
	d = v - a->mean;
	a->mean += d / a->n;
	a->m2 += d * (v - a->mean);
}

static void check_mix(int shift, int count)
{
	static const struct stp_statdesc d = { .ops = STP_COUNT | STP_SUM | STP_MIN | STP_MAX | STP_AVG | STP_VARIANCE };
	struct stp_stat *st = stp_stat_create(&d, ENV_CPUS, &budget);
	struct stp_ctx *c = env_ctx(0, 4096);
	char *base = c->scratch;
	struct naive a = { 0 };
	struct stp_agg g;
	long double var, off;
	int i;

	for (i = 0; i < count; i++) {
		s64 v = (s64)env_random() >> shift;

		c->slot = env_random() % stp_slots(ENV_CPUS);
		stp_stat_add(c, st, v);
		naive_add(&a, v);
	}
	stp_stat_get(c, st, d.ops, &g);
	CHECK(!c->err);
	CHECK_INT(g.count, a.n);
	CHECK_INT(g.sum, a.sum);
	CHECK_INT(g.min, a.min);
	CHECK_INT(g.max, a.max);
	CHECK_INT(g.avg, a.sum / a.n);
	var = a.n > 1 ? a.m2 / (a.n - 1) : 0;
	off = var - g.variance;
	if (shift >= 34)
		CHECK(off > -1e-9L * var - 1e-6L && off < 1 + 1e-9L * var);
	CHECK_INT(stp_stat_value(st, STP_VARIANCE), g.variance);
	CHECK_INT(stp_stat_value(st, STP_MAX), a.max);
	stp_stat_clear(c, st);
	stp_stat_get(c, st, STP_COUNT | STP_SUM, &g);
	CHECK(!c->err && !g.count && !g.sum);
	stp_stat_get(c, st, STP_AVG, &g);
	CHECK_STR(c->err, "empty aggregate");
	stp_stat_destroy(st);
	env_free(c, base);
}

TEST(against_naive)
{
	int shift, i;

	for (shift = 0; shift < 64; shift++)
		for (i = 1; i < 2000; i = i * 3 + 1)
			check_mix(shift, i);
}

TEST(small_variances)
{
	static const struct stp_statdesc d = { .ops = STP_VARIANCE };
	struct stp_stat *st = stp_stat_create(&d, ENV_CPUS, &budget);
	struct stp_ctx *c = env_ctx(0, 4096);
	char *base = c->scratch;
	struct stp_agg g;
	s64 i;

	for (i = 1; i <= 10; i++)
		stp_stat_add(c, st, i - 1000000000000LL); /* 82.5 / 9 */
	stp_stat_get(c, st, STP_VARIANCE, &g);
	CHECK_INT(g.variance, 9);
	stp_stat_clear(c, st);
	for (i = 0; i < 5; i++)
		stp_stat_add(c, st, -7);
	stp_stat_get(c, st, STP_VARIANCE, &g);
	CHECK_INT(g.variance, 0);
	stp_stat_clear(c, st);
	stp_stat_add(c, st, 0x7fffffffffffffffLL);
	stp_stat_add(c, st, -0x7fffffffffffffffLL);
	stp_stat_get(c, st, STP_VARIANCE, &g);
	CHECK_INT(g.variance, 0x7fffffffffffffffLL); /* does not fit: the largest */
	stp_stat_destroy(st);
	env_free(c, base);
}

TEST(average_cuts_toward_zero)
{
	static const struct stp_statdesc d = { .ops = STP_AVG };
	struct stp_stat *st = stp_stat_create(&d, ENV_CPUS, &budget);
	struct stp_ctx *c = env_ctx(0, 4096);
	char *base = c->scratch;
	struct stp_agg g;

	stp_stat_add(c, st, -3);
	stp_stat_add(c, st, -4);
	stp_stat_get(c, st, STP_AVG, &g);
	CHECK_INT(g.avg, -3);
	stp_stat_destroy(st);
	env_free(c, base);
}

TEST(log_buckets)
{
	static const struct stp_statdesc d = { .ops = STP_HIST, .hist = STP_HIST_LOG };
	int i, s;

	CHECK_INT(stp_hist_buckets(&d), 128);
	CHECK_INT(stp_hist_low(&d, stp_hist_log_index(0)), 0);
	for (s = 0; s < 64; s++)
		for (i = 0; i < 200; i++) {
			s64 v = (s64)env_random() >> s, low = stp_hist_low(&d, stp_hist_log_index(v));

			if (v > 0)
				CHECK(low <= v && v - low < low);
			else if (v < 0)
				CHECK(low >= v && low - v < (s64)(0 - (u64)low));
		}
	CHECK_INT(stp_hist_log_index(-0x7fffffffffffffffLL - 1), 0);
	CHECK_INT(stp_hist_log_index(0x7fffffffffffffffLL), 127);
	CHECK_INT(stp_hist_log_index(-1), 63);
}

TEST(linear_buckets)
{
	static const struct stp_statdesc d = { .ops = STP_HIST, .hist = STP_HIST_LINEAR, .low = -20, .high = 100, .width = 10 };
	static const struct stp_statdesc wide = { .ops = STP_HIST, .hist = STP_HIST_LINEAR, .low = -0x7fffffffffffffffLL - 1,
		.high = 0x7fffffffffffffffLL, .width = 1LL << 60 };
	s64 v;

	CHECK_INT(stp_hist_buckets(&d), 15);
	for (v = -200; v < 300; v++) {
		u32 i = stp_hist_linear_index(&d, 15, v);

		if (v < -20)
			CHECK_INT(i, 0);
		else if (v >= 110)
			CHECK_INT(i, 14);
		else
			CHECK(stp_hist_low(&d, i) <= v && v < stp_hist_low(&d, i) + 10);
	}
	CHECK_INT(stp_hist_buckets(&wide), 18);
	CHECK_INT(stp_hist_linear_index(&wide, 18, 0x7fffffffffffffffLL), 16);
	CHECK_INT(stp_hist_linear_index(&wide, 18, -0x7fffffffffffffffLL - 1), 1);
}

static void add_times(struct stp_ctx *c, struct stp_stat *st, s64 v, int n)
{
	for (; n; n--) {
		c->slot = n % stp_slots(ENV_CPUS);
		stp_stat_add(c, st, v);
	}
}

/* The expected table: rows "label count", bars of count / unit; "~" alone for what is left out. */
static const char *table(int label, int count, int unit, const char *rows)
{
	static char out[4096];
	char name[32];
	int n = sprintf(out, "%*s |--------------------------------------------------" " count\n", label, "value"), v, used;

	for (; sscanf(rows, " %31[^ ,] %n", name, &used) == 1; rows += *rows == ',') {
		char bar[51];

		rows += used;
		if (name[0] == '~') {
			n += sprintf(out + n, "%*s\n", label + 2, "~");
			continue;
		}
		v = strtol(rows, (char **)&rows, 10);
		memset(bar, '@', sizeof(bar));
		bar[v / unit] = 0;
		n += sprintf(out + n, "%*s |%-50s %*d\n", label, name, bar, count, v);
	}
	strcpy(out + n, "\n");
	return out;
}

static void check_text(struct stp_ctx *c, const char *want)
{
	const char *have = env_text(c);

	if (strcmp(have, want)) {
		fprintf(stderr, "have:\n%swant:\n%s", have, want);
		UNIT_FAIL("the table differs");
	}
}

TEST(print_log)
{
	static const struct stp_statdesc d = { .ops = STP_HIST, .hist = STP_HIST_LOG };
	struct stp_stat *st = stp_stat_create(&d, ENV_CPUS, &budget);
	struct stp_ctx *c = env_ctx(0, 4096);
	char *base = c->scratch;

	stp_put_hist(c, &c->out, st);
	check_text(c, "");
	add_times(c, st, 1, 1); /* no rows for negative values beside it */
	stp_put_hist(c, &c->out, st);
	check_text(c, table(5, 1, 1, "0 0,1 1,2 0,4 0"));
	stp_stat_destroy(st);
	st = stp_stat_create(&d, ENV_CPUS, &budget);
	add_times(c, st, 5, 3);
	add_times(c, st, 9, 12);
	stp_put_hist(c, &c->out, st);
	check_text(c, table(5, 2, 1, "1 0,2 0,4 3,8 12,16 0,32 0"));
	add_times(c, st, -1, 120);
	add_times(c, st, 1 << 20, 1);
	CHECK_INT(stp_hist_count(c, st, 63), 120);
	stp_put_hist(c, &c->out, st);
	check_text(c, table(7, 3, 3, "-4 0,-2 0,-1 120,0 0,1 0,2 0,4 3,8 12,16 0,32 0,~,262144 0,524288 0,"
				     "1048576 1,2097152 0,4194304 0"));
	CHECK(c->scratch == base);
	CHECK_INT(stp_hist_count(c, st, 128), 0);
	CHECK(c->err != NULL);
	stp_stat_destroy(st);
	env_free(c, base);
}

TEST(print_linear)
{
	static const struct stp_statdesc d = { .ops = STP_HIST, .hist = STP_HIST_LINEAR, .low = 0, .high = 50, .width = 10 };
	struct stp_stat *st = stp_stat_create(&d, ENV_CPUS, &budget);
	struct stp_ctx *c = env_ctx(0, 4096);
	char *base = c->scratch;

	add_times(c, st, 12, 2);
	stp_put_hist(c, &c->out, st);
	check_text(c, table(5, 1, 1, "0 0,10 2,20 0,30 0"));
	add_times(c, st, -1, 1);
	add_times(c, st, 1000, 4);
	stp_put_hist(c, &c->out, st);
	check_text(c, table(5, 1, 1, "<0 1,0 0,10 2,20 0,30 0,40 0,50 0,>50 4"));
	stp_stat_destroy(st);
	env_free(c, base);
}

RUN_TESTS()
