/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a linked module smaller: sections, relocations and symbols that the kernel
 * does not need go. What is about code and unwind tables is in elf_thin.c. */
#include "elf_shrink.h"
#include "elf_image.h"
#include "elf_near.h"
#include "elf_thin.h"
#include "errmsg.h"

#include <string.h>
#include <glib.h>

/* Not needed to load or run a module:
 * .call_sites: for counting calls where returns are guarded by a call count; what is
 *   not counted is guarded sooner.
 * .smp_locks: lock prefixes to remove on a machine with one CPU.
 * __patchable_function_entries: read where functions are traced by them, not on x86.
 * .orc_header, notes, .comment: for people and debuggers.
 * .stap_entries: was for objtool. */
static const char *const unneeded[] = { ".call_sites", ".ibt_endbr_seal", ".smp_locks",
	"__patchable_function_entries", ".orc_header", ".comment", ".note.GNU-stack",
	".note.Linux", ".note.gnu.build-id", ".note.gnu.property", ".stap_entries" };

/* Of code that runs seldom the large public functions have names: a backtrace names the one before, and how far on it is. */
#define COLD_NAMED 200

static bool section_is_unneeded(const struct elf_image *im, unsigned i)
{
	const struct elf_section *s = &im->sec[i];

	for (size_t n = 0; n < G_N_ELEMENTS(unneeded); n++)
		if (strcmp(s->name, unneeded[n]) == 0)
			return true;
	/* An empty one takes 64 bytes. */
	return s->sh.sh_size == 0 && i != im->symtab && i != im->strtab &&
	       i != im->shstrtab;
}

static void sections_thin(struct elf_image *im)
{
	for (unsigned i = 1; i < im->count; i++)
		if (!im->sec[i].dropped && im->sec[i].sh.sh_type != SHT_RELA &&
		    section_is_unneeded(im, i))
			elf_image_drop(im, i);
}

static void relocs_thin(struct elf_image *im)
{
	for (unsigned i = 1; i < im->count; i++)
		if (im->sec[i].sh.sh_type == SHT_RELA && im->sec[i].sh.sh_size == 0)
			im->sec[i].dropped = true;
}

static bool symbol_is_in(const struct elf_image *im, const Elf64_Sym *sym)
{
	return sym->st_shndx >= im->count || !im->sec[sym->st_shndx].dropped;
}

static bool symbol_is_cold(const Elf64_Sym *sym, const Elf64_Sym *cold)
{
	return sym->st_shndx == cold->st_shndx && sym->st_value < cold->st_value;
}

/* Functions have names for backtraces. */
static bool symbol_is_kept(const struct elf_image *im, unsigned i, bool used,
			   const Elf64_Sym *cold)
{
	const Elf64_Sym *sym = elf_symbol(im, i);

	if (i == 0 || used)
		return true;
	if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF ||
	    !symbol_is_in(im, sym))
		return false;
	if (cold && symbol_is_cold(sym, cold))
		return ELF64_ST_BIND(sym->st_info) != STB_LOCAL && sym->st_size >= COLD_NAMED;
	/* The padding in front of a function, named by objtool. */
	return !g_str_has_prefix(elf_symbol_name(im, sym), "__pfx_");
}

static bool *symbols_used(const struct elf_image *im)
{
	bool *used = g_new0(bool, elf_symbol_count(im));

	for (unsigned i = 1; i < im->count; i++)
		if (im->sec[i].sh.sh_type == SHT_RELA && !im->sec[i].dropped)
			for (size_t n = 0; n < elf_reloc_count(im, i); n++)
				used[ELF64_R_SYM(elf_reloc(im, i, n)->r_info)] = true;
	return used;
}

/* Builds the new symbol table; returns new numbers by old ones. */
static unsigned *symbols_thin(struct elf_image *im, const bool *used)
{
	unsigned count = elf_symbol_count(im), *number = g_new0(unsigned, count), next = 0;
	struct elf_section *tab = &im->sec[im->symtab], *str = &im->sec[im->strtab];
	const Elf64_Sym *cold = elf_symbol_find(im, ELF_COLD_END);
	Elf64_Sym cold_end = cold ? *cold : (Elf64_Sym){ 0 };
	GByteArray *names = g_byte_array_new();
	unsigned locals = 0;

	g_byte_array_append(names, (const guint8 *)"", 1);
	for (unsigned i = 0; i < count; i++) {
		Elf64_Sym sym = *elf_symbol(im, i);
		const char *name = elf_symbol_name(im, &sym);

		if (!symbol_is_kept(im, i, used[i], cold ? &cold_end : NULL))
			continue;
		sym.st_name = *name ? names->len : 0;
		if (*name)
			g_byte_array_append(names, (const guint8 *)name, strlen(name) + 1);
		*elf_symbol(im, next) = sym;
		number[i] = next++;
		if (i < tab->sh.sh_info)
			locals = next;
	}
	tab->sh.sh_info = locals;
	tab->sh.sh_size = next * sizeof(Elf64_Sym);
	g_free(str->data);
	str->sh.sh_size = names->len;
	str->data = (char *)g_byte_array_free(names, FALSE);
	return number;
}

static void symbols_renumber(struct elf_image *im)
{
	bool *used = symbols_used(im);
	unsigned *number = symbols_thin(im, used);

	for (unsigned i = 1; i < im->count; i++) {
		if (im->sec[i].sh.sh_type != SHT_RELA || im->sec[i].dropped)
			continue;
		for (size_t n = 0; n < elf_reloc_count(im, i); n++) {
			Elf64_Rela *r = elf_reloc(im, i, n);

			r->r_info = ELF64_R_INFO((guint64)number[ELF64_R_SYM(r->r_info)],
						 ELF64_R_TYPE(r->r_info));
		}
	}
	g_free(number);
	g_free(used);
}

/* The kernel relocates what it loads, and loads per-CPU data apart from the rest: an address there stays 0. */
static int percpu_check(const struct elf_image *im, char **err)
{
	unsigned relocs = elf_image_relocs(im, elf_image_find(im, ".data..percpu"));

	if (elf_reloc_count(im, relocs) == 0)
		return 0;
	return errmsg_set(err, "a per-CPU variable has an address as its initial value, and the kernel's module loader leaves"
			  " it 0: set it when the script starts");
}

int elf_shrink(const char *path, char **err)
{
	struct elf_image im;
	int rc;

	if (!elf_image_read(&im, path))
		return 0;
	rc = percpu_check(&im, err);
	if (rc == 0) {
		elf_thin(&im);
		sections_thin(&im);
		elf_near(&im);
		relocs_thin(&im);
		symbols_renumber(&im);
		rc = elf_image_write(&im, path, err);
	}
	elf_image_free(&im);
	return rc;
}
