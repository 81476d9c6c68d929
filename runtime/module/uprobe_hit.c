/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs when a uprobe is hit: in the task's own context, on its way through the kernel.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "uprobe_hit.h"

int stp_uprobe_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	unsigned long flags;

	if (unlikely(s->scope) && !stp_scope_has_current(s->scope))
		return 0;
	raw_local_irq_save(flags);
	stp_user_hit(s, regs, regs->ip, NULL, false);
	raw_local_irq_restore(flags);
	return 0;
}
