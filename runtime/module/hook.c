/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* What all hooks share. */
#include "hook.h"

#define REFUSALS_MAX 10 /* lines; a wildcard may meet hundreds */

void stp_hook_refused(struct stp_probe_state *ps, const struct stp_site *site, int err)
{
	static u32 count;
	char point[128];

	if (ps->p->flags & STP_OPTIONAL)
		return;
	if (++count <= REFUSALS_MAX)
		stp_warn("probe %s at 0x%llx could not be attached: the kernel refuses it (error %d)",
			 stp_point_text(ps->p, site->addr, point, sizeof(point)), site->addr, err);
	else if (count == REFUSALS_MAX + 1)
		stp_warn("more probes could not be attached");
}
