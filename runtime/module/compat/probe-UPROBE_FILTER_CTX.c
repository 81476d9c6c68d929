/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/uprobes.h>
bool stp_callback(struct uprobe_consumer *uc, enum uprobe_filter_ctx ctx, struct mm_struct *mm);
extern struct uprobe_consumer stp_probe;
struct uprobe_consumer stp_probe = { .filter = stp_callback };
