/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* From an address back to its probes; see sitelist.h. */
#include "sitelist.h"

int stp_ip_table_create(struct stp_ip_table *t, u32 nsites)
{
	t->bits = max_t(u32, 4, order_base_2(nsites + 1) + 2);
	t->nodes = kvcalloc(2 * (size_t)nsites + 1, sizeof(*t->nodes), GFP_KERNEL);
	t->buckets = kvcalloc(1ul << t->bits, sizeof(*t->buckets), GFP_KERNEL);
	t->nnodes = 0;
	return t->nodes && t->buckets ? 0 : -ENOMEM;
}

void stp_ip_table_free(struct stp_ip_table *t)
{
	kvfree(t->nodes);
	kvfree(t->buckets);
	*t = (struct stp_ip_table){ 0 };
}

static void table_add_at(struct stp_ip_table *t, struct stp_probe_state *ps, u64 ip)
{
	struct stp_ip_node **where = stp_ip_bucket(t, ip), *n = &t->nodes[t->nnodes++];

	while (*where)
		where = &(*where)->next;
	*n = (struct stp_ip_node){ .ip = ip, .ps = ps };
	*where = n;
}

/* The traced instruction is the function's first, or the one behind a four-byte landing pad (ENDBR). */
void stp_ip_table_add(struct stp_ip_table *t, struct stp_probe_state *ps, u64 addr)
{
	table_add_at(t, ps, addr);
	table_add_at(t, ps, addr + 4);
}
