/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stubs of the procedure linkage table (plt_stubs.h). */
#include <stdlib.h>
#include <string.h>

#include "plt_stubs.h"

/* A slot that the dynamic linker fills with a function's address. */
struct slot {
	uint64_t addr;
	const char *name;
};
struct slots {
	struct slot *s;
	size_t n, room;
};

static int by_addr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void add_slot(struct slots *l, uint64_t addr, const char *name)
{
	struct slot *more;

	if (l->n == l->room) {
		more = reallocarray(l->s, l->room * 2 + 64, sizeof(*more));
		if (!more)
			return;
		l->s = more;
		l->room = l->room * 2 + 64;
	}
	l->s[l->n++] = (struct slot){ addr, name };
}

static void read_relocations(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct slots *l)
{
	Elf_Scn *symscn = elf_getscn(elf, sh->sh_link);
	Elf_Data *d = elf_getdata(scn, NULL), *symbols;
	GElf_Shdr dynsym;
	GElf_Rela rela;
	GElf_Sym sym;
	int i, n;

	if (!d || !symscn || !gelf_getshdr(symscn, &dynsym) || dynsym.sh_type != SHT_DYNSYM)
		return;
	symbols = elf_getdata(symscn, NULL);
	n = symbols ? (int)(sh->sh_size / sh->sh_entsize) : 0;
	for (i = 0; i < n; i++) {
		const char *name;

		if (!gelf_getrela(d, i, &rela) || !GELF_R_SYM(rela.r_info) || !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		name = elf_strptr(elf, dynsym.sh_link, sym.st_name);
		if (name && *name)
			add_slot(l, rela.r_offset, name);
	}
}

/* The slot that the stub at p jumps through: [bnd] jmp *disp32(%rip), behind an endbr64 perhaps; 0: none. */
static uint64_t stub_slot(const unsigned char *p, size_t size, uint64_t addr)
{
	int32_t disp;
	size_t i;

	for (i = 0; i + 6 <= size && i < 8; i++) {
		if (p[i] != 0xff || p[i + 1] != 0x25)
			continue;
		memcpy(&disp, p + i + 2, 4);
		return addr + i + 6 + (uint64_t)(int64_t)disp;
	}
	return 0;
}

static void read_stubs(const struct slots *l, const Elf_Data *d, uint64_t addr, size_t step, plt_stub_fn fn, void *data)
{
	const unsigned char *p = d->d_buf;
	size_t i;

	for (i = 0; i + step <= d->d_size; i += step) {
		struct slot key = { .addr = stub_slot(p + i, step, addr + i) }, *s = NULL;

		if (key.addr && l->n)
			s = bsearch(&key, l->s, l->n, sizeof(key), by_addr);
		if (s)
			fn(data, s->name, strcspn(s->name, "@"), addr + i, step);
	}
}

void plt_stubs(Elf *elf, plt_stub_fn fn, void *data)
{
	struct slots l = { NULL, 0, 0 };
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	size_t names;

	if (!gelf_getehdr(elf, &eh) || eh.e_machine != EM_X86_64 || elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && sh.sh_entsize)
			read_relocations(elf, scn, &sh, &l);
	if (l.n)
		qsort(l.s, l.n, sizeof(*l.s), by_addr);
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		Elf_Data *d;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		d = name && !strncmp(name, ".plt", 4) ? elf_getdata(scn, NULL) : NULL;
		if (d && d->d_buf)
			read_stubs(&l, d, sh.sh_addr, !strcmp(name, ".plt.got") && sh.sh_entsize == 8 ? 8 : 16, fn, data);
	}
	free(l.s);
}
