/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and thins out tables about places in code; see elf_table.h. */
#include "elf_table.h"

#include <string.h>

bool elf_table_open(struct elf_table *t, struct elf_image *im, const char *name, size_t entry)
{
	*t = (struct elf_table){ .im = im, .data = elf_image_find(im, name), .entry = entry };
	if (!t->data)
		return false;
	t->relocs = elf_image_relocs(im, t->data);
	t->count = elf_reloc_count(im, t->relocs);
	if (!t->relocs || im->sec[t->data].sh.sh_size != t->count * entry)
		return false;
	for (size_t i = 0; i < t->count; i++) {
		const Elf64_Rela *r = elf_reloc(im, t->relocs, i);

		if (r->r_offset != i * entry || !elf_reloc_is_pc32(r))
			return false;
	}
	return true;
}

unsigned elf_table_target(const struct elf_table *t, size_t i, uint64_t *offset)
{
	const Elf64_Rela *r = elf_reloc(t->im, t->relocs, i);
	const Elf64_Sym *sym = elf_reloc_symbol(t->im, r);

	*offset = sym->st_value + r->r_addend;
	return sym->st_shndx < t->im->count ? sym->st_shndx : 0;
}

void elf_table_delete(struct elf_table *t, const bool *gone)
{
	struct elf_section *data = &t->im->sec[t->data], *rs = &t->im->sec[t->relocs];
	size_t to = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (gone[i])
			continue;
		memmove(data->data + to * t->entry, data->data + i * t->entry, t->entry);
		*elf_reloc(t->im, t->relocs, to) = *elf_reloc(t->im, t->relocs, i);
		elf_reloc(t->im, t->relocs, to)->r_offset = to * t->entry;
		to++;
	}
	data->sh.sh_size = to * t->entry;
	rs->sh.sh_size = to * sizeof(Elf64_Rela);
	t->count = to;
}
