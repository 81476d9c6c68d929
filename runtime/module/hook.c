/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* What all hooks share: the addresses that the loader found, and those that the kernel refuses. */
#include <linux/err.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "hook.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define SITES_MAX (1u << 20)
#define REFUSALS_MAX 10 /* lines; a wildcard may meet hundreds */

/* What the kernel means by it. */
static const char *refusal(int err)
{
	switch (err) {
	case -EINVAL: return "the kernel forbids probes there";
	case -EILSEQ: return "no instruction begins there";
	case -ENOENT: return "the code is gone, or about to go";
	case -EOPNOTSUPP: return "the kernel can not trace it";
	}
	return "the kernel refuses it";
}

void stp_hook_refused(struct stp_probe_state *ps, const struct stp_site *site, int err)
{
	static u32 count;
	char point[128];

	if (ps->p->flags & STP_OPTIONAL)
		return;
	if (++count <= REFUSALS_MAX)
		stp_warn("probe %s at 0x%llx could not be attached: %s (error %d)",
			 stp_point_text(ps->p, site->addr, point, sizeof(point)), site->addr, refusal(err), err);
	else if (count == REFUSALS_MAX + 1)
		stp_warn("more probes could not be attached");
}

long stp_sites_set(const struct stp_sites __user *arg)
{
	struct stp_sites a;
	struct stp_probe_state *ps;
	void *sites;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (a.probe >= stp_script.nprobes || a.nsites > SITES_MAX)
		return -EINVAL;
	if (stp_session.state != STP_LOADED)
		return -EALREADY;
	ps = &stp_probes[a.probe];
	sites = vmemdup_user((void __user *)(uintptr_t)a.sites, a.nsites * sizeof(struct stp_site));
	if (IS_ERR(sites))
		return PTR_ERR(sites);
	kvfree(ps->sites);
	ps->sites = sites;
	ps->nsites = a.nsites;
	return 0;
}

static struct stp_siteset kernel_set;

struct stp_siteset *stp_kernel_set(void)
{
	struct stp_siteset *set = &kernel_set;
	u32 i, n = 0;

	if (set->of)
		return set;
	set->of = kvcalloc(stp_script.nprobes + 1, sizeof(*set->of), GFP_KERNEL);
	for (i = 0; set->of && i < stp_script.nprobes; i++) {
		struct stp_probe_state *ps = &stp_probes[i];

		if (ps->nsites)
			set->of[n++] = (struct stp_probe_sites){ ps, ps->sites, ps->nsites };
	}
	set->nprobes = n;
	return set;
}

void stp_sites_free(void)
{
	u32 i;

	kvfree(kernel_set.of);

	for (i = 0; stp_probes && i < stp_script.nprobes; i++)
		kvfree(stp_probes[i].sites);
}
