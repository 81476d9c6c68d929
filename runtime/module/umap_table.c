/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Tables of mappings: looking up, making new ones from old ones, comparing (umap_table.h). */
#include "umap_table.h"

/*
 * Mappings in a chunk, at most: a change copies one or two chunks, and names all others.  They fill what the kernel's allocator gives,
 * 512, 2048 and 4096 bytes.
 */
static u32 chunk_room(u32 nmappings)
{
	return nmappings < 600 ? 12 : nmappings < 10000 ? 51 : 102;
}

static u64 bytes_used;

/* ---- looking up ---- */
/* The first chunk with a mapping that ends behind an address; nchunks: none. */
static u32 chunk_behind(const struct stp_umaps *maps, u64 addr)
{
	u32 lo = 0, hi = maps->nchunks;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (maps->at[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static u32 map_behind(const struct stp_uchunk *c, u64 addr)
{
	u32 lo = 0, hi = c->n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (c->m[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct stp_umap *stp_umaps_behind(const struct stp_umaps *maps, u64 addr)
{
	u32 i = chunk_behind(maps, addr);
	const struct stp_uchunk *c = i < maps->nchunks ? maps->at[i].chunk : NULL;

	return c ? &c->m[map_behind(c, addr)] : NULL;
}

const struct stp_umap *stp_umaps_find(const struct stp_umaps *maps, u64 addr)
{
	const struct stp_umap *m = stp_umaps_behind(maps, addr);

	return m && m->start <= addr ? m : NULL;
}

const struct stp_umap *stp_umaps_seek(struct stp_umaps_iter *it, const struct stp_umaps *maps, u64 addr)
{
	it->maps = maps;
	it->chunk = maps ? chunk_behind(maps, addr) : 0;
	it->i = 0;
	if (!maps || it->chunk == maps->nchunks)
		return NULL;
	it->i = map_behind(maps->at[it->chunk].chunk, addr);
	return &maps->at[it->chunk].chunk->m[it->i];
}

const struct stp_umap *stp_umaps_next(struct stp_umaps_iter *it)
{
	const struct stp_umaps *maps = it->maps;

	if (++it->i == maps->at[it->chunk].chunk->n) {
		it->i = 0;
		if (++it->chunk == maps->nchunks)
			return NULL;
	}
	return &maps->at[it->chunk].chunk->m[it->i];
}

/* ---- making ---- */
/* The new table as it grows: `left` mappings are to be put into `chunks` more chunks, the last of which has `room`. */
struct builder {
	struct stp_umaps *maps;
	u32 left, chunks, room;
};

static size_t table_size(u32 nchunks)
{
	return sizeof(struct stp_umaps) + nchunks * sizeof(((struct stp_umaps *)0)->at[0]);
}

static size_t chunk_size(u32 n)
{
	return sizeof(struct stp_uchunk) + n * sizeof(struct stp_umap);
}

static bool chunk_start(struct builder *b)
{
	u32 share = (b->left + b->chunks - 1) / b->chunks;
	struct stp_uchunk *c = stp_alloc(chunk_size(share));

	if (!c)
		return false;
	c->users = 1;
	b->maps->at[b->maps->nchunks++].chunk = c;
	b->chunks--;
	b->room = share;
	return true;
}

static bool put(struct builder *b, const struct stp_umap *m, u32 n)
{
	while (n) {
		struct stp_uchunk *c;
		u32 some, i;

		if (!b->room && !chunk_start(b))
			return false;
		c = b->maps->at[b->maps->nchunks - 1].chunk;
		some = n < b->room ? n : b->room;
		for (i = 0; i < some; i++)
			c->m[c->n++] = m[i];
		b->maps->at[b->maps->nchunks - 1].end = m[some - 1].end;
		b->maps->n += some;
		b->room -= some;
		b->left -= some;
		m += some;
		n -= some;
	}
	return true;
}

static void share(struct builder *b, const struct stp_umaps *old, u32 from, u32 to)
{
	for (; from < to; from++) {
		stp_add_ret(&old->at[from].chunk->users, 1);
		b->maps->at[b->maps->nchunks++] = old->at[from];
		b->maps->n += old->at[from].chunk->n;
	}
}

/* The mappings of a chunk that have nothing of lo..hi: `below` from its beginning, and those from `above` on. */
struct kept {
	u32 below, above;
};

static struct kept kept_of(const struct stp_uchunk *c, u64 lo, u64 hi)
{
	struct kept k = { .below = map_behind(c, lo) };

	for (k.above = k.below; k.above < c->n && c->m[k.above].start < hi;) /* mostly few */
		k.above++;
	return k;
}

/* The chunks first..end of old made anew. */
static bool rebuild(struct builder *b, const struct stp_umaps *old, u32 first, u32 end, u64 lo, u64 hi,
		    const struct stp_umap *with, u32 n)
{
	u32 i;

	for (i = first; i < end; i++) {
		const struct stp_uchunk *c = old->at[i].chunk;
		struct kept k = kept_of(c, lo, hi);

		if (!put(b, c->m, k.below))
			return false;
		if (k.below < c->n) { /* what is new comes before the first that ends behind lo */
			if (!put(b, with, n))
				return false;
			n = 0;
		}
		if (!put(b, c->m + k.above, c->n - k.above))
			return false;
	}
	return put(b, with, n);
}

static u32 count_kept(const struct stp_uchunk *c, u64 lo, u64 hi)
{
	struct kept k = kept_of(c, lo, hi);

	return k.below + c->n - k.above;
}

/* New memory counts once the table is whole. */
static void table_free(struct stp_umaps *m, bool counted)
{
	u32 i;

	for (i = 0; i < m->nchunks; i++) {
		struct stp_uchunk *c = m->at[i].chunk;

		if (stp_sub_ret(&c->users, 1))
			continue;
		if (counted)
			stp_sub_ret(&bytes_used, chunk_size(c->n));
		stp_free(c);
	}
	if (counted)
		stp_sub_ret(&bytes_used, table_size(m->nchunks));
	stp_free(m);
}

void stp_umaps_free(struct stp_umaps *m)
{
	table_free(m, true);
}

static void table_count(const struct stp_umaps *m, u32 first, u32 n)
{
	u64 bytes = table_size(m->nchunks);

	for (; n; n--)
		bytes += chunk_size(m->at[first++].chunk->n);
	stp_add_ret(&bytes_used, bytes);
}

struct stp_umaps *stp_umaps_replace(const struct stp_umaps *old, u64 lo, u64 hi, const struct stp_umap *with, u32 n)
{
	u32 first = old ? chunk_behind(old, lo) : 0, end = first, nold = old ? old->nchunks : 0, chunks;
	u32 room = chunk_room((old ? old->n : 0) + n);
	struct builder b = { .left = n };

	for (; end < nold && old->at[end].chunk->m[0].start < hi; end++)
		b.left += count_kept(old->at[end].chunk, lo, hi);
	/* small ones are put together with a neighbour, which is all kept */
	if (b.left && b.left < room / 2 && end < nold)
		b.left += old->at[end++].chunk->n;
	else if (b.left && b.left < room / 2 && first)
		b.left += old->at[--first].chunk->n;
	b.chunks = chunks = (b.left + room - 1) / room;
	if (stp_load_rlx(&bytes_used) + table_size(first + chunks + nold - end) + chunk_size(b.left) > STP_UMAPS_MAX)
		return NULL;
	b.maps = stp_alloc(table_size(first + chunks + nold - end));
	if (!b.maps)
		return NULL;
	b.maps->users = 1;
	if (first)
		share(&b, old, 0, first);
	if (!rebuild(&b, old, first, end, lo, hi, with, n)) {
		table_free(b.maps, false);
		return NULL;
	}
	if (end < nold)
		share(&b, old, end, nold);
	table_count(b.maps, first, chunks);
	return b.maps;
}

/* ---- comparing ---- */
bool stp_umap_same(const struct stp_umap *a, const struct stp_umap *b, u64 moved)
{
	u32 differ = a->flags ^ b->flags;

	if (differ & (STP_UMAP_NOFILE | STP_UMAP_SPECIAL | STP_UMAP_SHARED))
		return false;
	if (a->flags & STP_UMAP_NOFILE)
		return !(a->flags & STP_UMAP_SPECIAL) || a->file == b->file;
	return a->off - a->start == b->off - (b->start - moved) && (a->file == b->file || stp_ufile_same(a->file, b->file));
}

static bool covers(const struct stp_umap *m, u64 addr)
{
	return m && m->start <= addr;
}

/* Where what is at addr changes next on that side. */
static u64 edge(const struct stp_umap *m, u64 addr)
{
	return !m ? ~0ull : m->start <= addr ? m->end : m->start;
}

void stp_umaps_diff(const struct stp_umaps *old, const struct stp_umaps *new, u64 lo, u64 hi,
		    void (*fn)(void *data, u64 start, u64 end, const struct stp_umap *was, const struct stp_umap *is), void *data)
{
	struct stp_umaps_iter io, in;
	const struct stp_umap *o = stp_umaps_seek(&io, old, lo), *n = stp_umaps_seek(&in, new, lo), *was, *is;
	u64 end, e;

	for (; lo < hi && (o || n); lo = end) {
		was = covers(o, lo) ? o : NULL;
		is = covers(n, lo) ? n : NULL;
		end = edge(o, lo);
		e = edge(n, lo);
		end = end < e ? end : e;
		end = end < hi ? end : hi;
		if ((was || is) && (!was || !is || (was->flags ^ is->flags) & STP_UMAP_PERMS || !stp_umap_same(was, is, 0)))
			fn(data, lo, end, was, is);
		if (o && o->end <= end)
			o = stp_umaps_next(&io);
		if (n && n->end <= end)
			n = stp_umaps_next(&in);
	}
}
