/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tells the vma tracker that something changed, and whose mappings it follows. */
#ifndef STP_UMAP_HINT_H
#define STP_UMAP_HINT_H

#include <linux/sched.h>

/* Is this process to be tracked: a descendant of target(), or any where there is no target. */
bool stp_umap_of_interest(struct task_struct *p);

/* task_watch.c's events, in the context of the task that forks (child is not running yet) or execs, or exits. */
void stp_umap_forked(struct task_struct *child) __weak;
void stp_umap_execed(void) __weak;
void stp_umap_exiting(void) __weak;

#endif
