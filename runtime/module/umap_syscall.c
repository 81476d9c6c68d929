/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of mappings by the return of the system calls that make them: for kernels without the functions that umap_probe.c looks at.  Every
 * system call of every task comes by here, so that those of others leave after a few instructions.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include "session.h"
#include "task_watch.h"
#include "umap.h"
#include "umap_hint.h"

#define CALLS 512
static DECLARE_BITMAP(calls, CALLS);
static DECLARE_BITMAP(ia32_calls, CALLS);
static struct tracepoint *tp;

/* Numbers of arch/x86/entry/syscalls/syscall_{64,32}.tbl, which never change. */
enum { MMAP = 9, MPROTECT = 10, MUNMAP = 11, BRK = 12, MREMAP = 25, CLONE = 56, FORK = 57, VFORK = 58, CLONE3 = 435, PKEY_MPROTECT = 329 };
static const u16 numbers[] = { MMAP, MPROTECT, MUNMAP, BRK, MREMAP, PKEY_MPROTECT, CLONE, FORK, VFORK, CLONE3, 30 /* shmat */, 67 /* shmdt */,
	157 /* prctl */, 216 /* remap_file_pages */ };
static const u16 ia32_numbers[] = { 90 /* mmap */, 192 /* mmap2 */, 91 /* munmap */, 125 /* mprotect */, 163 /* mremap */, 45 /* brk */,
	117 /* ipc */, 397 /* shmat */, 398 /* shmdt */, 380 /* pkey_mprotect */, 2 /* fork */, 120 /* clone */, 190 /* vfork */, 435 };

/* Does a range matter where not all mappings are wanted?  What may be run now, or was tracked. */
static bool matters(u64 start, u64 end, bool code)
{
	const struct stp_space *s;

	if (&stp_umap_wants_all || &stp_umap_wants_data || code || current->personality & READ_IMPLIES_EXEC)
		return true;
	s = stp_space_get(current->mm, false);
	return s && (READ_ONCE(s->stale) || !rcu_access_pointer(s->maps) || stp_space_overlaps(s, start, end));
}

static void range_returned(u64 start, u64 end, bool code)
{
	if (matters(start, end, code))
		stp_umap_changes(start, end);
}

static noinline void returned(u32 nr, const struct pt_regs *regs, unsigned long ret)
{
	struct mm_struct *mm = current->mm;
	u64 start = nr == MMAP && !IS_ERR_VALUE(ret) ? ret : regs->di;

	/* what grows without a call */
	if (&stp_umap_wants_all)
		stp_umap_changes(mm->start_stack, mm->start_stack);
	/* one that fails may have made room before */
	if (nr == MMAP || nr == MPROTECT || nr == PKEY_MPROTECT)
		range_returned(start, start + regs->si, regs->dx & PROT_EXEC);
	else if (nr == MUNMAP)
		range_returned(start, start + regs->si, false);
	else if (nr == BRK)
		range_returned(mm->start_brk, mm->brk, false);
	else if (nr == MREMAP)
		stp_umap_changes(regs->di, regs->di + max(regs->si, regs->dx));
	else if (!IS_ERR_VALUE(ret))
		stp_umap_changes(0, ~0ull);
	if (nr == MREMAP && regs->r10 & MREMAP_FIXED)
		stp_umap_changes(regs->r8, regs->r8 + regs->dx);
}

static void on_return(void *data, struct pt_regs *regs, long ret)
{
	unsigned long nr = regs->orig_ax;
	bool ia32 = in_ia32_syscall();

	if (likely(nr >= CALLS || !test_bit(nr, ia32 ? ia32_calls : calls)) || likely(!stp_umap_maybe(current->mm)) || !stp_umap_known(current->mm))
		return;
	/* of forks only the child has something new */
	if (!ia32 && (nr == CLONE || nr == FORK || nr == VFORK || nr == CLONE3) && (ret || !&stp_umap_wants_all))
		return;
	returned(ia32 ? CALLS : nr, regs, ret);
}

bool stp_umap_syscall_on(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		__set_bit(numbers[i], calls);
	for (i = 0; i < ARRAY_SIZE(ia32_numbers); i++)
		__set_bit(ia32_numbers[i], ia32_calls);
	tp = stp_tracepoint_find("sys_exit");
	if (tp && tracepoint_probe_register(tp, on_return, NULL))
		tp = NULL;
	return tp;
}

void stp_umap_syscall_off(void)
{
	if (tp)
		tracepoint_probe_unregister(tp, on_return, NULL);
	tp = NULL;
	stp_tracepoints_drain();
}
