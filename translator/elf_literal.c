/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses that cold code uses often; see elf_literal.h. */
#include "elf_literal.h"
#include "elf_rodata.h"
#include "elf_table.h"
#include "elf_thin.h"

#include <string.h>
#include <glib.h>

#define WORD 8

/* One module's words: by address, which is a symbol and an addend. */
struct pool {
	struct elf_image *im;
	unsigned text, relocs;
	uint64_t cold_end;
	uint8_t *begins;		/* where instructions begin, one bit each */
	GHashTable *uses;		/* Elf64_Rela -> number of uses */
	GHashTable *place;		/* ... -> where its word is */
};

static guint reloc_hash(gconstpointer key)
{
	const Elf64_Rela *r = key;

	return ELF64_R_SYM(r->r_info) * 31 + (guint)r->r_addend;
}

static gboolean reloc_equal(gconstpointer a, gconstpointer b)
{
	const Elf64_Rela *r = a, *q = b;

	return ELF64_R_SYM(r->r_info) == ELF64_R_SYM(q->r_info) && r->r_addend == q->r_addend;
}

/* Is it the operand of mov $imm32, %r64 (REX.W [B] c7 /0)? */
static bool is_address_load(const struct pool *l, const Elf64_Rela *r)
{
	const uint8_t *p = (const uint8_t *)l->im->sec[l->text].data + r->r_offset - 3;
	uint64_t at = r->r_offset - 3;

	return ELF64_R_TYPE(r->r_info) == R_X86_64_32S && r->r_offset >= 3 && r->r_offset + 4 <= l->cold_end &&
	       (l->begins[at / 8] & 1 << at % 8) && (p[0] == 0x48 || p[0] == 0x49) && p[1] == 0xc7 && (p[2] & 0xf8) == 0xc0;
}

static void uses_count(struct pool *l)
{
	for (size_t i = 0; i < elf_reloc_count(l->im, l->relocs); i++) {
		const Elf64_Rela *r = elf_reloc(l->im, l->relocs, i);

		if (is_address_load(l, r))
			g_hash_table_replace(l->uses, g_memdup2(r, sizeof(*r)),
					     GSIZE_TO_POINTER(GPOINTER_TO_SIZE(g_hash_table_lookup(l->uses, r)) + 1));
	}
}

/* mov $imm32, %r64 to mov rel32(%rip), %r64 (REX.W [R] 8b, no base). */
static void load_from(struct pool *l, const Elf64_Rela *r, uint64_t word)
{
	uint8_t *p = (uint8_t *)l->im->sec[l->text].data + r->r_offset - 3;
	int32_t distance = (int64_t)word - (int64_t)(r->r_offset + 4);

	p[0] = p[0] == 0x49 ? 0x4c : 0x48;
	p[1] = 0x8b;
	p[2] = (p[2] & 7) << 3 | 5;
	memcpy(p + 3, &distance, 4);
}

static void loads_change(struct pool *l)
{
	size_t count = elf_reloc_count(l->im, l->relocs), to = 0;

	for (size_t i = 0; i < count; i++) {
		Elf64_Rela r = *elf_reloc(l->im, l->relocs, i);
		uint64_t word;

		if (!is_address_load(l, &r) || GPOINTER_TO_SIZE(g_hash_table_lookup(l->uses, &r)) < 2) {
			*elf_reloc(l->im, l->relocs, to++) = r;
			continue;
		}
		word = GPOINTER_TO_SIZE(g_hash_table_lookup(l->place, &r));
		if (!word) {
			word = elf_section_append(&l->im->sec[l->text], WORD);
			g_hash_table_insert(l->place, g_memdup2(&r, sizeof(r)), GSIZE_TO_POINTER(word));
			*elf_reloc(l->im, l->relocs, to++) = (Elf64_Rela){
				word, ELF64_R_INFO(ELF64_R_SYM(r.r_info), R_X86_64_64), r.r_addend };
		}
		load_from(l, &r, word);
	}
	l->im->sec[l->relocs].sh.sh_size = to * sizeof(Elf64_Rela);
}

void elf_literal_pool(struct elf_image *im)
{
	const Elf64_Sym *cold = elf_symbol_find(im, ELF_COLD_END);
	struct pool l = { .im = im };

	l.text = cold && cold->st_shndx < im->count ? cold->st_shndx : 0;
	l.relocs = l.text ? elf_image_relocs(im, l.text) : 0;
	if (!l.relocs || l.relocs == l.text || !im->sec[l.text].data || im->sec[l.text].sh.sh_type != SHT_PROGBITS ||
	    !(im->sec[l.text].sh.sh_flags & SHF_EXECINSTR))
		return;
	l.cold_end = MIN(cold->st_value, im->sec[l.text].sh.sh_size);
	l.begins = elf_instructions_find(&im->sec[l.text], l.cold_end);
	l.uses = g_hash_table_new_full(reloc_hash, reloc_equal, g_free, NULL);
	l.place = g_hash_table_new_full(reloc_hash, reloc_equal, g_free, NULL);
	uses_count(&l);
	loads_change(&l);
	g_hash_table_destroy(l.uses);
	g_hash_table_destroy(l.place);
	g_free(l.begins);
}
