/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mapping of the kernel's as an entry of a table. */
#ifndef STP_UMAP_VMA_H
#define STP_UMAP_VMA_H

#include <linux/mm_types.h>
#include "umap.h"

/* STP_UMAP_* of a mapping's VM_* */
u32 stp_umap_flags(unsigned long vm_flags);

/*
 * Under mmap_lock and stp_umap_names_lock; may sleep.  prev: the entry of the mapping before, where that ends at this one's start, or NULL; task: one of that address space.  False: not
 * one that is tracked.  new->file is NULL: no memory.
 */
bool stp_umap_read_vma(struct stp_umap *new, const struct vm_area_struct *vma, const struct stp_umap *prev, struct task_struct *task);

#endif
