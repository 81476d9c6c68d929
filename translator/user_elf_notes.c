/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks and procedure linkage stubs of a program.
 *
 * A mark is a note of type 3 and owner "stapsdt" in .note.stapsdt: addresses of its instruction, of .stapsdt.base when
 * it was linked, and of its counter, then provider, name and arguments as strings (the format of
 * <sys/sdt.h>).
 */
#include <gelf.h>
#include <string.h>
#include <elfutils/libdwfl.h>

#include "debuginfo/plt_stubs.h"
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

struct stubs {
	struct session *s;
	GArray *list;
};

static void add_stub(void *data, const char *name, size_t len, uint64_t addr, uint64_t size)
{
	struct stubs *st = data;
	struct user_plt plt = { arena_strndup(st->s, name, len), addr };

	g_array_append_val(st->list, plt);
}

const GArray *user_elf_plts(struct session *s, struct user_elf *ue)
{
	struct stubs st;

	if (ue->plts)
		return ue->plts;
	ue->plts = g_array_new(FALSE, FALSE, sizeof(struct user_plt));
	st = (struct stubs){ s, ue->plts };
	plt_stubs(ue->elf, add_stub, &st);
	return ue->plts;
}
