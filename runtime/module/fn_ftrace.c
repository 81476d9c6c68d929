/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace() of scripts: a line in the kernel's trace buffer, which any context may write to. */
#include <linux/kernel.h>
#include "fn_more.h"

#ifdef CONFIG_TRACING
static void put(struct stp_ctx *c, struct stp_str msg)
{
#ifdef STP_HAVE_TRACE_PUTS_SIZE
	__trace_puts(_THIS_IP_, msg.p, msg.len);
#else
	char *text = stp_tmp(c, msg.len + 1);

	if (!text)
		return;
	memcpy(text, msg.p, msg.len);
	text[msg.len] = '\0';
	__trace_puts(_THIS_IP_, text);
#endif
}
#endif

void stp_fn_ftrace(struct stp_ctx *c, struct stp_str msg)
{
#ifdef CONFIG_TRACING
	put(c, msg);
#else
	stp_fail(c, "ftrace: this kernel has no trace buffer");
#endif
}
