/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all hooks share. */
#include "hook.h"

#define REFUSALS_MAX 10 /* lines; a wildcard may meet hundreds */

void stp_hook_refused(struct stp_probe_state *ps, const struct stp_site *site, int err)
{
	static u32 count;

	if (ps->p->flags & STP_OPTIONAL)
		return;
	if (++count <= REFUSALS_MAX)
		stp_warn("probe %s (%ps) could not be attached: the kernel refuses it (error %d)", ps->p->point,
			 (void *)(uintptr_t)site->addr, err);
	else if (count == REFUSALS_MAX + 1)
		stp_warn("more probes could not be attached");
}
