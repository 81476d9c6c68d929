/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/perf_event.h>
void stp_probe(struct perf_event_attr *attr);
void stp_probe(struct perf_event_attr *attr)
{
	attr->remove_on_exec = 1;
}
