/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thins out code's relocations, and the tables that objtool makes; see elf_thin.h. */
#include "elf_thin.h"
#include "elf_literal.h"
#include "elf_rodata.h"
#include "elf_symref.h"
#include "elf_table.h"
#include "elf_veneer.h"
#include "debuginfo/x86_length.h"

#include <stdint.h>
#include <string.h>
#include <glib.h>

#define JMP_REL32 0xe9
#define ENDBR64 "\xf3\x0f\x1e\xfa"
#define ENDBR_POISON "\x66\x0f\x1f\x00"	/* a nop that is none of the compiler's */

#define PUSH_RBP_MOV_RSP_RBP "\x55\x48\x89\xe5"

/* ---- landing pads ---- */
static void endbr_seal(struct elf_image *im)
{
	struct elf_table t;
	uint64_t at;

	if (!elf_table_open(&t, im, ".ibt_endbr_seal", 4))
		return;
	for (size_t i = 0; i < t.count; i++) {
		const struct elf_section *s = &im->sec[elf_table_target(&t, i, &at)];

		if (s->data && at <= s->sh.sh_size && s->sh.sh_size - at >= 4 &&
		    memcmp(s->data + at, ENDBR64, 4) == 0)
			memcpy(s->data + at, ENDBR_POISON, 4);
	}
}

/* ---- returns ---- */
/* A relocation of `jmp __x86_return_thunk`; where the jump is in *at. */
static bool reloc_is_return(const struct elf_image *im, unsigned section,
			    const Elf64_Rela *r, uint64_t *at)
{
	*at = r->r_offset - 1;
	return elf_reloc_is_pc32(r) && r->r_addend == -4 && r->r_offset >= 1 &&
	       (guint8)im->sec[section].data[*at] == JMP_REL32 &&
	       strcmp(elf_symbol_name(im, elf_reloc_symbol(im, r)), "__x86_return_thunk") == 0;
}

/* Jumps by table index plus one, for the section's part before `end`. */
static GHashTable *return_sites(struct elf_table *t, unsigned section, uint64_t end)
{
	GHashTable *sites = g_hash_table_new(NULL, NULL);
	uint64_t at;

	for (size_t i = 0; i < t->count; i++)
		if (elf_table_target(t, i, &at) == section && at < end)
			g_hash_table_insert(sites, GSIZE_TO_POINTER(at), GSIZE_TO_POINTER(i + 1));
	return sites;
}

/* The first return of the cold part stays; the others jump to it. */
static void returns_share(struct elf_image *im)
{
	const Elf64_Sym *cold = elf_symbol_find(im, ELF_COLD_END);
	unsigned section = cold && cold->st_shndx < im->count ? cold->st_shndx : 0;
	unsigned relocs = section ? elf_image_relocs(im, section) : 0;
	size_t count = elf_reloc_count(im, relocs), to = 0, index;
	uint64_t at, shared = 0;
	GHashTable *sites;
	struct elf_table t;
	bool *gone;

	if (!count || !elf_table_open(&t, im, ".return_sites", 4))
		return;
	sites = return_sites(&t, section, cold->st_value);
	gone = g_new0(bool, t.count);
	for (size_t i = 0; i < count; i++) {
		Elf64_Rela r = *elf_reloc(im, relocs, i);

		index = reloc_is_return(im, section, &r, &at) ?
			GPOINTER_TO_SIZE(g_hash_table_lookup(sites, GSIZE_TO_POINTER(at))) : 0;
		if (index && shared) {
			int32_t distance = (int64_t)shared - (int64_t)(at + 5);

			memcpy(im->sec[section].data + at + 1, &distance, 4);
			gone[index - 1] = true;
			continue;
		}
		if (index)
			shared = at;
		*elf_reloc(im, relocs, to++) = r;
	}
	im->sec[relocs].sh.sh_size = to * sizeof(Elf64_Rela);
	elf_table_delete(&t, gone);
	g_free(gone);
	g_hash_table_destroy(sites);
}

/* ---- unwind entries ---- */

/* Entry i begins where the state of the entry before still holds, or is about bytes
 * between functions, which never run. The last of a section ends its range. */
static bool orc_is_redundant(const struct elf_table *t, const char *orc, size_t size, size_t i,
			     size_t before)
{
	static const char undefined[16];
	uint64_t at, from, next;
	unsigned section = elf_table_target(t, i, &at);

	if (i + 1 == t->count || elf_table_target(t, i + 1, &next) != section || next < at)
		return false;
	if (before == i || elf_table_target(t, before, &from) != section || from > at)
		return false;
	return memcmp(orc + i * size, undefined, size) == 0 ||
	       memcmp(orc + i * size, orc + before * size, size) == 0;
}

/* Entry i, in code that runs seldom, is about one instruction: the old frame pointer is
 * saved, the new one is not set. A backtrace from an interrupt just there finds no
 * address to go on with, and says so; a third of the entries is worth that. */
static bool orc_is_prologue(const struct elf_table *t, size_t i, const Elf64_Sym *cold)
{
	uint64_t at, next;
	unsigned section = elf_table_target(t, i, &at);
	const struct elf_section *s = &t->im->sec[section];

	return cold && i > 0 && i + 1 < t->count && section == cold->st_shndx &&
	       at < cold->st_value && at > 0 && at + 3 <= s->sh.sh_size && s->data &&
	       elf_table_target(t, i + 1, &next) == section && next == at + 3 &&
	       memcmp(s->data + at - 1, PUSH_RBP_MOV_RSP_RBP, 4) == 0;
}

/* Instructions behind the end of a frame and before the beginning of the next: what leaves, what fills up, what a function
 * with a frame pointer begins with. */
static bool is_between_frames(const uint8_t *p, size_t len)
{
	static const struct { uint8_t len; char bytes[5]; } known[] = {
		{ 5, "\xe9" }, { 2, "\xeb" }, { 1, "\xc3" }, { 1, "\xcc" }, { 1, "\x90" }, { 2, "\x0f\x0b" }, { 4, ENDBR64 },
		{ 1, "\x55" }, { 3, "\x48\x89\xe5" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (len == known[i].len && memcmp(p, known[i].bytes, MAX(strlen(known[i].bytes), 1)) == 0)
			return true;
	while (len > 3 && *p == 0x66)
		p++, len--;
	return len >= 3 && ((p[0] == 0x0f && p[1] == 0x1f) || (p[0] == 0x2e && p[1] == 0x0f && p[2] == 0x1f));
}

/* Entry i, in code that runs seldom, is about the few instructions between two frames with frame pointers, which entries
 * `before` and `next` are about: the same goes for it as for prologues. */
static bool orc_is_between(const struct elf_table *t, const char *orc, size_t size, const Elf64_Sym *cold, size_t before, size_t i,
			   size_t next)
{
	uint64_t start, at, end;
	unsigned section = elf_table_target(t, i, &at);
	const struct elf_section *s = &t->im->sec[section];

	if (!cold || section != cold->st_shndx || !s->data || elf_table_target(t, before, &start) != section ||
	    elf_table_target(t, next, &end) != section || start > at || end < at || end > cold->st_value || end > s->sh.sh_size ||
	    memcmp(orc + before * size, orc + next * size, size) != 0)
		return false;
	while (at < end) {
		const uint8_t *p = (const uint8_t *)s->data + at;
		unsigned len = x86_length(p, end - at);

		if (!len || !is_between_frames(p, len))
			return false;
		at += len;
	}
	return true;
}

static void orc_join_frames(const struct elf_table *t, const char *orc, size_t size, bool *gone)
{
	const Elf64_Sym *cold = elf_symbol_find(t->im, ELF_COLD_END);
	size_t before = 0, next;

	for (size_t i = 1; i < t->count; i++) {
		if (gone[i])
			continue;
		for (next = i + 1; next < t->count && gone[next]; next++)
			;
		if (next + 1 < t->count && orc_is_between(t, orc, size, cold, before, i, next)) {
			gone[i] = gone[next] = true;
			i = next;
		} else {
			before = i;
		}
	}
}

static void orc_merge(struct elf_image *im)
{
	const Elf64_Sym *cold = elf_symbol_find(im, ELF_COLD_END);
	unsigned section = elf_image_find(im, ".orc_unwind");
	size_t size, before = 0, to = 0;
	struct elf_section *s;
	struct elf_table t;
	bool *gone;

	if (!section || elf_image_relocs(im, section) ||
	    !elf_table_open(&t, im, ".orc_unwind_ip", 4) || !t.count)
		return;
	s = &im->sec[section];
	size = s->sh.sh_size / t.count;
	if (size < 4 || size > 16 || size * t.count != s->sh.sh_size)
		return;
	gone = g_new0(bool, t.count);
	for (size_t i = 0; i < t.count; i++) {
		gone[i] = orc_is_redundant(&t, s->data, size, i, before) ||
			  orc_is_prologue(&t, i, cold);
		if (!gone[i])
			before = i;
	}
	orc_join_frames(&t, s->data, size, gone);
	for (size_t i = 0; i < t.count; i++)
		if (!gone[i])
			memmove(s->data + to++ * size, s->data + i * size, size);
	s->sh.sh_size = to * size;
	elf_table_delete(&t, gone);
	g_free(gone);
}

/* ---- references inside a section ---- */

/* Code that refers to its own section moves together with what it refers to. Nothing takes the place of what is defined
 * weakly any more. */
static bool reloc_is_settled(const struct elf_image *im, const Elf64_Rela *r, unsigned target)
{
	const Elf64_Sym *sym = elf_reloc_symbol(im, r);

	return elf_reloc_is_pc32(r) && sym->st_shndx == target;
}

static void relocs_settle(struct elf_image *im, unsigned relocs)
{
	unsigned target = im->sec[relocs].sh.sh_info;
	size_t count = elf_reloc_count(im, relocs), to = 0;

	if (!(im->sec[target].sh.sh_flags & SHF_EXECINSTR))
		return;
	for (size_t i = 0; i < count; i++) {
		Elf64_Rela r = *elf_reloc(im, relocs, i);

		if (reloc_is_settled(im, &r, target)) {
			int32_t value = elf_reloc_symbol(im, &r)->st_value + r.r_addend - r.r_offset;

			memcpy(im->sec[target].data + r.r_offset, &value, 4);
		} else {
			*elf_reloc(im, relocs, to++) = r;
		}
	}
	im->sec[relocs].sh.sh_size = to * sizeof(Elf64_Rela);
}

void elf_thin(struct elf_image *im)
{
	endbr_seal(im);
	returns_share(im);
	elf_veneer(im);
	orc_merge(im);
	elf_symref_thin(im);
	elf_rodata_join(im);
	elf_literal_pool(im);
	for (unsigned i = 1; i < im->count; i++)
		if (im->sec[i].sh.sh_type == SHT_RELA && !im->sec[i].dropped)
			relocs_settle(im, i);
}
