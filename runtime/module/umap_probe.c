/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of mappings by the kernel's own functions: each mapping that comes (perf_event_mmap, which sees mprotect's and stacks that grow, too),
 * goes (the function under all unmapping), is moved or grows in place (mremap), a child's first steps.  ftrace on their entries, kprobes where
 * that is not to be had.  They only look whether it is of interest; the task reads its mappings itself on its way back to user mode.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include "session.h"
#include "umap.h"
#include "umap_hint.h"
#include "umap_recent.h"
#include "port.h"
#include "compat/ftrace.h"

/* ---- what they look at: registers at the function's entry ---- */
/* Code that the process makes itself comes and goes by changes of rights, which are of no interest to names. */
static bool is_change(const struct stp_space *s, const struct vm_area_struct *vma)
{
	if (&stp_umap_wants_all || (vma->vm_file && (vma->vm_flags & VM_EXEC || &stp_umap_wants_data)))
		return true;
	return (vma->vm_flags & VM_EXEC || stp_space_overlaps(s, vma->vm_start, vma->vm_end)) &&
	       (vma->vm_file || !stp_umap_jit(current->mm, vma->vm_start, vma->vm_end));
}

static noinline void maps(const struct vm_area_struct *vma)
{
	struct stp_space *s = stp_space_get(current->mm, false);

	if (s && vma->vm_mm == current->mm && is_change(s, vma) && !stp_recent_map(s, vma))
		stp_umap_changes(vma->vm_start, vma->vm_end);
}

static __always_inline void on_map(const struct pt_regs *regs)
{
	if (unlikely(stp_umap_maybe(current->mm)))
		maps((void *)regs->di);
}

/* vma: the first one that goes, mmap_lock held for writing; NULL: neither. */
static noinline void unmaps(const struct vm_area_struct *vma, u64 start, u64 end)
{
	struct stp_space *s = stp_space_get(current->mm, false);

	if (s && stp_space_overlaps(s, start, end) && !(vma && stp_recent_unmap(s, vma, start, end)))
		stp_umap_changes(start, end);
}

/* (iterator, vma, mm, start, end, ...) */
static __always_inline void on_unmap(const struct pt_regs *regs)
{
	if (unlikely(stp_umap_maybe(current->mm)) && regs->dx == (u64)current->mm)
		unmaps((void *)regs->si, regs->cx, regs->r8);
}

/* (start, length, ...) */
static __always_inline void on_munmap(const struct pt_regs *regs)
{
	if (unlikely(stp_umap_maybe(current->mm)))
		unmaps(NULL, regs->di, regs->di + regs->si);
}

/* The system call: what it moves away from; where to is known when it returns. */
static noinline void remaps(void)
{
	struct stp_space *s = stp_space_get(current->mm, false);
	unsigned long args[6];
	u64 end;

	syscall_get_arguments(current, task_pt_regs(current), args);
	end = args[0] + max(args[1], args[2]);
	if (s && stp_space_overlaps(s, args[0], end)) /* what it takes the place of is unmapped, and seen as that */
		stp_umap_changes(args[0], end);
}

static __always_inline void on_mremap(const struct pt_regs *regs)
{
	if (unlikely(stp_umap_maybe(current->mm)))
		remaps();
}

/* A child, before it is in user mode for the first time: it has not got all that its parent had (MADV_DONTFORK). */
static __always_inline void on_child(const struct pt_regs *regs)
{
	if (thread_group_leader(current) && unlikely(stp_umap_known(current->mm)))
		stp_umap_changes(0, ~0ull);
}

#define HANDLER(name) \
static void notrace name##_ftrace(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs) \
{ \
	name((const struct pt_regs *)regs); \
}
HANDLER(on_map)
HANDLER(on_unmap)
HANDLER(on_munmap)
HANDLER(on_mremap)
HANDLER(on_child)

/* ---- where ---- */
enum { MAPPED = 1, UNMAPPED = 2, REMAPPED = 4, NEEDED = MAPPED | UNMAPPED | REMAPPED, ALSO = 8 /* where all mappings are wanted */ };
enum { ON_MAP, ON_UNMAP, ON_MUNMAP, ON_MREMAP, ON_CHILD };

/* The first of each kind that the kernel has is used; of ALSO all. Without pointers: each would be a relocation. */
static const struct {
	u8 what, handler;
	char name[20];
} places[] = {
	{ MAPPED, ON_MAP, "perf_event_mmap" },
	{ UNMAPPED, ON_UNMAP, "do_vmi_align_munmap" },
	{ UNMAPPED, ON_UNMAP, "do_mas_align_munmap" },
	{ UNMAPPED, ON_MUNMAP, "__vm_munmap" },
	{ REMAPPED, ON_MREMAP, "__x64_sys_mremap" },
	{ REMAPPED, ON_MREMAP, "move_vma" },
	{ ALSO, ON_MREMAP, "__ia32_sys_mremap" },
	{ ALSO, ON_CHILD, "schedule_tail" },
};

static struct watch {
	struct ftrace_ops ops;
	struct kprobe kp;
	bool on_ftrace, on_kprobe;
} watches[ARRAY_SIZE(places)];

static stp_cold int by_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	struct ftrace_ops *ops = &container_of(kp, struct watch, kp)->ops;

	ops->func(0, 0, ops, (void *)regs);
	return 0;
}

static stp_cold ftrace_func_t handler_of(u32 which)
{
	switch (which) {
	case ON_MAP: return on_map_ftrace;
	case ON_UNMAP: return on_unmap_ftrace;
	case ON_MUNMAP: return on_munmap_ftrace;
	case ON_MREMAP: return on_mremap_ftrace;
	}
	return on_child_ftrace;
}

static stp_cold bool by_ftrace(struct watch *w)
{
	/* of a name that is not there nothing would be left but an empty filter, which means all functions */
	if (ftrace_set_filter(&w->ops, (unsigned char *)w->kp.symbol_name, strlen(w->kp.symbol_name), 1))
		return false;
	if (!register_ftrace_function(&w->ops))
		return true;
	ftrace_free_filter(&w->ops);
	return false;
}

static stp_cold bool watch_on(u32 i)
{
	struct watch *w = &watches[i];

	/* nothing is left of an earlier use */
	memset(w, 0, sizeof(*w));
	w->ops.func = handler_of(places[i].handler);
	w->ops.flags = STP_FTRACE_FLAGS;
	w->kp.symbol_name = places[i].name;
	w->kp.pre_handler = by_kprobe;
	w->on_ftrace = by_ftrace(w);
	if (!w->on_ftrace)
		w->on_kprobe = !register_kprobe(&w->kp);
	return w->on_ftrace || w->on_kprobe;
}

stp_cold bool stp_umap_probe_on(void)
{
	u32 have = 0, i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		u32 what = places[i].what;

		if (what == ALSO ? &stp_umap_wants_all != NULL : !(have & what))
			have |= watch_on(i) ? what : 0;
	}
	if ((have & NEEDED) == NEEDED)
		return true;
	stp_umap_probe_off();
	return false;
}

stp_cold void stp_umap_probe_off(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		struct watch *w = &watches[i];

		if (w->on_ftrace) {
			unregister_ftrace_function(&w->ops);
			ftrace_free_filter(&w->ops);
		}
		if (w->on_kprobe)
			unregister_kprobe(&w->kp);
		w->on_ftrace = w->on_kprobe = false;
	}
}
