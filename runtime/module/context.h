/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Execution contexts, and the path from a hook to a handler.
 *
 * There is one context per possible CPU, one more per CPU for NMIs that interrupt a handler, and one for
 * the process context of begin, end and error handlers.  A hook calls stp_claim() with interrupts off,
 * fills in what it knows (regs, args, ip), and calls stp_run(), which also releases.  Everything inline
 * here runs on every hit: instructions count.
 */
#ifndef STP_CONTEXT_H
#define STP_CONTEXT_H

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include "stp.h"

struct stp_outring;

/* Why a hit did not run its handler; names in account.c. */
enum stp_skip {
	STP_SKIP_REENTRY, STP_SKIP_NMI, STP_SKIP_LOCK, STP_SKIP_MEMORY, STP_SKIP_MISSED, STP_SKIP_TRACING, STP_SKIP_RESULT,
	STP_SKIP_REASONS,
};

#define STP_SAMPLE_EVERY 64     /* one hit of so many is timed */
#define STP_MSG_MAX 600         /* bytes of an error message or warning */

struct stp_context {
	struct stp_ctx c;               /* first: handlers see this */
	union {
		struct {
			u8 busy;        /* a handler runs in it */
			u8 blocked;     /* the session does not run */
		};
		u16 gate;
	};
	u8 process;                     /* may sleep for room in its ring; alone */
	u8 nmi;
	u8 lost;                        /* this run's output found no room; out.p is not NULL, though no record is open */
	s32 sample;                     /* hits until the next timed one */
	s64 maxaction;
	char *scratch_base;
	struct stp_outring *ring;
	/* time accounting, in cycles */
	u64 span_start, span_used, usual;
	int cpu;
	struct stp_context *next;
	u8 no_result;                   /* STP_AT_RETURNS: the function goes on in another one, which is not followed */
	struct task_struct *subject;    /* STP_TASK: the task that the event is about; else NULL */
	u64 fault;                      /* address of user memory that could not be read, fault_len bytes; 0: none so far */
	u32 fault_len;
	bool may_restart;               /* this run may end for the handler to begin anew (STP_RESTART) */
	char *token;                    /* tokenize(): the string, of MAXSTRINGLEN bytes */
	u32 token_len, token_pos;
	char msg[STP_MSG_MAX];          /* text of the error under way */
};

static inline struct stp_context *stp_context_of(struct stp_ctx *c)
{
	return (struct stp_context *)c; /* c is its first member */
}

DECLARE_PER_CPU(struct stp_context *, stp_context_ptr);
DECLARE_PER_CPU(struct stp_context *, stp_context_nmi);
extern struct stp_context *stp_context_process;

/* Process context, once each; create returns 0 or -ENOMEM and leaves all contexts blocked. */
int stp_contexts_create(void);
void stp_contexts_free(void);
/* Let handlers run, or keep them from starting (does not wait for those under way).  Any context. */
void stp_contexts_block(bool blocked);

/* The hit of a context that is taken: the NMI context, or NULL and the hit is counted. */
struct stp_context *stp_claim_slow(struct stp_context *x, const struct stp_probe *p);
/* Runs the handler and takes its time. */
void stp_run_sampled(struct stp_context *x, const struct stp_probe *p);
/* What is left to do after a handler that printed (out.p, also when that was lost) or failed. */
void stp_finish(struct stp_context *x);
void stp_count_skip(const struct stp_probe *p, enum stp_skip why);

/* Interrupts off.  The context to run p in, or NULL. */
static __always_inline struct stp_context *stp_claim(const struct stp_probe *p)
{
	struct stp_context *x = raw_cpu_read(stp_context_ptr);

	if (unlikely(x->gate)) {
		x = stp_claim_slow(x, p);
		if (!x)
			return NULL;
	} else if (!x) {
		__builtin_unreachable(); /* spares the caller's test on the fast path */
	}
	x->busy = 1;
	barrier();
	return x;
}

static __always_inline void stp_release(struct stp_context *x)
{
	barrier();
	x->busy = 0;
}

/* Before any code of the probe runs in a claimed context: at most so many statements, empty scratch. */
static __always_inline void stp_run_begin(struct stp_context *x, const struct stp_probe *p, s64 actions)
{
	struct stp_ctx *c = &x->c;

	c->probe = p;
	c->actions = actions;
	c->scratch = x->scratch_base;
	c->stack_start = (u64)__builtin_frame_address(0);
}

/* The handler itself, timed when it is its turn. */
static __always_inline void stp_run_handler(struct stp_context *x, const struct stp_probe *p)
{
	if (unlikely(--x->sample <= 0))
		stp_run_sampled(x, p);
	else
		p->handler(&x->c);
}

/* Runs the handler in a claimed context, for at most so many statements; the caller releases it. */
static __always_inline void stp_run_kept(struct stp_context *x, const struct stp_probe *p, s64 actions)
{
	stp_run_begin(x, p, actions);
	stp_run_handler(x, p);
	if (unlikely(x->c.err || x->c.out.p))
		stp_finish(x);
}

/* The same, and releases it. */
static __always_inline void stp_run_within(struct stp_context *x, const struct stp_probe *p, s64 actions)
{
	stp_run_kept(x, p, actions);
	stp_release(x);
}

static __always_inline void stp_run(struct stp_context *x, const struct stp_probe *p)
{
	stp_run_within(x, p, x->maxaction);
}

/* Runs what the probe keeps at a function's entry, and releases the context; false: it failed. */
static __always_inline bool stp_run_entry(struct stp_context *x, const struct stp_probe *p)
{
	bool ok;

	stp_run_begin(x, p, x->maxaction);
	p->entry(&x->c);
	ok = !x->c.err;
	if (unlikely(!ok || x->c.out.p))
		stp_finish(x);
	stp_release(x);
	return ok;
}

/* The same for handlers with STP_LEAF, which neither print nor fail nor use scratch. */
static __always_inline void stp_run_leaf(struct stp_context *x, const struct stp_probe *p)
{
	x->c.probe = p;
	stp_run_handler(x, p);
	stp_release(x);
}

/* Does a handler run on this CPU?  Interrupts off. */
static __always_inline bool stp_handler_runs(void)
{
	const struct stp_context *x = __this_cpu_read(stp_context_ptr);

	return x && READ_ONCE(x->busy);
}

/* Runs the probe's handler if its condition holds and this CPU's context is free.  Any context; regs and args may be NULL. */
static __always_inline void stp_hit(const struct stp_probe *p, u64 *regs, const u64 *args, u64 ip)
{
	struct stp_context *x;
	unsigned long flags;

	raw_local_irq_save(flags);
	if (likely(!p->condition || p->condition())) {
		x = stp_claim(p);
		if (likely(x)) {
			x->c.regs = regs;
			x->c.args = args;
			x->c.ip = ip;
			stp_run(x, p);
		}
	}
	raw_local_irq_restore(flags);
}
#endif
