/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a task event to its handler (task_hit.h). */
#include <linux/ptrace.h>
#include "hook.h"
#include "task_hit.h"

void stp_task_hit(const struct stp_probe *p, struct task_struct *subject, struct pt_regs *regs, const u64 *args)
{
	struct stp_context *x;
	struct stp_ctx *c;
	unsigned long flags;

	if (p->condition && !p->condition())
		return;
	raw_local_irq_save(flags);
	x = stp_claim(p);
	if (likely(x)) {
		c = &x->c;
		c->regs = (u64 *)regs;
		c->args = args;
		c->ip = 0;
		c->probe = p;
		c->actions = x->maxaction;
		c->scratch = x->scratch_base;
		c->stack_start = (u64)__builtin_frame_address(0);
		x->subject = subject;
		if (unlikely(--x->sample <= 0))
			stp_run_sampled(x, p);
		else
			p->handler(c);
		if (unlikely(c->err || c->out.p))
			stp_finish(x);
		x->subject = NULL; /* before an NMI can use the context for a probe of another kind */
		stp_release(x);
	}
	raw_local_irq_restore(flags);
}
