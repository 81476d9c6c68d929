/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of mappings against a plain array: random changes, each looked up, walked and compared with the table before; memory that is
 * shared is freed once.
 */
/* link: runtime/module/umap_table.c */
#include "unit.h"
#include "umap_table.h"

#define MAX 2000
#define SPACE 4000              /* addresses */

struct stp_ufile {
	u32 id;
};
static struct stp_ufile files[3] = { { 1 }, { 2 }, { 1 } };

bool stp_ufile_same(const struct stp_ufile *a, const struct stp_ufile *b)
{
	return a->id == b->id;
}

struct model {
	u32 n;
	struct stp_umap m[MAX];
};

static u32 below(u32 n)
{
	static u64 seed = 42;

	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33) % n;
}

static struct stp_umap random_map(u64 start, u64 end)
{
	static const u32 flags[] = { STP_UMAP_READ, STP_UMAP_READ | STP_UMAP_WRITE, STP_UMAP_NOFILE, STP_UMAP_NOFILE | STP_UMAP_SPECIAL };
	u32 f = below(4);

	return (struct stp_umap){ start, end, f < 2 ? start + 100 * below(2) : 0, flags[f], &files[below(3)] };
}

/* Replaces what lies in lo..hi, which cuts no mapping. */
static void model_replace(struct model *mo, u64 lo, u64 hi, const struct stp_umap *with, u32 n)
{
	struct model new = { 0 };
	u32 i = 0;

	for (; i < mo->n && mo->m[i].end <= lo; i++)
		new.m[new.n++] = mo->m[i];
	for (u32 k = 0; k < n; k++)
		new.m[new.n++] = with[k];
	for (; i < mo->n; i++)
		if (mo->m[i].start >= hi)
			new.m[new.n++] = mo->m[i];
	*mo = new;
}

static const struct stp_umap *model_find(const struct model *mo, u64 addr)
{
	for (u32 i = 0; i < mo->n; i++)
		if (mo->m[i].start <= addr && mo->m[i].end > addr)
			return &mo->m[i];
	return NULL;
}

static void check_table(const struct stp_umaps *t, const struct model *mo)
{
	struct stp_umaps_iter it;
	const struct stp_umap *m = stp_umaps_seek(&it, t, 0);
	u32 i;

	CHECK(t->n == mo->n);
	for (i = 0; m && i < mo->n; i++, m = stp_umaps_next(&it))
		CHECK(m->start == mo->m[i].start && m->end == mo->m[i].end && m->file == mo->m[i].file);
	CHECK(!m && i == mo->n);
	for (i = 0; i < 20; i++) {
		u64 addr = below(SPACE);
		const struct stp_umap *a = stp_umaps_find(t, addr), *b = model_find(mo, addr);

		CHECK(!a == !b && (!a || a->start == b->start));
	}
}

/* What each address is, told by the differences alone. */
struct marks {
	const struct model *old, *new;
	u8 told[SPACE];
};

static void mark(void *data, u64 start, u64 end, const struct stp_umap *was, const struct stp_umap *is)
{
	struct marks *k = data;

	CHECK(start < end && end <= SPACE);
	for (u64 a = start; a < end; a++) {
		const struct stp_umap *o = model_find(k->old, a), *n = model_find(k->new, a);

		CHECK(!k->told[a]);
		k->told[a] = 1;
		CHECK(!o == !was && !n == !is);
		CHECK((!o || o->start == was->start) && (!n || n->start == is->start));
	}
}

static bool differ(const struct stp_umap *o, const struct stp_umap *n)
{
	if (!o || !n)
		return o != n;
	if (o->flags != n->flags)
		return true;
	if (o->flags & STP_UMAP_SPECIAL)
		return o->file != n->file;
	return !(o->flags & STP_UMAP_NOFILE) && (o->file->id != n->file->id || o->off - o->start != n->off - n->start);
}

static void check_diff(const struct stp_umaps *a, const struct stp_umaps *b, const struct model *old, const struct model *new)
{
	static struct marks k;

	memset(&k, 0, sizeof(k));
	k.old = old;
	k.new = new;
	stp_umaps_diff(a, b, 0, SPACE, mark, &k);
	for (u64 addr = 0; addr < SPACE; addr++)
		CHECK(k.told[addr] == differ(model_find(old, addr), model_find(new, addr)));
}

static void step(struct stp_umaps **t, struct model *mo, bool diff)
{
	static struct model old;
	static struct stp_umap with[300];
	u64 lo = below(SPACE), hi = lo + 1 + below(below(10) ? 30 : 1500), at;
	const struct stp_umap *m;
	struct stp_umaps *new;
	u32 n = 0;

	old = *mo;
	hi = hi > SPACE ? SPACE : hi;
	m = model_find(mo, lo);
	lo = m ? m->start : lo;
	m = model_find(mo, hi - 1);
	hi = m ? m->end : hi;
	for (at = lo + below(3); at < hi && n < 300 && below(50); at += below(3)) {
		u64 end = at + 1 + below(4);

		with[n++] = random_map(at, end > hi ? hi : end);
		at = with[n - 1].end;
	}
	new = stp_umaps_replace(*t, lo, hi, with, n);
	CHECK(new);
	model_replace(mo, lo, hi, with, n);
	check_table(new, mo);
	if (diff)
		check_diff(*t, new, &old, mo);
	if (*t)
		stp_umaps_free(*t);
	*t = new;
}

TEST(changes)
{
	static struct model mo;
	struct stp_umaps *t = NULL, *kept;

	for (int i = 0; i < 20000; i++)
		step(&t, &mo, t && i % 50 == 0);
	/* a table that somebody still reads */
	kept = stp_umaps_replace(t, 0, 0, NULL, 0);
	for (int i = 0; i < 100; i++)
		step(&t, &mo, false);
	stp_umaps_free(t);
	CHECK(kept->n && stp_umaps_behind(kept, 0));
	stp_umaps_free(kept);
}

RUN_TESTS()

/* All tables together take no more than they may; what is freed can be had again. */
TEST(limit)
{
	enum { N = 60000, TABLES = 100 };
	static struct stp_umap m[N];
	struct stp_umaps *t[TABLES + 1];
	u64 bytes = 0, one;
	u32 i, n = 0;

	for (i = 0; i < N; i++)
		m[i] = (struct stp_umap){ i * 2, i * 2 + 1, 0, STP_UMAP_READ, &files[0] };
	for (n = 0; n < TABLES && (t[n] = stp_umaps_replace(NULL, 0, ~0ull, m, N)) != NULL; n++)
		bytes += sizeof(m);
	one = sizeof(m);
	CHECK(n > 0 && n < TABLES);
	CHECK(bytes <= STP_UMAPS_MAX);
	CHECK(bytes + 2 * one > STP_UMAPS_MAX);
	CHECK(!stp_umaps_replace(NULL, 0, ~0ull, m, N));
	stp_umaps_free(t[--n]);
	t[n] = stp_umaps_replace(NULL, 0, ~0ull, m, N);
	CHECK(t[n] != NULL);
	n += t[n] != NULL;
	while (n)
		stp_umaps_free(t[--n]);
}
