/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* What a mapping is, and its name, as /proc/PID/maps has it (umap_vma.h). */
#include <linux/mm.h>
#include "umap_vma.h"
#include "compat/vma.h"

u32 stp_umap_flags(unsigned long vm_flags)
{
	return (vm_flags & VM_READ ? STP_UMAP_READ : 0) | (vm_flags & VM_WRITE ? STP_UMAP_WRITE : 0) |
	       (vm_flags & VM_EXEC ? STP_UMAP_EXEC : 0) | (vm_flags & VM_MAYSHARE ? STP_UMAP_SHARED : 0);
}

/* As fs/proc/task_mmu.c names them; NULL: not one of the kernel's own. */
static const char *special_name(const struct vm_area_struct *vma)
{
	return vma->vm_ops && vma->vm_ops->name ? vma->vm_ops->name((struct vm_area_struct *)vma) : NULL;
}

static u32 place_of(const struct vm_area_struct *vma)
{
	return stp_vma_is_heap(vma) ? STP_UMAP_HEAP : stp_vma_is_stack(vma) ? STP_UMAP_STACK : 0;
}

static struct stp_ufile *nofile_name(const struct vm_area_struct *vma, u32 flags)
{
#ifdef CONFIG_ANON_VMA_NAME
	char text[100];

	if (vma->anon_name && !(flags & (STP_UMAP_HEAP | STP_UMAP_STACK))) {
		snprintf(text, sizeof(text), "[anon:%s]", vma->anon_name->name);
		return stp_umap_text_name(text);
	}
#endif
	return stp_umap_text_name(flags & STP_UMAP_HEAP ? "[heap]" : flags & STP_UMAP_STACK ? "[stack]" : "");
}

static bool read_file(struct stp_umap *new, const struct vm_area_struct *vma)
{
	bool program = (vma->vm_flags & VM_EXEC || &stp_umap_wants_data) && stp_ufile_is_program(vma->vm_file);

	if (!program && !&stp_umap_wants_all)
		return false;
	new->off = (u64)vma->vm_pgoff << PAGE_SHIFT;
	new->file = program ? stp_ufile_get(vma->vm_file) : stp_umap_file_name(vma->vm_file);
	return true;
}

/* Anonymous memory right behind a program's writable data is the rest of that segment. */
static bool is_bss(const struct stp_umap *prev)
{
	return prev && (prev->flags & (STP_UMAP_WRITE | STP_UMAP_NOFILE | STP_UMAP_SHARED)) == STP_UMAP_WRITE && !prev->file->plain;
}

/*
 * Memory without a file that code is run in.  Compilers take away the right to run it while they write to it: what was such code is
 * still.  NULL: it is not, or no memory (*failed).
 */
static struct stp_ufile *jit_file(const struct vm_area_struct *vma, struct task_struct *task, bool *failed)
{
	struct stp_ufile *f = stp_umap_jit(vma->vm_mm, vma->vm_start, vma->vm_end);

	if (!f && vma->vm_flags & VM_EXEC) {
		f = stp_ufile_jit(task, vma->vm_mm);
		*failed = !f;
	}
	return f;
}

static bool read_special(struct stp_umap *new, const struct vm_area_struct *vma, const char *name)
{
	new->flags |= STP_UMAP_SPECIAL;
	if (stp_vma_is_vdso(vma))
		new->file = stp_ufile_vdso();
	else if (&stp_umap_wants_all)
		new->file = stp_umap_text_name(name);
	else
		return false;
	return true;
}

bool stp_umap_read_vma(struct stp_umap *new, const struct vm_area_struct *vma, const struct stp_umap *prev, struct task_struct *task)
{
	const char *special;
	bool failed = false;

	*new = (struct stp_umap){ .start = vma->vm_start, .end = vma->vm_end, .flags = stp_umap_flags(vma->vm_flags) };
	if (vma->vm_file)
		return read_file(new, vma);
	new->flags |= STP_UMAP_NOFILE;
	special = special_name(vma);
	if (special)
		return read_special(new, vma, special);
	new->flags |= place_of(vma);
	new->file = jit_file(vma, task, &failed);
	if (new->file) {
		new->flags |= STP_UMAP_JIT;
		new->off = vma->vm_start; /* the list has run-time addresses */
	} else if (failed) {
		return true;
	} else if (prev && prev->end == new->start && is_bss(prev)) {
		new->flags |= STP_UMAP_BSS;
		new->off = prev->off + (prev->end - prev->start);
		new->file = prev->file;
	} else if (&stp_umap_wants_all) {
		new->file = nofile_name(vma, new->flags);
	} else {
		return false;
	}
	return true;
}
