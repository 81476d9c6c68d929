/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of cold code to one outside function share a jump to it; see elf_veneer.h. */
#include "elf_veneer.h"
#include "elf_table.h"
#include "elf_thin.h"

#include <string.h>
#include <glib.h>

#define CALL_REL32 0xe8
#define JMP_REL32 0xe9
#define INT3 0xcc	/* no speculation past the jump */
#define VENEER_SIZE 6	/* jmp, int3 */

/* One module's veneers. `place` is by symbol: 0, or where its veneer is. */
struct veneers {
	struct elf_image *im;
	unsigned text, relocs;
	uint64_t cold_end, old_size, size;
	uint64_t *place;
	struct elf_table sites;		/* calls through registers, for the kernel to patch */
	GHashTable *site_at;		/* number + 1 in that table, by place of the instruction */
	struct elf_table orc;
	unsigned orc_data;
};

/* ---- which calls ---- */

static bool is_thunk(const char *name)
{
	return g_str_has_prefix(name, "__x86_indirect_thunk_");
}

static size_t site_of(const struct veneers *v, const Elf64_Rela *r)
{
	return v->site_at ? GPOINTER_TO_SIZE(g_hash_table_lookup(v->site_at, GSIZE_TO_POINTER(r->r_offset - 1))) : 0;
}

/* Calls that the kernel patches by a table of its own (__SCT__: static calls; other thunks) are left as they are. */
static bool is_shared_call(const struct veneers *v, const Elf64_Rela *r)
{
	const Elf64_Sym *sym = elf_reloc_symbol(v->im, r);
	const char *name = elf_symbol_name(v->im, sym);
	guint8 opcode;

	if (!elf_reloc_is_pc32(r) || r->r_addend != -4 || r->r_offset < 1 || sym->st_shndx != SHN_UNDEF ||
	    ELF64_ST_BIND(sym->st_info) == STB_WEAK || !*name)
		return false;
	if (r->r_offset >= v->cold_end && strcmp(name, "__stack_chk_fail") != 0)
		return false;
	opcode = v->im->sec[v->text].data[r->r_offset - 1];
	if (opcode != CALL_REL32 && opcode != JMP_REL32)
		return false;
	if (is_thunk(name))
		return site_of(v, r) != 0;
	return !g_str_has_prefix(name, "__SCT__") && !g_str_has_prefix(name, "__x86_");
}

static void sites_find(struct veneers *v)
{
	uint64_t at;

	if (!elf_table_open(&v->sites, v->im, ".retpoline_sites", 4))
		return;
	v->site_at = g_hash_table_new(NULL, NULL);
	for (size_t i = 0; i < v->sites.count; i++)
		if (elf_table_target(&v->sites, i, &at) == v->text)
			g_hash_table_insert(v->site_at, GSIZE_TO_POINTER(at), GSIZE_TO_POINTER(i + 1));
}

/* Gives each symbol that is called at least twice a place. */
static void places_give(struct veneers *v)
{
	unsigned count = elf_symbol_count(v->im);
	unsigned *calls = g_new0(unsigned, count);

	v->place = g_new0(uint64_t, count);
	for (size_t i = 0; i < elf_reloc_count(v->im, v->relocs); i++) {
		const Elf64_Rela *r = elf_reloc(v->im, v->relocs, i);

		if (is_shared_call(v, r))
			calls[ELF64_R_SYM(r->r_info)]++;
	}
	v->size = v->old_size;
	for (unsigned i = 1; i < count; i++)
		if (calls[i] > 1) {
			v->place[i] = v->size;
			v->size += VENEER_SIZE;
		}
	g_free(calls);
}

/* ---- unwind entries ---- */

/* An entry about the first instruction of a function: nothing but the return address is on the stack, as at a veneer. */
static size_t orc_at_entry(const struct veneers *v)
{
	GHashTable *starts = g_hash_table_new(NULL, NULL);
	size_t found = v->orc.count;
	uint64_t at;

	for (unsigned i = 1; i < elf_symbol_count(v->im); i++) {
		const Elf64_Sym *sym = elf_symbol(v->im, i);

		if (sym->st_shndx == v->text && ELF64_ST_TYPE(sym->st_info) == STT_FUNC &&
		    ELF64_ST_BIND(sym->st_info) == STB_GLOBAL)
			g_hash_table_add(starts, GSIZE_TO_POINTER(sym->st_value + 1));
	}
	for (size_t i = 0; i < v->orc.count && found == v->orc.count; i++)
		if (elf_table_target(&v->orc, i, &at) == v->text && g_hash_table_contains(starts, GSIZE_TO_POINTER(at + 1)))
			found = i;
	g_hash_table_destroy(starts);
	return found;
}

/* The entry that ends the range of the code, count: none. */
static size_t orc_end(const struct veneers *v)
{
	uint64_t at;

	for (size_t i = v->orc.count; i > 0; i--)
		if (elf_table_target(&v->orc, i - 1, &at) == v->text && at == v->old_size)
			return i - 1;
	return v->orc.count;
}

static size_t orc_size(const struct veneers *v)
{
	const struct elf_section *s = &v->im->sec[v->orc_data];
	size_t size = v->orc.count ? s->sh.sh_size / v->orc.count : 0;

	return size && size <= 16 && size * v->orc.count == s->sh.sh_size ? size : 0;
}

/* False: there are unwind entries, but not as expected. */
static bool orc_is_ready(struct veneers *v)
{
	v->orc_data = elf_image_find(v->im, ".orc_unwind");
	if (!v->orc_data)
		return true;
	return !elf_image_relocs(v->im, v->orc_data) && elf_table_open(&v->orc, v->im, ".orc_unwind_ip", 4) && orc_size(v) &&
	       orc_end(v) < v->orc.count && orc_at_entry(v) < v->orc.count;
}

static char *room_make(struct elf_section *s, size_t at, size_t size)
{
	s->data = g_realloc(s->data, s->sh.sh_size + size);
	memmove(s->data + at + size, s->data + at, s->sh.sh_size - at);
	s->sh.sh_size += size;
	return s->data + at;
}

/* One entry more, for the veneers; the one that ends the code comes behind them. */
static void orc_extend(struct veneers *v)
{
	size_t size = orc_size(v), end = orc_end(v), model = orc_at_entry(v);
	struct elf_image *im = v->im;
	char entry[16];

	memcpy(entry, im->sec[v->orc_data].data + model * size, size);
	memcpy(room_make(&im->sec[v->orc_data], end * size, size), entry, size);
	memset(room_make(&im->sec[v->orc.data], end * 4, 4), 0, 4);
	memcpy(room_make(&im->sec[v->orc.relocs], end * sizeof(Elf64_Rela), sizeof(Elf64_Rela)),
	       (Elf64_Rela[]){ *elf_reloc(im, v->orc.relocs, end) }, sizeof(Elf64_Rela));
	for (size_t i = end + 1; i <= v->orc.count; i++)
		elf_reloc(im, v->orc.relocs, i)->r_offset += 4;
	elf_reloc(im, v->orc.relocs, end + 1)->r_addend += v->size - v->old_size;
}

/* ---- making them ---- */

static void veneers_append(struct veneers *v)
{
	struct elf_section *s = &v->im->sec[v->text];
	char *p = room_make(s, v->old_size, v->size - v->old_size);

	for (; p < s->data + s->sh.sh_size; p += VENEER_SIZE)
		memcpy(p, "\xe9\0\0\0\0\xcc", VENEER_SIZE);
}

/* The first call through a thunk leaves its entry of the kernel's table to the veneer. */
static void site_move(struct veneers *v, const Elf64_Rela *call, uint64_t veneer, bool first, bool *gone)
{
	size_t site = site_of(v, call);
	Elf64_Rela *r;

	if (!site)
		return;
	r = elf_reloc(v->im, v->sites.relocs, site - 1);
	if (first)
		r->r_addend += veneer - (call->r_offset - 1);
	else
		gone[site - 1] = true;
}

static void calls_redirect(struct veneers *v)
{
	size_t count = elf_reloc_count(v->im, v->relocs), to = 0;
	struct elf_section *s = &v->im->sec[v->text];
	bool *done = g_new0(bool, elf_symbol_count(v->im)), *gone = g_new0(bool, v->sites.count);

	for (size_t i = 0; i < count; i++) {
		Elf64_Rela r = *elf_reloc(v->im, v->relocs, i);
		unsigned sym = ELF64_R_SYM(r.r_info);
		int32_t distance = (int64_t)v->place[sym] - (int64_t)(r.r_offset + 4);

		if (!v->place[sym] || !is_shared_call(v, &r)) {
			*elf_reloc(v->im, v->relocs, to++) = r;
			continue;
		}
		memcpy(s->data + r.r_offset, &distance, 4);
		if (v->site_at)
			site_move(v, &r, v->place[sym], !done[sym], gone);
		if (!done[sym]) {
			r.r_offset = v->place[sym] + 1;
			*elf_reloc(v->im, v->relocs, to++) = r;
		}
		done[sym] = true;
	}
	v->im->sec[v->relocs].sh.sh_size = to * sizeof(Elf64_Rela);
	if (v->site_at)
		elf_table_delete(&v->sites, gone);
	g_free(done);
	g_free(gone);
}

void elf_veneer(struct elf_image *im)
{
	const Elf64_Sym *cold = elf_symbol_find(im, ELF_COLD_END);
	struct veneers v = { .im = im };

	v.text = cold && cold->st_shndx < im->count ? cold->st_shndx : 0;
	v.relocs = v.text ? elf_image_relocs(im, v.text) : 0;
	if (!v.relocs || !im->sec[v.text].data || im->sec[v.text].sh.sh_type != SHT_PROGBITS ||
	    v.relocs == v.text || !(im->sec[v.text].sh.sh_flags & SHF_EXECINSTR))
		return;
	v.cold_end = cold->st_value;
	v.old_size = im->sec[v.text].sh.sh_size;
	if (!orc_is_ready(&v))
		return;
	sites_find(&v);
	places_give(&v);
	if (v.size > v.old_size) {
		veneers_append(&v);
		calls_redirect(&v);
		if (v.orc_data)
			orc_extend(&v);
	}
	if (v.site_at)
		g_hash_table_destroy(v.site_at);
	g_free(v.place);
}
