/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the vma tracker to a script's probes of it (hook_vma.c), where there are such. */
#ifndef STP_UMAP_TELL_H
#define STP_UMAP_TELL_H

#include "umap.h"

/* Their handlers run. */
extern bool stp_vma_on __weak;

/*
 * Process context, under the space's lock, in the context of a task with that memory: what has gone, while the old table is in place; what has
 * come, or changed, when the new one is.  old may be NULL in neither.
 */
void stp_vma_tell_gone(const struct stp_umaps *old, const struct stp_umaps *new, const struct stp_ranges *ranges) __weak;
void stp_vma_tell_come(const struct stp_umaps *old, const struct stp_umaps *new, const struct stp_ranges *ranges) __weak;
/* All mappings of a process whose space was not known before: as if they had come. */
void stp_vma_tell_all(const struct stp_umaps *maps, struct task_struct *subject) __weak;

/* Does a probe of mappings, or anything else in the script, want to know of a process with that memory?  Any context but NMI. */
bool stp_vma_of_interest(struct task_struct *p, struct mm_struct *mm) __weak;

/* hook_udata_lib.c: a process's table is up to date.  Process context, no locks. */
void stp_umap_scanned(struct task_struct *task, struct mm_struct *mm) __weak;

/* umap_scan.c: tells of what is mapped already, unless that was done; for what runs when the session starts. */
void stp_umap_tell_known(struct mm_struct *mm, struct task_struct *subject);

#endif
