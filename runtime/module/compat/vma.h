/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking an address space: a list of mappings (5.10), a maple tree (6.1 on). */
#ifndef STP_COMPAT_VMA_H
#define STP_COMPAT_VMA_H

#include <linux/mm.h>

/* mmap_lock is held for reading. */
#ifdef VMA_ITERATOR
#define STP_VMA_WALK(name, mm) VMA_ITERATOR(name, mm, 0)
#define stp_for_each_vma(name, vma) for_each_vma(name, vma)
#else
#define STP_VMA_WALK(name, mm) struct vm_area_struct *name = (mm)->mmap
#define stp_for_each_vma(name, vma) for (vma = name; vma; vma = vma->vm_next)
#endif

/* The vdso of 64-bit programs; those of others lie below 4 GB. */
static inline bool stp_vma_is_vdso(const struct vm_area_struct *vma)
{
	return vma->vm_start > U32_MAX && vma->vm_start == (unsigned long)vma->vm_mm->context.vdso;
}
#endif
