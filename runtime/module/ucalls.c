/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What entry handlers kept, until the calls return (uprobe_hit.h).
 *
 * A table of rows of WAYS calls.  A call that never returns (longjmp, the end of its thread) stays until the row
 * needs its place: the oldest of a row goes then.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/spinlock.h>
#include "uprobe_hit.h"

#define WAYS 8
#define BYTES_DEFAULT (1u << 20)

enum { IN_ITS_OWN, JUMPED, IN_OTHER };
enum { CALL_FREE, CALL_LIVE, CALL_HELD /* its return's handler runs */ };

struct call {
	struct stp_ucall_key key;
	u32 age;
	u16 state;
	u16 where;
	u64 words[];
};

struct row {
	raw_spinlock_t lock;
	u32 clock;
};

struct stp_ucalls {
	const struct stp_probe *p;
	u32 bits, call_size;
	struct row *rows;
	char *calls;
};

struct stp_ucalls *stp_ucalls_new(const struct stp_probe *p)
{
	struct stp_ucalls *uc = kzalloc(sizeof(*uc), GFP_KERNEL);
	u32 i, n;

	if (!uc)
		return NULL;
	uc->p = p;
	uc->call_size = sizeof(struct call) + p->save_words * sizeof(u64);
	n = p->arg > 0 ? clamp_t(s64, p->arg, WAYS, 100000) : max_t(u32, BYTES_DEFAULT / uc->call_size, 256);
	uc->bits = ilog2(roundup_pow_of_two(DIV_ROUND_UP(n, WAYS)));
	uc->rows = kvcalloc(1u << uc->bits, sizeof(*uc->rows), GFP_KERNEL);
	uc->calls = kvcalloc(WAYS << uc->bits, uc->call_size, GFP_KERNEL);
	if (!uc->rows || !uc->calls) {
		stp_ucalls_free(uc);
		return NULL;
	}
	for (i = 0; i < 1u << uc->bits; i++)
		raw_spin_lock_init(&uc->rows[i].lock);
	return uc;
}

void stp_ucalls_free(struct stp_ucalls *uc)
{
	if (!uc)
		return;
	kvfree(uc->rows);
	kvfree(uc->calls);
	kfree(uc);
}

static u32 row_of(const struct stp_ucalls *uc, const struct stp_ucall_key *k)
{
	u64 key = ((u64)(unsigned long)k->owner >> 6) + (k->sp >> 3);

	return uc->bits ? hash_64(key, uc->bits) : 0;
}

static struct call *call_at(const struct stp_ucalls *uc, u32 row, u32 way)
{
	return (struct call *)(uc->calls + (size_t)(row * WAYS + way) * uc->call_size);
}

static bool is_call(const struct call *c, const struct stp_ucall_key *k)
{
	return c->state == CALL_LIVE && c->key.owner == k->owner && c->key.sp == k->sp && c->key.site == k->site;
}

/* The place for a new call: its own of old, a free one, or the oldest's. */
static struct call *place_for(struct stp_ucalls *uc, u32 row, const struct stp_ucall_key *k)
{
	struct call *best = NULL;
	u32 i;

	for (i = 0; i < WAYS; i++) {
		struct call *c = call_at(uc, row, i);

		if (is_call(c, k))
			return c;
		if (c->state == CALL_HELD || (best && best->state == CALL_FREE))
			continue;
		if (!best || c->state == CALL_FREE || (s32)(c->age - best->age) < 0)
			best = c;
	}
	return best;
}

u64 *stp_ucalls_enter(struct stp_ucalls *uc, const struct stp_ucall_key *k)
{
	u32 row = row_of(uc, k);
	struct row *r = &uc->rows[row];
	struct call *c;
	bool lost;

	raw_spin_lock(&r->lock);
	c = place_for(uc, row, k);
	lost = !c || (c->state == CALL_LIVE && !is_call(c, k));
	if (c) {
		c->key = *k;
		c->age = r->clock++;
		c->where = IN_ITS_OWN;
		c->state = CALL_HELD; /* until its words are there */
	}
	raw_spin_unlock(&r->lock);
	if (lost)
		stp_count_skip(uc->p, STP_SKIP_MISSED);
	return c ? c->words : NULL;
}

void stp_ucalls_entered(u64 *words, bool live)
{
	WRITE_ONCE(container_of((void *)words, struct call, words)->state, live ? CALL_LIVE : CALL_FREE);
}

static struct call *call_find(const struct stp_ucalls *uc, u32 row, const struct stp_ucall_key *k)
{
	u32 i;

	for (i = 0; i < WAYS; i++)
		if (is_call(call_at(uc, row, i), k))
			return call_at(uc, row, i);
	return NULL;
}

static u64 *leave(struct stp_ucalls *uc, const struct stp_ucall_key *k, bool other)
{
	u32 row = row_of(uc, k);
	struct call *c;

	raw_spin_lock(&uc->rows[row].lock);
	c = call_find(uc, row, k);
	if (c && other && c->where != IN_OTHER)
		c = NULL;
	if (c)
		c->state = CALL_HELD;
	raw_spin_unlock(&uc->rows[row].lock);
	return c ? c->words : NULL;
}

u64 *stp_ucalls_leave(struct stp_ucalls *uc, const struct stp_ucall_key *k)
{
	return leave(uc, k, false);
}

u64 *stp_ucalls_leave_other(struct stp_ucalls *uc, const struct stp_ucall_key *k)
{
	return leave(uc, k, true);
}

void stp_ucalls_jump(struct stp_ucalls *uc, const struct stp_ucall_key *k, bool other)
{
	u32 row = row_of(uc, k);
	struct call *c;

	raw_spin_lock(&uc->rows[row].lock);
	c = call_find(uc, row, k);
	if (c && (!other || c->where == IN_OTHER))
		c->where = JUMPED;
	raw_spin_unlock(&uc->rows[row].lock);
}

void stp_ucalls_begin_other(struct stp_ucalls *uc, const struct stp_ucall_key *k)
{
	u32 row = row_of(uc, k);
	struct call *c;

	raw_spin_lock(&uc->rows[row].lock);
	c = call_find(uc, row, k);
	if (c && c->where == JUMPED)
		c->where = IN_OTHER;
	else if (c)
		c->state = CALL_FREE;
	raw_spin_unlock(&uc->rows[row].lock);
}
