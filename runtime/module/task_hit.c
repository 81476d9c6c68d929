/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a task event to its handler (task_hit.h). */
#include <linux/ptrace.h>
#include "hook.h"
#include "task_hit.h"

void stp_task_hit(const struct stp_probe *p, struct task_struct *subject, struct pt_regs *regs, const u64 *args)
{
	struct stp_context *x;
	unsigned long flags;

	if (p->condition && !p->condition())
		return;
	raw_local_irq_save(flags);
	x = stp_claim(p);
	if (likely(x)) {
		x->c.regs = (u64 *)regs;
		x->c.args = args;
		x->c.ip = 0;
		x->subject = subject;
		stp_run_kept(x, p, x->maxaction);
		x->subject = NULL; /* before an NMI can use the context for a probe of another kind */
		stp_release(x);
	}
	raw_local_irq_restore(flags);
}
