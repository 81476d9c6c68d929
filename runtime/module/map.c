/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps in the probe: hashing, lookup and insert.  See map.h for the structure.
 */
#include "map.h"
#include "str.h"

enum key_kind { ONE_LONG, ONE_STRING, MANY };

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

static __always_inline bool key_equals(const struct stp_link *l, const char *slot, struct stp_str s)
{
	const struct stp_keystr *ks = (const struct stp_keystr *)slot;

	return ks->len == s.len && stp_bytes_eq((const char *)l + ks->off, s.p, s.len);
}

static __always_inline bool match_keys(const struct stp_map *m, const struct stp_link *l, const union stp_key *k,
				       u32 any)
{
	const char *slot = stp_link_keys(m, l);
	u32 i, n = m->nkeys;

	for (i = 0; i < n; i++, slot += 8) {
		if (any & (1u << i))
			continue;
		if (m->keys[i] == STP_LONG ? *(const s64 *)slot != k[i].l : !key_equals(l, slot, k[i].s))
			return false;
	}
	return true;
}

bool stp_node_match(const struct stp_map *m, const struct stp_link *l, const union stp_key *k, u32 any)
{
	return match_keys(m, l, k, any);
}

static __always_inline bool match(const struct stp_map *m, enum key_kind kind, const struct stp_link *l,
				  const union stp_key *k)
{
	if (kind == ONE_LONG)
		return *(const s64 *)stp_link_keys(m, l) == k->l;
	if (kind == ONE_STRING)
		return key_equals(l, stp_link_keys(m, l), k->s);
	return match_keys(m, l, k, 0);
}

/* Put link at its place behind start; those of the same hash stay before it. */
static void point_insert(struct stp_link *start, struct stp_link *link, u64 before)
{
	struct stp_link *prev = start, *cur = stp_load_acq(&prev->next);

	for (;;) {
		while (stp_load_rlx(&cur->hash) < before) {
			prev = cur;
			cur = stp_load_acq(&prev->next);
		}
		stp_store_rlx(&link->next, cur);
		if (stp_cas(&prev->next, &cur, link))
			return;
	}
}

/*
 * The point of a new table is not in the list yet: put it there, unless somebody else (another CPU, or what we
 * interrupted) is at it; then a smaller table's point does.
 */
static stp_cold struct stp_link *point_make(struct stp_table *t, u64 h)
{
	struct stp_link *p = &t->point[h >> t->shift], *start = NULL;
	u64 base = h >> t->shift << t->shift, none = 0;
	struct stp_table *up;

	for (up = t->parent; up; up = up->parent) {
		start = &up->point[base >> up->shift];
		if (stp_load_acq(&start->hash) & STP_LINK_READY)
			break;
	}
	if (!stp_cas(&p->hash, &none, base | STP_LINK_CLAIMED))
		return none & STP_LINK_READY ? p : start;
	point_insert(start, p, base | STP_LINK_NODE);
	stp_store_rel(&p->hash, base | STP_LINK_READY);
	return p;
}

static __always_inline struct stp_link *point_of(struct stp_map *m, u64 h)
{
	struct stp_table *t = stp_load_acq(&m->table);
	struct stp_link *p = &t->point[h >> t->shift];

	if (unlikely(!(stp_load_acq(&p->hash) & STP_LINK_READY)))
		p = point_make(t, h);
	return p;
}

struct stp_link *stp_map_point(struct stp_map *m, u64 h)
{
	return point_of(m, h);
}

static __always_inline struct stp_link *find_from(struct stp_link *l, struct stp_map *m, enum key_kind kind,
						  const union stp_key *k, u64 h)
{
	u64 lh;

	u64 ahead;

	do { /* one subtraction tells less from equal */
		l = stp_load_acq(&l->next);
		lh = stp_load_rlx(&l->hash);
	} while (__builtin_sub_overflow(lh, h, &ahead));
	while (lh == h) {
		if (likely(match(m, kind, l, k))) {
			if (!l)
				__builtin_unreachable(); /* saves the caller's test on a hit */
			return l;
		}
		l = stp_load_acq(&l->next);
		lh = stp_load_rlx(&l->hash);
	}
	return NULL;
}

static stp_cold struct stp_link *find_slow(struct stp_map *m, const union stp_key *k, u64 h)
{
	return find_from(point_of(m, h), m, MANY, k, h);
}

static u32 key_bytes(const struct stp_map *m, const union stp_key *k)
{
	u32 i, n = 0;

	for (i = m->first_str; i < m->nkeys; i++)
		if (m->keys[i] == STP_STRING)
			n += ((k[i].s.len < m->maxstringlen ? k[i].s.len : m->maxstringlen - 1) + 7) & ~7u;
	return n;
}

static void node_fill(struct stp_map *m, struct stp_node *n, const union stp_key *k, u64 h)
{
	char *slot = stp_link_keys(m, &n->link);
	u32 off = slot + 8 * m->nkeys - (char *)&n->link, i;

	for (i = 0; i < m->nkeys; i++, slot += 8) {
		struct stp_keystr *ks = (struct stp_keystr *)slot;

		if (m->keys[i] == STP_LONG) {
			*(s64 *)slot = k[i].l;
			continue;
		}
		ks->len = k[i].s.len < m->maxstringlen ? k[i].s.len : m->maxstringlen - 1;
		ks->off = off;
		stp_copy((char *)&n->link + off, k[i].s.p, ks->len);
		off += (ks->len + 7) & ~7u;
	}
	if (m->value == STP_LONG)
		*(s64 *)stp_link_cell(&n->link) = 0;
	else if (m->value == STP_STRING)
		((struct stp_buf *)stp_link_cell(&n->link))->len = 0;
	stp_store_rlx(&n->link.hash, h);
}

/* A full map that wraps loses its oldest element. */
static bool make_room(struct stp_ctx *c, struct stp_map *m)
{
	struct stp_node *n;

	if (!m->wrap)
		return false;
	stp_map_drain(m);
	n = m->ord_head;
	while (n && !n->link.hash) /* deleted, but a loop may stand on it */
		n = n->ord_next;
	if (n)
		stp_node_delete(c, m, n);
	return n;
}

/*
 * Not found: make it, unless another CPU does.  The count goes up when the element is there, so a limit may be
 * exceeded by as many elements as there are CPUs at it, and is never felt by who comes second with one key.
 */
static stp_noinline void *insert(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u64 h)
{
	struct stp_node *n, *top;
	struct stp_link *prev, *cur;
	u64 ch;

	if (unlikely(stp_load_acq(&m->count) >= m->limit) && !make_room(c, m)) {
		cur = find_slow(m, k, h); /* may be what just made it full */
		if (cur)
			return stp_link_cell(cur);
		stp_fail(c, m->msg_full);
		return NULL;
	}
	n = stp_node_take(c, m, key_bytes(m, k));
	if (!n)
		return NULL;
	node_fill(m, n, k, h);
	prev = point_of(m, h);
	cur = stp_load_acq(&prev->next);
	for (;;) {
		while ((ch = stp_load_rlx(&cur->hash)) <= h) {
			if (ch == h && stp_node_match(m, cur, k, 0)) {
				stp_node_spare(c, m, n);
				return stp_link_cell(cur);
			}
			prev = cur;
			cur = stp_load_acq(&prev->next);
		}
		stp_store_rlx(&n->link.next, cur);
		if (stp_cas(&prev->next, &cur, &n->link))
			break;
	}
	top = stp_load_rlx(&m->recent);
	do
		n->ord_next = top;
	while (!stp_cas(&m->recent, &top, n));
	stp_add_ret(&m->count, 1);
	return stp_link_cell(&n->link);
}

/*
 * The rest of a lookup whose entry point is missing, or of an insert.  Lookups end in a call of it or in none,
 * so that finding an element needs no stack.
 */
static stp_noinline void *at_slow(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u64 h)
{
	struct stp_link *l = find_slow(m, k, h);

	return l ? stp_link_cell(l) : insert(c, m, k, h);
}

static stp_noinline void *at_slow_l(struct stp_ctx *c, struct stp_map *m, s64 key, u64 h)
{
	union stp_key k = { .l = key };

	return at_slow(c, m, &k, h);
}

static stp_noinline void *at_slow_s(struct stp_ctx *c, struct stp_map *m, const char *p, size_t n, u64 h)
{
	union stp_key k = { .s = { p, n } };

	return at_slow(c, m, &k, h);
}

static stp_noinline void *peek_slow(struct stp_map *m, const union stp_key *k, u64 h)
{
	struct stp_link *l = find_slow(m, k, h);

	return l ? stp_link_cell(l) : NULL;
}

static stp_noinline void *peek_slow_l(struct stp_map *m, s64 key, u64 h)
{
	union stp_key k = { .l = key };

	return peek_slow(m, &k, h);
}

static stp_noinline void *peek_slow_s(struct stp_map *m, const char *p, size_t n, u64 h)
{
	union stp_key k = { .s = { p, n } };

	return peek_slow(m, &k, h);
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
		return peek_slow_l(m, key, h);
	l = find_from(l, m, ONE_LONG, &k, h);
	return l ? stp_link_cell(l) : NULL;
}

void *stp_map_peek_s(struct stp_ctx *c, struct stp_map *m, struct stp_str key)
{
	union stp_key k = { .s = key };
	u64 h = hash_of(m, ONE_STRING, &k);
	struct stp_link *l = point_fast(m, h);

	if (unlikely(!l))
		return peek_slow_s(m, key.p, key.len, h);
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
		return peek_slow(m, k, h);
	l = find_from(l, m, MANY, k, h);
	return l ? stp_link_cell(l) : NULL;
}

void *stp_map_at_l(struct stp_ctx *c, struct stp_map *m, s64 key)
{
	union stp_key k = { .l = key };
	u64 h = hash_of(m, ONE_LONG, &k);
	struct stp_link *l = find_from(point_any(m, h), m, ONE_LONG, &k, h);

	return likely(l) ? stp_link_cell(l) : at_slow_l(c, m, key, h);
}

void *stp_map_at_s(struct stp_ctx *c, struct stp_map *m, struct stp_str key)
{
	union stp_key k = { .s = key };
	u64 h = hash_of(m, ONE_STRING, &k);
	struct stp_link *l = find_from(point_any(m, h), m, ONE_STRING, &k, h);

	return likely(l) ? stp_link_cell(l) : at_slow_s(c, m, key.p, key.len, h);
}

void *stp_map_at(struct stp_ctx *c, struct stp_map *m, const union stp_key *k)
{
	struct stp_link *l;
	u64 h;

	if (m->nkeys == 1)
		return m->keys[0] == STP_LONG ? stp_map_at_l(c, m, k->l) : stp_map_at_s(c, m, k->s);
	h = hash_of(m, MANY, k);
	l = find_from(point_any(m, h), m, MANY, k, h);
	return likely(l) ? stp_link_cell(l) : at_slow(c, m, k, h);
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
