/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins constants and code into one section; see elf_rodata.h. */
#include "elf_rodata.h"
#include "elf_table.h"
#include "elf_thin.h"
#include "debuginfo/x86_length.h"

#include <string.h>
#include <glib.h>

#define INT3 0xcc

/* ---- joining ---- */

static void data_append(struct elf_section *text, const struct elf_section *rodata, uint64_t base)
{
	text->data = g_realloc(text->data, base + rodata->sh.sh_size);
	memset(text->data + text->sh.sh_size, INT3, base - text->sh.sh_size);
	memcpy(text->data + base, rodata->data, rodata->sh.sh_size);
	text->sh.sh_size = base + rodata->sh.sh_size;
	text->sh.sh_addralign = MAX(text->sh.sh_addralign, rodata->sh.sh_addralign);
}

static void relocs_append(struct elf_image *im, unsigned to, unsigned from, uint64_t base)
{
	struct elf_section *s = &im->sec[to];
	size_t old = elf_reloc_count(im, to), more = elf_reloc_count(im, from);

	if (!more)
		return;
	s->data = g_realloc(s->data, (old + more) * sizeof(Elf64_Rela));
	s->sh.sh_size = (old + more) * sizeof(Elf64_Rela);
	for (size_t i = 0; i < more; i++) {
		Elf64_Rela r = *elf_reloc(im, from, i);

		r.r_offset += base;
		*elf_reloc(im, to, old + i) = r;
	}
}

/* What named the constants' section, or something in it, names the code's (by text_symbol, or 0: it has none yet). */
static void symbols_move(struct elf_image *im, unsigned rodata, unsigned text, unsigned text_symbol, uint64_t base)
{
	for (unsigned i = 1; i < im->count; i++) {
		if (im->sec[i].sh.sh_type != SHT_RELA || im->sec[i].dropped)
			continue;
		for (size_t n = 0; n < elf_reloc_count(im, i); n++) {
			Elf64_Rela *r = elf_reloc(im, i, n);
			const Elf64_Sym *sym = elf_reloc_symbol(im, r);

			if (sym->st_shndx != rodata || ELF64_ST_TYPE(sym->st_info) != STT_SECTION)
				continue;
			r->r_addend += sym->st_value + base;
			if (text_symbol)
				r->r_info = ELF64_R_INFO((uint64_t)text_symbol, ELF64_R_TYPE(r->r_info));
		}
	}
	for (unsigned i = 1; i < elf_symbol_count(im); i++)
		if (elf_symbol(im, i)->st_shndx == rodata) {
			elf_symbol(im, i)->st_shndx = text;
			elf_symbol(im, i)->st_value = ELF64_ST_TYPE(elf_symbol(im, i)->st_info) == STT_SECTION ? 0 :
						      elf_symbol(im, i)->st_value + base;
		}
}

/* ---- relative addresses ---- */

uint8_t *elf_instructions_find(const struct elf_section *text, size_t size)
{
	uint8_t *begins = g_new0(uint8_t, size / 8 + 1);
	unsigned len;

	for (size_t at = 0; at < size; at += len) {
		len = x86_length((const uint8_t *)text->data + at, size - at);
		if (!len)
			break;
		begins[at / 8] |= 1 << at % 8;
	}
	return begins;
}

/* mov $imm32, %r64 (REX.W [B] c7 /0) to lea rel32(%rip), %r64 (REX.W [R] 8d, no base). */
static void mov_to_lea(struct elf_section *text, Elf64_Rela *r, const uint8_t *begins, size_t size)
{
	uint8_t *p = (uint8_t *)text->data + r->r_offset - 3;
	size_t at = r->r_offset - 3;

	if (r->r_offset < 3 || r->r_offset + 4 > size || !(begins[at / 8] & 1 << at % 8) ||
	    (p[0] != 0x48 && p[0] != 0x49) || p[1] != 0xc7 || (p[2] & 0xf8) != 0xc0)
		return;
	p[0] = p[0] == 0x49 ? 0x4c : 0x48;
	p[1] = 0x8d;
	p[2] = (p[2] & 7) << 3 | 5;
	r->r_info = ELF64_R_INFO(ELF64_R_SYM(r->r_info), R_X86_64_PC32);
	r->r_addend -= 4;
}

static void addresses_relative(struct elf_image *im, unsigned text, unsigned relocs, size_t size)
{
	uint8_t *begins = elf_instructions_find(&im->sec[text], size);

	for (size_t i = 0; i < elf_reloc_count(im, relocs); i++) {
		Elf64_Rela *r = elf_reloc(im, relocs, i);
		const Elf64_Sym *sym = elf_reloc_symbol(im, r);

		if (ELF64_R_TYPE(r->r_info) == R_X86_64_32S && sym->st_shndx == text)
			mov_to_lea(&im->sec[text], r, begins, size);
	}
	g_free(begins);
}

void elf_rodata_join(struct elf_image *im)
{
	const Elf64_Sym *cold = elf_symbol_find(im, ELF_COLD_END);
	unsigned text = cold && cold->st_shndx < im->count ? cold->st_shndx : 0, rodata = elf_image_find(im, ".rodata");
	unsigned relocs = text ? elf_image_relocs(im, text) : 0, text_symbol = text ? elf_section_symbol(im, text) : 0;
	size_t size;
	uint64_t base;

	if (!relocs || !rodata || rodata == text || relocs == text || relocs == rodata ||
	    !im->sec[text].data || !im->sec[rodata].data || im->sec[text].sh.sh_type != SHT_PROGBITS ||
	    im->sec[rodata].sh.sh_type != SHT_PROGBITS || (im->sec[rodata].sh.sh_flags & (SHF_WRITE | SHF_ALLOC)) != SHF_ALLOC ||
	    elf_image_find(im, ".init_array") || elf_image_find(im, ".ctors"))
		return;
	size = im->sec[text].sh.sh_size;
	base = (size + MAX(im->sec[rodata].sh.sh_addralign, 1) - 1) & -MAX(im->sec[rodata].sh.sh_addralign, 1);
	data_append(&im->sec[text], &im->sec[rodata], base);
	relocs_append(im, relocs, elf_image_relocs(im, rodata), base);
	symbols_move(im, rodata, text, text_symbol, base);
	elf_image_drop(im, rodata);
	addresses_relative(im, text, relocs, size);
}
