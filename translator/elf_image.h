/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A relocatable x86-64 object taken apart into its sections, to be changed and
 * written again. What is in memory has been checked: whoever works on it needs
 * not look at bounds, only keep them. */
#ifndef STAP_ELF_IMAGE_H
#define STAP_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_section {
	Elf64_Shdr sh;		/* sh_size is that of data; sh_name, sh_offset: old ones */
	char *data;		/* aligned, owned; NULL for SHT_NOBITS and empty ones */
	const char *name;
	bool dropped;		/* is not written */
};

struct elf_image {
	Elf64_Ehdr eh;
	unsigned count;		/* sections, the null section included */
	struct elf_section *sec;
	unsigned symtab, strtab, shstrtab;
	char *names;		/* old section names */
};

/* Promised after this: sections, links and infos are inside the file; there is
 * one symbol table, every name of it ends; relocations (SHT_RELA only) are whole,
 * name symbols of the table and write inside their section; symbols of code and data
 * are in a section that exists. False, with nothing to free, when it is not so. */
bool elf_image_read(struct elf_image *im, const char *path);
void elf_image_free(struct elf_image *im);

/* Number of the section called `name`, 0: none. */
unsigned elf_image_find(const struct elf_image *im, const char *name);
/* Number of the section with the relocations of `section`, 0: none. */
unsigned elf_image_relocs(const struct elf_image *im, unsigned section);
/* The first symbol of that name, or NULL. */
const Elf64_Sym *elf_symbol_find(const struct elf_image *im, const char *name);
/* Leaves a section and its relocations out. */
void elf_image_drop(struct elf_image *im, unsigned section);

static inline size_t elf_reloc_count(const struct elf_image *im, unsigned section)
{
	return section ? im->sec[section].sh.sh_size / sizeof(Elf64_Rela) : 0;
}
static inline Elf64_Rela *elf_reloc(const struct elf_image *im, unsigned section, size_t i)
{
	return (Elf64_Rela *)im->sec[section].data + i;
}
static inline unsigned elf_symbol_count(const struct elf_image *im)
{
	return im->sec[im->symtab].sh.sh_size / sizeof(Elf64_Sym);
}
static inline Elf64_Sym *elf_symbol(const struct elf_image *im, unsigned i)
{
	return (Elf64_Sym *)im->sec[im->symtab].data + i;
}
static inline const char *elf_symbol_name(const struct elf_image *im, const Elf64_Sym *sym)
{
	return im->sec[im->strtab].data + sym->st_name;
}

/* Puts `size` (a power of two) zero bytes, aligned to `size`, behind a section's data;
 * their offset in it. Pointers into the data are stale afterwards. */
uint64_t elf_section_append(struct elf_section *s, size_t size);

/* Writes what is not dropped, renumbered; symbols and relocations must name only
 * such sections. 0, or -1 with *err. */
int elf_image_write(struct elf_image *im, const char *path, char **err);

/* The symbol that stands for the beginning of a section; 0: there is none. */
unsigned elf_section_symbol(const struct elf_image *im, unsigned section);

#endif
