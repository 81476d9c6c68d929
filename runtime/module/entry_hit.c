/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs when a traced function is entered.
 *
 * The callback must be safe against its own recursion: nothing traceable is called before the context is
 * claimed.  Registers: the head of struct ftrace_regs is struct pt_regs with the arguments and the
 * stack pointer filled in; all of it with STP_NEED_REGS.
 */
#include "entry_hit.h"

void notrace stp_entry_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs)
{
	const struct stp_probe *p = container_of(ops, struct entry_ops, ops)->p;

	stp_hit(p, (u64 *)regs, NULL, ip);
}

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

void notrace stp_entry_shared_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				    stp_ftrace_regs *regs)
{
	const struct entry_ops *e = container_of(ops, struct entry_ops, ops);
	struct stp_ip_node *n;

	for (n = *stp_ip_bucket(e->table, ip); n; n = n->next)
		if (n->ip == ip && !(n->ps->p->flags & STP_NEED_REGS) == !e->full)
			stp_hit_call(n->ps->p, (u64 *)regs, ip);
}
