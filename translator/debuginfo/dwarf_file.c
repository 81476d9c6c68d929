/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening an ELF file with its debug information through libdwfl, and what its addresses mean outside. */
#include "dwarf_file.h"
#include "dwarf_file_priv.h"
#include "errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libdwfl asks for the debug file first, and then, with that file's name, for its dwz file. */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base, const char *file_name,
			  const char *link, GElf_Word crc, char **debuginfo_name)
{
	struct dwarf_file *f = *userdata;
	char *path;
	int fd;

	if (f && !f->priv->debug_given && f->debug_path && f->path && strcmp(f->debug_path, f->path) != 0) {
		f->priv->debug_given = true;
		path = f->debug_path;
	} else if (f && f->priv->alt_path) {
		path = f->priv->alt_path;
	} else {
		return -1;
	}
	fd = dwarf_layout_fd(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path);
	if (fd >= 0)
		*debuginfo_name = strdup(path);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Opens the file itself, for reading only; says why it cannot. */
static int open_fd(const char *path, char **err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return errmsg_set(err, "cannot open %s: %s", path, g_strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		return fd;
	errmsg_set(err, S_ISDIR(st.st_mode) ? "%s is a directory" : S_ISREG(st.st_mode) ? "%s is empty" :
		   "%s is not a regular file", path);
	close(fd);
	return -1;
}

static int report(struct dwarf_file *f, const char *path, char **err)
{
	struct dwarf_file_priv *p = f->priv;
	GElf_Ehdr ehdr;
	GElf_Addr bias;
	void **userdata;
	int fd = open_fd(path, err);

	if (fd < 0)
		return -1;
	fd = dwarf_layout_fd(fd, path);
	p->dwfl = dwfl_begin(&callbacks);
	p->mod = p->dwfl ? dwfl_report_elf(p->dwfl, f->name, path, fd, 0, true) : NULL;
	if (!p->mod) {
		errmsg_set(err, "%s is not a usable ELF file: %s", path, dwfl_errmsg(-1));
		close(fd);
		return -1;
	}
	dwfl_report_end(p->dwfl, NULL, NULL);
	dwfl_module_info(p->mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = f;
	p->elf = dwfl_module_getelf(p->mod, &bias);
	if (!p->elf || !gelf_getehdr(p->elf, &ehdr))
		return errmsg_set(err, "%s is not a usable ELF file: %s", path, dwfl_errmsg(-1));
	if (ehdr.e_ident[EI_DATA] != (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return errmsg_set(err, "%s is for a machine of another byte order", path);
	if (bias != 0)
		return errmsg_set(err, "%s has a layout that is not understood (bias %#llx)", path, (unsigned long long)bias);
	f->relocatable = ehdr.e_type == ET_REL;
	f->executable = ehdr.e_type == ET_EXEC;
	f->machine = ehdr.e_machine;
	return 0;
}

/* The debug file: the one that was given, the file itself, or one that is found. */
static void choose_debug(struct dwarf_file *f, const char *debug_path, const struct dwarf_search *search)
{
	struct dwarf_wanted w = { .path = f->path, .search = search };
	bool own;
	char *link = NULL;

	f->build_id = dwarf_elf_identity(f->priv->elf, &own);
	w.build_id = f->build_id;
	if (debug_path) {
		f->debug_path = g_strdup(debug_path);
	} else if (own) {
		f->debug_path = g_strdup(f->path);
	} else {
		w.debuglink = link = dwarf_elf_debuglink(f->priv->elf, &w.crc);
		f->debug_path = dwarf_find_debug(&w, &f->warning, &f->unfetched);
	}
	if (!f->debug_path)
		f->problem = g_strdup_printf("%s has no debug information%s%s%s%s", f->path ? f->path : f->name,
					     f->build_id ? " (build id " : "", f->build_id ? f->build_id : "", f->build_id ? ")" : "",
					     f->warning ? ", and what was found is not usable" : "");
	else
		f->priv->alt_path = dwarf_find_alt(f->debug_path, search, f->warning ? NULL : &f->warning);
	g_free(link);
}

int dwarf_file_open(enum dwarf_file_kind kind, const char *name, const char *path, const char *debug_path,
		    const struct dwarf_search *search, struct dwarf_file **ret, char **err)
{
	struct dwarf_file *f = g_new0(struct dwarf_file, 1);

	*ret = NULL;
	elf_version(EV_CURRENT);
	f->kind = kind;
	f->name = g_strdup(name);
	f->path = g_strdup(path);
	f->priv = g_new0(struct dwarf_file_priv, 1);
	if (report(f, path ? path : debug_path, err) != 0) {
		dwarf_file_close(f);
		return -1;
	}
	choose_debug(f, debug_path, search);
	if (search && search->want_build_id && f->build_id && strcmp(search->want_build_id, f->build_id) != 0) {
		errmsg_set(err, "%s is of another build: its build id is %s, not %s", path ? path : debug_path, f->build_id,
			   search->want_build_id);
		dwarf_file_close(f);
		return -1;
	}
	*ret = f;
	return 0;
}

void dwarf_file_close(struct dwarf_file *f)
{
	if (!f)
		return;
	if (f->priv->dwfl)
		dwfl_end(f->priv->dwfl);
	if (f->priv->strings)
		g_hash_table_destroy(f->priv->strings);
	g_free(f->priv->alt_path);
	g_free(f->priv);
	g_free(f->name);
	g_free(f->path);
	g_free(f->debug_path);
	g_free(f->build_id);
	g_free(f->problem);
	g_free(f->warning);
	g_free(f->unfetched);
	g_free(f);
}

Dwarf *dwarf_file_dwarf(struct dwarf_file *f)
{
	struct dwarf_file_priv *p = f->priv;
	Dwarf_Addr bias = 0;

	if (p->dwarf_asked || !f->debug_path)
		return p->dwarf;
	p->dwarf_asked = true;
	p->dwarf = dwfl_module_getdwarf(p->mod, &bias);
	if (!p->dwarf) {
		f->problem = g_strdup_printf("the debug information in %s cannot be read: %s", f->debug_path, dwfl_errmsg(-1));
	} else if (bias != 0) {
		f->problem = g_strdup_printf("the addresses in %s are not those of %s (bias %#llx)", f->debug_path,
					     f->path ? f->path : f->name, (unsigned long long)bias);
		p->dwarf = NULL;
	}
	return p->dwarf;
}

Elf *dwarf_file_elf(struct dwarf_file *f)
{
	return f->priv->elf;
}

Dwarf_CFI *dwarf_file_debug_frame(struct dwarf_file *f)
{
	Dwarf_Addr bias;

	if (!f->priv->debug_frame_asked) {
		f->priv->debug_frame_asked = true;
		f->priv->debug_frame = dwarf_file_dwarf(f) ? dwfl_module_dwarf_cfi(f->priv->mod, &bias) : NULL;
	}
	return f->priv->debug_frame;
}

Dwarf_CFI *dwarf_file_eh_frame(struct dwarf_file *f)
{
	Dwarf_Addr bias;

	if (!f->priv->eh_asked) {
		f->priv->eh_asked = true;
		f->priv->eh_frame = dwfl_module_eh_cfi(f->priv->mod, &bias);
	}
	return f->priv->eh_frame;
}

/* The address of a symbol of the file; 0 when it has none of that name. */
static uint64_t symbol_address(struct dwarf_file *f, const char *want)
{
	int n = dwfl_module_getsymtab(f->priv->mod);

	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(f->priv->mod, i, &sym, &addr, NULL, NULL, NULL);

		if (name && strcmp(name, want) == 0)
			return addr;
	}
	return 0;
}

static const char *keep_string(struct dwarf_file *f, const char *s)
{
	char *own;

	if (!f->priv->strings)
		f->priv->strings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	own = g_hash_table_lookup(f->priv->strings, s);
	if (!own) {
		own = g_strdup(s);
		g_hash_table_insert(f->priv->strings, own, own);
	}
	return own;
}

/* The allocated section that holds `addr`. */
static bool section_at(struct dwarf_file *f, uint64_t addr, const char **name, GElf_Shdr *ret)
{
	Elf_Scn *scn = NULL;
	size_t strndx;

	if (elf_getshdrstrndx(f->priv->elf, &strndx) != 0)
		return false;
	while ((scn = elf_nextscn(f->priv->elf, scn)))
		if (gelf_getshdr(scn, ret) && (ret->sh_flags & SHF_ALLOC) && addr >= ret->sh_addr &&
		    addr - ret->sh_addr < ret->sh_size) {
			*name = elf_strptr(f->priv->elf, strndx, ret->sh_name);
			return *name != NULL;
		}
	return false;
}

bool dwarf_file_reference(struct dwarf_file *f, uint64_t addr, const char **symbol, uint64_t *offset)
{
	const char *name;
	GElf_Shdr sh;

	if (f->kind == DWARF_FILE_USER || !section_at(f, addr, &name, &sh))
		return false;
	if (f->kind == DWARF_FILE_MODULE) {
		*symbol = keep_string(f, name);
		*offset = addr - sh.sh_addr;
		return true;
	}
	if (!f->priv->text_reference)
		f->priv->text_reference = symbol_address(f, "_stext");
	*symbol = "_stext";
	*offset = addr - f->priv->text_reference;
	return f->priv->text_reference != 0;
}

bool dwarf_file_section_address(struct dwarf_file *f, const char *section, uint64_t offset, uint64_t *addr)
{
	Elf_Scn *scn = NULL;
	size_t strndx;

	if (elf_getshdrstrndx(f->priv->elf, &strndx) != 0)
		return false;
	while ((scn = elf_nextscn(f->priv->elf, scn))) {
		const char *name;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || offset >= sh.sh_size)
			continue;
		name = elf_strptr(f->priv->elf, strndx, sh.sh_name);
		if (!name || strcmp(name, section) != 0)
			continue;
		*addr = sh.sh_addr + offset;
		return true;
	}
	return false;
}

/* Offset in the file and bytes there from `addr` on: by segments, or by sections where there are none. */
static bool file_place(struct dwarf_file *f, uint64_t addr, uint64_t *offset, uint64_t *len)
{
	const char *name;
	GElf_Phdr ph;
	GElf_Shdr sh;
	size_t n = 0;

	if (f->relocatable) {
		if (!section_at(f, addr, &name, &sh) || sh.sh_type == SHT_NOBITS)
			return false;
		*offset = sh.sh_offset + (addr - sh.sh_addr);
		*len = sh.sh_size - (addr - sh.sh_addr);
		return true;
	}
	elf_getphdrnum(f->priv->elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(f->priv->elf, i, &ph) && ph.p_type == PT_LOAD && addr >= ph.p_vaddr &&
		    addr - ph.p_vaddr < ph.p_filesz) {
			*offset = ph.p_offset + (addr - ph.p_vaddr);
			*len = ph.p_filesz - (addr - ph.p_vaddr);
			return true;
		}
	return false;
}

size_t dwarf_file_read(struct dwarf_file *f, uint64_t addr, void *buf, size_t len)
{
	const char *raw, *name;
	uint64_t offset, have;
	size_t size;
	GElf_Shdr sh;

	/* a debug file's headers speak of code that it does not have */
	if (section_at(f, addr, &name, &sh) && sh.sh_type == SHT_NOBITS)
		return 0;
	raw = elf_rawfile(f->priv->elf, &size);
	if (!raw || !file_place(f, addr, &offset, &have) || offset > size)
		return 0;
	len = MIN(len, MIN(have, size - offset));
	memcpy(buf, raw + offset, len);
	return len;
}
