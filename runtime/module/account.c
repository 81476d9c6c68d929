/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* What was skipped and lost, by reason and probe, told when the session ends. */
#include <linux/kernel.h>
#include "session.h"

static const char *const reasons[STP_SKIP_REASONS] = {
	[STP_SKIP_REENTRY] = "re-entry: hit by what a handler itself uses",
	[STP_SKIP_NMI] = "non-maskable interrupt within a handler",
	[STP_SKIP_LOCK] = "lock of a global variable not had in time, see MAXTRYLOCK",
	[STP_SKIP_MEMORY] = "memory for array elements was not there in time",
	[STP_SKIP_MISSED] = "too many calls under way, see KRETACTIVE",
	[STP_SKIP_TRACING] = "called by the kernel's tracing itself, or too many calls under way",
};

#define LINES_MAX 20

static void report_summary(void)
{
	s64 errors = atomic64_read(&stp_session.errors), skipped = atomic64_read(&stp_session.skipped);
	s64 limit = stp_script.config->maxskipped, suppressed = atomic64_read(&stp_session.suppressed);

	if (errors || skipped)
		stp_warn("Number of errors: %lld, skipped probes: %lld", errors, skipped);
	if (limit >= 0 && skipped > limit) {
		stp_say(NULL, STP_REC_ERROR, "Skipped too many probes, check MAXSKIPPED (%lld)", limit);
		stp_session.failed = true;
	}
	if (suppressed)
		stp_warn("errors suppressed: %lld", suppressed);
}

void stp_account_report(void)
{
	u32 i, why, lines = 0;
	u64 lost = 0;

	report_summary();
	for (i = 0; i < stp_script.nprobes; i++) {
		struct stp_probe_state *ps = &stp_probes[i];

		lost += atomic64_read(&ps->lost);
		for (why = 0; why < STP_SKIP_REASONS; why++) {
			s64 n = atomic64_read(&ps->skips[why]);

			if (n && lines++ < LINES_MAX)
				stp_warn("skipped %lld hits of %s (%s)", n, ps->p->point, reasons[why]);
		}
	}
	if (lines > LINES_MAX)
		stp_warn("... and hits of %u more probes", lines - LINES_MAX);
	stp_globals_report();
	if (lost)
		stp_warn("%llu records of output lost: the output buffer was full (see stap -s)", lost);
}
