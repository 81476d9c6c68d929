/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vma_is_initial_heap(): 6.6 */
#include <linux/mm.h>

bool probe(const struct vm_area_struct *vma);
bool probe(const struct vm_area_struct *vma)
{
	return vma_is_initial_heap(vma);
}
