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

/* What stands for the entries of a set. */
struct entry_set {
	u32 nops;
	struct entry_ops *ops;          /* one a probe, or two for all: [1] with all registers */
	struct stp_ip_table table;
	struct stp_kprobes *fallback;
};

/* Callbacks: generated code names those that its probes need; the others are not linked. */
void stp_entry_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
void stp_entry_leaf_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);
void stp_entry_shared_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs);

/* hook_ftrace.c */
int stp_entry_to_kprobe(struct stp_siteset *set, struct stp_probe_state *ps, const struct stp_site *site);
/* Sets the filter to the list and registers. 0 or -errno. */
int stp_entry_ops_start(struct stp_siteset *set, struct entry_ops *e, struct stp_sitelist *l);
/* hook_entry_shared.c, linked where a script has more than STP_ENTRY_SINGLE_MAX probes: one ops, or two, for all. */
int stp_entry_attach_shared(struct stp_siteset *set, struct entry_set *es, u32 nsites);
#endif
