/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Function entries by ftrace: one ftrace_ops with an address filter a probe, for any number of
 * functions; where a script has many entry probes, one ops for all of them, and a table from address to
 * probes.  What ftrace refuses gets a kprobe.
 */
#include "sitelist.h"
#include "entry_hit.h"

#define SINGLE_MAX 6    /* more entry probes than that share one ops */

static struct entry_node *nodes;
static u32 nnodes;
static struct stp_kprobes *fallback;

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
	struct entry_ops *e = kvzalloc(sizeof(*e), GFP_KERNEL);
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
		e->ops.func = (p->flags & STP_LEAF) && !p->condition ? stp_entry_leaf_fn : stp_entry_fn;
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

	stp_entry_bits = max_t(u32, 4, order_base_2(nsites + 1) + 2);
	nodes = kvcalloc(2 * (size_t)nsites + 1, sizeof(*nodes), GFP_KERNEL);
	stp_entry_buckets = kvcalloc(1ul << stp_entry_bits, sizeof(*stp_entry_buckets), GFP_KERNEL);
	if (!nodes || !stp_entry_buckets)
		return -ENOMEM;
	for (i = 0; i < 2; i++) {
		stp_entry_shared[i].ops.func = stp_entry_shared_fn;
		stp_entry_shared[i].ops.flags = STP_FTRACE_FLAGS | (i ? FTRACE_OPS_FL_SAVE_REGS : 0);
	}
	return 0;
}

/* At the tail of its chain: probes of one function run in script order. */
static void table_add_at(struct stp_probe_state *ps, u64 ip)
{
	struct entry_node **where = entry_bucket(ip), *n = &nodes[nnodes++];

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
			rc = ops_start(&stp_entry_shared[full], &l);
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
		rc = stp_kprobes_attach(fallback);
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
		kvfree(ps->hook);
		ps->hook = NULL;
	}
	for (i = 0; i < 2 && nodes; i++)
		ops_stop(&stp_entry_shared[i]);
	stp_kprobes_detach(&fallback);
	kvfree(nodes);
	kvfree(stp_entry_buckets);
	nodes = NULL;
	nnodes = 0;
	stp_entry_buckets = NULL;
}

const struct stp_hook stp_hook_entry = { entry_attach, entry_detach };
