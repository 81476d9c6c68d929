/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tells the vma tracker of changes: fork, exec and exit from task_watch.c, and for the rest kprobes in the kernel's
 * own functions, which see each mapping that comes (perf_event_mmap, mprotect's too), goes (the function under all unmapping) or moves.
 * They only look whether it is of interest; the task reads its mappings itself on its way back to user mode.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include "hook.h"
#include "task_defer.h"
#include "task_watch.h"
#include "umap.h"
#include "umap_hint.h"

bool stp_umap_of_interest(struct task_struct *p)
{
	u32 *note;

	if (p->flags & PF_KTHREAD)
		return false;
	note = stp_task_note(p->tgid, false);
	if (note && READ_ONCE(*note) & STP_NOTE_IGNORED)
		return false;
	return !stp_session.target || (note && READ_ONCE(*note) & STP_NOTE_TREE);
}

/* ---- deferred to the task itself ---- */
static void scan_changed(void)
{
	if (current->mm)
		stp_umap_scan(current, current->mm, false, stp_session.target);
}

static void scan_new(void)
{
	if (current->mm)
		stp_umap_scan(current, current->mm, true, stp_session.target);
}

/* ---- address spaces that are no more ---- */
static void sweep_fn(struct work_struct *w)
{
	stp_umap_sweep();
}
static DECLARE_DELAYED_WORK(sweep_work, sweep_fn);

/* task_watch.c's events go on until after our end: only while this is set are they of interest. */
static bool live;

void stp_umap_forked(struct task_struct *child)
{
	struct mm_struct *mm = child->mm;

	if (READ_ONCE(live) && mm && mm != current->mm && stp_umap_of_interest(child))
		stp_umap_share(current->mm, mm);
}

void stp_umap_execed(void)
{
	if (!READ_ONCE(live))
		return;
	if (stp_umap_of_interest(current))
		stp_defer(scan_new);
	schedule_delayed_work(&sweep_work, HZ);
}

void stp_umap_exiting(void)
{
	if (READ_ONCE(live))
		schedule_delayed_work(&sweep_work, HZ);
}

/* ---- the kernel's mapping functions ---- */
/* Code that the process makes itself comes and goes by changes of rights, which are of no interest. */
static bool is_change(const struct vm_area_struct *vma)
{
	if (vma->vm_file)
		return vma->vm_flags & VM_EXEC || &stp_umap_wants_data || stp_umap_overlaps(current->mm, vma->vm_start, vma->vm_end);
	return !stp_umap_jit(current->mm, vma->vm_start, vma->vm_end) &&
	       (vma->vm_flags & VM_EXEC || stp_umap_overlaps(current->mm, vma->vm_start, vma->vm_end));
}

static int on_map(struct kprobe *kp, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (stp_umap_known(current->mm) && is_change(vma))
		stp_defer(scan_changed);
	return 0;
}

/* (iterator, vma, mm, start, end, ...) */
static int on_unmap(struct kprobe *kp, struct pt_regs *regs)
{
	if (stp_umap_known(current->mm) &&
	    stp_umap_overlaps(current->mm, regs_get_kernel_argument(regs, 3), regs_get_kernel_argument(regs, 4)))
		stp_defer(scan_changed);
	return 0;
}

/* (start, length, ...) */
static int on_munmap(struct kprobe *kp, struct pt_regs *regs)
{
	u64 start = regs_get_kernel_argument(regs, 0);

	if (stp_umap_known(current->mm) && stp_umap_overlaps(current->mm, start, start + regs_get_kernel_argument(regs, 1)))
		stp_defer(scan_changed);
	return 0;
}

static int on_move(struct kprobe *kp, struct pt_regs *regs)
{
	if (stp_umap_known(current->mm))
		stp_defer(scan_changed);
	return 0;
}

/* The first of each group that the kernel has is used. */
static struct {
	u32 group;
	struct kprobe kp;
	bool on;
} watches[] = {
	{ 0, { .symbol_name = "perf_event_mmap", .pre_handler = on_map } },
	{ 1, { .symbol_name = "do_vmi_align_munmap", .pre_handler = on_unmap } },
	{ 1, { .symbol_name = "do_mas_align_munmap", .pre_handler = on_unmap } },
	{ 1, { .symbol_name = "__vm_munmap", .pre_handler = on_munmap } },
	{ 2, { .symbol_name = "move_vma", .pre_handler = on_move } },
};

static void watches_on(void)
{
	u32 have = 0, i;

	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		if (have & 1 << watches[i].group)
			continue;
		watches[i].on = !register_kprobe(&watches[i].kp);
		have |= watches[i].on << watches[i].group;
	}
	if (have != 7)
		stp_warn("this kernel does not tell of all changes of user programs' mappings: names of libraries that come later may be missing");
}

static void watches_off(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		if (watches[i].on)
			unregister_kprobe(&watches[i].kp);
		watches[i].on = false;
	}
}

/* ---- the hook ---- */
static int umap_attach(void)
{
	WRITE_ONCE(live, true);
	watches_on();
	return stp_umap_scan_all();
}

static void umap_detach(void)
{
	s64 late = atomic64_xchg(&stp_ufile_late, 0);

	WRITE_ONCE(live, false);
	tracepoint_synchronize_unregister(); /* those under way have ended */
	stp_ufile_end();
	watches_off();
	stp_defer_drain();
	cancel_delayed_work_sync(&sweep_work);
	stp_umap_forget_all();
	if (late)
		stp_warn("%lld addresses of user programs could not be named or followed: their tables were not there yet", late);
}

const struct stp_hook stp_hook_umap = { umap_attach, umap_detach };
