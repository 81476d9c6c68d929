/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between attaching kprobes and their hits. */
#ifndef STP_KPROBE_HIT_H
#define STP_KPROBE_HIT_H

#include <linux/kprobes.h>
#include "hook.h"

struct kprobe_site {
	struct kprobe kp;
	struct stp_probe_state *ps;
	struct stp_site site;
	bool on;
};

int stp_kprobe_fn(struct kprobe *kp, struct pt_regs *regs);
#endif
