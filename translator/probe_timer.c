/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers: timer.UNIT(N) in all its spellings with .randomize(M), timer.jiffies, timer.hz, and the
 * profiling timers, which sample every CPU at the clock tick or at a frequency of their own.
 */
#include "probe_util.h"
#include "kernel.h"

#include <inttypes.h>
#include <string.h>

#define NSEC_PER_SEC INT64_C(1000000000)

static const struct unit {
	const char *name;
	int64_t ns;
} units[] = {
	{ "s", NSEC_PER_SEC }, { "sec", NSEC_PER_SEC }, { "ms", 1000000 }, { "msec", 1000000 },
	{ "us", 1000 }, { "usec", 1000 }, { "ns", 1 }, { "nsec", 1 },
};

static const char *const words[] = { "s", "sec", "ms", "msec", "us", "usec", "ns", "nsec", "jiffies", "hz",
	"profile", NULL };

static bool timer_match(const struct point *p)
{
	return point_has(p, 0, "timer");
}

/* Nanoseconds in a jiffy of the target; -1 after an error. */
static int jiffy_ns(struct session *s, struct loc loc, int64_t *ret)
{
	const char *text = s->kernel ? kernel_config(s->kernel, "CONFIG_HZ") : NULL;
	int64_t hz = text ? g_ascii_strtoll(text, NULL, 10) : 0;

	if (hz <= 0)
		return diag_error(s, loc, "unknown-hz",
				  "the length of a jiffy is not known: no configuration (CONFIG_HZ) of kernel %s found",
				  s->kernel ? s->kernel->release : "?");
	*ret = NSEC_PER_SEC / hz;
	return 0;
}

/* N units as nanoseconds; periods are at least 1 ns and at most about 292 years. */
static int to_ns(struct session *s, struct loc loc, int64_t n, int64_t unit, bool zero_ok, int64_t *ret)
{
	if (n < (zero_ok ? 0 : 1) || __builtin_mul_overflow(n, unit, ret))
		return diag_error(s, loc, "timer-range", "timer interval %" PRId64 " is out of range", n);
	return 0;
}

/* timer.profile, .profile.tick, .profile.freq.hz(N), .profile.freq(N): arg is the period, 0 at the tick. */
static int profile_period(struct session *s, struct point *p, int64_t *ret)
{
	static const char *const known[] = { "tick", "freq", "hz", NULL };
	size_t last = p->ncomps - 1;
	int64_t hz;

	*ret = 0;
	if (point_no_arg(s, p, 1))
		return -1;
	if (p->ncomps == 2)
		return 0;
	if (p->ncomps == 3 && point_has(p, 2, "tick"))
		return point_no_arg(s, p, 2);
	if (!point_has(p, 2, "freq"))
		return point_unknown(s, p, 2, known);
	if (p->ncomps > 4 || (p->ncomps == 4 && !point_has(p, 3, "hz")))
		return point_unknown(s, p, last, known);
	if (point_number(s, p, last, &hz))
		return -1;
	if (hz < 1 || hz > 100000)
		return diag_error(s, p->comps[last].loc, "timer-range",
				  "sampling frequency %" PRId64 " is out of range (1 to 100000 Hz)", hz);
	*ret = NSEC_PER_SEC / hz;
	return 0;
}

static int hz_period(struct session *s, struct point *p, int64_t *ret)
{
	int64_t hz;

	if (point_number(s, p, 1, &hz))
		return -1;
	if (hz < 1 || hz > NSEC_PER_SEC)
		return diag_error(s, p->comps[1].loc, "timer-range",
				  "timer frequency %" PRId64 " is out of range", hz);
	*ret = NSEC_PER_SEC / hz;
	return 0;
}

static int unit_period(struct session *s, struct point *p, int64_t *period, int64_t *random)
{
	static const char *const known[] = { "randomize", NULL };
	const char *word = p->comps[1].name;
	int64_t unit = 0, n;

	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		if (strcmp(units[i].name, word) == 0)
			unit = units[i].ns;
	if (strcmp(word, "jiffies") == 0 && jiffy_ns(s, p->comps[1].loc, &unit))
		return -1;
	if (!unit)
		return point_unknown(s, p, 1, words);
	if (point_number(s, p, 1, &n) || to_ns(s, p->comps[1].loc, n, unit, false, period))
		return -1;
	if (p->ncomps == 2)
		return 0;
	if (!point_has(p, 2, "randomize"))
		return point_unknown(s, p, 2, known);
	if (p->ncomps > 3)
		return point_unknown(s, p, 3, NULL);
	if (point_number(s, p, 2, &n) || to_ns(s, p->comps[2].loc, n, unit, true, random))
		return -1;
	if (*random > *period)
		return diag_error(s, p->comps[2].loc, "timer-range",
				  "timer randomization is larger than the interval");
	return 0;
}

static int timer_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	int64_t period = 0, random = 0;
	struct probe *probe;
	bool profile = point_has(p, 1, "profile");

	if (p->ncomps < 2)
		return diag_error(s, p->loc, "unknown-probe-point",
				  "'timer' needs a unit: timer.s(N), .ms(N), .us(N), .ns(N), .jiffies(N), .hz(N) or .profile");
	if (point_no_arg(s, p, 0))
		return -1;
	if (profile) {
		if (profile_period(s, p, &period))
			return -1;
	} else if (point_has(p, 1, "hz")) {
		if (p->ncomps > 2)
			return point_unknown(s, p, 2, NULL);
		if (hz_period(s, p, &period))
			return -1;
	} else if (unit_period(s, p, &period, &random)) {
		return -1;
	}
	probe = probe_new(s, &provider_timer, p, profile ? ATTACH_PROFILE : ATTACH_TIMER);
	probe->arg = period;
	probe->arg2 = random;
	g_ptr_array_add(out, probe);
	return 0;
}

static const char *const timer_patterns[] = {
	"timer.{s,sec,ms,msec,us,usec,ns,nsec,jiffies}(NUMBER){,.randomize(NUMBER)}", "timer.hz(NUMBER)",
	"timer.profile{,.tick,.freq.hz(NUMBER)}", NULL
};

const struct provider provider_timer = {
	.name = "timer",
	.match = timer_match,
	.derive = timer_derive,
	.patterns = timer_patterns,
};
