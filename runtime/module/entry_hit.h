/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between attaching function entries and their hits. */
#ifndef STP_ENTRY_HIT_H
#define STP_ENTRY_HIT_H

#include <linux/hash.h>
#include "compat/ftrace.h"
#include "hook.h"

struct entry_ops {
	struct ftrace_ops ops;
	const struct stp_probe *p;
	bool on;
};

/* Shared ops: chains of probes by address; built before, freed after. */
struct entry_node {
	u64 ip;
	struct stp_probe_state *ps;
	struct entry_node *next;
};
extern struct entry_node **stp_entry_buckets;
extern u32 stp_entry_bits;
extern struct entry_ops stp_entry_shared[2]; /* [1]: with all registers */

static __always_inline struct entry_node **entry_bucket(u64 ip)
{
	return &stp_entry_buckets[hash_64(ip, stp_entry_bits)];
}

void stp_entry_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
void stp_entry_leaf_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
void stp_entry_shared_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
#endif
