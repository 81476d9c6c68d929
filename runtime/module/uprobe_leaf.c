/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hits of uprobes whose handlers use no strings (uprobe_hit.c). */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "uprobe_hit.h"

/* Handlers without strings, printing and conditions. */
int stp_uprobe_leaf_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	struct stp_context *x;
	unsigned long flags;

	if (unlikely(s->scope) && !stp_scope_has_current(s->scope))
		return 0;
	raw_local_irq_save(flags);
	x = stp_claim(s->p);
	if (likely(x)) {
		x->c.regs = (u64 *)regs;
		x->c.ip = regs->ip;
		x->c.site = s->name;
		stp_run_leaf(x, s->p);
	}
	raw_local_irq_restore(flags);
	return 0;
}
