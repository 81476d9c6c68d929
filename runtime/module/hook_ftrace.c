/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function entries by ftrace: one ftrace_ops with an address filter a probe, for any number of
 * functions; where a script has many entry probes, one ops for all of them, and a table from address to
 * probes.  What ftrace refuses gets a kprobe.
 *
 * The callback must be safe against its own recursion: nothing traceable is called before the context is
 * claimed.  Registers: the head of struct ftrace_regs is struct pt_regs with the arguments and the
 * stack pointer filled in; all of it with STP_NEED_REGS.
 */
#include <linux/hash.h>
#include "sitelist.h"
#include "compat/ftrace.h"

#define SINGLE_MAX 6    /* more entry probes than that share one ops */

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
static struct entry_node *nodes, **buckets;
static u32 nnodes, bucket_bits;
static struct entry_ops shared[2]; /* [1]: with all registers */
static struct stp_kprobes *fallback;

/* ---- hits ---- */
static void notrace entry_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs)
{
	const struct stp_probe *p = container_of(ops, struct entry_ops, ops)->p;

	stp_hit(p, (u64 *)regs, NULL, ip);
}

static void notrace entry_leaf_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs)
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

static __always_inline struct entry_node **bucket(u64 ip)
{
	return &buckets[hash_64(ip, bucket_bits)];
}

static void notrace entry_shared_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				    stp_ftrace_regs *regs)
{
	bool full = ops == &shared[1].ops;
	struct entry_node *n;

	for (n = *bucket(ip); n; n = n->next)
		if (n->ip == ip && !(n->ps->p->flags & STP_NEED_REGS) == !full)
			stp_hit(n->ps->p, (u64 *)regs, NULL, ip);
}

/* ---- attaching ---- */
static int to_kprobe(struct stp_probe_state *ps, const struct stp_site *site)
{
	return stp_kprobes_add(&fallback, ps, site);
}

/* Sets the filter and registers.  Without the filter an ops would trace every function. */
static int ops_start(struct entry_ops *e, struct stp_sitelist *l)
{
	int rc = stp_sitelist_filter(l, &e->ops, to_kprobe);
	u32 i;

	if (rc || !l->n)
		return rc;
	rc = register_ftrace_function(&e->ops);
	if (rc) {
		for (i = 0; i < l->n && i < 3; i++)
			stp_hook_refused(l->owner[i], l->sites[i], rc);
		return 0;
	}
	e->on = true;
	for (i = 0; i < l->n; i++)
		l->owner[i]->attached++;
	return 0;
}

/* ---- one ops a probe ---- */
static int attach_single(struct stp_probe_state *ps)
{
	const struct stp_probe *p = ps->p;
	struct entry_ops *e = kzalloc(sizeof(*e), GFP_KERNEL);
	struct stp_sitelist l;
	int rc;

	ps->hook = e;
	rc = stp_sitelist_alloc(&l, ps->nsites);
	if (!e || rc)
		rc = -ENOMEM;
	else
		rc = stp_sitelist_add(&l, ps, to_kprobe);
	if (!rc) {
		e->p = p;
		e->ops.func = (p->flags & STP_LEAF) && !p->condition ? entry_leaf_fn : entry_fn;
		e->ops.flags = STP_FTRACE_FLAGS | (p->flags & STP_NEED_REGS ? FTRACE_OPS_FL_SAVE_REGS : 0);
		rc = ops_start(e, &l);
	}
	stp_sitelist_free(&l);
	return rc;
}

/* ---- one ops for all ---- */
static int table_build(u32 nsites)
{
	u32 i;

	bucket_bits = max_t(u32, 4, order_base_2(nsites + 1) + 2);
	nodes = kvcalloc(2 * (size_t)nsites + 1, sizeof(*nodes), GFP_KERNEL);
	buckets = kvcalloc(1ul << bucket_bits, sizeof(*buckets), GFP_KERNEL);
	if (!nodes || !buckets)
		return -ENOMEM;
	for (i = 0; i < 2; i++) {
		shared[i].ops.func = entry_shared_fn;
		shared[i].ops.flags = STP_FTRACE_FLAGS | (i ? FTRACE_OPS_FL_SAVE_REGS : 0);
	}
	return 0;
}

/* At the tail of its chain: probes of one function run in script order. */
static void table_add_at(struct stp_probe_state *ps, u64 ip)
{
	struct entry_node **where = bucket(ip), *n = &nodes[nnodes++];

	while (*where)
		where = &(*where)->next;
	*n = (struct entry_node){ .ip = ip, .ps = ps };
	*where = n;
}

/* The traced instruction is the function's first, or the one behind a four-byte landing pad (ENDBR). */
static void table_add(struct stp_probe_state *ps, u64 addr)
{
	table_add_at(ps, addr);
	table_add_at(ps, addr + 4);
}

static int attach_shared(u32 nsites)
{
	struct stp_probe_state *ps;
	struct stp_sitelist l;
	int rc = table_build(nsites), full;
	u32 i;

	for (full = 0; full < 2 && !rc; full++) {
		rc = stp_sitelist_alloc(&l, nsites);
		stp_for_each_probe(ps, STP_ENTRY)
			if (!rc && !(ps->p->flags & STP_NEED_REGS) == !full)
				rc = stp_sitelist_add(&l, ps, to_kprobe);
		for (i = 0; !rc && i < l.n; i++)
			table_add(l.owner[i], l.ips[i]);
		if (!rc)
			rc = ops_start(&shared[full], &l);
		stp_sitelist_free(&l);
	}
	return rc;
}

/* ---- the hook ---- */
static int entry_attach(void)
{
	struct stp_probe_state *ps;
	u32 nprobes = 0, nsites = 0;
	int rc = 0;

	stp_for_each_probe(ps, STP_ENTRY) {
		nprobes++;
		nsites += ps->nsites;
	}
	if (nprobes > SINGLE_MAX)
		rc = attach_shared(nsites);
	else
		stp_for_each_probe(ps, STP_ENTRY)
			if (!rc)
				rc = attach_single(ps);
	if (!rc)
		stp_kprobes_attach(fallback);
	return rc;
}

static void ops_stop(struct entry_ops *e)
{
	if (e->on)
		unregister_ftrace_function(&e->ops);
	e->on = false;
	ftrace_free_filter(&e->ops);
}

static void entry_detach(void)
{
	struct stp_probe_state *ps;
	u32 i;

	stp_for_each_probe(ps, STP_ENTRY) {
		if (!ps->hook)
			continue;
		ops_stop(ps->hook);
		kfree(ps->hook);
		ps->hook = NULL;
	}
	for (i = 0; i < 2 && nodes; i++)
		ops_stop(&shared[i]);
	stp_kprobes_detach(&fallback);
	kvfree(nodes);
	kvfree(buckets);
	nodes = NULL;
	nnodes = 0;
	buckets = NULL;
}

const struct stp_hook stp_hook_entry = { entry_attach, entry_detach };
