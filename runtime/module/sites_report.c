/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Wildcards of which the kernel refuses every place: linked where a script has one whose single refusals are no news. */
#include "hook.h"

/* Probes that one declaration made of wildcards, from ps on: where they end, and how many places they have and had attached. */
static struct stp_probe_state *count_group(struct stp_probe_state *ps, u32 *places, u32 *attached)
{
	const u32 loc = ps->p->loc;

	for (*places = *attached = 0; ps < stp_probes + stp_script.nprobes && ps->p->loc == loc; ps++)
		if (ps->p->flags & STP_WILD) {
			*places += ps->nsites;
			*attached += ps->attached;
		}
	return ps;
}

void stp_sites_report(void)
{
	struct stp_probe_state *ps, *next;
	u32 places, attached;
	char point[128];

	for (ps = stp_probes; ps < stp_probes + stp_script.nprobes; ps = next) {
		next = count_group(ps, &places, &attached);
		if (places && !attached)
			stp_warn("none of the %u places of a wildcard (%s ...) is attached: the kernel refuses probes there", places,
				 stp_point_text(ps->p, ps->nsites ? ps->sites[0].addr : 0, point, sizeof(point)));
	}
}
