/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening programs, their functions and addresses (user_elf.h). */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <elfutils/libdwfl.h>

#include "user_elf.h"

static char *debuginfo_path; /* libdwfl's default: beside the file, .debug/, /usr/lib/debug */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

/* ---- what the file says about itself ---- */

static const char *hex_text(struct session *s, const unsigned char *p, size_t n)
{
	char *ret = arena_alloc(s, 2 * n + 1);

	for (size_t i = 0; i < n; i++)
		sprintf(ret + 2 * i, "%02x", p[i]);
	return ret;
}

static void read_dynamic(struct session *s, struct user_elf *ue, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Dyn dyn;

	for (int i = 0; d && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *text = NULL;

		if (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE)
			ue->is_library = false;
		if (dyn.d_tag == DT_NEEDED || dyn.d_tag == DT_RPATH || dyn.d_tag == DT_RUNPATH || dyn.d_tag == DT_SONAME)
			text = elf_strptr(ue->elf, sh->sh_link, dyn.d_un.d_val);
		if (!text)
			continue;
		text = arena_strdup(s, text);
		if (dyn.d_tag == DT_NEEDED)
			g_ptr_array_add(ue->needed, (char *)text);
		else if (dyn.d_tag == DT_RPATH)
			ue->rpath = text;
		else if (dyn.d_tag == DT_RUNPATH)
			ue->runpath = text;
		else
			ue->soname = text;
	}
}

static void read_headers(struct session *s, struct user_elf *ue)
{
	Elf_Scn *scn = NULL;
	size_t n = 0;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	GElf_Shdr sh;

	if (elf_getphdrnum(ue->elf, &n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(ue->elf, i, &ph) && ph.p_type == PT_INTERP && ph.p_filesz > 1 && ph.p_filesz < 4096) {
			Elf_Data *d = elf_getdata_rawchunk(ue->elf, ph.p_offset, ph.p_filesz, ELF_T_BYTE);

			if (d && d->d_buf)
				ue->interp = arena_strndup(s, d->d_buf, strnlen(d->d_buf, d->d_size));
		}
	/* plugins and many a small library have no name of their own */
	ue->is_library = gelf_getehdr(ue->elf, &eh) && eh.e_type == ET_DYN && !ue->interp;
	while ((scn = elf_nextscn(ue->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
			read_dynamic(s, ue, scn, &sh);
	ue->is_library |= ue->soname != NULL;
}

static const char *elf_problem(struct session *s, struct user_elf *ue)
{
	GElf_Ehdr eh;

	ue->elf = dwfl_module_getelf(ue->module, &(GElf_Addr){ 0 });
	if (!ue->elf || !gelf_getehdr(ue->elf, &eh))
		return arena_printf(s, "it cannot be read as an ELF file (%s)", dwfl_errmsg(-1));
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		return "it is neither a program nor a shared library";
	if (eh.e_machine != EM_X86_64 && eh.e_machine != EM_386)
		return "it is for another kind of processor";
	ue->is_32bit = eh.e_ident[EI_CLASS] == ELFCLASS32;
	return NULL;
}

/* Only ELF files come to libdwfl, which would unpack others. */
static const char *open_file(struct session *s, struct user_elf *ue)
{
	struct stat st;
	char magic[SELFMAG];
	int fd = open(ue->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_elf;

	if (fd < 0)
		return arena_strdup(s, g_strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return "it is no regular file";
	}
	is_elf = pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, SELFMAG);
	close(fd);
	if (!is_elf)
		return "it is no ELF file";
	ue->dwfl = dwfl_begin(&callbacks);
	ue->module = ue->dwfl ? dwfl_report_offline(ue->dwfl, ue->path, ue->path, -1) : NULL;
	if (!ue->module)
		return arena_printf(s, "it cannot be read as an ELF file (%s)", dwfl_errmsg(-1));
	dwfl_report_end(ue->dwfl, NULL, NULL);
	return elf_problem(s, ue);
}

static void close_all(struct session *s);

/*
 * The path without symbolic links.  What /proc has for a process (/proc/PID/exe, /proc/PID/root/...) may be in another mount namespace,
 * or deleted: where its links seem to lead there is another file then, and the path stays as it is.
 */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);
	struct stat a, b;

	if (strncmp(path, "/proc/", 6) || stat(path, &a) || (real && !stat(real, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino))
		return real;
	free(real);
	return strdup(path);
}

struct user_elf *user_elf_open(struct session *s, const char *path, const char **why)
{
	struct user_elf *ue;
	const unsigned char *id;
	char *real = real_path(path);
	GElf_Addr at;
	int n;

	if (!real) {
		*why = arena_strdup(s, g_strerror(errno));
		return NULL;
	}
	if (!s->user_elfs) {
		s->user_elfs = g_hash_table_new(g_str_hash, g_str_equal);
		s->user_elf_close = close_all;
	}
	ue = g_hash_table_lookup(s->user_elfs, real);
	if (!ue) {
		ue = arena_alloc(s, sizeof(*ue));
		ue->path = arena_strdup(s, real);
		ue->needed = g_ptr_array_new();
		ue->problem = open_file(s, ue);
		n = ue->problem ? 0 : dwfl_module_build_id(ue->module, &id, &at);
		if (n > 0)
			ue->build_id = hex_text(s, id, n);
		if (!ue->problem)
			read_headers(s, ue);
		g_hash_table_insert(s->user_elfs, (char *)ue->path, ue);
	}
	free(real);
	*why = ue->problem;
	return ue->problem ? NULL : ue;
}

bool user_elf_offset(const struct user_elf *ue, uint64_t addr, bool code, uint64_t *offset)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(ue->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(ue->elf, i, &ph) || ph.p_type != PT_LOAD || (code && !(ph.p_flags & PF_X)))
			continue;
		if (addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = addr - ph.p_vaddr + ph.p_offset;
		return true;
	}
	return false;
}

/* ---- symbols ---- */

void user_elf_each_symbol(struct user_elf *ue, bool (*fn)(void *data, const char *name, const GElf_Sym *sym, uint64_t addr), void *data)
{
	int n = dwfl_module_getsymtab(ue->module);
	GElf_Addr bias = 0;

	dwfl_module_getelf(ue->module, &bias);
	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word shndx;
		const char *name = dwfl_module_getsym_info(ue->module, i, &sym, &addr, &shndx, NULL, NULL);

		if (name && *name && sym.st_shndx != SHN_UNDEF && !fn(data, name, &sym, addr - bias))
			return;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct user_func *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct collected {
	struct session *s;
	struct user_elf *ue;
};

static bool add_function(void *data, const char *name, const GElf_Sym *sym, uint64_t addr)
{
	struct collected *c = data;
	unsigned type = GELF_ST_TYPE(sym->st_info);
	struct user_func f = { .addr = addr, .size = sym->st_size, .global = GELF_ST_BIND(sym->st_info) != STB_LOCAL,
		.is_ifunc = type == STT_GNU_IFUNC };
	uint64_t offset;

	if ((type == STT_FUNC || type == STT_GNU_IFUNC) && user_elf_offset(c->ue, addr, true, &offset)) {
		f.name = arena_strndup(c->s, name, strcspn(name, "@"));
		g_array_append_val(c->ue->funcs, f);
	}
	return true;
}

const GArray *user_elf_funcs(struct session *s, struct user_elf *ue)
{
	struct collected c = { s, ue };

	if (ue->funcs)
		return ue->funcs;
	ue->funcs = g_array_new(FALSE, FALSE, sizeof(struct user_func));
	user_elf_each_symbol(ue, add_function, &c);
	qsort(ue->funcs->data, ue->funcs->len, sizeof(struct user_func), by_address);
	return ue->funcs;
}

struct named {
	const char *name;
	uint64_t addr;
	bool found;
};

static bool is_named(void *data, const char *name, const GElf_Sym *sym, uint64_t addr)
{
	struct named *n = data;

	n->found = !strcmp(name, n->name);
	n->addr = addr;
	return !n->found;
}

bool user_elf_symbol(struct user_elf *ue, const char *want, uint64_t *ret)
{
	struct named n = { .name = want };

	user_elf_each_symbol(ue, is_named, &n);
	if (n.found)
		*ret = n.addr;
	return n.found;
}

static void close_all(struct session *s)
{
	GHashTableIter it;
	void *value;

	g_hash_table_iter_init(&it, s->user_elfs);
	while (g_hash_table_iter_next(&it, NULL, &value)) {
		struct user_elf *ue = value;
		GArray *arrays[] = { ue->funcs, ue->marks, ue->plts };

		for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
			if (arrays[i])
				g_array_free(arrays[i], TRUE);
		g_ptr_array_free(ue->needed, TRUE);
		if (ue->dwfl)
			dwfl_end(ue->dwfl);
	}
	g_hash_table_destroy(s->user_elfs);
}
