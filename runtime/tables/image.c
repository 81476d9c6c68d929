// SPDX-License-Identifier: GPL-2.0-or-later
/* The ELF file that a table is made of: libdwfl's handle on it, and its segments. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tables.h"

/* NULL: the standard places. */
static char *debug_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static int read_segments(struct image *im)
{
	size_t n, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(im->elf, &n))
		return -1;
	im->seg = mem_zero(n, sizeof(*im->seg));
	im->base = UINT64_MAX;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(im->elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_vaddr < im->base)
			im->base = ph.p_vaddr;
	for (i = 0; i < n; i++) {
		struct stp_utab_seg *s = &im->seg[im->nseg];

		if (!gelf_getphdr(im->elf, (int)i, &ph) || ph.p_type != PT_LOAD || !image_addr(im, ph.p_vaddr, &s->addr) ||
		    ph.p_memsz > UINT32_MAX - s->addr || ph.p_filesz > ph.p_memsz || ph.p_offset > UINT64_MAX - ph.p_filesz)
			continue;
		s->offset = ph.p_offset;
		s->filesz = ph.p_filesz;
		s->memsz = (uint32_t)ph.p_memsz;
		s->flags = ph.p_flags;
		im->nseg++;
	}
	return im->nseg ? 0 : -1;
}

int image_open(struct image *im, int fd, const char **err)
{
	GElf_Ehdr eh;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	*im = (struct image){ .dwfl = dwfl_begin(&callbacks) };
	*err = "not an ELF file";
	if (!im->dwfl || own < 0)
		goto fail;
	dwfl_report_begin(im->dwfl);
	im->mod = dwfl_report_offline(im->dwfl, "file", "file", own); /* owns `own` when it succeeds */
	if (!im->mod) {
		close(own);
		goto fail;
	}
	dwfl_report_end(im->dwfl, NULL, NULL);
	im->elf = dwfl_module_getelf(im->mod, &im->bias);
	if (!im->elf || !gelf_getehdr(im->elf, &eh))
		goto fail;
	*err = "not a program or library of this machine's kind";
	im->is_32bit = eh.e_machine == EM_386;
	if ((eh.e_type != ET_EXEC && eh.e_type != ET_DYN) || (eh.e_machine != EM_X86_64 && eh.e_machine != EM_386))
		goto fail;
	*err = "no loaded segments";
	if (read_segments(im))
		goto fail;
	return 0;
fail:
	image_close(im);
	return -1;
}

void image_close(struct image *im)
{
	free(im->seg);
	dwfl_end(im->dwfl);
	*im = (struct image){ 0 };
}

bool image_addr(const struct image *im, uint64_t addr, uint32_t *ret)
{
	if (addr < im->base || addr - im->base >= UINT32_MAX)
		return false;
	*ret = (uint32_t)(addr - im->base);
	return true;
}
