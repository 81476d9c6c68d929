/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between attaching function entries and their hits. */
#ifndef STP_ENTRY_HIT_H
#define STP_ENTRY_HIT_H

#include "compat/ftrace.h"
#include "sitelist.h"

struct entry_ops {
	struct ftrace_ops ops;
	const struct stp_probe *p;         /* of the only probe ... */
	const struct stp_ip_table *table;  /* ... or where to find the probes */
	bool full;                         /* those that read all registers */
	bool on;
};

void stp_entry_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
void stp_entry_leaf_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
void stp_entry_shared_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
#endif
