/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Returns of many functions by one registration: the kernel's fprobe, or the same made of an ftrace filter and one
 * kretprobe (fprobe_own.c).
 *
 * fprobe: 5.18 (cad9931f64dc), where the kernel is built with it.  Callbacks have a result and the return address since
 * 6.5, struct ftrace_regs since 6.14 (4346ba160409).
 */
#ifndef STP_COMPAT_FPROBE_H
#define STP_COMPAT_FPROBE_H

#include <linux/kprobes.h>
#include "ftrace.h"

#if defined(CONFIG_FPROBE) && defined(STP_EXPORTED_register_fprobe_ips) && defined(STP_EXPORTED_unregister_fprobe)
#include <linux/fprobe.h>
#define stp_fprobe fprobe
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

/* Calls under way at once whose returns are followed: gone in 6.14, where none is missed. */
static inline void stp_fprobe_set_active(struct fprobe *fp, u32 n)
{
#ifdef STP_HAVE_FPROBE_MAXACTIVE
	fp->nr_maxactive = n;
#endif
}

static inline int stp_fprobe_register(struct fprobe *fp, unsigned long *ips, u32 n)
{
	return register_fprobe_ips(fp, ips, n);
}

static inline void stp_fprobe_unregister(struct fprobe *fp)
{
	unregister_fprobe(fp);
}

static inline unsigned long stp_fprobe_missed(const struct fprobe *fp)
{
	return fp->nmissed;
}
/* What it counts is mostly calls that the kernel's own tracing makes. */
#define STP_FPROBE_MISSED STP_SKIP_TRACING

#else /* of our own */
#define STP_FPROBE_OWN
struct stp_fprobe {
	int (*entry_handler)(struct stp_fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data); /* 0: follow the call */
	void (*exit_handler)(struct stp_fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data);
	size_t entry_data_size;
	u32 nr_maxactive;
	struct ftrace_ops ops;
	struct kretprobe rp;
};
#define STP_FPROBE_ENTRY(name, fp, ip, regs, data) \
	static int name(struct stp_fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data)
#define STP_FPROBE_EXIT(name, fp, ip, regs, data) \
	static void name(struct stp_fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data)
#define STP_FPROBE_ENTRY_RETURN(v) return v

static inline void stp_fprobe_set_active(struct stp_fprobe *fp, u32 n)
{
	fp->nr_maxactive = n;
}

/* fprobe_own.c: 0, or -errno when not even one of the addresses would do or the filter is refused.  May sleep. */
int stp_fprobe_register(struct stp_fprobe *fp, unsigned long *ips, u32 n);
/* Returns when no handler can run any more.  May sleep. */
void stp_fprobe_unregister(struct stp_fprobe *fp);

static inline unsigned long stp_fprobe_missed(const struct stp_fprobe *fp)
{
	return fp->rp.nmissed;
}
#define STP_FPROBE_MISSED STP_SKIP_MISSED
#endif
#endif
