/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settles weak references and those to data; see elf_symref.h. */
#include "elf_symref.h"

#include <stdint.h>
#include <string.h>
#include <glib.h>

#define RUNTIME_PREFIX "stp_" /* the kernel exports none */

static bool is_missing_part(const struct elf_image *im, const Elf64_Sym *sym)
{
	return sym->st_shndx == SHN_UNDEF && ELF64_ST_BIND(sym->st_info) == STB_WEAK &&
	       g_str_has_prefix(elf_symbol_name(im, sym), RUNTIME_PREFIX);
}

/* The operand of a call or a jump: one that is never reached. */
static bool is_branch(const struct elf_section *s, uint64_t at)
{
	const uint8_t *p = (const uint8_t *)s->data;

	return (at >= 1 && (p[at - 1] == 0xe8 || p[at - 1] == 0xe9)) || (at >= 2 && p[at - 2] == 0x0f && (p[at - 1] & 0xf0) == 0x80);
}

/* Writes what the kernel would write for a symbol of value 0; false when the relocation has to stay. */
static bool settle_missing(struct elf_section *s, const Elf64_Rela *r)
{
	int64_t value = r->r_addend;
	int32_t word = (int32_t)value;

	if (!s->data || (s->sh.sh_flags & SHF_ALLOC) == 0)
		return false;
	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_64:
		memcpy(s->data + r->r_offset, &value, 8);
		return true;
	case R_X86_64_32:
	case R_X86_64_32S:
		memcpy(s->data + r->r_offset, &word, 4);
		return word == value;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		return is_branch(s, r->r_offset);
	}
	return false;
}

/* Symbols that stand for whole sections, by section; 0: none. */
static unsigned *section_symbols(const struct elf_image *im)
{
	unsigned *ret = g_new0(unsigned, im->count);

	for (unsigned i = 1; i < elf_symbol_count(im); i++) {
		const Elf64_Sym *sym = elf_symbol(im, i);

		if (ELF64_ST_TYPE(sym->st_info) == STT_SECTION && sym->st_shndx < im->count)
			ret[sym->st_shndx] = i;
	}
	return ret;
}

static bool is_data(const struct elf_image *im, const Elf64_Sym *sym)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_OBJECT || type == STT_NOTYPE) && sym->st_shndx != SHN_UNDEF && sym->st_shndx < im->count &&
	       !(im->sec[sym->st_shndx].sh.sh_flags & SHF_EXECINSTR);
}

static void refer_by_section(const struct elf_image *im, const unsigned *sections, Elf64_Rela *r)
{
	const Elf64_Sym *sym = elf_symbol(im, ELF64_R_SYM(r->r_info));

	if (!is_data(im, sym) || !sections[sym->st_shndx])
		return;
	r->r_addend += sym->st_value;
	r->r_info = ELF64_R_INFO((uint64_t)sections[sym->st_shndx], ELF64_R_TYPE(r->r_info));
}

void elf_symref_thin(struct elf_image *im)
{
	unsigned *sections = section_symbols(im);

	for (unsigned i = 1; i < im->count; i++) {
		size_t count, to = 0;

		if (im->sec[i].sh.sh_type != SHT_RELA || im->sec[i].dropped)
			continue;
		count = elf_reloc_count(im, i);
		for (size_t n = 0; n < count; n++) {
			Elf64_Rela r = *elf_reloc(im, i, n);

			if (is_missing_part(im, elf_symbol(im, ELF64_R_SYM(r.r_info))) &&
			    settle_missing(&im->sec[im->sec[i].sh.sh_info], &r))
				continue;
			refer_by_section(im, sections, &r);
			*elf_reloc(im, i, to++) = r;
		}
		im->sec[i].sh.sh_size = to * sizeof(Elf64_Rela);
	}
	g_free(sections);
}
