/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace() of scripts: a line in the kernel's trace buffer, which any context may write to. */
#include <linux/kernel.h>
#include "fn_more.h"
#include "compat/ftrace.h"

#ifdef CONFIG_TRACING
static void put(struct stp_ctx *c, struct stp_str msg)
{
	char *text = stp_tmp(c, msg.len + 1);

	if (!text)
		return;
	memcpy(text, msg.p, msg.len);
	text[msg.len] = '\0';
	stp_trace_puts(text, msg.len);
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
