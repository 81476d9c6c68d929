/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Deleting elements of maps, and the ordered list that deletion, wrapping and foreach use.  All of it runs in
 * exclusive mode.
 */
#include "map.h"

/* Statistics are linked only into scripts that use them; a map of them is made by no other. */
extern typeof(stp_stat_clear) stp_stat_clear stp_weak;

void stp_map_drain(struct stp_map *m)
{
	struct stp_node *n = __atomic_exchange_n(&m->recent, NULL, __ATOMIC_ACQ_REL), *first = NULL, *next;

	if (!n)
		return;
	for (; n; n = next) { /* turn the stack round */
		next = n->ord_next;
		n->ord_next = first;
		first = n;
	}
	for (n = first; n; n = n->ord_next) {
		n->ord_prev = m->ord_tail;
		if (m->ord_tail)
			m->ord_tail->ord_next = n;
		else
			m->ord_head = n;
		m->ord_tail = n;
	}
}

static void ord_unlink(struct stp_map *m, struct stp_node *n)
{
	if (n->ord_prev)
		n->ord_prev->ord_next = n->ord_next;
	else
		m->ord_head = n->ord_next;
	if (n->ord_next)
		n->ord_next->ord_prev = n->ord_prev;
	else
		m->ord_tail = n->ord_prev;
}

static void hash_unlink(struct stp_map *m, struct stp_node *n)
{
	struct stp_link *prev = stp_map_point(m, n->link.hash), *l;

	while ((l = prev->next) != &n->link)
		prev = l;
	prev->next = l->next;
	l->hash = 0;
}

void stp_node_delete(struct stp_ctx *c, struct stp_map *m, struct stp_node *n)
{
	hash_unlink(m, n);
	stp_sub_ret(&m->count, 1);
	if (m->value == STP_STATS)
		stp_stat_clear(c, stp_link_cell(&n->link));
	if (m->loops) { /* a loop may stand on it: it keeps its place until they end */
		n->link.next = m->limbo ? &m->limbo->link : NULL;
		m->limbo = n;
		return;
	}
	ord_unlink(m, n);
	stp_node_release(m, n);
}

void stp_map_purge(struct stp_map *m)
{
	struct stp_node *n = m->limbo, *next;

	m->limbo = NULL;
	for (; n; n = next) {
		next = n->link.next ? stp_node_of(n->link.next) : NULL;
		ord_unlink(m, n);
		stp_node_release(m, n);
	}
}

static void delete_matching(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u32 any)
{
	struct stp_node *n, *next;

	stp_map_drain(m);
	for (n = m->ord_head; n; n = next) {
		next = n->ord_next;
		if (n->link.hash && stp_node_match(m, &n->link, k, any))
			stp_node_delete(c, m, n);
	}
}

void stp_map_del(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u32 any)
{
	void *cell;

	if (any) {
		delete_matching(c, m, k, any);
		return;
	}
	cell = stp_map_peek(c, m, k);
	if (!cell)
		return;
	stp_map_drain(m);
	stp_node_delete(c, m, stp_node_of((struct stp_link *)cell - 1));
}

void stp_map_clear(struct stp_ctx *c, struct stp_map *m)
{
	struct stp_node *n, *next;

	stp_map_drain(m);
	for (n = m->ord_head; n; n = next) {
		next = n->ord_next;
		if (n->link.hash)
			stp_node_delete(c, m, n);
	}
}
