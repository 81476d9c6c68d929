/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lookup (map.c) and insert (map_slow.c) share. */
#ifndef STP_MAP_PRIV_H
#define STP_MAP_PRIV_H

#include "map.h"
#include "str.h"

enum key_kind { ONE_LONG, ONE_STRING, MANY };

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

static __always_inline bool match(const struct stp_map *m, enum key_kind kind, const struct stp_link *l,
				  const union stp_key *k)
{
	if (kind == ONE_LONG)
		return *(const s64 *)stp_link_keys(m, l) == k->l;
	if (kind == ONE_STRING)
		return key_equals(l, stp_link_keys(m, l), k->s);
	return match_keys(m, l, k, 0);
}

/* map_slow.c; any context, as all of these.  The point of a table that is not in the list yet. */
struct stp_link *stp_map_point_make(struct stp_table *t, u64 h);

static __always_inline struct stp_link *point_of(struct stp_map *m, u64 h)
{
	struct stp_table *t = stp_load_acq(&m->table);
	struct stp_link *p = &t->point[h >> t->shift];

	if (unlikely(!(stp_load_acq(&p->hash) & STP_LINK_READY)))
		p = stp_map_point_make(t, h);
	return p;
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

/*
 * The rest of a lookup whose entry point is missing, or of an insert, for a key of hash h: the element's value.  NULL: the
 * error is set (at), or there is none (peek).
 */
void *stp_map_at_slow(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u64 h);
void *stp_map_at_slow_l(struct stp_ctx *c, struct stp_map *m, s64 key, u64 h);
void *stp_map_at_slow_s(struct stp_ctx *c, struct stp_map *m, const char *p, size_t n, u64 h);
void *stp_map_peek_slow(struct stp_map *m, const union stp_key *k, u64 h);
void *stp_map_peek_slow_l(struct stp_map *m, s64 key, u64 h);
void *stp_map_peek_slow_s(struct stp_map *m, const char *p, size_t n, u64 h);

#endif
