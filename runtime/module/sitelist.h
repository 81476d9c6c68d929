/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of addresses for ftrace, and what to do when it does not like one of them. */
#ifndef STP_SITELIST_H
#define STP_SITELIST_H

#include <linux/ftrace.h>
#include "hook.h"

struct stp_sitelist {
	u32 n, room;
	struct stp_probe_state **owner;
	const struct stp_site **sites;  /* NULL: refused */
	unsigned long *ips;
};

/* Where a site goes that ftrace can not do: 0 or -errno. */
typedef int stp_site_fallback(struct stp_probe_state *ps, const struct stp_site *site);

int stp_sitelist_alloc(struct stp_sitelist *l, u32 room); /* 0 or -ENOMEM; free also after failure */
void stp_sitelist_free(struct stp_sitelist *l);
/* The probe's sites; those not meant for ftrace to the fallback. */
int stp_sitelist_add(struct stp_sitelist *l, struct stp_probe_state *ps, stp_site_fallback *other);
/* Adds all to the filter of ops; refused ones leave the list for the fallback. */
int stp_sitelist_filter(struct stp_sitelist *l, struct ftrace_ops *ops, stp_site_fallback *other);
#endif
