/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers: names that changed. */
#ifndef STP_COMPAT_TIMER_H
#define STP_COMPAT_TIMER_H

#include <linux/hrtimer.h>

/* hrtimer_setup replaced hrtimer_init in 6.15 (9779489a31d7) */
static inline void stp_hrtimer_setup(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *), enum hrtimer_mode mode)
{
#ifdef STP_HAVE_HRTIMER_SETUP
	hrtimer_setup(t, fn, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(t, CLOCK_MONOTONIC, mode);
	t->function = fn;
#endif
}
#endif
