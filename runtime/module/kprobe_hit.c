/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs when a kprobe is hit. */
#include <linux/ptrace.h>
#include "kprobe_hit.h"

int stp_kprobe_fn(struct kprobe *kp, struct pt_regs *regs)
{
	const struct stp_probe *p = container_of(kp, struct kprobe_site, kp)->ps->p;

	stp_hit_call(p, (u64 *)regs, (u64)kp->addr);
	return 0;
}
NOKPROBE_SYMBOL(stp_kprobe_fn);
