/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs when a kprobe is hit.  The kernel may have moved it behind a landing pad: the handler gets the address asked for. */
#include <linux/ptrace.h>
#include "kprobe_hit.h"

int stp_kprobe_fn(struct kprobe *kp, struct pt_regs *regs)
{
	const struct kprobe_site *k = container_of(kp, struct kprobe_site, kp);

	stp_hit_call(k->ps->p, (u64 *)regs, k->site.addr);
	return 0;
}
NOKPROBE_SYMBOL(stp_kprobe_fn);
