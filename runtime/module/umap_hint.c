/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* When the vma tracker reads a task's mappings, and whose (umap_hint.h). */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>
#include <linux/unistd.h>
#include <linux/workqueue.h>
#include <asm/syscall.h>
#include "hook.h"
#include "task_defer.h"
#include "task_watch.h"
#include "umap.h"
#include "umap_hint.h"
#include "umap_tell.h"

/*
 * The way of system calls is linked where generated code names it: the script asks for it, or the kernel's types lack a function that
 * umap_probe.c watches; and on kernels that are built without what it watches with.
 */
#if IS_ENABLED(CONFIG_PERF_EVENTS) && (IS_ENABLED(CONFIG_KPROBES) || IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
extern typeof(stp_umap_syscall_on) stp_umap_syscall_on __weak;
extern typeof(stp_umap_syscall_off) stp_umap_syscall_off __weak;
#endif

/* task_watch.c's events go on until after our end: only while this is set are they of interest. */
static bool live;

bool stp_umap_of_interest(struct task_struct *p, struct mm_struct *mm)
{
	u32 *note;

	if (p->flags & PF_KTHREAD)
		return false;
	note = stp_task_note(p->tgid, false);
	if (note && READ_ONCE(*note) & STP_NOTE_IGNORED)
		return false;
	if (stp_vma_of_interest && !stp_vma_of_interest(p, mm))
		return false;
	return !stp_session.target || (note && READ_ONCE(*note) & STP_NOTE_TREE);
}

/* ---- moves ---- */
#define IA32_MREMAP 163

bool stp_umap_moved(struct stp_move *mv)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long args[6];

	if (regs->orig_ax != (in_ia32_syscall() ? IA32_MREMAP : __NR_mremap) || IS_ERR_VALUE(regs->ax))
		return false;
	syscall_get_arguments(current, regs, args);
	*mv = (struct stp_move){ args[0], regs->ax, args[1], args[2] };
	return mv->to != mv->from;
}

/* ---- deferred to the task itself ---- */
static void scan_changed(const struct stp_ranges *given)
{
	struct stp_ranges ranges = *given;
	struct stp_move mv;

	if (!current->mm)
		return;
	if (stp_umap_moved(&mv)) {
		stp_ranges_add(&ranges, mv.from, mv.from + PAGE_ALIGN(mv.was_len));
		stp_ranges_add(&ranges, mv.to, mv.to + PAGE_ALIGN(mv.len));
	}
	stp_umap_scan(current, current->mm, &ranges, stp_session.target ? STP_SCAN_WAIT : 0);
}

static void scan_new(void)
{
	if (current->mm)
		stp_umap_scan(current, current->mm, &stp_umap_everything, STP_SCAN_NEW | (stp_session.target ? STP_SCAN_WAIT : 0));
}

void stp_umap_changes(u64 lo, u64 hi)
{
	if (!stp_defer_range(scan_changed, lo & PAGE_MASK, hi < lo || hi > ~0ull - PAGE_SIZE ? ~0ull : PAGE_ALIGN(hi)))
		stp_umap_stale(current->mm);
}

/* ---- address spaces that are no more ---- */
static void sweep_fn(struct work_struct *w);
static DECLARE_DELAYED_WORK(sweep_work, sweep_fn);

static void sweep_fn(struct work_struct *w)
{
	if (!stp_umap_sweep() && READ_ONCE(live))
		schedule_delayed_work(&sweep_work, HZ / 10);
}

void stp_umap_sweep_soon(void)
{
	if (READ_ONCE(live))
		schedule_delayed_work(&sweep_work, HZ);
}

/* ---- fork, exec, exit ---- */
void stp_umap_forked(struct task_struct *child)
{
	struct mm_struct *mm = child->mm;

	if (READ_ONCE(live) && mm && mm != current->mm && stp_umap_of_interest(child, mm))
		stp_umap_share(current->mm, mm);
}

void stp_umap_execed(void)
{
	if (!READ_ONCE(live))
		return;
	if (stp_umap_of_interest(current, current->mm))
		stp_defer(scan_new);
	stp_umap_sweep_soon();
}

void stp_umap_exiting(void)
{
	stp_umap_sweep_soon();
}

/* ---- the hook ---- */
static void strategy_on(void)
{
	u32 strategy = stp_script.config->vma_strategy;

	if (strategy != STP_VMA_BY_SYSCALL && stp_umap_probe_on())
		return;
	if (strategy != STP_VMA_BY_PROBE && stp_umap_syscall_on && stp_umap_syscall_on())
		return;
	stp_warn("this kernel does not tell of all changes of user programs' mappings: what is mapped later may be missing");
}

static int umap_attach(void)
{
	WRITE_ONCE(live, true);
	strategy_on();
	return stp_umap_scan_all();
}

static void umap_detach(void)
{
	s64 late = atomic64_xchg(&stp_ufile_late, 0), lost = atomic64_xchg(&stp_umap_lost, 0);

	WRITE_ONCE(live, false);
	stp_tracepoints_drain(); /* those under way have ended */
	stp_ufile_end();
	stp_umap_probe_off();
	if (stp_umap_syscall_off)
		stp_umap_syscall_off();
	stp_defer_drain();
	cancel_delayed_work_sync(&sweep_work);
	stp_umap_forget_all();
	if (late)
		stp_warn("%lld addresses of user programs could not be named or followed: their tables were not there yet"
			 " (-D STP_TABLES_WAIT is how long they are waited for)", late);
	if (lost)
		stp_warn("the mappings of a process could not be kept %lld times, for want of memory", lost);
}

const struct stp_hook stp_hook_umap = { umap_attach, umap_detach };
