/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Address lists for ftrace. */
#include "sitelist.h"
#include "compat/ftrace.h"

int stp_sitelist_alloc(struct stp_sitelist *l, u32 room)
{
	room = max_t(u32, room, 1);
	*l = (struct stp_sitelist){
		.room = room,
		.owner = kvmalloc_array(room, sizeof(*l->owner), GFP_KERNEL),
		.sites = kvmalloc_array(room, sizeof(*l->sites), GFP_KERNEL),
		.ips = kvmalloc_array(room, sizeof(*l->ips), GFP_KERNEL),
	};
	return l->owner && l->ips && l->sites ? 0 : -ENOMEM;
}

void stp_sitelist_free(struct stp_sitelist *l)
{
	kvfree(l->owner);
	kvfree(l->sites);
	kvfree(l->ips);
}

int stp_sitelist_add(struct stp_sitelist *l, struct stp_siteset *set, const struct stp_probe_sites *x,
		     stp_site_fallback *other)
{
	u32 i;
	int rc;

	for (i = 0; i < x->n; i++) {
		const struct stp_site *s = &x->sites[i];

		if (!(s->flags & STP_SITE_FTRACE) || l->n == l->room) {
			rc = other(set, x->ps, s);
			if (rc)
				return rc;
			continue;
		}
		l->owner[l->n] = x->ps;
		l->ips[l->n] = s->addr;
		l->sites[l->n++] = s;
	}
	return 0;
}

/* The kernel refuses all for one that it does not like: halve until that one is alone. */
static int filter_range(struct stp_sitelist *l, u32 from, u32 n, struct stp_siteset *set, struct ftrace_ops *ops,
			stp_site_fallback *other)
{
	const struct stp_site *alone;
	u32 half = n / 2;
	int rc;

	if (!n || !stp_ftrace_filter(ops, l->ips + from, n))
		return 0;
	if (n == 1) {
		alone = l->sites[from];
		l->sites[from] = NULL;
		return other(set, l->owner[from], alone);
	}
	rc = filter_range(l, from, half, set, ops, other);
	return rc ?: filter_range(l, from + half, n - half, set, ops, other);
}

int stp_sitelist_filter(struct stp_sitelist *l, struct stp_siteset *set, struct ftrace_ops *ops, stp_site_fallback *other)
{
	int rc = filter_range(l, 0, l->n, set, ops, other);
	u32 i, kept = 0;

	for (i = 0; i < l->n; i++) {
		if (!l->sites[i])
			continue;
		l->owner[kept] = l->owner[i];
		l->ips[kept] = l->ips[i];
		l->sites[kept++] = l->sites[i];
	}
	l->n = kept;
	return rc;
}
