/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/ftrace.h>
extern int stp_probe;
int stp_probe = FTRACE_OPS_FL_RECURSION_SAFE;
