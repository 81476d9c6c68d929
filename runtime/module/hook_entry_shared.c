/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Function entries where a script has many probes of them: one ops for all, and a table from address to probes. */
#include "entry_hit.h"

int stp_entry_attach_shared(struct stp_siteset *set, struct entry_set *es, u32 nsites)
{
	struct stp_probe_sites *x;
	struct stp_sitelist l;
	int rc = stp_ip_table_create(&es->table, nsites), full;
	u32 i;

	for (full = 0; full < 2 && !rc; full++) {
		struct entry_ops *e = &es->ops[full];

		e->table = &es->table;
		e->full = full;
		e->ops.func = stp_entry_shared_fn;
		e->ops.flags = STP_FTRACE_FLAGS | (full ? FTRACE_OPS_FL_SAVE_REGS : 0);
		rc = stp_sitelist_alloc(&l, nsites);
		stp_for_each_sites(x, set, STP_ENTRY)
			if (!rc && !(x->ps->p->flags & STP_NEED_REGS) == !full)
				rc = stp_sitelist_add(&l, set, x, stp_entry_to_kprobe);
		for (i = 0; !rc && i < l.n; i++)
			stp_ip_table_add(&es->table, l.owner[i], l.ips[i]);
		if (!rc)
			rc = stp_entry_ops_start(set, e, &l);
		stp_sitelist_free(&l);
	}
	return rc;
}
