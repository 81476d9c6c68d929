/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/fprobe.h>
int stp_callback(struct fprobe *fp, unsigned long ip, unsigned long ret_ip, struct pt_regs *regs, void *data);
extern struct fprobe stp_probe;
struct fprobe stp_probe = { .entry_handler = stp_callback };
