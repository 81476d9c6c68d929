/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same as entry_hit.c for handlers with STP_LEAF, for scripts that have such. */
#include "entry_hit.h"

void notrace stp_entry_leaf_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs)
{
	const struct stp_probe *p = container_of(ops, struct entry_ops, ops)->p;
	struct stp_context *x;
	unsigned long flags;

	raw_local_irq_save(flags);
	x = stp_claim(p);
	if (likely(x)) {
		x->c.regs = (u64 *)regs;
		x->c.ip = ip;
		stp_run_leaf(x, p);
	}
	raw_local_irq_restore(flags);
}
