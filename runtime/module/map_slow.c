/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Maps in the probe, when an element is not found at once: points of new tables, inserting.  See map.h for the structure.
 */
#include "map_priv.h"

bool stp_node_match(const struct stp_map *m, const struct stp_link *l, const union stp_key *k, u32 any)
{
	return match_keys(m, l, k, any);
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
struct stp_link *stp_map_point_make(struct stp_table *t, u64 h)
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

static struct stp_link *find_slow(struct stp_map *m, const union stp_key *k, u64 h)
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
void *stp_map_at_slow(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u64 h)
{
	struct stp_link *l = find_slow(m, k, h);

	return l ? stp_link_cell(l) : insert(c, m, k, h);
}

void *stp_map_at_slow_l(struct stp_ctx *c, struct stp_map *m, s64 key, u64 h)
{
	union stp_key k = { .l = key };

	return stp_map_at_slow(c, m, &k, h);
}

void *stp_map_at_slow_s(struct stp_ctx *c, struct stp_map *m, const char *p, size_t n, u64 h)
{
	union stp_key k = { .s = { p, n } };

	return stp_map_at_slow(c, m, &k, h);
}

void *stp_map_peek_slow(struct stp_map *m, const union stp_key *k, u64 h)
{
	struct stp_link *l = find_slow(m, k, h);

	return l ? stp_link_cell(l) : NULL;
}

void *stp_map_peek_slow_l(struct stp_map *m, s64 key, u64 h)
{
	union stp_key k = { .l = key };

	return stp_map_peek_slow(m, &k, h);
}

void *stp_map_peek_slow_s(struct stp_map *m, const char *p, size_t n, u64 h)
{
	union stp_key k = { .s = { p, n } };

	return stp_map_peek_slow(m, &k, h);
}
