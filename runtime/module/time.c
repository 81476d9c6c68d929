/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stap -t: hits and cycles of each probe's handler. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "port.h"
#include "session.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

static void raise(u64 *most, u64 v)
{
	u64 old = stp_load_rlx(most);

	while (v > old && !stp_cas(most, &old, v))
		;
}

void stp_time_add(struct stp_time *t, u64 cycles)
{
	stp_add_ret(&t->hits, 1);
	stp_add_ret(&t->cycles, cycles);
	raise(&t->most, cycles);
	raise(&t->least, ~cycles);
}

void stp_time_report(void)
{
	char point[128];
	u32 i;

	stp_say(NULL, STP_REC_OUT, "----- probe hit report:\n");
	for (i = 0; i < stp_script.nprobes; i++) {
		const struct stp_time *t = &stp_script.times[i];
		const struct stp_probe *p = &stp_script.probes[i];
		const struct stp_pos *pos = &stp_script.positions[p->loc];
		const char *text = stp_point_text(p, 0, point, sizeof(point));

		if (t->hits)
			stp_say(NULL, STP_REC_OUT, "%s, (%s:%u:%u), hits: %llu, cycles: %llumin/%lluavg/%llumax, from: %s, "
				"index: %u\n", text, pos->file ?: "", pos->line, pos->col, t->hits, ~t->least,
				div64_u64(t->cycles, t->hits), t->most, text, i);
	}
}
