/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps in the probe: hashing, lookup of what is there.  See map.h for the structure; inserting is in map_slow.c.
 */
#include "map_priv.h"

static __always_inline u64 mix(u64 a, u64 b)
{
	unsigned __int128 p = (unsigned __int128)a * b;

	return (u64)p ^ (u64)(p >> 64);
}

static __always_inline u64 hash_bytes(const struct stp_map *m, const char *p, size_t n)
{
	u64 a, b, h = m->seed[2] ^ n;

	if (likely(n <= 16)) {
		if (n >= 8) {
			a = stp_get8(p);
			b = stp_get8(p + n - 8);
		} else if (n >= 4) {
			a = stp_get4(p);
			b = stp_get4(p + n - 4);
		} else if (n) {
			a = (u8)p[0] << 16 | (u8)p[n >> 1] << 8 | (u8)p[n - 1];
			b = 0;
		} else {
			a = b = 0;
		}
	} else {
		const char *end = p + n - 16;

		for (; p < end; p += 16)
			h = mix(stp_get8(p) ^ m->seed[0], stp_get8(p + 8) ^ h);
		a = stp_get8(end);
		b = stp_get8(end + 8);
	}
	return mix(a ^ m->seed[0], b ^ h);
}

/* Elements' hashes have both low bits and not the top one, so that the tail sorts behind them. */
static __always_inline u64 hash_finish(u64 h)
{
	return h >> 1 | STP_LINK_NODE;
}

static __always_inline u64 hash_of(const struct stp_map *m, enum key_kind kind, const union stp_key *k)
{
	u64 h = m->seed[2];
	u32 i;

	if (kind == ONE_LONG)
		return hash_finish(mix((u64)k->l ^ m->seed[0], m->seed[1]));
	if (kind == ONE_STRING)
		return hash_finish(mix(hash_bytes(m, k->s.p, k->s.len), m->seed[1]));
	for (i = 0; i < m->nkeys; i++) {
		if (m->keys[i] == STP_LONG)
			h = mix((u64)k[i].l ^ h, m->seed[1]);
		else
			h = mix(hash_bytes(m, k[i].s.p, k[i].s.len) ^ h, m->seed[1]);
	}
	return hash_finish(h);
}

struct stp_link *stp_map_point(struct stp_map *m, u64 h)
{
	return point_of(m, h);
}

/*
 * The entry point, ready or not.  From one that is not yet in the list an element may be missed, but what is found
 * is right: enough for stp_map_at*, whose slow path looks again.
 */
static __always_inline struct stp_link *point_any(struct stp_map *m, u64 h)
{
	struct stp_table *t = stp_load_acq(&m->table);

	return (struct stp_link *)((char *)t->point + (h >> t->shift) * sizeof(struct stp_link));
}

/* The entry point, or NULL when it has yet to be made. */
static __always_inline struct stp_link *point_fast(struct stp_map *m, u64 h)
{
	struct stp_table *t = stp_load_acq(&m->table);
	struct stp_link *l = &t->point[h >> t->shift];

	return likely(stp_load_acq(&l->hash) & STP_LINK_READY) ? l : NULL;
}

void *stp_map_peek_l(struct stp_ctx *c, struct stp_map *m, s64 key)
{
	union stp_key k = { .l = key };
	u64 h = hash_of(m, ONE_LONG, &k);
	struct stp_link *l = point_fast(m, h);

	if (unlikely(!l))
		return stp_map_peek_slow_l(m, key, h);
	l = find_from(l, m, ONE_LONG, &k, h);
	return l ? stp_link_cell(l) : NULL;
}

void *stp_map_peek_s(struct stp_ctx *c, struct stp_map *m, struct stp_str key)
{
	union stp_key k = { .s = key };
	u64 h = hash_of(m, ONE_STRING, &k);
	struct stp_link *l = point_fast(m, h);

	if (unlikely(!l))
		return stp_map_peek_slow_s(m, key.p, key.len, h);
	l = find_from(l, m, ONE_STRING, &k, h);
	return l ? stp_link_cell(l) : NULL;
}

void *stp_map_peek(struct stp_ctx *c, struct stp_map *m, const union stp_key *k)
{
	struct stp_link *l;
	u64 h;

	if (m->nkeys == 1)
		return m->keys[0] == STP_LONG ? stp_map_peek_l(c, m, k->l) : stp_map_peek_s(c, m, k->s);
	h = hash_of(m, MANY, k);
	l = point_fast(m, h);
	if (unlikely(!l))
		return stp_map_peek_slow(m, k, h);
	l = find_from(l, m, MANY, k, h);
	return l ? stp_link_cell(l) : NULL;
}

void *stp_map_at_l(struct stp_ctx *c, struct stp_map *m, s64 key)
{
	union stp_key k = { .l = key };
	u64 h = hash_of(m, ONE_LONG, &k);
	struct stp_link *l = find_from(point_any(m, h), m, ONE_LONG, &k, h);

	return likely(l) ? stp_link_cell(l) : stp_map_at_slow_l(c, m, key, h);
}

void *stp_map_at_s(struct stp_ctx *c, struct stp_map *m, struct stp_str key)
{
	union stp_key k = { .s = key };
	u64 h = hash_of(m, ONE_STRING, &k);
	struct stp_link *l = find_from(point_any(m, h), m, ONE_STRING, &k, h);

	return likely(l) ? stp_link_cell(l) : stp_map_at_slow_s(c, m, key.p, key.len, h);
}

void *stp_map_at(struct stp_ctx *c, struct stp_map *m, const union stp_key *k)
{
	struct stp_link *l;
	u64 h;

	if (m->nkeys == 1)
		return m->keys[0] == STP_LONG ? stp_map_at_l(c, m, k->l) : stp_map_at_s(c, m, k->s);
	h = hash_of(m, MANY, k);
	l = find_from(point_any(m, h), m, MANY, k, h);
	return likely(l) ? stp_link_cell(l) : stp_map_at_slow(c, m, k, h);
}

u64 stp_map_count(const struct stp_map *m)
{
	return stp_load_rlx(&m->count);
}

/* Walks the list itself, so that shared access is enough. */
bool stp_map_any(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u32 any)
{
	struct stp_table *t = stp_load_acq(&m->table);
	struct stp_link *l;

	while (t->parent)
		t = t->parent;
	for (l = &t->point[0]; l != &m->tail; l = stp_load_acq(&l->next))
		if ((stp_load_rlx(&l->hash) & STP_LINK_NODE) == STP_LINK_NODE && stp_node_match(m, l, k, any))
			return true;
	return false;
}
