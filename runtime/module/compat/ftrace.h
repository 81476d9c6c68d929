/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace: callbacks, filters, and fprobe. */
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
#else
#define STP_FTRACE_SAFE 0
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

/*
 * fprobe: 5.18 (cad9931f64dc).  Callbacks have a result and the return address since 6.5, struct ftrace_regs
 * since 6.14 (4346ba160409).  STP_FPROBE is defined when it can be used.
 */
#if defined(CONFIG_FPROBE) && defined(STP_EXPORTED_register_fprobe_ips) && defined(STP_EXPORTED_unregister_fprobe)
#include <linux/fprobe.h>
#define STP_FPROBE
#ifdef STP_HAVE_FPROBE_FTRACE_REGS
typedef struct ftrace_regs stp_fprobe_regs;
#else
typedef struct pt_regs stp_fprobe_regs;
#endif
#if defined(STP_HAVE_FPROBE_FTRACE_REGS) || defined(STP_HAVE_FPROBE_RET_IP)
#define STP_FPROBE_ENTRY(name, fp, ip, regs, data) \
	static int name(struct fprobe *fp, unsigned long ip, unsigned long ret_ip, stp_fprobe_regs *regs, void *data)
#define STP_FPROBE_EXIT(name, fp, ip, regs, data) \
	static void name(struct fprobe *fp, unsigned long ip, unsigned long ret_ip, stp_fprobe_regs *regs, void *data)
#define STP_FPROBE_ENTRY_RETURN(v) return v
#else
#define STP_FPROBE_ENTRY(name, fp, ip, regs, data) \
	static void name(struct fprobe *fp, unsigned long ip, stp_fprobe_regs *regs, void *data)
#define STP_FPROBE_EXIT(name, fp, ip, regs, data) \
	static void name(struct fprobe *fp, unsigned long ip, stp_fprobe_regs *regs, void *data)
#define STP_FPROBE_ENTRY_RETURN(v) return
#endif
/* Instances of a return that may be under way at once: gone in 6.14, where none is missed. */
static inline void stp_fprobe_set_active(struct fprobe *fp, u32 n)
{
#ifdef STP_HAVE_FPROBE_MAXACTIVE
	fp->nr_maxactive = n;
#endif
}
#endif /* fprobe */
#endif
