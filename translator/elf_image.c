/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes relocatable objects; see elf_image.h for what is promised. */
#include "elf_image.h"
#include "errmsg.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

static bool header_is_right(const Elf64_Ehdr *eh, size_t size)
{
	return memcmp(eh->e_ident, ELFMAG, SELFMAG) == 0 &&
	       eh->e_ident[EI_CLASS] == ELFCLASS64 && eh->e_machine == EM_X86_64 &&
	       eh->e_type == ET_REL && eh->e_shentsize == sizeof(Elf64_Shdr) &&
	       eh->e_shnum > 0 && eh->e_shstrndx < eh->e_shnum && eh->e_shoff <= size &&
	       eh->e_shnum * sizeof(Elf64_Shdr) <= size - eh->e_shoff;
}

static bool section_read(struct elf_image *im, unsigned i, const char *text, size_t size)
{
	struct elf_section *s = &im->sec[i];

	memcpy(&s->sh, text + im->eh.e_shoff + i * sizeof(s->sh), sizeof(s->sh));
	if (i == 0 || s->sh.sh_type == SHT_NOBITS)
		return true;
	if (s->sh.sh_type == SHT_GROUP || s->sh.sh_type == SHT_REL ||
	    s->sh.sh_type == SHT_SYMTAB_SHNDX || s->sh.sh_offset > size ||
	    s->sh.sh_size > size - s->sh.sh_offset ||
	    (s->sh.sh_addralign & (s->sh.sh_addralign - 1)) || s->sh.sh_addralign > 4096)
		return false;
	if (s->sh.sh_size)
		s->data = g_memdup2(text + s->sh.sh_offset, s->sh.sh_size);
	if (s->sh.sh_type != SHT_SYMTAB)
		return true;
	if (im->symtab)
		return false;
	im->symtab = i;
	return true;
}

static bool is_string_table(const struct elf_image *im, unsigned i)
{
	const struct elf_section *s = &im->sec[i];

	return i > 0 && i < im->count && s->sh.sh_type == SHT_STRTAB && s->data &&
	       s->data[s->sh.sh_size - 1] == '\0';
}

static bool names_are_right(struct elf_image *im)
{
	const struct elf_section *str = &im->sec[im->shstrtab];

	for (unsigned i = 0; i < im->count; i++) {
		if (im->sec[i].sh.sh_name >= str->sh.sh_size)
			return false;
		im->sec[i].name = im->names + im->sec[i].sh.sh_name;
	}
	return true;
}

static bool symbols_are_right(const struct elf_image *im)
{
	const struct elf_section *tab = &im->sec[im->symtab];
	size_t names = im->sec[im->strtab].sh.sh_size;

	if (!tab->data || tab->sh.sh_size % sizeof(Elf64_Sym) ||
	    tab->sh.sh_info > elf_symbol_count(im))
		return false;
	for (unsigned i = 0; i < elf_symbol_count(im); i++) {
		const Elf64_Sym *sym = elf_symbol(im, i);

		if (sym->st_name >= names ||
		    (sym->st_shndx >= im->count && sym->st_shndx < SHN_LORESERVE) ||
		    sym->st_shndx == SHN_XINDEX)
			return false;
	}
	return true;
}

static bool relocs_are_right(const struct elf_image *im, unsigned section)
{
	const struct elf_section *s = &im->sec[section];
	const struct elf_section *target = &im->sec[s->sh.sh_info];

	if (s->sh.sh_type != SHT_RELA)
		return true;
	if (s->sh.sh_link != im->symtab || s->sh.sh_info == 0 ||
	    s->sh.sh_info >= im->count || s->sh.sh_size % sizeof(Elf64_Rela) ||
	    (s->sh.sh_size && !target->data))
		return false;
	for (size_t i = 0; i < elf_reloc_count(im, section); i++) {
		const Elf64_Rela *r = elf_reloc(im, section, i);
		unsigned width = ELF64_R_TYPE(r->r_info) == R_X86_64_64 ||
				 ELF64_R_TYPE(r->r_info) == R_X86_64_PC64 ? 8 : 4;

		if (ELF64_R_SYM(r->r_info) >= elf_symbol_count(im) ||
		    target->sh.sh_size < width || r->r_offset > target->sh.sh_size - width)
			return false;
	}
	return true;
}

static bool image_is_right(struct elf_image *im)
{
	if (!im->symtab || !is_string_table(im, im->shstrtab))
		return false;
	im->strtab = im->sec[im->symtab].sh.sh_link;
	if (!is_string_table(im, im->strtab) || im->strtab == im->shstrtab)
		return false;
	im->names = g_memdup2(im->sec[im->shstrtab].data, im->sec[im->shstrtab].sh.sh_size);
	if (!names_are_right(im) || !symbols_are_right(im))
		return false;
	for (unsigned i = 1; i < im->count; i++)
		if (im->sec[i].sh.sh_link >= im->count || !relocs_are_right(im, i))
			return false;
	return true;
}

bool elf_image_read(struct elf_image *im, const char *path)
{
	char *text = NULL;
	gsize size = 0;
	bool ok;

	memset(im, 0, sizeof(*im));
	ok = g_file_get_contents(path, &text, &size, NULL) && size >= sizeof(im->eh);
	if (ok)
		memcpy(&im->eh, text, sizeof(im->eh));
	ok = ok && header_is_right(&im->eh, size);
	if (ok) {
		im->count = im->eh.e_shnum;
		im->shstrtab = im->eh.e_shstrndx;
		im->sec = g_new0(struct elf_section, im->count);
	}
	for (unsigned i = 0; ok && i < im->count; i++)
		ok = section_read(im, i, text, size);
	g_free(text);
	if (ok && image_is_right(im))
		return true;
	elf_image_free(im);
	return false;
}

void elf_image_free(struct elf_image *im)
{
	for (unsigned i = 0; im->sec && i < im->count; i++)
		g_free(im->sec[i].data);
	g_free(im->sec);
	g_free(im->names);
	memset(im, 0, sizeof(*im));
}

unsigned elf_image_find(const struct elf_image *im, const char *name)
{
	for (unsigned i = 1; i < im->count; i++)
		if (!im->sec[i].dropped && strcmp(im->sec[i].name, name) == 0)
			return i;
	return 0;
}

unsigned elf_image_relocs(const struct elf_image *im, unsigned section)
{
	for (unsigned i = 1; i < im->count; i++)
		if (im->sec[i].sh.sh_type == SHT_RELA && im->sec[i].sh.sh_info == section)
			return i;
	return 0;
}

const Elf64_Sym *elf_symbol_find(const struct elf_image *im, const char *name)
{
	for (unsigned i = 1; i < elf_symbol_count(im); i++)
		if (strcmp(elf_symbol_name(im, elf_symbol(im, i)), name) == 0)
			return elf_symbol(im, i);
	return NULL;
}

void elf_image_drop(struct elf_image *im, unsigned section)
{
	unsigned relocs = elf_image_relocs(im, section);

	im->sec[section].dropped = true;
	if (relocs)
		im->sec[relocs].dropped = true;
}

/* Numbers in the new file, by old ones. */
static unsigned *sections_number(struct elf_image *im)
{
	unsigned *number = g_new0(unsigned, im->count), next = 0;

	for (unsigned i = 0; i < im->count; i++)
		if (!im->sec[i].dropped)
			number[i] = next++;
	im->eh.e_shnum = next;
	im->eh.e_shstrndx = number[im->shstrtab];
	for (unsigned i = 0; i < elf_symbol_count(im); i++) {
		Elf64_Sym *sym = elf_symbol(im, i);

		if (sym->st_shndx < im->count)
			sym->st_shndx = number[sym->st_shndx];
	}
	for (unsigned i = 1; i < im->count; i++) {
		Elf64_Shdr *sh = &im->sec[i].sh;

		sh->sh_link = number[sh->sh_link];
		if ((sh->sh_type == SHT_RELA || sh->sh_flags & SHF_INFO_LINK) &&
		    sh->sh_info < im->count)
			sh->sh_info = number[sh->sh_info];
	}
	return number;
}

/* Names of ".rela.x" end in ".x": one text for both. */
static unsigned name_place(GByteArray *out, const char *name)
{
	size_t len = strlen(name) + 1;

	for (size_t i = 0; i + len <= out->len; i++)
		if (memcmp(out->data + i, name, len) == 0)
			return i;
	g_byte_array_append(out, (const guint8 *)name, len);
	return out->len - len;
}

static void names_write(struct elf_image *im)
{
	GByteArray *out = g_byte_array_new();
	struct elf_section *str = &im->sec[im->shstrtab];

	g_byte_array_append(out, (const guint8 *)"", 1);
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 1; i < im->count; i++)
			if (!im->sec[i].dropped &&
			    (im->sec[i].sh.sh_type == SHT_RELA) == (pass == 0))
				im->sec[i].sh.sh_name = name_place(out, im->sec[i].name);
	g_free(str->data);
	str->sh.sh_size = out->len;
	str->data = (char *)g_byte_array_free(out, FALSE);
}

static void pad_to(GByteArray *out, size_t align)
{
	while (align > 1 && out->len % align)
		g_byte_array_append(out, (const guint8 *)"", 1);
}

static GByteArray *image_layout(struct elf_image *im)
{
	GByteArray *out = g_byte_array_new();

	g_byte_array_append(out, (guint8 *)&im->eh, sizeof(im->eh));
	for (unsigned i = 1; i < im->count; i++) {
		struct elf_section *s = &im->sec[i];

		if (s->dropped)
			continue;
		if (s->sh.sh_type != SHT_NOBITS && s->sh.sh_size)
			pad_to(out, s->sh.sh_addralign);
		s->sh.sh_offset = out->len;
		if (s->data)
			g_byte_array_append(out, (guint8 *)s->data, s->sh.sh_size);
	}
	pad_to(out, 8);
	im->eh.e_shoff = out->len;
	memcpy(out->data, &im->eh, sizeof(im->eh));
	for (unsigned i = 0; i < im->count; i++)
		if (!im->sec[i].dropped)
			g_byte_array_append(out, (guint8 *)&im->sec[i].sh,
					    sizeof(im->sec[i].sh));
	return out;
}

uint64_t elf_section_append(struct elf_section *s, size_t size)
{
	uint64_t at = (s->sh.sh_size + size - 1) & -(uint64_t)size;

	s->data = g_realloc(s->data, at + size);
	memset(s->data + s->sh.sh_size, 0, at + size - s->sh.sh_size);
	s->sh.sh_size = at + size;
	return at;
}

int elf_image_write(struct elf_image *im, const char *path, char **err)
{
	unsigned *number = sections_number(im);
	GError *gerr = NULL;
	GByteArray *out;
	int rc = 0;

	names_write(im);
	out = image_layout(im);
	/* Writing in place would leave the old, longer file's tail. */
	unlink(path);
	if (!g_file_set_contents_full(path, (char *)out->data, out->len,
				      G_FILE_SET_CONTENTS_NONE, 0644, &gerr)) {
		rc = errmsg_is_disk_full(gerr->message, path) ? errmsg_disk_full(err, path) :
		     errmsg_set(err, "%s", gerr->message);
		g_error_free(gerr);
	}
	g_byte_array_free(out, TRUE);
	g_free(number);
	return rc;
}

unsigned elf_section_symbol(const struct elf_image *im, unsigned section)
{
	for (unsigned i = 1; i < elf_symbol_count(im); i++)
		if (ELF64_ST_TYPE(elf_symbol(im, i)->st_info) == STT_SECTION && elf_symbol(im, i)->st_shndx == section &&
		    elf_symbol(im, i)->st_value == 0)
			return i;
	return 0;
}
