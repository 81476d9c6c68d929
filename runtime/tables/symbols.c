// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of a file: .symtab, .dynsym and mini-debuginfo (libdwfl puts them together), one for each address. */
#include <elf.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include "plt_stubs.h"
#include "tables.h"

/* "name" without the version that libdwfl leaves on it, demangled. */
static char *symbol_name(const char *name)
{
	char *plain = strdup(name), *at, *readable;

	if (!plain)
		return NULL;
	at = strchr(plain, '@');
	if (at && at != plain)
		*at = 0;
	readable = plain[0] == '_' ? cplus_demangle(plain, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO) : NULL;
	if (!readable)
		return plain;
	free(plain);
	return readable;
}

/* Of several names for one address: global before weak before local, fewer underscores in front, the shorter. */
static int symbol_rank(const GElf_Sym *sym, const char *name)
{
	static const int by_bind[] = { [STB_LOCAL] = 0, [STB_GLOBAL] = 2, [STB_WEAK] = 1 };
	unsigned bind = GELF_ST_BIND(sym->st_info);
	size_t len = strlen(name), under = strspn(name, "_");
	int rank = (bind < 3 ? by_bind[bind] : 1) * 0x1000;

	rank -= (under > 3 ? 3 : (int)under) * 0x1800;
	return rank - (len > 0xfff ? 0xfff : (int)len);
}

static bool symbol_wanted(const GElf_Sym *sym, GElf_Word shndx, bool data)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (shndx == SHN_UNDEF || shndx == SHN_ABS)
		return false;
	if (data)
		return type == STT_OBJECT || type == STT_COMMON;
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Keeps the best of each address. */
static size_t keep_best(struct symbol *s, size_t n)
{
	size_t i, k = 0;

	qsort(s, n, sizeof(*s), by_addr);
	for (i = 0; i < n; i++) {
		if (k && s[k - 1].addr == s[i].addr) {
			if (!s[k - 1].size)
				s[k - 1].size = s[i].size;
			free(s[i].name);
		} else {
			s[k++] = s[i];
		}
	}
	return k;
}

/* What assembly left without a size, as kallsyms has it: up to the next symbol, in its section. */
static void end_open(struct symbol *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!s[i].size && s[i].limit > s[i].addr)
			s[i].size = (i + 1 < n && s[i + 1].addr < s[i].limit ? s[i + 1].addr : s[i].limit) - s[i].addr;
}

/* Bytes from a symbol to its section's end; 0: it is not in that section. */
static uint64_t section_rest(Elf *elf, GElf_Word shndx, const GElf_Sym *sym)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, shndx) : NULL;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sym->st_value < sh.sh_addr || sym->st_value - sh.sh_addr >= sh.sh_size)
		return 0;
	return sh.sh_size - (sym->st_value - sh.sh_addr);
}

struct list {
	struct image *im;
	struct symbol *s;
	size_t n, room;
};

/* `name` is taken over; NULL: it is left out. */
static void add_symbol(struct list *l, char *name, uint64_t addr, uint64_t size, int rank, uint64_t rest)
{
	uint32_t at;

	if (!name || !image_addr(l->im, addr, &at)) {
		free(name);
		return;
	}
	if (l->n == l->room) {
		l->room = l->room * 2 + 256;
		l->s = mem_resize(l->s, l->room, sizeof(*l->s));
	}
	l->s[l->n++] = (struct symbol){ .addr = at, .size = size > UINT32_MAX / 4 ? 0 : (uint32_t)size, .name = name, .rank = rank,
					.limit = rest > UINT32_MAX - at ? 0 : at + (uint32_t)rest };
}

/* "name@plt", as debuggers say. */
static void add_stub(void *data, const char *name, size_t len, uint64_t addr, uint64_t size)
{
	char *full = mem_zero(len + sizeof("@plt"), 1);

	memcpy(full, name, len);
	memcpy(full + len, "@plt", sizeof("@plt"));
	add_symbol(data, full, addr, size, 0, 0);
}

struct symbol *symbols_read(struct image *im, bool data, size_t *n)
{
	int count = dwfl_module_getsymtab(im->mod), i;
	struct list l = { .im = im };

	for (i = 1; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word shndx;
		Elf *elf = NULL;
		const char *name = dwfl_module_getsym_info(im->mod, i, &sym, &addr, &shndx, &elf, NULL);

		if (name && *name && symbol_wanted(&sym, shndx, data))
			add_symbol(&l, symbol_name(name), addr - im->bias, sym.st_size, symbol_rank(&sym, name), section_rest(elf, shndx, &sym));
	}
	if (!data)
		plt_stubs(im->elf, add_stub, &l);
	*n = l.n ? keep_best(l.s, l.n) : 0;
	end_open(l.s, *n);
	return l.s;
}

void symbols_free(struct symbol *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(s[i].name);
	free(s);
}
