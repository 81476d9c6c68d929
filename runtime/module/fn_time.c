/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions about time.  Clocks are the kernel's NMI-safe ones. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/kernel.h>
#include <linux/sched/clock.h>
#include <linux/time.h>
#include <asm/msr.h>
#include "fn.h"
#include "session.h"

s64 stp_fn_gettimeofday_ns(struct stp_ctx *c)
{
	return ktime_get_real_fast_ns();
}

s64 stp_fn_ktime_get_ns(struct stp_ctx *c)
{
	return ktime_get_mono_fast_ns();
}

/* The scheduler's clock is this CPU's; those of other CPUs agree with it where the counter is stable. */
s64 stp_fn_cpu_clock_ns(struct stp_ctx *c, s64 cpu)
{
	return local_clock();
}

s64 stp_fn_local_clock_ns(struct stp_ctx *c)
{
	return local_clock();
}

s64 stp_fn_get_cycles(struct stp_ctx *c)
{
	return rdtsc();
}

s64 stp_fn_jiffies(struct stp_ctx *c)
{
	return get_jiffies_64() - INITIAL_JIFFIES;
}

s64 stp_fn_HZ(struct stp_ctx *c)
{
	return HZ;
}

/* "Thu Jan  1 00:00:00 1970", in UTC. */
struct stp_str stp_fn_ctime(struct stp_ctx *c, s64 seconds)
{
	static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char *p = stp_tmp(c, 40);
	struct tm tm;

	if (!p)
		return STP_STR("");
	if (seconds < -67768040609740800ll || seconds > 67768036191676799ll) {
		stp_fail(c, "ctime: the year is out of range");
		return STP_STR("");
	}
	time64_to_tm(seconds, 0, &tm);
	return (struct stp_str){ p, scnprintf(p, 40, "%.3s %.3s %2d %02d:%02d:%02d %ld", days + 3 * tm.tm_wday,
					      months + 3 * tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
					      tm.tm_year + 1900) };
}

/* The loader's time zone, as it was at the session's start. */
s64 stp_fn_tz_gmtoff(struct stp_ctx *c)
{
	return stp_session.tz_west;
}

struct stp_str stp_fn_tz_name(struct stp_ctx *c)
{
	return (struct stp_str){ stp_session.tz_name, strlen(stp_session.tz_name) };
}
