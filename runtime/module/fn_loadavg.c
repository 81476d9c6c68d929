/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's load averages. */
#include <linux/sched/loadavg.h>
#include "fn_more.h"

s64 stp_fn_loadavg(struct stp_ctx *c, s64 i)
{
	if (i >= 0 && i < 3)
		return READ_ONCE(avenrun[i]);
	stp_fail(c, "get_loadavg_index: the index is 0, 1 or 2");
	return 0;
}
