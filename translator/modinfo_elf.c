/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a module-info object after the model of the kernel's own. 64-bit
 * kernels only: struct modversion_info is {unsigned long crc; char name[56]}. */
#include "modinfo_elf.h"
#include "errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define THIS_MODULE ".gnu.linkonce.this_module"
#define VERSION_NAME_LEN 56

/* What the template has. `name_at` is the offset of the name in struct module. */
struct model {
	Elf *elf;
	int fd;
	GElf_Ehdr eh;
	GByteArray *strings;		/* .modinfo without name, depends, import_ns */
	GByteArray *this_module;
	size_t this_align, name_at, name_room;
	GArray *relocs;			/* GElf_Rela, r_info's symbol in our numbering */
	bool basic_versions, extended_versions;
};

/* Symbols of the object we write, in this order after the null symbol. */
enum { SYM_THIS_MODULE = 1, SYM_INIT_MODULE, SYM_CLEANUP_MODULE, SYM_COUNT };
static const char *const symbol_names[SYM_COUNT] = { "", "__this_module",
	"init_module", "cleanup_module" };

static bool string_is_ours(const char *s)
{
	return g_str_has_prefix(s, "name=") || g_str_has_prefix(s, "depends=") ||
	       g_str_has_prefix(s, "import_ns=");
}

static void model_take_strings(struct model *m, Elf_Data *d)
{
	const char *p = d->d_buf, *end = p + d->d_size;

	while (p < end) {
		size_t len = strnlen(p, end - p);

		if (len > 0 && len < (size_t)(end - p) && !string_is_ours(p))
			g_byte_array_append(m->strings, (const guint8 *)p, len + 1);
		p += len + 1;
	}
}

static void model_take_relocs(struct model *m, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL), *symdata;
	Elf_Scn *symscn = elf_getscn(m->elf, sh->sh_link);
	GElf_Shdr symsh;

	if (!data || !symscn || !gelf_getshdr(symscn, &symsh) || !sh->sh_entsize)
		return;
	symdata = elf_getdata(symscn, NULL);
	for (size_t i = 0; i < sh->sh_size / sh->sh_entsize; i++) {
		GElf_Rela r;
		GElf_Sym sym;
		const char *name;

		if (!gelf_getrela(data, i, &r) ||
		    !gelf_getsym(symdata, GELF_R_SYM(r.r_info), &sym))
			continue;
		name = elf_strptr(m->elf, symsh.sh_link, sym.st_name);
		for (int s = SYM_INIT_MODULE; name && s < SYM_COUNT; s++) {
			if (strcmp(name, symbol_names[s]) == 0) {
				r.r_info = GELF_R_INFO(s, GELF_R_TYPE(r.r_info));
				g_array_append_val(m->relocs, r);
			}
		}
	}
}

static void model_take_section(struct model *m, Elf_Scn *scn, const char *name,
			       const GElf_Shdr *sh)
{
	Elf_Data *data;

	if (!name)
		return;
	if (strcmp(name, "__versions") == 0)
		m->basic_versions = true;
	else if (strcmp(name, "__version_ext_names") == 0)
		m->extended_versions = true;
	else if (strcmp(name, ".rela" THIS_MODULE) == 0)
		model_take_relocs(m, scn, sh);
	else if (strcmp(name, ".modinfo") == 0 && (data = elf_rawdata(scn, NULL)) && data->d_buf)
		model_take_strings(m, data);
	else if (strcmp(name, THIS_MODULE) == 0 && (data = elf_rawdata(scn, NULL)) &&
		 data->d_buf) {
		g_byte_array_append(m->this_module, data->d_buf, data->d_size);
		m->this_align = sh->sh_addralign;
	}
}

static void model_close(struct model *m)
{
	elf_end(m->elf);
	if (m->fd >= 0)
		close(m->fd);
	g_byte_array_free(m->strings, TRUE);
	g_byte_array_free(m->this_module, TRUE);
	g_array_free(m->relocs, TRUE);
}

/* Finds where struct module keeps the name: the template's own name is there. */
static bool model_find_name(struct model *m, const char *name)
{
	size_t len = strlen(name) + 1, size = m->this_module->len;

	for (size_t i = 0; i + len <= size; i++) {
		if (memcmp(m->this_module->data + i, name, len) == 0) {
			m->name_at = i;
			m->name_room = VERSION_NAME_LEN;
			return i + m->name_room <= size;
		}
	}
	return false;
}

static int model_open(struct model *m, const char *path, char **err)
{
	char *name = modinfo_read_value(path, "name");
	Elf_Scn *scn = NULL;
	size_t strndx = 0;
	bool ok;

	memset(m, 0, sizeof(*m));
	m->strings = g_byte_array_new();
	m->this_module = g_byte_array_new();
	m->relocs = g_array_new(FALSE, FALSE, sizeof(GElf_Rela));
	elf_version(EV_CURRENT);
	m->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	m->elf = m->fd >= 0 ? elf_begin(m->fd, ELF_C_READ_MMAP, NULL) : NULL;
	ok = m->elf && gelf_getehdr(m->elf, &m->eh) &&
	     elf_getshdrstrndx(m->elf, &strndx) == 0;
	while (ok && (scn = elf_nextscn(m->elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh))
			model_take_section(m, scn, elf_strptr(m->elf, strndx, sh.sh_name), &sh);
	}
	ok = ok && name && m->eh.e_ident[EI_CLASS] == ELFCLASS64 &&
	     model_find_name(m, name) && m->relocs->len > 0;
	g_free(name);
	if (ok)
		return 0;
	model_close(m);
	return errmsg_set(err, "%s is not a module-info object as expected (64-bit, with "
			  THIS_MODULE ")", path);
}

/* Appends a string to a string table, returns its offset. */
static size_t table_add(GByteArray *t, const char *s)
{
	size_t at = t->len;

	g_byte_array_append(t, (const guint8 *)s, strlen(s) + 1);
	return at;
}

/* One section to write. */
struct section {
	const char *name;
	GElf_Shdr sh;
	Elf_Type type;
	void *data;
	size_t size;
};

static GByteArray *versions_basic(const struct modinfo_spec *spec)
{
	GByteArray *out = g_byte_array_new();

	for (size_t i = 0; i < spec->import_count; i++) {
		struct { uint64_t crc; char name[VERSION_NAME_LEN]; } v = {
			.crc = spec->imports[i].crc };

		/* Longer names only exist where the extended form does. */
		if (strlen(spec->imports[i].name) >= sizeof(v.name))
			continue;
		strcpy(v.name, spec->imports[i].name);
		g_byte_array_append(out, (const guint8 *)&v, sizeof(v));
	}
	return out;
}

static void versions_extended(const struct modinfo_spec *spec, GByteArray *crcs,
			      GByteArray *names)
{
	for (size_t i = 0; i < spec->import_count; i++) {
		g_byte_array_append(crcs, (const guint8 *)&spec->imports[i].crc, 4);
		table_add(names, spec->imports[i].name);
	}
}

static int section_write(Elf *elf, const struct section *s, GByteArray *shstr)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh = s->sh;

	if (!data)
		return -1;
	data->d_buf = s->data;
	data->d_size = s->size;
	data->d_align = sh.sh_addralign ? sh.sh_addralign : 1;
	data->d_type = s->type;
	data->d_version = EV_CURRENT;
	sh.sh_name = table_add(shstr, s->name);
	sh.sh_addralign = data->d_align;
	return gelf_update_shdr(scn, &sh) ? 0 : -1;
}

/* Everything that the section headers point at lives here until elf_update. */
struct image {
	GByteArray *modinfo, *this_module, *basic, *crcs, *names, *strtab, *shstr;
	Elf64_Sym syms[SYM_COUNT];
	Elf64_Rela rela[8];
	struct section sections[12];
	int count;
};

static struct section *image_add(struct image *im, const char *name, GElf_Word type,
				 GElf_Xword flags, size_t align, void *data, size_t size)
{
	struct section *s = &im->sections[im->count++];

	s->name = name;
	s->sh.sh_type = type;
	s->sh.sh_flags = flags;
	s->sh.sh_addralign = align;
	s->type = ELF_T_BYTE;
	s->data = data;
	s->size = size;
	return s;
}

static void image_symbols(struct image *im, int this_module_index)
{
	table_add(im->strtab, "");
	for (int i = 1; i < SYM_COUNT; i++) {
		im->syms[i].st_name = table_add(im->strtab, symbol_names[i]);
		im->syms[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	}
	im->syms[SYM_THIS_MODULE].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	im->syms[SYM_THIS_MODULE].st_shndx = this_module_index;
	im->syms[SYM_THIS_MODULE].st_size = im->this_module->len;
}

/* Lays out the sections. Indices are position + 1, after the null section. */
static void image_build(struct image *im, const struct model *m,
			const struct modinfo_spec *spec)
{
	int this_index, strtab_index, symtab_index;
	struct section *s;
	guint n = MIN(m->relocs->len, G_N_ELEMENTS(im->rela));

	image_add(im, ".modinfo", SHT_PROGBITS, SHF_ALLOC, 1, im->modinfo->data,
		  im->modinfo->len);
	if (m->basic_versions)
		image_add(im, "__versions", SHT_PROGBITS, SHF_ALLOC, 32,
			  im->basic->data, im->basic->len);
	if (m->extended_versions) {
		image_add(im, "__version_ext_crcs", SHT_PROGBITS, SHF_ALLOC, 4,
			  im->crcs->data, im->crcs->len);
		image_add(im, "__version_ext_names", SHT_PROGBITS, SHF_ALLOC, 1,
			  im->names->data, im->names->len);
	}
	image_add(im, THIS_MODULE, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, m->this_align,
		  im->this_module->data, im->this_module->len);
	this_index = im->count;
	image_symbols(im, this_index);
	image_add(im, ".note.GNU-stack", SHT_PROGBITS, 0, 1, NULL, 0);
	image_add(im, ".strtab", SHT_STRTAB, 0, 1, im->strtab->data, im->strtab->len);
	strtab_index = im->count;
	s = image_add(im, ".symtab", SHT_SYMTAB, 0, 8, im->syms, sizeof(im->syms));
	symtab_index = im->count;
	s->type = ELF_T_SYM;
	s->sh.sh_entsize = sizeof(Elf64_Sym);
	s->sh.sh_link = strtab_index;
	s->sh.sh_info = 1;
	for (guint i = 0; i < n; i++)
		im->rela[i] = g_array_index(m->relocs, GElf_Rela, i);
	s = image_add(im, ".rela" THIS_MODULE, SHT_RELA, SHF_INFO_LINK, 8, im->rela,
		      n * sizeof(Elf64_Rela));
	s->type = ELF_T_RELA;
	s->sh.sh_entsize = sizeof(Elf64_Rela);
	s->sh.sh_link = symtab_index;
	s->sh.sh_info = this_index;
}

static int image_write(struct image *im, const struct model *m, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	struct section shstr = { .name = ".shstrtab" };
	GElf_Ehdr eh = { 0 };
	bool ok;

	if (!elf)
		return -1;
	ok = gelf_newehdr(elf, ELFCLASS64) != 0;
	eh.e_ident[EI_DATA] = m->eh.e_ident[EI_DATA];
	eh.e_type = ET_REL;
	eh.e_machine = m->eh.e_machine;
	eh.e_version = EV_CURRENT;
	eh.e_flags = m->eh.e_flags;
	eh.e_shstrndx = im->count + 1;
	ok = ok && gelf_update_ehdr(elf, &eh);
	table_add(im->shstr, "");
	for (int i = 0; ok && i < im->count; i++)
		ok = section_write(elf, &im->sections[i], im->shstr) == 0;
	/* Its own name must be in it before the buffer is handed over. */
	g_byte_array_append(im->shstr, (const guint8 *)shstr.name, strlen(shstr.name) + 1);
	size_t own = im->shstr->len - strlen(shstr.name) - 1;
	Elf_Scn *scn = ok ? elf_newscn(elf) : NULL;
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;

	if (data) {
		GElf_Shdr sh = { .sh_name = own, .sh_type = SHT_STRTAB, .sh_addralign = 1 };

		data->d_buf = im->shstr->data;
		data->d_size = im->shstr->len;
		data->d_align = 1;
		data->d_version = EV_CURRENT;
		ok = gelf_update_shdr(scn, &sh) && elf_update(elf, ELF_C_WRITE) > 0;
	} else {
		ok = false;
	}
	elf_end(elf);
	return ok ? 0 : -1;
}

static void image_fill(struct image *im, const struct model *m,
		       const struct modinfo_spec *spec)
{
	char *name = g_strdup_printf("name=%s", spec->name);

	im->modinfo = g_byte_array_new();
	g_byte_array_append(im->modinfo, m->strings->data, m->strings->len);
	table_add(im->modinfo, name);
	for (guint i = 0; i < spec->strings->len; i++)
		table_add(im->modinfo, spec->strings->pdata[i]);
	g_free(name);
	im->this_module = g_byte_array_new();
	g_byte_array_append(im->this_module, m->this_module->data, m->this_module->len);
	memset(im->this_module->data + m->name_at, 0, m->name_room);
	g_strlcpy((char *)im->this_module->data + m->name_at, spec->name, m->name_room);
	im->basic = versions_basic(spec);
	im->crcs = g_byte_array_new();
	im->names = g_byte_array_new();
	versions_extended(spec, im->crcs, im->names);
	im->strtab = g_byte_array_new();
	im->shstr = g_byte_array_new();
}

static void image_clear(struct image *im)
{
	GByteArray *all[] = { im->modinfo, im->this_module, im->basic, im->crcs,
			      im->names, im->strtab, im->shstr };

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
		g_byte_array_free(all[i], TRUE);
}

int modinfo_write(const struct modinfo_spec *spec, const char *output, char **err)
{
	struct image im = { 0 };
	struct model m;
	int fd, rc;

	if (model_open(&m, spec->template_path, err) != 0)
		return -1;
	if (strlen(spec->name) >= m.name_room) {
		model_close(&m);
		return errmsg_set(err, "the module name %s is too long: %d characters at "
				  "most", spec->name, VERSION_NAME_LEN - 1);
	}
	image_fill(&im, &m, spec);
	image_build(&im, &m, spec);
	fd = open(output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	rc = fd >= 0 ? image_write(&im, &m, fd) : -1;
	if (rc != 0 && errmsg_is_disk_full(NULL, output))
		errmsg_disk_full(err, output);
	else if (rc != 0)
		errmsg_set(err, "cannot write %s: %s", output,
			   fd < 0 ? g_strerror(errno) : elf_errmsg(-1));
	if (fd >= 0)
		close(fd);
	image_clear(&im);
	model_close(&m);
	return rc;
}
