/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays tables about code out beside it; see elf_near.h. */
#include "elf_near.h"
#include "elf_table.h"
#include "elf_thin.h"

#include <string.h>
#include <glib.h>

/* None is written to after the module is loaded; those that are (.static_call_sites, __bug_table, __jump_table) stay data. */
static const char *const tables[] = { ".altinstructions", "__ex_table", ".retpoline_sites", ".return_sites", ".orc_unwind_ip" };

/* One module's executable part. Places are from its beginning, by section. */
struct layout {
	struct elf_image *im;
	unsigned text, relocs;
	unsigned symbol[G_N_ELEMENTS(tables)], section[G_N_ELEMENTS(tables)];
	size_t count;			/* of both */
	uint64_t *place;
};

static bool section_is_code(const struct elf_image *im, unsigned i)
{
	const Elf64_Shdr *sh = &im->sec[i].sh;

	return !im->sec[i].dropped && (sh->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR);
}

static void tables_find(struct layout *l)
{
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		unsigned section = elf_image_find(l->im, tables[i]), symbol = section ? elf_section_symbol(l->im, section) : 0;

		if (!symbol || section_is_code(l->im, section) || l->im->sec[section].sh.sh_flags & SHF_WRITE ||
		    !l->im->sec[section].data || !elf_reloc_count(l->im, elf_image_relocs(l->im, section)))
			continue;
		l->section[l->count] = section;
		l->symbol[l->count++] = symbol;
	}
}

/* What the kernel frees after the start is laid out apart. */
static bool is_split(const struct elf_image *im)
{
	for (unsigned i = 1; i < im->count; i++)
		if (section_is_code(im, i) && (g_str_has_prefix(im->sec[i].name, ".init") || g_str_has_prefix(im->sec[i].name, ".exit") ||
					       im->sec[i].sh.sh_flags & SHF_WRITE))
			return true;
	return false;
}

static void places_give(struct layout *l)
{
	uint64_t next = 0;

	l->place = g_new0(uint64_t, l->im->count);
	for (unsigned i = 1; i < l->im->count; i++) {
		uint64_t align = MAX(l->im->sec[i].sh.sh_addralign, 1);

		if (!section_is_code(l->im, i))
			continue;
		l->place[i] = (next + align - 1) / align * align;
		next = l->place[i] + l->im->sec[i].sh.sh_size;
	}
}

/* Resolves what one section refers to in the others. */
static void section_settle(struct layout *l, unsigned section)
{
	unsigned relocs = elf_image_relocs(l->im, section);
	size_t count = elf_reloc_count(l->im, relocs), to = 0;

	for (size_t i = 0; i < count; i++) {
		Elf64_Rela r = *elf_reloc(l->im, relocs, i);
		const Elf64_Sym *sym = elf_reloc_symbol(l->im, &r);
		int32_t value;

		if (!elf_reloc_is_pc32(&r) || sym->st_shndx == SHN_UNDEF || sym->st_shndx >= l->im->count ||
		    !section_is_code(l->im, sym->st_shndx)) {
			*elf_reloc(l->im, relocs, to++) = r;
			continue;
		}
		value = l->place[sym->st_shndx] + sym->st_value + r.r_addend - l->place[section] - r.r_offset;
		memcpy(l->im->sec[section].data + r.r_offset, &value, 4);
	}
	if (relocs)
		l->im->sec[relocs].sh.sh_size = to * sizeof(Elf64_Rela);
}

/* ---- the word that tells ---- */

/* Each relocation finds what the one before has left; the last is there to find. */
static void word_relocate(struct layout *l, uint64_t at)
{
	struct elf_section *s = &l->im->sec[l->relocs];
	size_t old = elf_reloc_count(l->im, l->relocs);

	s->sh.sh_size += (l->count + 1) * sizeof(Elf64_Rela);
	s->data = g_realloc(s->data, s->sh.sh_size);
	for (size_t i = 0; i <= l->count; i++) {
		size_t n = MIN(i, l->count - 1);

		*elf_reloc(l->im, l->relocs, old + i) = (Elf64_Rela){
			.r_offset = at,
			.r_info = ELF64_R_INFO((uint64_t)l->symbol[n], R_X86_64_PC32),
			.r_addend = (int64_t)(l->place[l->text] + at) - (int64_t)l->place[l->section[n]],
		};
	}
}

void elf_near(struct elf_image *im)
{
	const Elf64_Sym *cold = elf_symbol_find(im, ELF_COLD_END);
	struct layout l = { .im = im };
	uint64_t at;

	l.text = cold && cold->st_shndx < im->count ? cold->st_shndx : 0;
	l.relocs = l.text ? elf_image_relocs(im, l.text) : 0;
	if (!elf_reloc_count(im, l.relocs) || l.relocs == l.text || !im->sec[l.text].data || !section_is_code(im, l.text) || is_split(im))
		return;
	tables_find(&l);
	if (!l.count)
		return;
	at = elf_section_append(&im->sec[l.text], 4);
	for (size_t i = 0; i < l.count; i++) {
		im->sec[l.section[i]].sh.sh_flags |= SHF_EXECINSTR;
		im->sec[l.section[i]].sh.sh_addralign = MAX(im->sec[l.section[i]].sh.sh_addralign, 4);
	}
	places_give(&l);
	for (unsigned i = 1; i < im->count; i++)
		if (section_is_code(im, i) && im->sec[i].data)
			section_settle(&l, i);
	word_relocate(&l, at);
	g_free(l.place);
}
