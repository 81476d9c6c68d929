/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lock groups (stp.h): many readers announced in their own contexts, one writer announced in the lock.
 *
 * A reader sets its context's flag, then looks for a writer; a writer names itself, then waits for the
 * flags to go.  Both with a full barrier between, so one of them sees the other.  Nobody waits longer
 * than the TRYLOCK limit: the hit is then given up and counted.
 */
#include <linux/delay.h>
#include <linux/percpu.h>
#include "session.h"

struct stp_lock stp_locks[STP_MAXLOCKS];

struct patience {
	u32 tries, delay;
};

static struct patience patience_new(void)
{
	const struct stp_config *cfg = stp_script.config;

	return (struct patience){ cfg->maxtrylock, cfg->trylockdelay ?: 1 };
}

/* One turn of waiting; false when the limit is reached. */
static bool patience_turn(struct patience *p)
{
	if (!p->tries--)
		return false;
	udelay(p->delay);
	return true;
}

static bool give_up(struct stp_ctx *c)
{
	stp_count_skip(c->probe, stp_context_of(c)->nmi ? STP_SKIP_NMI : STP_SKIP_LOCK);
	return false;
}

/* The writer on this CPU is the handler that this NMI interrupted: waiting is useless. */
static bool writer_is_below(struct stp_ctx *c, u32 writer)
{
	return stp_context_of(c)->nmi && writer == (u32)stp_context_of(c)->cpu + 1;
}

bool stp_lock_wait(struct stp_ctx *c, struct stp_lock *l, u32 id)
{
	struct patience p = patience_new();
	u32 writer;

	for (;;) {
		WRITE_ONCE(c->reading[id], 0);
		while ((writer = READ_ONCE(l->writer)))
			if (writer_is_below(c, writer) || !patience_turn(&p))
				return give_up(c);
		xchg(&c->reading[id], 1);
		if (!READ_ONCE(l->writer))
			return true;
	}
}

static bool has_readers(const struct stp_context *self, u32 id)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct stp_context *x = per_cpu(stp_context_ptr, cpu), *nmi = per_cpu(stp_context_nmi, cpu);

		if (x != self && READ_ONCE(x->c.reading[id]))
			return true;
		if (nmi != self && READ_ONCE(nmi->c.reading[id]))
			return true;
	}
	return false;
}

/* The handler that this NMI interrupted reads: waiting is useless. */
static bool reader_is_below(const struct stp_context *x, u32 id)
{
	return x->nmi && READ_ONCE(raw_cpu_read(stp_context_ptr)->c.reading[id]);
}

bool stp_lock_excl(struct stp_ctx *c, u32 id)
{
	struct stp_context *x = stp_context_of(c);
	struct stp_lock *l = &stp_locks[id];
	struct patience p = patience_new();
	u32 writer;

	if (x->process)
		return true;            /* nothing else runs */
	while ((writer = cmpxchg(&l->writer, 0, x->cpu + 1)))
		if (writer_is_below(c, writer) || !patience_turn(&p))
			return give_up(c);
	while (has_readers(x, id))
		if (reader_is_below(x, id) || !patience_turn(&p)) {
			smp_store_release(&l->writer, 0);
			return give_up(c);
		}
	return true;
}

void stp_unlock_excl(struct stp_ctx *c, u32 id)
{
	if (!stp_context_of(c)->process)
		smp_store_release(&stp_locks[id].writer, 0);
}
