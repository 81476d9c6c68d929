/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps of the runtime: random operations against a naive model, keys of all shapes, foreach, limits, budgets,
 * and several threads at once.
 */
/* link: runtime/module/map.c runtime/module/map_slow.c runtime/module/map_pool.c runtime/module/map_del.c runtime/module/map_iter.c runtime/module/map_sort.c runtime/module/stat.c runtime/module/stat_pool.c runtime/module/hist.c runtime/module/print_fmt.c runtime/module/print_put.c runtime/module/print_slow.c runtime/module/print_mem.c runtime/module/str.c */
/* cflags: -pthread */
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include "unit.h"
#include "rt_env.h"
#include "map.h"

static struct stp_budget budget = { .limit = 1ULL << 32 };
static const struct stp_statdesc stats = { .ops = STP_COUNT | STP_SUM | STP_MIN | STP_MAX };

static struct stp_map *new_map(const char *keys, char value, s64 limit, bool wrap)
{
	static struct stp_global g[64];
	static int n;
	struct stp_global *one = &g[n++ % 64];

	*one = (struct stp_global){ .name = "arr", .kind = STP_G_MAP, .value = value, .keys = keys, .limit = limit,
				    .wrap = wrap, .stat = &stats };
	return stp_map_create(one, &env_config, ENV_CPUS, &budget);
}

static void refill(struct stp_map *m)
{
	if (stp_map_needs_refill(m))
		stp_map_refill(m);
}

/* ---- against a model: an array of elements in order of insertion ---- */

struct element {
	union stp_key k[3];
	char text[3][64];
	s64 v;
};
static struct element model[4000];
static int nmodel;

static void random_key(const char *keys, struct element *e, int range)
{
	int i;

	memset(e, 0, sizeof(*e));
	for (i = 0; keys[i]; i++) {
		u64 r = env_random() % range;

		if (keys[i] == 'l') {
			e->k[i].l = r * 0x100000001LL - 3;
			continue;
		}
		sprintf(e->text[i], "%.*s%llu", (int)(r % 59), "a long name that goes on and on and on and on and on for ever", r);
		e->text[i][63] = 0;
		e->k[i].s = (struct stp_str){ e->text[i], strlen(e->text[i]) };
	}
}

static bool same_keys(const char *keys, const struct element *a, const struct element *b, u32 any)
{
	int i;

	for (i = 0; keys[i]; i++)
		if (!(any & (1u << i)) && (keys[i] == 'l' ? a->k[i].l != b->k[i].l : strcmp(a->text[i], b->text[i]) != 0))
			return false;
	return true;
}

static int model_find(const char *keys, const struct element *e)
{
	int i;

	for (i = 0; i < nmodel; i++)
		if (same_keys(keys, &model[i], e, 0))
			return i;
	return -1;
}

static void model_remove(const char *keys, const struct element *e, u32 any)
{
	int i, j = 0;

	for (i = 0; i < nmodel; i++)
		if (!same_keys(keys, &model[i], e, any)) {
			model[j] = model[i];
			for (int n = 0; keys[n]; n++)
				if (keys[n] == 's')
					model[j].k[n].s.p = model[j].text[n];
			j++;
		}
	nmodel = j;
}

static bool iter_keys_are(const char *keys, const struct stp_iter *it, const struct element *e)
{
	int i;

	for (i = 0; keys[i]; i++) {
		if (keys[i] == 'l' && stp_iter_key_l(it, i) != e->k[i].l)
			return false;
		if (keys[i] == 's' && !stp_str_eq(stp_iter_key_s(it, i),
				(struct stp_str){ e->text[i], strlen(e->text[i]) }))
			return false;
	}
	return true;
}

static void check_all(struct stp_ctx *c, struct stp_map *m, const char *keys)
{
	struct stp_iterspec spec = { .limit = -1 };
	struct stp_iter it;
	int n = 0;

	CHECK_INT(stp_map_count(m), nmodel);
	stp_iter_begin(c, &it, m, &spec);
	while (stp_iter_next(c, &it)) {
		if (n >= nmodel)
			break;
		CHECK(iter_keys_are(keys, &it, &model[n]));
		CHECK_INT(*(s64 *)it.cell, model[n].v);
		n++;
	}
	CHECK_INT(n, nmodel);
	stp_iter_end(c, &it);
}

static void model_step(struct stp_ctx *c, struct stp_map *m, const char *keys, int range)
{
	struct element e;
	u32 any = 0;
	s64 *cell;
	int at;

	random_key(keys, &e, range);
	switch (env_random() % 8) {
	case 0:
		if (keys[1] && env_random() % 8 == 0)
			any = 1u << env_random() % strlen(keys);
		if (any) {
			bool there = false;

			for (at = 0; at < nmodel; at++)
				there |= same_keys(keys, &model[at], &e, any);
			CHECK_INT(stp_map_any(c, m, e.k, any), there);
		}
		stp_map_del(c, m, e.k, any);
		model_remove(keys, &e, any);
		break;
	case 1:
		cell = stp_map_peek(c, m, e.k);
		at = model_find(keys, &e);
		CHECK_INT(cell != NULL, at >= 0);
		if (cell && at >= 0)
			CHECK_INT(*cell, model[at].v);
		break;
	default:
		cell = stp_map_at(c, m, e.k);
		CHECK(cell != NULL && !c->err);
		if (!cell)
			return;
		*cell += 3;
		at = model_find(keys, &e);
		if (at < 0) {
			at = nmodel++;
			model[at] = e;
			for (int n = 0; keys[n]; n++)
				if (keys[n] == 's')
					model[at].k[n].s.p = model[at].text[n];
		}
		model[at].v += 3;
	}
}

static void against_model(const char *keys, int range, int steps)
{
	struct stp_map *m = new_map(keys, STP_LONG, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	int i;

	nmodel = 0;
	for (i = 0; i < steps; i++) {
		model_step(c, m, keys, range);
		refill(m);
		if (i % 500 == 0)
			check_all(c, m, keys);
	}
	check_all(c, m, keys);
	stp_map_clear(c, m);
	nmodel = 0;
	check_all(c, m, keys);
	stp_map_destroy(m);
	env_free(c, base);
}

TEST(long_keys) { against_model("l", 2500, 20000); }
TEST(string_keys) { against_model("s", 1000, 8000); }
TEST(two_keys) { against_model("ll", 30, 8000); }
TEST(mixed_keys) { against_model("sls", 12, 8000); }

/* ---- shapes of keys and values ---- */

TEST(nine_keys_and_odd_strings)
{
	struct stp_map *m = new_map("lslslslsl", STP_STRING, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	union stp_key k[9];
	struct stp_buf *b;
	int i, j;

	for (i = 0; i < 64; i++) {
		char text[64];

		memset(text, i, 64);
		for (j = 0; j < 9; j++) {
			if (j % 2)
				k[j].s = (struct stp_str){ text, i };
			else
				k[j].l = i;
		}
		b = stp_map_at(c, m, k);
		CHECK(b != NULL);
		CHECK_INT(b->len, 0);
		stp_buf_set(b, 64, (struct stp_str){ text, i });
	}
	CHECK_INT(stp_map_count(m), 64);
	for (j = 0; j < 9; j++) {
		if (j % 2)
			k[j].s = STP_STR("\7\7\7\7\7\7\7");
		else
			k[j].l = 7;
	}
	b = stp_map_peek(c, m, k);
	CHECK(b && stp_str_eq(stp_buf_get(b), STP_STR("\7\7\7\7\7\7\7")));
	k[7].s = STP_STR("\7\7\7\7\7\7\6");
	CHECK(!stp_map_peek(c, m, k));
	stp_map_destroy(m);
	env_free(c, base);
}

TEST(string_of_every_length)
{
	struct stp_map *m = new_map("s", STP_LONG, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch, text[64];
	int i, j;

	for (i = 0; i < 64; i++) {
		struct stp_str s;

		for (j = 0; j < i; j++)
			text[j] = j + 1;
		s = env_view(text, i);
		*(s64 *)stp_map_at_s(c, m, s) = i;
		for (j = 0; j < i; j++) { /* each byte counts */
			((char *)s.p)[j] ^= 0x40;
			CHECK(!stp_map_peek_s(c, m, s));
			((char *)s.p)[j] ^= 0x40;
		}
		CHECK_INT(*(s64 *)stp_map_peek_s(c, m, s), i);
		free((char *)s.p);
	}
	CHECK_INT(stp_map_count(m), 64);
	stp_map_destroy(m);
	env_free(c, base);
}

TEST(statistics_values)
{
	struct stp_map *m = new_map("l", STP_STATS, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	struct stp_iterspec spec = { .dir = -1, .stat = STP_SUM, .limit = 5 };
	struct stp_iter it;
	struct stp_agg a;
	int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < 30000; i++) {
			c->slot = i / 7 % stp_slots(ENV_CPUS);
			stp_stat_add(c, stp_map_at_l(c, m, i % 1000), i % 1000);
			refill(m);
		}
		CHECK(!c->err);
		for (i = 0; i < 1000; i++) {
			stp_stat_get(c, stp_map_peek_l(c, m, i), stats.ops, &a);
			CHECK_INT(a.count, 30);
			CHECK_INT(a.sum, 30 * i);
			CHECK_INT(a.min, i);
			CHECK_INT(a.max, i);
		}
		stp_iter_begin(c, &it, m, &spec);
		for (i = 0; stp_iter_next(c, &it); i++)
			CHECK_INT(stp_iter_key_l(&it, 0), 999 - i);
		CHECK_INT(i, 5);
		stp_iter_end(c, &it);
		stp_map_clear(c, m);
		stp_stat_get(c, stp_map_at_l(c, m, 5), STP_COUNT, &a);
		CHECK_INT(a.count, 0);
		stp_map_clear(c, m);
	}
	CHECK_INT(stp_map_stat_lost(m), 0);
	stp_map_destroy(m);
	env_free(c, base);
}

/* Blocks too large to be had for every CPU from the start: made at first use. */
TEST(histograms_as_values)
{
	static const struct stp_statdesc d = { .ops = STP_HIST | STP_VARIANCE, .hist = STP_HIST_LINEAR, .low = 0,
					       .high = 100, .width = 1 };
	struct stp_global g = { .name = "h", .kind = STP_G_MAP, .value = STP_STATS, .keys = "l", .stat = &d };
	struct stp_map *m = stp_map_create(&g, &env_config, ENV_CPUS, &budget);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	struct stp_agg a;
	int i, k;

	for (i = 0; i < 60000; i++) {
		c->slot = i % 7 % stp_slots(ENV_CPUS);
		stp_stat_add(c, stp_map_at_l(c, m, i / 60), i % 60);
		refill(m);
	}
	CHECK(!c->err);
	CHECK_INT(stp_map_stat_lost(m), 0);
	for (k = 0; k < 1000; k++) {
		char *mark = c->scratch;

		stp_stat_get(c, stp_map_peek_l(c, m, k), STP_COUNT | STP_HIST | STP_VARIANCE, &a);
		CHECK_INT(a.count, 60);
		CHECK_INT(a.variance, 305); /* 60 * 61 / 12 */
		CHECK_INT(a.nbucket, 103);
		for (i = 0; i < 103; i++)
			CHECK_INT(a.bucket[i], i >= 1 && i <= 60);
		c->scratch = mark;
	}
	stp_map_destroy(m);
	/* without any refill, what has no memory is counted */
	m = stp_map_create(&g, &env_config, ENV_CPUS, &budget);
	c->slot = 0;
	for (i = k = 0; i < 600; i++) {
		struct stp_stat *st = stp_map_at_l(c, m, i % 60);

		c->slot = i / 60 % stp_slots(ENV_CPUS);
		stp_stat_add(c, st, 1);
	}
	for (i = 0; i < 60; i++)
		k += stp_stat_value(stp_map_peek_l(c, m, i), STP_COUNT);
	CHECK_INT(k + stp_map_stat_lost(m), 600);
	stp_map_destroy(m);
	env_free(c, base);
}

/* ---- foreach ---- */

static void fill(struct stp_ctx *c, struct stp_map *m, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		*(s64 *)stp_map_at_l(c, m, (i * 7919LL) % n) = (i * 104729LL) % 50;
		refill(m);
	}
}

TEST(sorted)
{
	static const s64 limits[] = { -1, 0, 1, 7, 200, 700, 1000, 5000 };
	struct stp_map *m = new_map("l", STP_LONG, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	int i, l, dir, by;

	fill(c, m, 997);
	for (dir = -1; dir <= 1; dir += 2)
	for (by = 0; by < 2; by++)
	for (l = 0; l < 8; l++) {
		struct stp_iterspec spec = { .dir = dir, .by = by, .limit = limits[l] };
		struct stp_iter it;
		s64 last = 0, sum = 0, v;

		stp_iter_begin(c, &it, m, &spec);
		for (i = 0; stp_iter_next(c, &it); i++) {
			v = by ? stp_iter_key_l(&it, 0) : *(s64 *)it.cell;
			if (by)
				CHECK_INT(v, dir > 0 ? i : 996 - i);
			else if (i)
				CHECK(dir > 0 ? v >= last : v <= last);
			else
				CHECK_INT(v, dir > 0 ? 0 : 49);
			last = v;
			sum += stp_iter_key_l(&it, 0);
		}
		CHECK_INT(i, limits[l] < 0 || limits[l] > 997 ? 997 : limits[l]);
		if (i == 997)
			CHECK_INT(sum, 997 * 996 / 2);
		stp_iter_end(c, &it);
	}
	stp_map_destroy(m);
	env_free(c, base);
}

TEST(sorted_strings_and_slices)
{
	struct stp_map *m = new_map("sl", STP_STRING, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch, last[64] = "", now[64];
	struct stp_iterspec spec = { .dir = 1, .by = 1, .limit = -1 };
	union stp_key k[2];
	struct stp_iter it;
	int i;

	for (i = 0; i < 500; i++) {
		char t[64];

		sprintf(t, "%llx", env_random() % 100000);
		k[0].s = (struct stp_str){ t, strlen(t) };
		k[1].l = i % 5;
		stp_buf_set(stp_map_at(c, m, k), 64, k[0].s);
	}
	stp_iter_begin(c, &it, m, &spec);
	while (stp_iter_next(c, &it)) {
		struct stp_str s = stp_iter_key_s(&it, 0);

		sprintf(now, "%.*s", (int)s.len, s.p);
		CHECK(strcmp(last, now) <= 0);
		strcpy(last, now);
	}
	stp_iter_end(c, &it);
	spec = (struct stp_iterspec){ .dir = -1, .limit = -1, .nslice = 2, .any = 1, .slice = k };
	k[1].l = 3;
	last[0] = '~';
	last[1] = 0;
	stp_iter_begin(c, &it, m, &spec);
	for (i = 0; stp_iter_next(c, &it); i++) {
		struct stp_str s = stp_buf_get(it.cell);

		CHECK_INT(stp_iter_key_l(&it, 1), 3);
		sprintf(now, "%.*s", (int)s.len, s.p);
		CHECK(strcmp(last, now) >= 0);
		strcpy(last, now);
	}
	CHECK_INT(i, 100);
	stp_iter_end(c, &it);
	spec.dir = 0;
	spec.limit = 10;
	stp_iter_begin(c, &it, m, &spec);
	for (i = 0; stp_iter_next(c, &it); i++)
		CHECK_INT(stp_iter_key_l(&it, 1), 3);
	CHECK_INT(i, 10);
	stp_iter_end(c, &it);
	stp_map_destroy(m);
	env_free(c, base);
}

/* Loops in loops, with elements deleted and made meanwhile. */
static void nested(int dir)
{
	struct stp_map *m = new_map("l", STP_LONG, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	struct stp_iterspec spec = { .dir = dir, .by = 1, .limit = -1 };
	struct stp_iter a, b, d;
	union stp_key k;
	int outer = 0, inner = 0;

	fill(c, m, 100);
	stp_iter_begin(c, &a, m, &spec);
	while (stp_iter_next(c, &a)) {
		outer++;
		CHECK(stp_iter_key_l(&a, 0) < 100);
		stp_iter_begin(c, &b, m, &spec);
		while (stp_iter_next(c, &b)) {
			inner++;
			stp_iter_begin(c, &d, m, &spec);
			CHECK(stp_iter_next(c, &d));
			stp_iter_end(c, &d);
		}
		stp_iter_end(c, &b);
		k.l = stp_iter_key_l(&a, 0) ^ 1; /* its neighbour */
		stp_map_del(c, m, &k, 0);
		*(s64 *)stp_map_at_l(c, m, 1000 + outer) = 1;
	}
	stp_iter_end(c, &a);
	CHECK(!c->err);
	CHECK_INT(outer, 50);
	CHECK_INT(inner, 50 * 100);
	CHECK_INT(stp_map_count(m), 100);
	stp_map_clear(c, m);
	fill(c, m, 100);
	stp_iter_begin(c, &a, m, &spec);
	CHECK(stp_iter_next(c, &a));
	stp_map_clear(c, m);
	CHECK(!stp_iter_next(c, &a));
	stp_iter_end(c, &a);
	CHECK(m->limbo == NULL && m->ord_head == NULL && m->ord_tail == NULL);
	stp_map_destroy(m);
	env_free(c, base);
}

TEST(nested_loops_in_order) { nested(0); }
TEST(nested_loops_sorted) { nested(1); }

TEST(many_elements)
{
	struct stp_map *m = new_map("l", STP_LONG, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	struct stp_iterspec spec = { .dir = -1, .limit = -1 };
	struct stp_iter it, in;
	struct stp_table *t;
	struct stp_link *l;
	s64 last = 0x7fffffffffffffffLL;
	u64 i, points = 0;

	for (i = 0; i < 300000; i++) {
		s64 *cell = stp_map_at_l(c, m, i * 4096);

		CHECK(cell != NULL);
		if (!cell)
			break;
		*cell = env_random() >> 1;
		if (i % 512 == 0)
			refill(m);
	}
	CHECK_INT(stp_map_count(m), 300000);
	CHECK_INT(stp_map_starved(m), 0);
	env_may_sleep = true;
	stp_iter_begin(c, &it, m, &spec);
	for (i = 0; stp_iter_next(c, &it); i++) {
		CHECK(*(s64 *)it.cell <= last);
		last = *(s64 *)it.cell;
		if (i == 10) { /* more scratch on the spot */
			stp_iter_begin(c, &in, m, &spec);
			CHECK(stp_iter_next(c, &in));
			stp_iter_end(c, &in);
		}
	}
	CHECK_INT(i, 300000);
	stp_iter_end(c, &it);
	env_may_sleep = false;
	CHECK(!c->err);
	for (i = 0; i < 300000; i++)
		CHECK(stp_map_peek_l(c, m, i * 4096) != NULL);
	for (t = m->table; t->parent; t = t->parent)
		;
	for (l = &t->point[0]; l != &m->tail; l = l->next) {
		CHECK((l->hash & ~3ULL) <= (l->next->hash & ~3ULL));
		points += (l->hash & 3) != 3;
	}
	CHECK(points > 100000); /* parts are short */
	stp_map_clear(c, m);
	CHECK_INT(stp_map_count(m), 0);
	CHECK(!stp_map_any(c, m, NULL, 1));
	stp_map_destroy(m);
	env_free(c, base);
}

/* Orders that are bad for quicksort must not cost its square. */
TEST(bad_orders)
{
	struct stp_map *m = new_map("l", STP_LONG, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	struct stp_iterspec spec = { .dir = 1, .limit = -1 };
	struct stp_iter it;
	int i, shape, n = 100000;

	for (i = 0; i < n; i++) {
		stp_map_at_l(c, m, i);
		refill(m);
	}
	for (shape = 0; shape < 4; shape++) {
		s64 last = -1;

		for (i = 0; i < n; i++)
			*(s64 *)stp_map_peek_l(c, m, i) = shape == 0 ? 5 : shape == 1 ? i : shape == 2 ? n - i :
							  i < n / 2 ? i : n - i;
		stp_iter_begin(c, &it, m, &spec);
		for (i = 0; stp_iter_next(c, &it); i++) {
			CHECK(*(s64 *)it.cell >= last);
			if (shape == 0)
				CHECK_INT(stp_iter_key_l(&it, 0), i); /* equal ones stay in order */
			last = *(s64 *)it.cell;
		}
		CHECK_INT(i, n);
		stp_iter_end(c, &it);
	}
	stp_map_destroy(m);
	env_free(c, base);
}

/* ---- limits ---- */

TEST(limit)
{
	struct stp_map *m = new_map("l", STP_LONG, 10, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	union stp_key k = { .l = 4 };
	int i;

	for (i = 0; i < 10; i++)
		CHECK(stp_map_at_l(c, m, i) != NULL);
	CHECK(stp_map_at_l(c, m, 3) != NULL);
	CHECK(!c->err);
	CHECK(!stp_map_at_l(c, m, 10));
	CHECK_STR(c->err, "Array overflow, check size limit (10) (array arr)");
	c->err = NULL;
	stp_map_del(c, m, &k, 0);
	CHECK(stp_map_at_l(c, m, 10) != NULL);
	for (i = 0; i < 1000; i++) { /* nodes come back */
		k.l = 10 + i;
		stp_map_del(c, m, &k, 0);
		CHECK(stp_map_at_l(c, m, 11 + i) != NULL);
	}
	CHECK(!c->err);
	CHECK_INT(stp_map_count(m), 10);
	stp_map_destroy(m);
	env_free(c, base);
}

TEST(maxmapentries)
{
	struct stp_map *m;
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	int i;

	env_config.maxmapentries = 5000;
	m = new_map("l", STP_LONG, 0, false);
	for (i = 0; i < 5000; i++) {
		CHECK(stp_map_at_l(c, m, i) != NULL);
		refill(m);
	}
	CHECK(!stp_map_at_l(c, m, i));
	CHECK(!strncmp(c->err, "Array overflow, check MAXMAPENTRIES", 35));
	env_config.maxmapentries = 0;
	stp_map_destroy(m);
	env_free(c, base);
}

TEST(wrap)
{
	struct stp_map *m = new_map("s", STP_STATS, 100, true), *d = new_map("l", STP_LONG, 0, true);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch, t[64];
	struct stp_iterspec spec = { .limit = -1 };
	struct stp_iter it;
	struct stp_agg a;
	int i;

	for (i = 0; i < 10000; i++) {
		void *st;

		sprintf(t, "%.*s%d", i % 40, "filled up to some length or other, as it happens", i);
		st = stp_map_at_s(c, m, (struct stp_str){ t, strlen(t) });
		CHECK(st != NULL);
		if (!st)
			break;
		stp_stat_add(c, st, i);
		stp_stat_get(c, st, STP_COUNT | STP_SUM, &a);
		CHECK_INT(a.count, 1);
		CHECK_INT(a.sum, i);
		CHECK(stp_map_at_l(c, d, i) != NULL);
	}
	CHECK(!c->err);
	CHECK_INT(stp_map_count(m), 100);
	CHECK_INT(stp_map_count(d), 2048);
	CHECK(!stp_map_peek_l(c, d, 10000 - 2049) && stp_map_peek_l(c, d, 10000 - 2048));
	stp_iter_begin(c, &it, m, &spec);
	for (i = 9900; stp_iter_next(c, &it); i++)
		CHECK_INT(stp_stat_value(it.cell, STP_MAX), i);
	stp_iter_end(c, &it);
	stp_map_destroy(m);
	stp_map_destroy(d);
	env_free(c, base);
}

TEST(budget)
{
	struct stp_budget small = { .limit = 2 << 20 };
	struct stp_global g = { .name = "big", .kind = STP_G_MAP, .value = STP_LONG, .keys = "l" };
	struct stp_map *m = stp_map_create(&g, &env_config, ENV_CPUS, &small);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	int i;

	for (i = 0; i < 100000 && !c->err; i++) {
		stp_map_at_l(c, m, i);
		refill(m);
	}
	CHECK(i > 8000 && i < 60000);
	CHECK_STR(c->err, "Array overflow, check STP_MAXMEMORY (array big)");
	CHECK(small.used <= small.limit);
	stp_map_destroy(m);
	small = (struct stp_budget){ .limit = 1000 };
	CHECK(!stp_map_create(&g, &env_config, ENV_CPUS, &small));
	env_free(c, base);
}

TEST(starved_and_refilled_on_the_spot)
{
	struct stp_map *m = new_map("l", STP_LONG, 0, false);
	struct stp_ctx *c = env_ctx(0, 1 << 16);
	char *base = c->scratch;
	int i;

	env_kicks = 0;
	for (i = 0; !c->err; i++)
		stp_map_at_l(c, m, i);
	CHECK(c->err == stp_err_starved);
	CHECK_INT(stp_map_starved(m), 1);
	CHECK_INT(env_kicks, 2); /* one when it ran low, one when it was empty */
	c->err = NULL;
	env_may_sleep = true;
	for (; i < 50000; i++)
		stp_map_at_l(c, m, i);
	env_may_sleep = false;
	CHECK(!c->err);
	stp_map_destroy(m);
	env_free(c, base);
}

/* ---- several threads ---- */

#define THREADS ENV_CPUS
#define ROUNDS 60000
#define KEYS 20000

struct job {
	struct stp_map *count, *stat, *name;
	u32 slot;
};
static int running;

/* After a hit that met an empty pool: let the refill run. */
static void wait_a_bit(struct stp_ctx *c)
{
	if (c->err)
		sched_yield();
	c->err = NULL;
}

static void *updates(void *arg)
{
	struct job *j = arg;
	struct stp_ctx *c = env_ctx(j->slot, 1 << 12);
	char *base = c->scratch, t[32];
	u64 i, x = j->slot + 1;

	for (i = 0; i < ROUNDS; i++) {
		s64 *cell;
		void *st;

		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		do { /* all threads make the same keys at about the same time */
			wait_a_bit(c);
			cell = stp_map_at_l(c, j->count, i * KEYS / ROUNDS + (x >> 60));
		} while (c->err == stp_err_starved);
		__atomic_fetch_add(cell, 1, __ATOMIC_RELAXED);
		do {
			wait_a_bit(c);
			st = stp_map_at_l(c, j->stat, (i * KEYS / ROUNDS) ^ (x >> 61));
		} while (c->err == stp_err_starved);
		stp_stat_add(c, st, 1);
		sprintf(t, "%.*s%llu", (int)(x >> 60), "abcdefghijklmnopqrst", i * KEYS / ROUNDS / 16);
		do {
			wait_a_bit(c);
			cell = stp_map_at_s(c, j->name, (struct stp_str){ t, strlen(t) });
		} while (c->err == stp_err_starved);
		__atomic_fetch_add(cell, 1, __ATOMIC_RELAXED);
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
	env_free(c, base);
	return NULL;
}

TEST(four_threads)
{
	struct job j[THREADS];
	pthread_t t[THREADS];
	struct stp_map *maps[3] = { new_map("l", STP_LONG, 0, false), new_map("l", STP_STATS, 0, false),
				    new_map("s", STP_LONG, 0, false) };
	struct stp_ctx *c = env_ctx(2 * ENV_CPUS, 1 << 12);
	char *base = c->scratch;
	struct stp_iterspec spec = { .dir = 1, .by = 1, .limit = -1 };
	int i, k;

	running = THREADS;
	for (i = 0; i < THREADS; i++) {
		j[i] = (struct job){ maps[0], maps[1], maps[2], i };
		pthread_create(&t[i], NULL, updates, &j[i]);
	}
	while (__atomic_load_n(&running, __ATOMIC_RELAXED))
		for (i = 0, sched_yield(); i < 3; i++)
			refill(maps[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (k = 0; k < 3; k++) {
		s64 sum = 0, n = 0, last = -1;
		struct stp_iter it;

		stp_iter_begin(c, &it, maps[k], &spec);
		for (; stp_iter_next(c, &it); n++) {
			sum += k == 1 ? stp_stat_value(it.cell, STP_SUM) : *(s64 *)it.cell;
			if (k < 2) {
				CHECK(stp_iter_key_l(&it, 0) > last); /* no key twice */
				last = stp_iter_key_l(&it, 0);
			}
		}
		stp_iter_end(c, &it);
		CHECK_INT(n, stp_map_count(maps[k]));
		CHECK_INT(sum, THREADS * ROUNDS);
		CHECK_INT(stp_map_stat_lost(maps[k]), 0);
		stp_map_destroy(maps[k]);
	}
	env_free(c, base);
}

/* A signal handler stands for an NMI: it interrupts anything, with a context and slot of its own. */
static struct stp_map *nmi_count, *nmi_stat;
static struct stp_ctx *nmi_ctx;
static s64 nmi_done, nmi_starved;

static void nmi(int sig)
{
	static s64 k;
	s64 *cell = stp_map_at_l(nmi_ctx, nmi_count, k += 3);
	struct stp_stat *st = stp_map_at_l(nmi_ctx, nmi_stat, k % 5000);

	if (cell && st) {
		stp_cell_add(cell, 1);
		stp_stat_add(nmi_ctx, st, 1);
		nmi_done++;
	} else {
		nmi_starved++;
	}
	nmi_ctx->err = NULL;
}

TEST(interrupted_anywhere)
{
	struct itimerval every = { { 0, 300 }, { 0, 300 } }, off = { { 0, 0 }, { 0, 0 } };
	struct stp_ctx *c = env_ctx(1, 1 << 12);
	char *base = c->scratch, *nmi_base;
	s64 counted = 0, summed = 0, i, done = 0;
	struct stp_iterspec spec = { .limit = -1 };
	struct stp_iter it;

	nmi_ctx = env_ctx(ENV_CPUS + 1, 1 << 12);
	nmi_base = nmi_ctx->scratch;
	nmi_count = new_map("l", STP_LONG, 0, false);
	nmi_stat = new_map("l", STP_STATS, 0, false);
	signal(SIGALRM, nmi);
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 0; i < 100000; i++) {
		s64 *cell = stp_map_at_l(c, nmi_count, i);
		struct stp_stat *st = stp_map_at_l(c, nmi_stat, i % 5000);

		if (cell && st) {
			stp_cell_add(cell, 1);
			stp_stat_add(c, st, 1);
			done++;
		}
		c->err = NULL;
		if (i % 256 == 0) {
			refill(nmi_count);
			refill(nmi_stat);
		}
	}
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK(nmi_done > 0);
	CHECK(done > 90000);
	stp_iter_begin(c, &it, nmi_count, &spec);
	while (stp_iter_next(c, &it))
		counted += *(s64 *)it.cell;
	stp_iter_end(c, &it);
	stp_iter_begin(c, &it, nmi_stat, &spec);
	while (stp_iter_next(c, &it))
		summed += stp_stat_value(it.cell, STP_SUM);
	stp_iter_end(c, &it);
	CHECK_INT(counted, done + nmi_done);
	CHECK_INT(summed + stp_map_stat_lost(nmi_stat), done + nmi_done);
	stp_map_destroy(nmi_count);
	stp_map_destroy(nmi_stat);
	env_free(c, base);
	env_free(nmi_ctx, nmi_base);
}

RUN_TESTS()
