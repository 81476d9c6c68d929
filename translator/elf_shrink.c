/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a linked module smaller. The file is taken apart into its sections,
 * relocations and symbols are thinned out, and it is laid out again; section
 * numbers do not change. */
#include "elf_shrink.h"
#include "errmsg.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

struct image {
	char *text;			/* the file as it was */
	gsize size;
	Elf64_Ehdr *eh;
	Elf64_Shdr *sh;			/* sizes are adjusted in place */
	char **data;			/* per section, in `text` or replaced */
	unsigned symtab, strtab;	/* section numbers */
	GByteArray *new_syms, *new_names;
};

static bool section_is_inside(const struct image *im, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_NOBITS ||
	       (s->sh_offset <= im->size && s->sh_size <= im->size - s->sh_offset);
}

/* False when this is nothing we know how to handle. */
static bool image_parse(struct image *im)
{
	Elf64_Ehdr *eh = im->eh = (Elf64_Ehdr *)im->text;

	if (im->size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_machine != EM_X86_64 ||
	    eh->e_shentsize != sizeof(Elf64_Shdr) || eh->e_shoff > im->size ||
	    eh->e_shnum * sizeof(Elf64_Shdr) > im->size - eh->e_shoff ||
	    eh->e_shstrndx >= eh->e_shnum)
		return false;
	im->sh = (Elf64_Shdr *)(im->text + eh->e_shoff);
	im->data = g_new0(char *, eh->e_shnum);
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		if (!section_is_inside(im, &im->sh[i]) || im->sh[i].sh_type == SHT_GROUP)
			return false;
		im->data[i] = im->text + im->sh[i].sh_offset;
		if (im->sh[i].sh_type == SHT_SYMTAB)
			im->symtab = i;
	}
	im->strtab = im->symtab ? im->sh[im->symtab].sh_link : 0;
	return im->strtab && im->strtab < eh->e_shnum && im->strtab != eh->e_shstrndx;
}

static Elf64_Sym *symbol(const struct image *im, unsigned i)
{
	return (Elf64_Sym *)im->data[im->symtab] + i;
}

static unsigned symbol_count(const struct image *im)
{
	return im->sh[im->symtab].sh_size / sizeof(Elf64_Sym);
}

/* Code that refers to its own section moves together with what it refers to. */
static bool reloc_is_settled(const struct image *im, const Elf64_Rela *r, unsigned target)
{
	unsigned type = ELF64_R_TYPE(r->r_info), index = ELF64_R_SYM(r->r_info);
	const Elf64_Sym *sym = symbol(im, index);

	return (type == R_X86_64_PC32 || type == R_X86_64_PLT32) &&
	       index < symbol_count(im) && sym->st_shndx == target &&
	       ELF64_ST_BIND(sym->st_info) != STB_WEAK &&
	       r->r_offset + 4 <= im->sh[target].sh_size;
}

/* Resolves what it can in one relocation section and closes the gaps. */
static void relocs_settle(struct image *im, Elf64_Shdr *rs, char *data)
{
	Elf64_Rela *from = (Elf64_Rela *)data, *to = from;
	size_t count = rs->sh_size / sizeof(*from);
	unsigned target = rs->sh_info;

	if (target >= im->eh->e_shnum || !(im->sh[target].sh_flags & SHF_EXECINSTR))
		return;
	for (size_t i = 0; i < count; i++, from++) {
		if (reloc_is_settled(im, from, target)) {
			const Elf64_Sym *sym = symbol(im, ELF64_R_SYM(from->r_info));
			int32_t value = sym->st_value + from->r_addend - from->r_offset;

			memcpy(im->data[target] + from->r_offset, &value, 4);
		} else {
			*to++ = *from;
		}
	}
	rs->sh_size = (char *)to - data;
}

static bool symbol_is_kept(const struct image *im, unsigned i, const bool *used)
{
	const Elf64_Sym *sym = symbol(im, i);
	const char *name = im->data[im->strtab] + sym->st_name;

	/* __pfx_ names the padding in front of a function, made by objtool. */
	return i == 0 || used[i] || (ELF64_ST_TYPE(sym->st_info) == STT_FUNC &&
				     sym->st_shndx != SHN_UNDEF &&
				     !g_str_has_prefix(name, "__pfx_"));
}

/* Builds the new symbol table; returns new numbers by old ones. */
static unsigned *symbols_thin(struct image *im, const bool *used)
{
	unsigned count = symbol_count(im), *number = g_new0(unsigned, count), next = 0;

	im->new_syms = g_byte_array_new();
	im->new_names = g_byte_array_new();
	g_byte_array_append(im->new_names, (const guint8 *)"", 1);
	for (unsigned i = 0; i < count; i++) {
		Elf64_Sym sym = *symbol(im, i);
		const char *name = im->data[im->strtab] + sym.st_name;

		if (i == im->sh[im->symtab].sh_info)
			im->sh[im->symtab].sh_info = next | 0x80000000u;
		if (!symbol_is_kept(im, i, used))
			continue;
		sym.st_name = *name ? im->new_names->len : 0;
		if (*name)
			g_byte_array_append(im->new_names, (const guint8 *)name,
					    strlen(name) + 1);
		g_byte_array_append(im->new_syms, (const guint8 *)&sym, sizeof(sym));
		number[i] = next++;
	}
	/* sh_info: number of the first global symbol (none: one past the last). */
	if (im->sh[im->symtab].sh_info & 0x80000000u)
		im->sh[im->symtab].sh_info &= 0x7fffffffu;
	else
		im->sh[im->symtab].sh_info = next;
	return number;
}

static void symbols_replace(struct image *im)
{
	im->data[im->symtab] = (char *)im->new_syms->data;
	im->sh[im->symtab].sh_size = im->new_syms->len;
	im->data[im->strtab] = (char *)im->new_names->data;
	im->sh[im->strtab].sh_size = im->new_names->len;
}

/* All relocation sections: settle, note what symbols are left, renumber. False
 * when a relocation names no symbol of the table. */
static bool image_thin(struct image *im)
{
	unsigned count = symbol_count(im), *number;
	bool *used = g_new0(bool, count), ok = true;

	for (unsigned i = 0; i < im->eh->e_shnum; i++) {
		Elf64_Rela *r = (Elf64_Rela *)im->data[i];

		if (im->sh[i].sh_type != SHT_RELA)
			continue;
		relocs_settle(im, &im->sh[i], im->data[i]);
		for (size_t n = im->sh[i].sh_size / sizeof(*r); n; n--, r++) {
			if (ELF64_R_SYM(r->r_info) >= count)
				ok = false;
			else
				used[ELF64_R_SYM(r->r_info)] = true;
		}
	}
	number = ok ? symbols_thin(im, used) : NULL;
	for (unsigned i = 0; ok && i < im->eh->e_shnum; i++) {
		Elf64_Rela *r = (Elf64_Rela *)im->data[i];

		if (im->sh[i].sh_type != SHT_RELA)
			continue;
		for (size_t n = im->sh[i].sh_size / sizeof(*r); n; n--, r++)
			r->r_info = ELF64_R_INFO((guint64)number[ELF64_R_SYM(r->r_info)],
						 ELF64_R_TYPE(r->r_info));
	}
	if (ok)
		symbols_replace(im);
	g_free(number);
	g_free(used);
	return ok;
}

static void pad_to(GByteArray *out, size_t align)
{
	static const guint8 zeros[64];

	while (align > 1 && out->len % align)
		g_byte_array_append(out, zeros,
				    MIN(align - out->len % align, sizeof(zeros)));
}

static GByteArray *image_layout(struct image *im)
{
	GByteArray *out = g_byte_array_sized_new(im->size);

	g_byte_array_append(out, (guint8 *)im->eh, sizeof(*im->eh));
	for (unsigned i = 1; i < im->eh->e_shnum; i++) {
		if (im->sh[i].sh_type != SHT_NOBITS && im->sh[i].sh_size)
			pad_to(out, im->sh[i].sh_addralign);
		im->sh[i].sh_offset = out->len;
		if (im->sh[i].sh_type != SHT_NOBITS)
			g_byte_array_append(out, (guint8 *)im->data[i], im->sh[i].sh_size);
	}
	pad_to(out, 8);
	((Elf64_Ehdr *)out->data)->e_shoff = out->len;
	g_byte_array_append(out, (guint8 *)im->sh, im->eh->e_shnum * sizeof(Elf64_Shdr));
	return out;
}

int elf_shrink(const char *path, char **err)
{
	struct image im = { 0 };
	GError *gerr = NULL;
	int rc = 0;

	if (!g_file_get_contents(path, &im.text, &im.size, NULL))
		return 0;
	if (image_parse(&im) && image_thin(&im)) {
		GByteArray *out = image_layout(&im);

		/* Writing in place would leave the old, longer file's tail. */
		unlink(path);
		if (!g_file_set_contents_full(path, (char *)out->data, out->len,
					      G_FILE_SET_CONTENTS_NONE, 0644, &gerr)) {
			rc = errmsg_is_disk_full(gerr->message, path) ?
			     errmsg_disk_full(err, path) :
			     errmsg_set(err, "%s", gerr->message);
			g_error_free(gerr);
		}
		g_byte_array_free(out, TRUE);
	}
	if (im.new_syms) {
		g_byte_array_free(im.new_syms, TRUE);
		g_byte_array_free(im.new_names, TRUE);
	}
	g_free(im.data);
	g_free(im.text);
	return rc;
}
