/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The short path of output: a handler's first text opens a record, the end of the handler publishes it.
 * Everything else (wrapping, waiting, losing) is in transport.c.
 */
#include "session.h"
#include "transport.h"

static atomic64_t sequence;

bool stp_sink_more(struct stp_ctx *c, struct stp_sink *o, size_t n)
{
	struct stp_context *x = stp_context_of(c);
	struct stp_outring *r = x->ring;
	u64 size = r->mask + 1, head, off, used, room;

	if (unlikely(o->p || o->string || x->process || r->open))
		return stp_sink_more_slow(c, o, n);
	WRITE_ONCE(r->open, 1); /* before head is read: an NMI keeps out from here on */
	head = READ_ONCE(r->head);
	off = head & (size - 1);
	used = head - smp_load_acquire(&r->shared->tail);
	room = size - max(used, off);
	if (unlikely(used > size || room < n + sizeof(struct stp_rec) + 8)) {
		r->open = 0;
		return stp_sink_more_slow(c, o, n);
	}
	o->p = r->data + off + sizeof(struct stp_rec);
	o->end = r->data + off + (room & ~7ull);
	return true;
}

static __always_inline void commit(struct stp_context *x, u32 kind)
{
	struct stp_outring *r = x->ring;
	struct stp_rec *rec = (void *)(r->data + (r->head & r->mask));
	u32 len = x->c.out.p - (char *)(rec + 1);
	u64 head = r->head;

	if (likely(len)) {
		rec->len = len;
		rec->kind = kind;
		rec->seq = atomic64_inc_return(&sequence);
		head += ALIGN(sizeof(*rec) + len, 8);
		r->head = head;
		smp_store_release(&r->shared->head, head);
	}
	x->c.out.p = x->c.out.end = NULL;
	barrier();
	r->open = 0;
	if (unlikely(!READ_ONCE(stp_wake_armed)))
		stp_wake_soon();
	else if (unlikely(head - READ_ONCE(r->shared->tail) > r->mask / 2) && stp_wake_armed != STP_WAKE_HURRY) {
		stp_wake_armed = STP_WAKE_HURRY;
		stp_wake_now();
	}
}

void stp_record_commit(struct stp_context *x, u32 kind)
{
	commit(x, kind);
}

void stp_finish(struct stp_context *x)
{
	if (unlikely(x->lost))
		stp_record_lost(x);
	else if (x->c.out.p)
		commit(x, STP_REC_OUT);
	if (unlikely(x->c.err))
		stp_error_report(x);
}
