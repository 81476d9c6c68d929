/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of probe providers. */
#include "probe_util.h"

#include <string.h>

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

/* Adds `before` followed by all that `text` stands for. */
static void expand(GPtrArray *out, const char *before, const char *text)
{
	size_t head = strcspn(text, "{"), n;
	const char *part, *rest;

	if (!text[head]) {
		g_ptr_array_add(out, g_strconcat(before, text, NULL));
		return;
	}
	rest = strchr(text + head, '}') + 1;
	for (part = text + head + 1; part < rest; part += n + 1) {
		char *start = g_strdup_printf("%s%.*s%.*s", before, (int)head, text, (int)(n = strcspn(part, ",}")), part);

		expand(out, start, rest);
		g_free(start);
	}
}

const char *const *provider_patterns(void)
{
	static GPtrArray *all;

	if (all)
		return (const char *const *)all->pdata;
	all = g_ptr_array_new();
	for (size_t i = 0; providers[i]; i++)
		for (const char *const *p = providers[i]->patterns; *p; p++)
			expand(all, "", *p);
	g_ptr_array_add(all, NULL);
	return (const char *const *)all->pdata;
}
