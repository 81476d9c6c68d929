/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries on relocatable objects. */
#include "modinfo_elf.h"
#include "errmsg.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens `path` for reading; NULL when it is no ELF file. */
static Elf *object_open(const char *path, int *ret_fd)
{
	Elf *elf;

	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*ret_fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(*ret_fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		close(*ret_fd);
		return NULL;
	}
	return elf;
}

static Elf_Scn *section_find(Elf *elf, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t strndx;

	if (elf_getshdrstrndx(elf, &strndx) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *n = gelf_getshdr(scn, sh) ?
				elf_strptr(elf, strndx, sh->sh_name) : NULL;

		if (n && strcmp(n, name) == 0)
			return scn;
	}
	return NULL;
}

char *modinfo_read_value(const char *path, const char *key)
{
	size_t klen = strlen(key);
	GElf_Shdr sh;
	char *ret = NULL;
	int fd;
	Elf *elf = object_open(path, &fd);
	Elf_Scn *scn = elf ? section_find(elf, ".modinfo", &sh) : NULL;
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	if (data && data->d_buf) {
		const char *p = data->d_buf, *end = p + data->d_size;

		for (; p < end && !ret; p += strnlen(p, end - p) + 1)
			if ((size_t)(end - p) > klen && strncmp(p, key, klen) == 0 &&
			    p[klen] == '=')
				ret = g_strndup(p + klen + 1, end - p - klen - 1);
	}
	if (elf) {
		elf_end(elf);
		close(fd);
	}
	return ret;
}

size_t modinfo_this_module_size(const char *path)
{
	GElf_Shdr sh;
	size_t ret = 0;
	int fd;
	Elf *elf = object_open(path, &fd);

	if (elf) {
		if (section_find(elf, ".gnu.linkonce.this_module", &sh))
			ret = sh.sh_size;
		elf_end(elf);
		close(fd);
	}
	return ret;
}

int modinfo_read_symbols(const char *path, GHashTable *defined, GHashTable *undefined, char **err)
{
	GElf_Shdr sh;
	int fd;
	Elf *elf = object_open(path, &fd);
	Elf_Scn *scn = elf ? section_find(elf, ".symtab", &sh) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	for (size_t i = 1; data && sh.sh_entsize && i < sh.sh_size / sh.sh_entsize; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, i, &sym) || GELF_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		if (sym.st_shndx != SHN_UNDEF && defined)
			g_hash_table_add(defined, g_strdup(name));
		else if (sym.st_shndx == SHN_UNDEF && undefined)
			g_hash_table_insert(undefined, g_strdup(name),
					    GINT_TO_POINTER(GELF_ST_BIND(sym.st_info) == STB_WEAK ? 2 : 1));
	}
	if (elf) {
		elf_end(elf);
		close(fd);
	}
	return data ? 0 : errmsg_set(err, "%s is not a linked object", path);
}

GHashTable *modinfo_read_undefined(const char *path, char **err)
{
	GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	if (modinfo_read_symbols(path, NULL, table, err) == 0)
		return table;
	g_hash_table_destroy(table);
	return NULL;
}

bool modinfo_is_whole(const char *path)
{
	struct stat st;
	Elf64_Ehdr eh;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool ok = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && read(fd, &eh, sizeof(eh)) == sizeof(eh) &&
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0)
		ok = eh.e_shoff != 0 &&
		     eh.e_shoff + (off_t)eh.e_shnum * eh.e_shentsize <= (Elf64_Off)st.st_size;
	close(fd);
	return ok;
}
