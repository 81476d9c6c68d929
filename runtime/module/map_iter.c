/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * foreach.  In order of insertion it follows the ordered list to what was its end when the loop began.  Sorted,
 * or with a slice, it first makes a table of elements in the map's scratch, which the worker keeps large enough
 * for all nodes there are (so the probe allocates nothing); nested loops over one map share it as a stack.
 */
#include "map.h"

/* Statistics are linked only into scripts that use them; a map of them is made by no other. */
extern typeof(stp_stat_value) stp_stat_value stp_weak;

/* iter->priv */
enum { I_MODE, I_AT, I_END, I_LEFT, I_USED = I_LEFT, I_BUF };
enum { MODE_NONE, MODE_LIST, MODE_TABLE };

/* A larger scratch that the worker made becomes the one in use; loops under way keep theirs, below it. */
static void fetch_buf(struct stp_map *m)
{
	struct stp_entbuf *b;

	if (!stp_load_rlx(&m->buf_new))
		return;
	b = __atomic_exchange_n(&m->buf_new, NULL, __ATOMIC_ACQ_REL);
	if (!b)
		return;
	b->next = m->buf;
	m->buf = b;
}

/* No loop is left: give the smaller ones back to the worker. */
static void retire_bufs(struct stp_map *m)
{
	struct stp_entbuf *b, *top;

	while (m->buf && (b = m->buf->next)) {
		m->buf->next = b->next;
		top = stp_load_rlx(&m->buf_old);
		do
			b->next = top;
		while (!stp_cas(&m->buf_old, &top, b));
	}
}

static s64 sort_value(struct stp_map *m, struct stp_link *l, const struct stp_iterspec *s)
{
	void *cell = stp_link_cell(l);

	if (!s->dir)
		return 0;
	if (s->by)
		return m->keys[s->by - 1] == STP_LONG ? ((s64 *)stp_link_keys(m, l))[s->by - 1] : 0;
	if (m->value == STP_LONG)
		return *(s64 *)cell;
	return m->value == STP_STATS ? stp_stat_value(cell, s->stat) : 0;
}

/* Room for n entries, or the error. */
static struct stp_ent *take_room(struct stp_ctx *c, struct stp_map *m, u64 n)
{
	fetch_buf(m);
	if (m->buf && m->buf->room - m->buf->used >= n)
		return m->buf->ent + m->buf->used;
	if (m->loops > stp_load_rlx(&m->buf_levels))
		stp_store_rlx(&m->buf_levels, m->loops);
	if (stp_may_sleep(c)) {
		stp_map_refill(m);
		fetch_buf(m);
		if (m->buf && m->buf->room - m->buf->used >= n)
			return m->buf->ent + m->buf->used;
	}
	stp_add_ret(&m->starved, 1);
	stp_refill_kick();
	stp_fail(c, stp_err_starved);
	return NULL;
}

static void make_table(struct stp_ctx *c, struct stp_iter *it, struct stp_map *m, const struct stp_iterspec *s)
{
	u64 most = m->count, keep = s->limit >= 0 && (u64)s->limit < most ? (u64)s->limit : most, n = 0;
	struct stp_ent *e = take_room(c, m, most);
	struct stp_node *nd;
	int strkey = -1;

	if (!e)
		return;
	for (nd = m->ord_head; nd; nd = nd->ord_next) {
		if (!nd->link.hash || (s->nslice && !stp_node_match(m, &nd->link, s->slice, s->any)))
			continue;
		e[n] = (struct stp_ent){ sort_value(m, &nd->link, s), nd, n };
		n++;
	}
	if (s->by && m->keys[s->by - 1] == STP_STRING)
		strkey = s->by;
	else if (!s->by && m->value == STP_STRING)
		strkey = 0;
	if (s->dir)
		n = stp_ents_sort(m, e, n, keep, s->dir, strkey);
	else if (n > keep)
		n = keep;
	it->priv[I_MODE] = MODE_TABLE;
	it->priv[I_AT] = e - m->buf->ent;
	it->priv[I_END] = it->priv[I_AT] + n;
	it->priv[I_USED] = m->buf->used;
	it->priv[I_BUF] = (unsigned long)m->buf;
	m->buf->used += n;
}

void stp_iter_begin(struct stp_ctx *c, struct stp_iter *it, struct stp_map *m, const struct stp_iterspec *spec)
{
	stp_memset(it, 0, sizeof(*it));
	it->m = m;
	m->loops++;
	stp_map_drain(m);
	if (!m->ord_head || spec->limit == 0)
		return;
	if (spec->dir || spec->nslice) {
		make_table(c, it, m, spec);
		return;
	}
	it->priv[I_MODE] = MODE_LIST;
	it->priv[I_AT] = (unsigned long)m->ord_head;
	it->priv[I_END] = (unsigned long)m->ord_tail;
	it->priv[I_LEFT] = spec->limit < 0 ? ~0ULL : (u64)spec->limit;
}

static struct stp_entbuf *buf_of(const struct stp_iter *it)
{
	return (struct stp_entbuf *)(unsigned long)it->priv[I_BUF];
}

static bool visit(struct stp_iter *it, struct stp_node *n)
{
	if (!n->link.hash)
		return false;
	it->node = n;
	it->cell = stp_link_cell(&n->link);
	return true;
}

bool stp_iter_next(struct stp_ctx *c, struct stp_iter *it)
{
	if (it->priv[I_MODE] == MODE_TABLE) {
		while (it->priv[I_AT] < it->priv[I_END])
			if (visit(it, buf_of(it)->ent[it->priv[I_AT]++].n))
				return true;
		return false;
	}
	if (it->priv[I_MODE] != MODE_LIST || !it->priv[I_LEFT])
		return false;
	while (it->priv[I_AT]) {
		struct stp_node *n = (struct stp_node *)(unsigned long)it->priv[I_AT];

		it->priv[I_AT] = it->priv[I_AT] == it->priv[I_END] ? 0 : (unsigned long)n->ord_next;
		if (visit(it, n)) {
			it->priv[I_LEFT]--;
			return true;
		}
	}
	return false;
}

void stp_iter_end(struct stp_ctx *c, struct stp_iter *it)
{
	struct stp_map *m = it->m;

	if (it->priv[I_MODE] == MODE_TABLE)
		buf_of(it)->used = it->priv[I_USED];
	it->priv[I_MODE] = MODE_NONE;
	if (--m->loops)
		return;
	retire_bufs(m);
	stp_map_purge(m);
}

s64 stp_iter_key_l(const struct stp_iter *it, u32 n)
{
	const struct stp_node *nd = it->node;

	return ((const s64 *)stp_link_keys(it->m, &nd->link))[n];
}

struct stp_str stp_iter_key_s(const struct stp_iter *it, u32 n)
{
	const struct stp_node *nd = it->node;

	return stp_keystr_get(&nd->link, (const struct stp_keystr *)stp_link_keys(it->m, &nd->link) + n);
}
