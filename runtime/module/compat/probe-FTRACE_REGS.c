/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/ftrace.h>
void stp_callback(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs);
extern ftrace_func_t stp_probe;
ftrace_func_t stp_probe = stp_callback;
