/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of fixed-size entries in a module, the first four bytes of each a relocated
 * place in code: what objtool makes (.orc_unwind_ip, .return_sites, .retpoline_sites). */
#ifndef STAP_ELF_TABLE_H
#define STAP_ELF_TABLE_H

#include "elf_image.h"

#include <stdint.h>

struct elf_table {
	struct elf_image *im;
	unsigned data, relocs;	/* sections */
	size_t count, entry;
};

/* False when there is none of that name, or not one relocation for each entry, in order. */
bool elf_table_open(struct elf_table *t, struct elf_image *im, const char *name, size_t entry);
/* Section and offset that entry i is about; 0: of no section. */
unsigned elf_table_target(const struct elf_table *t, size_t i, uint64_t *offset);
/* Leaves the entries out whose `gone` is true. */
void elf_table_delete(struct elf_table *t, const bool *gone);

static inline bool elf_reloc_is_pc32(const Elf64_Rela *r)
{
	return ELF64_R_TYPE(r->r_info) == R_X86_64_PC32 ||
	       ELF64_R_TYPE(r->r_info) == R_X86_64_PLT32;
}

static inline const Elf64_Sym *elf_reloc_symbol(const struct elf_image *im, const Elf64_Rela *r)
{
	return elf_symbol(im, ELF64_R_SYM(r->r_info));
}

#endif
