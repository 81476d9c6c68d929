/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Memory of maps: creation, pools of nodes and their refill, growth of tables and of foreach's scratch.
 * What a probe does here is to take a node; the rest is process context.
 */
#include "map.h"

/* Statistics are linked only into scripts that use them; a map of them is made by no other. */
extern typeof(stp_statpool_init) stp_statpool_init stp_weak;
extern typeof(stp_statpool_grow) stp_statpool_grow stp_weak;
extern typeof(stp_statpool_cell) stp_statpool_cell stp_weak;
extern typeof(stp_statpool_cost) stp_statpool_cost stp_weak;
extern typeof(stp_statpool_refill) stp_statpool_refill stp_weak;
extern typeof(stp_statpool_deinit) stp_statpool_deinit stp_weak;

#define INIT_NODES 2048u        /* nodes of the first class at the start */
#define INIT_BYTES (1u << 20)   /* but no more than this */
#define MIN_NODES 64u
#define MAX_STEP 65536u         /* most nodes a refill adds at once */
#define WRAP_LIMIT 2048

const char stp_err_starved[] = "array elements are needed faster than memory can be had";

static void *map_alloc(struct stp_map *m, u64 n)
{
	void *p;

	if (!stp_budget_take(m->budget, n))
		return NULL;
	p = stp_alloc(n);
	if (!p)
		stp_budget_give(m->budget, n);
	return p;
}

/* ---- in the probe ---- */

static struct stp_node *class_pop(struct stp_map *m, struct stp_class *k)
{
	struct stp_link *l = stp_load_acq(&k->free), *next;
	s64 left;

	do {
		if (!l)
			return NULL;
		next = stp_load_rlx(&l->next);
	} while (!stp_cas(&k->free, &l, next));
	left = stp_sub_ret(&k->nfree, 1);
	if (left < stp_load_rlx(&k->low) && !stp_load_rlx(&m->kicked)) {
		stp_store_rlx(&m->kicked, 1);
		stp_refill_kick();
	}
	return stp_node_of(l);
}

static struct stp_node *node_pop(struct stp_ctx *c, struct stp_map *m, u32 strbytes)
{
	struct stp_node *n = m->spare[c->slot];
	u32 i;

	if (n && m->cls[stp_node_class(m, n)].strbytes >= strbytes) {
		m->spare[c->slot] = n->ord_next;
		return n;
	}
	for (i = 0; i < m->nclasses; i++) {
		if (m->cls[i].strbytes < strbytes)
			continue;
		n = class_pop(m, &m->cls[i]);
		if (n)
			return n;
	}
	return NULL;
}

static stp_cold struct stp_node *node_missing(struct stp_ctx *c, struct stp_map *m, u32 strbytes)
{
	struct stp_node *n = NULL;

	if (stp_may_sleep(c)) {
		stp_map_refill(m);
		n = node_pop(c, m, strbytes);
		if (n)
			return n;
	}
	if (stp_load_rlx(&m->at_budget)) {
		stp_fail(c, m->msg_budget);
		return NULL;
	}
	stp_add_ret(&m->starved, 1);
	stp_fail(c, stp_err_starved);
	stp_refill_kick();
	return NULL;
}

struct stp_node *stp_node_take(struct stp_ctx *c, struct stp_map *m, u32 strbytes)
{
	struct stp_node *n = node_pop(c, m, strbytes);

	return likely(n) ? n : node_missing(c, m, strbytes);
}

static void class_push(struct stp_class *k, struct stp_link *first, struct stp_link *last, s64 n)
{
	struct stp_link *top = stp_load_acq(&k->free);

	stp_add_ret(&k->nfree, n);
	do
		stp_store_rlx(&last->next, top);
	while (!stp_cas(&k->free, &top, first));
}

void stp_node_release(struct stp_map *m, struct stp_node *n)
{
	class_push(&m->cls[stp_node_class(m, n)], &n->link, &n->link, 1);
}

void stp_node_spare(struct stp_ctx *c, struct stp_map *m, struct stp_node *n)
{
	stp_store_rlx(&n->link.hash, 0);
	n->ord_next = m->spare[c->slot];
	m->spare[c->slot] = n;
}

/* ---- growth ---- */

static u64 nodes_total(const struct stp_map *m)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < m->nclasses; i++)
		n += m->cls[i].total;
	return n;
}

/* n nodes in one piece, as a chain */
static bool class_grow(struct stp_map *m, struct stp_class *k, u64 n)
{
	char *mem, *at, *first;
	void *groups = NULL;
	u64 i, bytes = n * k->size + 128;

	if (m->value == STP_STATS) {
		groups = stp_statpool_grow(&m->stats, n);
		if (!groups)
			return false;
	}
	mem = map_alloc(m, bytes);
	if (!mem)
		return false; /* groups stay with the pool of statistics until the end */
	*(void **)mem = m->chunks;
	m->chunks = mem;
	first = at = (char *)(((unsigned long)mem + sizeof(void *) + 63) & ~63UL);
	for (i = 0; i < n; i++, at += k->size) {
		struct stp_node *nd = (struct stp_node *)at;

		if (m->first_str < m->nkeys) {
			char *slot = stp_link_keys(m, &nd->link) + 8 * m->first_str;

			((struct stp_keystr *)slot)->cls = k - m->cls;
		}
		if (groups)
			stp_statpool_cell(&m->stats, groups, i, stp_link_cell(&nd->link));
		nd->link.next = i + 1 < n ? &((struct stp_node *)(at + k->size))->link : NULL;
		if (!(i & 1023))
			stp_resched();
	}
	k->total += n;
	class_push(k, &((struct stp_node *)first)->link,
		   &((struct stp_node *)(first + (n - 1) * k->size))->link, n);
	return true;
}

static struct stp_table *table_new(struct stp_map *m, u32 bits)
{
	struct stp_table *t = map_alloc(m, sizeof(*t) + (sizeof(struct stp_link) << bits));
	u64 i;

	if (!t)
		return NULL;
	t->bits = bits;
	t->shift = 63 - bits;
	for (i = 0; i < 1ull << bits; i++) {
		t->point[i].next = &m->tail;
		if (!(i & 4095))
			stp_resched();
	}
	return t;
}

/* One entry point for each of n nodes; without memory for that, lookups walk further. */
static void table_fit(struct stp_map *m, u64 n)
{
	u32 bits = m->table->bits;
	struct stp_table *t;

	if (n <= 1ULL << bits)
		return;
	while (1ULL << bits < n)
		bits++;
	t = table_new(m, bits);
	if (!t)
		return;
	t->parent = m->table;
	stp_store_rel(&m->table, t);
}

static void buf_free(struct stp_map *m, struct stp_entbuf *b)
{
	stp_budget_give(m->budget, sizeof(*b) + b->room * sizeof(b->ent[0]));
	stp_free(b);
}

/* Scratch for foreach over n nodes; the old one is freed when no loop uses it. */
static bool buf_fit(struct stp_map *m, u64 n)
{
	struct stp_entbuf *old = __atomic_exchange_n(&m->buf_old, NULL, __ATOMIC_ACQ_REL), *b;

	while (old) {
		b = old->next;
		buf_free(m, old);
		old = b;
	}
	n *= stp_load_rlx(&m->buf_levels);
	if (n <= m->buf_room)
		return true;
	b = map_alloc(m, sizeof(*b) + n * sizeof(b->ent[0]));
	if (!b)
		return false;
	b->room = n;
	m->buf_room = n;
	b = __atomic_exchange_n(&m->buf_new, b, __ATOMIC_ACQ_REL);
	if (b) /* nobody fetched the one before */
		buf_free(m, b);
	return true;
}

static u32 class_init_nodes(const struct stp_map *m, u32 i)
{
	u64 cost = m->cls[i].size + (m->value == STP_STATS ? stp_statpool_cost(&m->stats) : 0);
	u64 n = INIT_NODES >> i;

	if (n > INIT_BYTES / cost)
		n = INIT_BYTES / cost;
	return n < MIN_NODES ? MIN_NODES : n;
}

/* Refill one class when it runs low; false when the budget ended that. */
static bool class_refill(struct stp_map *m, u32 i)
{
	struct stp_class *k = &m->cls[i];
	u64 most = m->limit > ~0ULL - m->nslots ? ~0ULL : m->limit + m->nslots;
	u64 start = class_init_nodes(m, i), step, low;

	low = k->total / 3 > start / 2 ? k->total / 3 : start / 2;
	if (k->total >= most) {
		stp_store_rlx(&k->low, 0);
		return true;
	}
	if (k->total && stp_load_rlx(&k->nfree) >= (s64)low) {
		stp_store_rlx(&k->low, low);
		return true;
	}
	step = k->total / 2 > start ? k->total / 2 : start;
	if (step > MAX_STEP)
		step = MAX_STEP;
	if (step > most - k->total)
		step = most - k->total;
	for (;; step /= 2) {
		table_fit(m, nodes_total(m) + step);
		if (buf_fit(m, nodes_total(m) + step) && class_grow(m, k, step))
			break;
		if (step <= MIN_NODES) {
			stp_store_rlx(&k->low, 0);
			return false;
		}
	}
	low = k->total / 3 > start / 2 ? k->total / 3 : start / 2;
	stp_store_rlx(&k->low, k->total >= most ? 0 : low);
	return true;
}

void stp_map_refill(struct stp_map *m)
{
	bool all = true;
	s64 fresh = 0;
	u32 i;

	stp_mutex_lock(&m->mutex);
	stp_store_rlx(&m->kicked, 0);
	for (i = 0; i < m->nclasses; i++) {
		all &= class_refill(m, i);
		fresh += stp_load_rlx(&m->cls[i].nfree);
	}
	stp_store_rlx(&m->at_budget, !all);
	buf_fit(m, nodes_total(m));
	if (m->value == STP_STATS)
		stp_statpool_refill(&m->stats, fresh > 0 ? fresh : 0);
	stp_mutex_unlock(&m->mutex);
}

bool stp_map_needs_refill(struct stp_map *m)
{
	u32 i;

	if (m->value == STP_STATS && stp_load_rlx(&m->stats.nfree) < stp_load_rlx(&m->stats.low))
		return true;
	if (stp_load_rlx(&m->buf_old))
		return true;
	for (i = 0; i < m->nclasses; i++)
		if (stp_load_rlx(&m->cls[i].nfree) < stp_load_rlx(&m->cls[i].low))
			return true;
	return false;
}

/* ---- life ---- */

static void set_classes(struct stp_map *m)
{
	u32 fixed = sizeof(struct stp_node) + m->cell_size + 8 * m->nkeys, nstr = 0, i, most, room = 16;

	for (i = 0; i < m->nkeys; i++)
		nstr += m->keys[i] == STP_STRING;
	most = nstr * ((m->maxstringlen - 1 + 7) & ~7u);
	if (!nstr)
		room = 0;
	for (i = 0; i < STP_MAXCLASS; i++, room *= 2) {
		if (room > most || i == STP_MAXCLASS - 1)
			room = most;
		m->cls[i].strbytes = room;
		m->cls[i].size = fixed + room;
		if (m->cls[i].size > 48 && m->cls[i].size < 64)
			m->cls[i].size = 64;
		m->nclasses++;
		if (room == most)
			return;
	}
}

/* "TEXT (array NAME)" */
static void make_message(char *out, size_t size, const char *text, const char *name)
{
	size_t n = strlen(text), k = strlen(name);

	stp_memcpy(out, text, n);
	stp_memcpy(out + n, " (array ", 8);
	n += 8;
	if (k > size - n - 2)
		k = size - n - 2;
	stp_memcpy(out + n, name, k);
	out[n + k] = ')';
	out[n + k + 1] = 0;
}

/* The first table: all its points are in the list. */
static bool table_first(struct stp_map *m)
{
	u32 bits = 6, i;
	struct stp_table *t = table_new(m, bits);

	if (!t)
		return false;
	m->tail.hash = ~0ULL;
	for (i = 0; i < 1u << bits; i++) {
		t->point[i].hash = (u64)i << t->shift | STP_LINK_READY;
		t->point[i].next = i + 1 < 1u << bits ? &t->point[i + 1] : &m->tail;
	}
	m->table = t;
	return true;
}

static void set_keys(struct stp_map *m, const struct stp_global *g, const struct stp_config *cfg)
{
	u32 i;

	m->maxstringlen = cfg->maxstringlen;
	for (i = 0; i < STP_MAXKEYS && g->keys[i]; i++)
		m->keys[i] = g->keys[i];
	m->nkeys = i;
	for (i = 0; i < m->nkeys && m->keys[i] != STP_STRING; i++)
		;
	m->first_str = i;
	m->value = g->value;
	m->wrap = g->wrap;
	m->cell_size = 8;
	if (m->value == STP_STRING)
		m->cell_size = (sizeof(struct stp_buf) + m->maxstringlen + 7) & ~7u;
	else if (m->value == STP_STATS)
		m->cell_size = sizeof(struct stp_stat);
	m->limit = g->limit > 0 ? (u64)g->limit : cfg->maxmapentries > 0 ? (u64)cfg->maxmapentries : ~0ULL;
	if (m->wrap && m->limit == ~0ULL)
		m->limit = WRAP_LIMIT;
}

/* Which limit it was: that of the array's declaration, or the script's. */
static void full_message(struct stp_map *m, const struct stp_global *g)
{
	char text[64] = "Array overflow, check size limit (";
	size_t n = strlen(text);
	u64 limit = g->limit, unit = 1;

	if (g->limit <= 0) {
		make_message(m->msg_full, sizeof(m->msg_full), "Array overflow, check MAXMAPENTRIES", g->name);
		return;
	}
	while (limit / unit > 9)
		unit *= 10;
	for (; unit; unit /= 10)
		text[n++] = '0' + limit / unit % 10;
	text[n++] = ')';
	text[n] = 0;
	make_message(m->msg_full, sizeof(m->msg_full), text, g->name);
}

struct stp_map *stp_map_create(const struct stp_global *g, const struct stp_config *cfg, u32 ncpus,
			       struct stp_budget *b)
{
	struct stp_map *m = g->value == STP_STATS && !stp_statpool_init ? NULL :
			    stp_alloc(sizeof(*m) + stp_slots(ncpus) * sizeof(m->spare[0]));
	u32 i;

	if (!m)
		return NULL;
	m->name = g->name;
	m->budget = b;
	m->nslots = stp_slots(ncpus);
	m->buf_levels = 1;
	for (i = 0; i < 3; i++)
		m->seed[i] = stp_random64() | 1;
	stp_mutex_init(&m->mutex);
	set_keys(m, g, cfg);
	full_message(m, g);
	make_message(m->msg_budget, sizeof(m->msg_budget), "Array overflow, check STP_MAXMEMORY", g->name);
	if (m->value == STP_STATS)
		stp_statpool_init(&m->stats, g->stat, ncpus, 64, b);
	set_classes(m);
	if (table_first(m)) {
		stp_map_refill(m);
		if (nodes_total(m))
			return m;
	}
	stp_map_destroy(m);
	return NULL;
}

void stp_map_destroy(struct stp_map *m)
{
	struct stp_table *t;
	void *next;

	if (!m)
		return;
	for (; m->chunks; m->chunks = next) {
		next = *(void **)m->chunks;
		stp_free(m->chunks);
	}
	while ((t = m->table)) {
		m->table = t->parent;
		stp_free(t);
	}
	for (; m->buf; m->buf = next) {
		next = m->buf->next;
		stp_free(m->buf);
	}
	stp_free(m->buf_new);
	for (; m->buf_old; m->buf_old = next) {
		next = m->buf_old->next;
		stp_free(m->buf_old);
	}
	if (m->value == STP_STATS)
		stp_statpool_deinit(&m->stats);
	stp_free(m);
}

const char *stp_map_name(const struct stp_map *m)
{
	return m->name;
}

u64 stp_map_starved(const struct stp_map *m)
{
	return stp_load_rlx(&m->starved);
}

u64 stp_map_stat_lost(const struct stp_map *m)
{
	return m->value == STP_STATS ? stp_load_rlx(&m->stats.lost) : 0;
}
