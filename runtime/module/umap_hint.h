/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tells the vma tracker that something changed, and whose mappings it follows.  Fork, exec and exit come from task_watch.c; the rest by one of
 * two strategies: probes in the kernel's functions that map, unmap and move (umap_probe.c), which cost nothing elsewhere; or the return of
 * the system calls that do it (umap_syscall.c), which every system call of every task pays a little for.
 */
#ifndef STP_UMAP_HINT_H
#define STP_UMAP_HINT_H

#include <linux/sched.h>
#include <linux/types.h>

/* Is this process to be tracked: a descendant of target(), or any where there is no target. */
bool stp_umap_of_interest(struct task_struct *p, struct mm_struct *mm);

/* task_watch.c's events, in the context of the task that forks (child is not running yet) or execs, or exits. */
void stp_umap_forked(struct task_struct *child) __weak;
void stp_umap_execed(void) __weak;
void stp_umap_exiting(void) __weak;

/* In a task's own context, any but NMI: its mappings in this range may change before it is back in user mode; the caller knows that it is tracked. */
void stp_umap_changes(u64 lo, u64 hi);
/* What is no more, or not used any more, is dropped in a second. */
void stp_umap_sweep_soon(void);

/* The current task is on its way out of a mremap() that moved something: from where, to where, lengths before and behind. */
struct stp_move {
	u64 from, to, was_len, len;
};
bool stp_umap_moved(struct stp_move *mv);

/* The strategies.  Process context; on: false, and all is as before: this kernel does not have what it takes. */
bool stp_umap_probe_on(void);
void stp_umap_probe_off(void);
bool stp_umap_syscall_on(void);
void stp_umap_syscall_off(void);

#endif
