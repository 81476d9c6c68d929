/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace() of scripts: a line in the kernel's trace buffer, which any context may write to. */
#include <linux/kernel.h>
#include "fn_more.h"

void stp_fn_ftrace(struct stp_ctx *c, struct stp_str msg)
{
#ifdef CONFIG_TRACING
	__trace_puts(_THIS_IP_, msg.p, msg.len);
#else
	stp_fail(c, "ftrace: this kernel has no trace buffer");
#endif
}
