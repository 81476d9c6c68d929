/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of a program by its symbol tables, and where its segments are (user_elf.h). */
#include <gelf.h>
#include <string.h>
#include <elfutils/libdwfl.h>

#include "user_elf.h"

static bool is_object(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_OBJECT || GELF_ST_TYPE(sym->st_info) == STT_COMMON;
}

bool user_elf_has_symtab(const struct user_elf *ue)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(ue->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

struct wanted {
	const char *name;
	uint64_t addr, size;
	bool found;
};

/* A name may have a version behind an `@`. */
static bool is_wanted(void *data, const char *name, const GElf_Sym *sym, uint64_t addr)
{
	struct wanted *w = data;
	size_t len = strcspn(name, "@");

	if (!is_object(sym) || strlen(w->name) != len || strncmp(name, w->name, len))
		return true;
	w->addr = addr;
	w->size = sym->st_size;
	w->found = true;
	return false;
}

bool user_elf_object(struct user_elf *ue, const char *name, uint64_t *addr, uint64_t *size)
{
	struct wanted w = { .name = name };

	user_elf_each_symbol(ue, is_wanted, &w);
	*addr = w.addr;
	*size = w.size;
	return w.found;
}

struct collected {
	struct session *s;
	GPtrArray *names;
};

static bool collect(void *data, const char *name, const GElf_Sym *sym, uint64_t addr)
{
	struct collected *c = data;

	if (is_object(sym))
		g_ptr_array_add(c->names, arena_strndup(c->s, name, strcspn(name, "@")));
	return true;
}

GPtrArray *user_elf_objects(struct session *s, struct user_elf *ue)
{
	struct collected c = { s, g_ptr_array_new() };

	user_elf_each_symbol(ue, collect, &c);
	return c.names;
}

bool user_elf_loaded(const struct user_elf *ue, uint64_t addr, uint64_t size)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(ue->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(ue->elf, i, &ph) && ph.p_type == PT_LOAD && addr >= ph.p_vaddr && addr - ph.p_vaddr < ph.p_memsz &&
		    size <= ph.p_memsz - (addr - ph.p_vaddr))
			return true;
	return false;
}

bool user_elf_address(const struct user_elf *ue, uint64_t offset, uint64_t *addr)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(ue->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(ue->elf, i, &ph) && ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && offset >= ph.p_offset &&
		    offset - ph.p_offset < ph.p_filesz) {
			*addr = ph.p_vaddr + (offset - ph.p_offset);
			return true;
		}
	return false;
}

uint64_t user_elf_code(const struct user_elf *ue)
{
	uint64_t low = UINT64_MAX;
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(ue->elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(ue->elf, i, &ph) && ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && ph.p_vaddr < low)
			low = ph.p_vaddr;
	return low == UINT64_MAX ? 0 : low;
}
