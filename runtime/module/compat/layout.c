/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes and offsets of kernel structures that the runtime is compiled for, as text in a section of this object,
 * which is part of no module: lines of STRUCT MEMBER VALUE, or STRUCT - SIZE.  They are compared with what the
 * kernel itself says before a module is run (translator/layout.c).
 */
#include <linux/cred.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/proc_fs.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#define LINE(type, member, value) \
	asm volatile(".pushsection .stap_layout,\"\"\n\t.ascii \"" type " " member " %c0\\n\"\n\t.popsection" : : "i"(value))
#define SIZE(type) LINE(#type, "-", sizeof(struct type))
#define MEMBER(type, member) LINE(#type, #member, offsetof(struct type, member))

void stp_layout(void);
void stp_layout(void)
{
	SIZE(module);
	MEMBER(module, name);
	SIZE(task_struct);
	MEMBER(task_struct, pid);
	MEMBER(task_struct, tgid);
	MEMBER(task_struct, comm);
	MEMBER(task_struct, mm);
	MEMBER(task_struct, real_parent);
	MEMBER(task_struct, signal);
	MEMBER(task_struct, nsproxy);
	MEMBER(task_struct, cred);
	MEMBER(signal_struct, pids);
	MEMBER(cred, uid);
	MEMBER(cred, gid);
	MEMBER(cred, euid);
	SIZE(pt_regs);
	MEMBER(pt_regs, ip);
	MEMBER(pt_regs, sp);
	MEMBER(pt_regs, ax);
	SIZE(kprobe);
	MEMBER(kprobe, pre_handler);
	SIZE(ftrace_ops);
	MEMBER(ftrace_ops, func);
	MEMBER(ftrace_ops, flags);
	SIZE(proc_ops);
	MEMBER(proc_ops, proc_ioctl);
	SIZE(hrtimer);
	MEMBER(hrtimer, function);
	SIZE(timer_list);
	SIZE(irq_work);
	SIZE(work_struct);
	SIZE(mutex);
	SIZE(perf_event_attr);
}
