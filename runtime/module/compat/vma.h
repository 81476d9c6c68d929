/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking an address space: a list of mappings (5.10), a maple tree (6.1 on). */
#ifndef STP_COMPAT_VMA_H
#define STP_COMPAT_VMA_H

#include <linux/mm.h>

/* mmap_lock is held for reading. */
#ifdef VMA_ITERATOR
/* all that end behind an address */
#define STP_VMA_WALK(name, mm, addr) VMA_ITERATOR(name, mm, addr)
#define stp_for_each_vma(name, vma) for_each_vma(name, vma)
#else
#define STP_VMA_WALK(name, mm, addr) struct vm_area_struct *name = find_vma(mm, addr)
#define stp_for_each_vma(name, vma) for (vma = name; vma; vma = vma->vm_next)
#endif

/* The vdso of 64-bit programs; those of others lie below 4 GB. */
static inline bool stp_vma_is_vdso(const struct vm_area_struct *vma)
{
	return vma->vm_start > U32_MAX && vma->vm_start == (unsigned long)vma->vm_mm->context.vdso;
}

/* What /proc/PID/maps calls the heap: vma_is_initial_heap() since 6.6 (11250fd12eb8), with other bounds. */
static inline bool stp_vma_is_heap(const struct vm_area_struct *vma)
{
#ifdef STP_HAVE_VMA_IS_INITIAL_HEAP
	return vma_is_initial_heap(vma);
#else
	return vma->vm_start <= vma->vm_mm->brk && vma->vm_end >= vma->vm_mm->start_brk;
#endif
}

/* ... and the stack. */
static inline bool stp_vma_is_stack(const struct vm_area_struct *vma)
{
	return vma->vm_start <= vma->vm_mm->start_stack && vma->vm_end >= vma->vm_mm->start_stack;
}
#endif
