/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/fprobe.h>
extern struct fprobe stp_probe;
struct fprobe stp_probe = { .nr_maxactive = 1 };
