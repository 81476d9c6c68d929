/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks and procedure linkage stubs of a program.
 *
 * A mark is a note of type 3 and owner "stapsdt" in .note.stapsdt: addresses of its instruction, of .stapsdt.base when
 * it was linked, and of its counter, then provider, name and arguments as strings (the format of
 * <sys/sdt.h>).  A stub is known by its indirect jump through a slot that a relocation fills.
 */
#include <gelf.h>
#include <string.h>
#include <elfutils/libdwfl.h>

#include "user_elf.h"

#define NOTE_STAPSDT 3

/* ---- marks ---- */

static uint64_t section_address(struct user_elf *ue, const char *want)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(ue->elf, &names))
		return 0;
	while ((scn = elf_nextscn(ue->elf, scn)))
		if (gelf_getshdr(scn, &sh) && !strcmp(elf_strptr(ue->elf, names, sh.sh_name) ?: "", want))
			return sh.sh_addr;
	return 0;
}

static uint64_t get_word(const unsigned char *p, bool is_32bit)
{
	uint64_t v = 0;

	memcpy(&v, p, is_32bit ? 4 : 8);
	return v;
}

/* A string up to its terminator inside the note; advances *p.  NULL: there is no terminator. */
static const char *note_string(struct session *s, const char **p, const char *end)
{
	size_t len = strnlen(*p, end - *p);
	const char *ret;

	if (len == (size_t)(end - *p))
		return NULL;
	ret = arena_strndup(s, *p, len);
	*p += len + 1;
	return ret;
}

static void add_mark(struct session *s, struct user_elf *ue, uint64_t base, const unsigned char *desc, size_t size)
{
	size_t w = ue->is_32bit ? 4 : 8;
	const char *text = (const char *)desc + 3 * w, *end = (const char *)desc + size;
	struct user_mark m = { 0 };
	uint64_t linked_base, moved;

	if (size < 3 * w)
		return;
	m.addr = get_word(desc, ue->is_32bit);
	linked_base = get_word(desc + w, ue->is_32bit);
	m.semaphore = get_word(desc + 2 * w, ue->is_32bit);
	moved = base && linked_base ? base - linked_base : 0; /* moved since it was linked */
	m.addr += moved;
	if (m.semaphore)
		m.semaphore += moved;
	m.provider = note_string(s, &text, end);
	m.name = m.provider ? note_string(s, &text, end) : NULL;
	m.args = m.name ? note_string(s, &text, end) : NULL;
	if (!m.name)
		return;
	if (!m.args)
		m.args = "";
	g_array_append_val(ue->marks, m);
}

const GArray *user_elf_marks(struct session *s, struct user_elf *ue)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names, off, next, name_at, desc_at;
	GElf_Nhdr nh;
	uint64_t base;

	if (ue->marks)
		return ue->marks;
	ue->marks = g_array_new(FALSE, FALSE, sizeof(struct user_mark));
	base = section_address(ue, ".stapsdt.base");
	if (elf_getshdrstrndx(ue->elf, &names))
		return ue->marks;
	while ((scn = elf_nextscn(ue->elf, scn))) {
		Elf_Data *d;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE ||
		    strcmp(elf_strptr(ue->elf, names, sh.sh_name) ?: "", ".note.stapsdt"))
			continue;
		d = elf_getdata(scn, NULL);
		for (off = 0; d && (next = gelf_getnote(d, off, &nh, &name_at, &desc_at)) > 0; off = next)
			if (nh.n_type == NOTE_STAPSDT && nh.n_namesz == sizeof("stapsdt") &&
			    !memcmp((char *)d->d_buf + name_at, "stapsdt", sizeof("stapsdt")))
				add_mark(s, ue, base, (unsigned char *)d->d_buf + desc_at, nh.n_descsz);
	}
	return ue->marks;
}

/* ---- stubs of the procedure linkage table ---- */

/* Names by the address of the slot that the dynamic linker fills. */
static GHashTable *slots_load(struct session *s, struct user_elf *ue)
{
	GHashTable *slots = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, NULL);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh, dynsym;

	while ((scn = elf_nextscn(ue->elf, scn))) {
		Elf_Data *d, *symbols;
		Elf_Scn *symscn;
		size_t n;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != (ue->is_32bit ? SHT_REL : SHT_RELA) || !sh.sh_entsize)
			continue;
		symscn = elf_getscn(ue->elf, sh.sh_link);
		if (!symscn || !gelf_getshdr(symscn, &dynsym) || dynsym.sh_type != SHT_DYNSYM)
			continue;
		d = elf_getdata(scn, NULL);
		symbols = elf_getdata(symscn, NULL);
		n = sh.sh_size / sh.sh_entsize;
		for (size_t i = 0; d && symbols && i < n; i++) {
			GElf_Rela rela;
			GElf_Rel rel;
			GElf_Sym sym;
			uint64_t *at = arena_alloc(s, sizeof(*at)), info;
			const char *name;

			if (ue->is_32bit ? !gelf_getrel(d, i, &rel) : !gelf_getrela(d, i, &rela))
				continue;
			*at = ue->is_32bit ? rel.r_offset : rela.r_offset;
			info = ue->is_32bit ? rel.r_info : rela.r_info;
			if (!GELF_R_SYM(info) || !gelf_getsym(symbols, GELF_R_SYM(info), &sym))
				continue;
			name = elf_strptr(ue->elf, dynsym.sh_link, sym.st_name);
			if (name && *name)
				g_hash_table_insert(slots, at, arena_strndup(s, name, strcspn(name, "@")));
		}
	}
	return slots;
}

/* The slot that the stub at p jumps through: [bnd] jmp *disp32(%rip), behind an endbr64 perhaps; 0: none. */
static uint64_t stub_slot(const unsigned char *p, size_t size, uint64_t addr, size_t *jump_end)
{
	int32_t disp;

	for (size_t i = 0; i + 6 <= size && i < 8; i++) {
		if (p[i] != 0xff || p[i + 1] != 0x25)
			continue;
		memcpy(&disp, p + i + 2, 4);
		*jump_end = i + 6;
		return addr + i + 6 + disp;
	}
	return 0;
}

static void add_stubs(struct session *s, struct user_elf *ue, GHashTable *slots, const Elf_Data *d, uint64_t addr, size_t step)
{
	const unsigned char *p = d->d_buf;

	for (size_t i = 0; i + step <= d->d_size; i += step) {
		size_t end;
		uint64_t slot = stub_slot(p + i, step, addr + i, &end);
		const char *name = slot ? g_hash_table_lookup(slots, &slot) : NULL;
		struct user_plt plt = { name, addr + i };

		if (name)
			g_array_append_val(ue->plts, plt);
	}
}

const GArray *user_elf_plts(struct session *s, struct user_elf *ue)
{
	GHashTable *slots;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (ue->plts)
		return ue->plts;
	ue->plts = g_array_new(FALSE, FALSE, sizeof(struct user_plt));
	if (ue->is_32bit || elf_getshdrstrndx(ue->elf, &names))
		return ue->plts;
	slots = slots_load(s, ue);
	while ((scn = elf_nextscn(ue->elf, scn))) {
		const char *name;
		Elf_Data *d;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(ue->elf, names, sh.sh_name) ?: "";
		d = strncmp(name, ".plt", 4) ? NULL : elf_getdata(scn, NULL);
		if (d && d->d_buf)
			add_stubs(s, ue, slots, d, sh.sh_addr, !strcmp(name, ".plt.got") && sh.sh_entsize == 8 ? 8 : 16);
	}
	g_hash_table_destroy(slots);
	return ue->plts;
}
