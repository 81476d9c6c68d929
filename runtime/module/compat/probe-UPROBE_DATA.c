/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/uprobes.h>
int stp_callback(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data);
extern struct uprobe_consumer stp_probe;
struct uprobe_consumer stp_probe = { .handler = stp_callback };
