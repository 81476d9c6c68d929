/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of addresses for ftrace, and what to do when it does not like one of them. */
#ifndef STP_SITELIST_H
#define STP_SITELIST_H

#include <linux/ftrace.h>
#include <linux/hash.h>
#include "hook.h"

struct stp_sitelist {
	u32 n, room;
	struct stp_probe_state **owner;
	const struct stp_site **sites;  /* NULL: refused */
	unsigned long *ips;
};

/* Where a site goes that ftrace can not do: 0 or -errno. */
typedef int stp_site_fallback(struct stp_siteset *set, struct stp_probe_state *ps, const struct stp_site *site);

int stp_sitelist_alloc(struct stp_sitelist *l, u32 room); /* 0 or -ENOMEM; free also after failure */
void stp_sitelist_free(struct stp_sitelist *l);
/* The probe's sites; those not meant for ftrace to the fallback. */
int stp_sitelist_add(struct stp_sitelist *l, struct stp_siteset *set, const struct stp_probe_sites *x,
		     stp_site_fallback *other);
/* Adds all to the filter of ops; refused ones leave the list for the fallback. */
int stp_sitelist_filter(struct stp_sitelist *l, struct stp_siteset *set, struct ftrace_ops *ops, stp_site_fallback *other);

/*
 * From addresses to probes, where one callback serves many: chains by the traced instruction's address; built before
 * the first hit, freed after the last.
 */
struct stp_ip_node {
	u64 ip;
	struct stp_probe_state *ps;
	struct stp_ip_node *next;
};
struct stp_ip_table {
	struct stp_ip_node **buckets, *nodes;
	u32 bits, nnodes;
};
int stp_ip_table_create(struct stp_ip_table *t, u32 nsites); /* 0 or -ENOMEM; free also after failure */
void stp_ip_table_free(struct stp_ip_table *t);
/* Behind those of the same function: probes run in script order. */
void stp_ip_table_add(struct stp_ip_table *t, struct stp_probe_state *ps, u64 addr);
static __always_inline struct stp_ip_node **stp_ip_bucket(const struct stp_ip_table *t, u64 ip)
{
	return &t->buckets[hash_64(ip, t->bits)];
}
#endif
