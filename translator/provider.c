/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of probe providers. */
#include "probe_util.h"

const struct provider *const providers[] = {
	&provider_begin, &provider_timer, &provider_trace, &provider_data, &provider_kernel, &provider_kprobe,
	&provider_procfs, &provider_input, &provider_netfilter, &provider_perf, &provider_process, NULL
};

const struct provider *provider_find(const struct point *p)
{
	for (size_t i = 0; providers[i]; i++)
		if (providers[i]->match(p))
			return providers[i];
	return NULL;
}
