/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One copy of the path from a hit to its handler, for hooks that need not have their own. */
#include <linux/kprobes.h>
#include "hook.h"

void notrace stp_hit_call(const struct stp_probe *p, u64 *regs, u64 ip)
{
	stp_hit(p, regs, NULL, ip);
}
NOKPROBE_SYMBOL(stp_hit_call);
