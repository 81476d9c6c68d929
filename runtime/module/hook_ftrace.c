/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Function entries by ftrace: one ftrace_ops with an address filter a probe, for any number of
 * functions; where a script has many entry probes, one ops for all of them, and a table from address to
 * probes.  What ftrace refuses gets a kprobe.
 */
#include "entry_hit.h"

/* Those that the script's probes do not need are not there. */
extern typeof(stp_entry_fn) stp_entry_fn __weak;
extern typeof(stp_entry_leaf_fn) stp_entry_leaf_fn __weak;
extern typeof(stp_entry_attach_shared) stp_entry_attach_shared __weak;
extern typeof(stp_ip_table_free) stp_ip_table_free __weak;

/* ---- attaching ---- */
int stp_entry_to_kprobe(struct stp_siteset *set, struct stp_probe_state *ps, const struct stp_site *site)
{
	struct entry_set *es = set->hook[STP_SET_ENTRY];

	return stp_kprobes_add(&es->fallback, ps, site);
}

/* Sets the filter and registers.  Without the filter an ops would trace every function. */
int stp_entry_ops_start(struct stp_siteset *set, struct entry_ops *e, struct stp_sitelist *l)
{
	int rc = stp_sitelist_filter(l, set, &e->ops, stp_entry_to_kprobe);
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
static int attach_single(struct stp_siteset *set, const struct stp_probe_sites *x, struct entry_ops *e)
{
	const struct stp_probe *p = x->ps->p;
	struct stp_sitelist l;
	int rc = stp_sitelist_alloc(&l, x->n);

	if (!rc)
		rc = stp_sitelist_add(&l, set, x, stp_entry_to_kprobe);
	if (!rc) {
		e->p = p;
		e->ops.func = (p->flags & STP_LEAF) && !p->condition ? stp_entry_leaf_fn : stp_entry_fn;
		e->ops.flags = STP_FTRACE_FLAGS | (p->flags & STP_NEED_REGS ? FTRACE_OPS_FL_SAVE_REGS : 0);
		rc = stp_entry_ops_start(set, e, &l);
	}
	stp_sitelist_free(&l);
	return rc;
}

/* ---- the hook ---- */
static int entry_attach_set(struct stp_siteset *set)
{
	struct stp_probe_sites *x;
	struct entry_set *es;
	u32 nprobes = 0, nsites = 0, i = 0;
	int rc = 0;

	stp_for_each_sites(x, set, STP_ENTRY) {
		nprobes++;
		nsites += x->n;
	}
	if (!nprobes)
		return 0;
	es = set->hook[STP_SET_ENTRY] = kvzalloc(sizeof(*es), GFP_KERNEL);
	if (!es)
		return -ENOMEM;
	es->nops = nprobes > STP_ENTRY_SINGLE_MAX ? 2 : nprobes;
	es->ops = kvcalloc(es->nops, sizeof(*es->ops), GFP_KERNEL);
	if (!es->ops)
		return -ENOMEM;
	if (nprobes > STP_ENTRY_SINGLE_MAX)
		rc = stp_entry_attach_shared(set, es, nsites);
	else
		stp_for_each_sites(x, set, STP_ENTRY)
			if (!rc)
				rc = attach_single(set, x, &es->ops[i++]);
	if (!rc)
		rc = stp_kprobes_attach(es->fallback);
	return rc;
}

static void ops_stop(struct entry_ops *e)
{
	if (e->on)
		unregister_ftrace_function(&e->ops);
	e->on = false;
	ftrace_free_filter(&e->ops);
}

static void entry_detach_set(struct stp_siteset *set)
{
	struct entry_set *es = set->hook[STP_SET_ENTRY];
	u32 i;

	if (!es)
		return;
	set->hook[STP_SET_ENTRY] = NULL;
	for (i = 0; es->ops && i < es->nops; i++)
		if (es->ops[i].ops.func)
			ops_stop(&es->ops[i]);
	stp_kprobes_detach(&es->fallback);
	if (es->table.buckets || es->table.nodes)
		stp_ip_table_free(&es->table);
	kvfree(es->ops);
	kvfree(es);
}

static int entry_attach(void)
{
	return entry_attach_set(stp_kernel_set());
}

static void entry_detach(void)
{
	entry_detach_set(stp_kernel_set());
}

const struct stp_hook stp_hook_entry = {
	entry_attach, entry_detach, .attach_set = entry_attach_set, .detach_set = entry_detach_set,
};
