/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace: callbacks and filters. */
#ifndef STP_COMPAT_FTRACE_H
#define STP_COMPAT_FTRACE_H

#include <linux/ftrace.h>

/* Callbacks take struct ftrace_regs since 5.11 (d19ad0775dcd), before that struct pt_regs.  On x86 the one
 * begins with the other. */
#ifdef STP_HAVE_FTRACE_REGS
typedef struct ftrace_regs stp_ftrace_regs;
#else
typedef struct pt_regs stp_ftrace_regs;
#endif

/* Since 5.11 (a25d036d939a) RECURSION asks for protection, which costs; before, the kernel protected every ops
 * that did not say that it is safe. */
#ifdef STP_HAVE_FTRACE_RECURSION_SAFE
#define STP_FTRACE_SAFE FTRACE_OPS_FL_RECURSION_SAFE
#define STP_FTRACE_PROTECTED 0
#else
#define STP_FTRACE_SAFE 0
#define STP_FTRACE_PROTECTED FTRACE_OPS_FL_RECURSION
#endif

/* Without ARGS nothing but SAVE_REGS brings argument registers. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define STP_FTRACE_FLAGS STP_FTRACE_SAFE
#else
#define STP_FTRACE_FLAGS (STP_FTRACE_SAFE | FTRACE_OPS_FL_SAVE_REGS)
#endif

/* Adds n addresses, all or none.  ftrace_set_filter_ips: 5.18 (4f554e955614) */
static inline int stp_ftrace_filter(struct ftrace_ops *ops, unsigned long *ips, u32 n)
{
#ifdef STP_EXPORTED_ftrace_set_filter_ips
	return ftrace_set_filter_ips(ops, ips, n, 0, 0);
#else
	u32 i;
	int rc;

	for (i = 0; i < n; i++) {
		rc = ftrace_set_filter_ip(ops, ips[i], 0, 0);
		if (rc) {
			while (i--)
				ftrace_set_filter_ip(ops, ips[i], 1, 0);
			return rc;
		}
	}
	return 0;
#endif
}
/* Text with a zero byte behind it, into the trace buffer; until 7.1 its length is told. */
#ifdef STP_HAVE_TRACE_PUTS_SIZE
#define stp_trace_puts(text, len) __trace_puts(_THIS_IP_, text, len)
#else
#define stp_trace_puts(text, len) __trace_puts(_THIS_IP_, text)
#endif

#endif
