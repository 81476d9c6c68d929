/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions that act on the session or the kernel: error, warn, system, randint. */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <asm/msr.h>
#include "fn.h"
#include "session.h"
#include "transport.h"

void stp_fn_error(struct stp_ctx *c, struct stp_str msg)
{
	stp_fail_str(c, msg);
}

void stp_fn_warn(struct stp_ctx *c, struct stp_str msg)
{
	while (msg.len && msg.p[msg.len - 1] == '\n')
		msg.len--;
	stp_say(stp_context_of(c), STP_REC_WARN, "%.*s", (int)msg.len, msg.p);
}

/* The loader runs it; what was printed before comes first. */
void stp_fn_system(struct stp_ctx *c, struct stp_str cmd)
{
	stp_say(stp_context_of(c), STP_REC_SYSTEM, "%.*s", (int)cmd.len, cmd.p);
}

/* What is printed from now on goes to the loader's next file. */
void stp_fn_switch_file(struct stp_ctx *c)
{
	stp_say(stp_context_of(c), STP_REC_SWITCH, " "); /* an empty record would not be kept */
}

/* A generator of its own for each context: the kernel's takes locks. */
static DEFINE_PER_CPU(u64, random_state);

s64 stp_fn_randint(struct stp_ctx *c, s64 n)
{
	u64 s = raw_cpu_read(random_state);

	if (n <= 0) {
		stp_fail(c, "randint: the limit must be positive");
		return 0;
	}
	if (unlikely(!s))
		s = (u64)(unsigned long)c ^ rdtsc() ^ 0x9e3779b97f4a7c15ull;
	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	raw_cpu_write(random_state, s);
	return s % (u64)n;
}
