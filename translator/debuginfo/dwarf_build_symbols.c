/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF symbols of a file, from whichever of its tables libdwfl finds: .symtab, that of the debug file,
 * .gnu_debugdata, .dynsym. */
#include "dwarf_build.h"
#include "dwarf_file.h"
#include "dwarf_file_priv.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const GElf_Sym *sym, const char *name)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (!name || !*name || sym->st_shndx == SHN_UNDEF)
		return false;
	return type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE || type == STT_GNU_IFUNC || type == STT_TLS ||
	       type == STT_COMMON;
}

/* The higher, the sooner an address is called by that symbol. */
static int rank(const struct build_symbol *s)
{
	int r = s->type == STT_FUNC || s->type == STT_GNU_IFUNC ? 8 : s->type == STT_OBJECT ? 4 : 0;

	return r + (s->size ? 16 : 0) + (s->bind == STB_GLOBAL ? 2 : s->bind == STB_WEAK ? 1 : 0);
}

static int by_address(const void *x, const void *y)
{
	const struct build_symbol *a = x, *b = y;
	int d;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	d = rank(b) - rank(a);
	if (d)
		return d;
	/* foo before __foo and foo_internal */
	d = (int)strlen(a->name) - (int)strlen(b->name);
	return d ? d : strcmp(a->name, b->name);
}

/* Without the version that linkers put behind it in .symtab: "pthread_create@@GLIBC_2.34". */
static const char *plain_name(struct build_merged *m, const char *name)
{
	const char *version = strchr(name, '@');

	return version && version != name ? g_string_chunk_insert_len(m->plain_names, name, version - name) : name;
}

void build_symbols(struct build_merged *m)
{
	Dwfl_Module *mod = m->b->file->priv->mod;
	int n = dwfl_module_getsymtab(mod);
	uint32_t k = 0;

	m->plain_names = g_string_chunk_new(4096);
	m->symbols = g_new(struct build_symbol, MAX(n, 0) + 1);
	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word shndx;
		Elf *elf;
		Dwarf_Addr bias;
		const char *name = dwfl_module_getsym_info(mod, i, &sym, &addr, &shndx, &elf, &bias);

		if (!is_wanted(&sym, name) || shndx == SHN_UNDEF)
			continue;
		m->symbols[k++] = (struct build_symbol){ .addr = addr, .size = sym.st_size, .name = plain_name(m, name),
			.type = GELF_ST_TYPE(sym.st_info), .bind = GELF_ST_BIND(sym.st_info),
			.visibility = GELF_ST_VISIBILITY(sym.st_other) };
	}
	qsort(m->symbols, k, sizeof(*m->symbols), by_address);
	m->nsymbols = 0;
	for (uint32_t i = 0; i < k; i++)
		if (i == 0 || by_address(&m->symbols[i - 1], &m->symbols[i]) != 0)
			m->symbols[m->nsymbols++] = m->symbols[i];
}

uint32_t build_symbol_at(const struct build_merged *m, uint64_t addr)
{
	uint32_t lo = 0, hi = m->nsymbols;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (m->symbols[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->nsymbols && m->symbols[lo].addr == addr ? lo : NONE;
}
