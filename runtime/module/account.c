/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Hits that do not run their handler: why not, how many, and telling so by reason and probe when the session ends.
 * Linked only with hooks.
 */
#include <linux/kernel.h>
#include <linux/preempt.h>
#include "session.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

static const char *const reasons[STP_SKIP_REASONS] = {
	[STP_SKIP_REENTRY] = "re-entry: hit by what a handler itself uses",
	[STP_SKIP_NMI] = "non-maskable interrupt within a handler",
	[STP_SKIP_LOCK] = "lock of a global variable not had in time, see MAXTRYLOCK",
	[STP_SKIP_MEMORY] = "memory for array elements was not there in time",
	[STP_SKIP_MISSED] = "too many calls under way, see KRETACTIVE",
	[STP_SKIP_RESULT] = "the function ended by jumping to another, whose result is not seen",
	[STP_SKIP_TRACING] = "called by the kernel's tracing itself, or too many calls under way",
};

#define LINES_MAX 20

void stp_count_skip(const struct stp_probe *p, enum stp_skip why)
{
	s64 limit = stp_script.config->maxskipped;

	atomic64_inc(&stp_probe_state(p)->skips[why]);
	/* a handler's own use of the kernel hits probes again; that says nothing about the load, nor does how a program is made */
	if (why != STP_SKIP_REENTRY && why != STP_SKIP_RESULT && atomic64_inc_return(&stp_session.skipped) > limit && limit >= 0)
		stp_session_end(true);
}

struct stp_context *stp_claim_slow(struct stp_context *x, const struct stp_probe *p)
{
	if (x->blocked)
		return NULL;
	if (!in_nmi()) {
		stp_count_skip(p, STP_SKIP_REENTRY);
		return NULL;
	}
	x = raw_cpu_read(stp_context_nmi);
	if (!x->gate)
		return x;
	if (!x->blocked)
		stp_count_skip(p, STP_SKIP_NMI);
	return NULL;
}

void stp_account_report(void)
{
	u32 i, why, lines = 0;
	char point[128];

	for (i = 0; i < stp_script.nprobes; i++) {
		struct stp_probe_state *ps = &stp_probes[i];

		for (why = 0; why < STP_SKIP_REASONS; why++) {
			s64 n = atomic64_read(&ps->skips[why]);

			if (n && lines++ < LINES_MAX)
				stp_warn("skipped %lld hits of %s (%s)", n,
					 stp_point_text(ps->p, 0, point, sizeof(point)), reasons[why]);
		}
	}
	if (lines > LINES_MAX)
		stp_warn("... and hits of %u more probes", lines - LINES_MAX);
}
