/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/hrtimer.h>
void stp_probe(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *));
void stp_probe(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *))
{
	hrtimer_setup(t, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}
