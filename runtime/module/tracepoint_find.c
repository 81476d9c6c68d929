/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* The kernel's tracepoints by name. */
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "task_watch.h"

struct search {
	const char *name;
	struct tracepoint *found;
};

static void match(struct tracepoint *tp, void *arg)
{
	struct search *s = arg;

	if (!strcmp(tp->name, s->name))
		s->found = tp;
}

struct tracepoint *stp_tracepoint_find(const char *name)
{
	struct search s = { .name = name };

	for_each_kernel_tracepoint(match, &s);
	return s.found;
}

void stp_tracepoints_drain(void)
{
	tracepoint_synchronize_unregister();
}
