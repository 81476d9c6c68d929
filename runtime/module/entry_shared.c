/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same as entry_hit.c where one callback serves many probes; attached by hook_entry_shared.c. */
#include "entry_hit.h"

void notrace stp_entry_shared_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				    stp_ftrace_regs *regs)
{
	const struct entry_ops *e = container_of(ops, struct entry_ops, ops);
	struct stp_ip_node *n;

	for (n = *stp_ip_bucket(e->table, ip); n; n = n->next)
		if (n->ip == ip && !(n->ps->p->flags & STP_NEED_REGS) == !e->full)
			stp_hit_call(n->ps->p, (u64 *)regs, ip);
}
