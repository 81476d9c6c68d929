/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF sections and build ids of kernel images and modules. */
#include "image.h"
#include "errmsg.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

/* The bytes of a section, or NULL; they live as long as `elf`. */
static Elf_Data *section_find(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr shdr;
		const char *n;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		n = elf_strptr(elf, strings, shdr.sh_name);
		if (n && strcmp(n, name) == 0)
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static char *build_id_text(Elf *elf)
{
	const void *bits;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &bits);
	GString *out;

	if (n <= 0)
		return NULL;
	out = g_string_new(NULL);
	for (ssize_t i = 0; i < n; i++)
		g_string_append_printf(out, "%02x", ((const unsigned char *)bits)[i]);
	return g_string_free(out, FALSE);
}

static int elf_btf(Elf *elf, const char *path, struct blob *ret, char **build_id, char **err)
{
	Elf_Data *data = section_find(elf, ".BTF");

	if (!data || data->d_size == 0)
		return errmsg_set(err, "%s has no BTF (the kernel was built without CONFIG_DEBUG_INFO_BTF)", path);
	if (section_find(elf, ".BTF.base"))
		return errmsg_set(err, "%s has BTF for a base of its own (.BTF.base), which is not supported", path);
	*ret = blob_copy(data->d_buf, data->d_size);
	if (build_id)
		*build_id = build_id_text(elf);
	return 0;
}

int image_btf(const char *path, struct blob *ret, char **build_id, char **err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = -1;
	struct blob file = { 0 };
	Elf *elf;

	if (build_id)
		*build_id = NULL;
	if (fd < 0)
		return errmsg_set(err, "cannot open %s: %s", path, g_strerror(errno));
	elf_version(EV_CURRENT);
	elf = dwelf_elf_begin(fd);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		elf = NULL;
		if (image_unpack(fd, path, &file, err) == 0)
			elf = elf_memory((char *)file.data, file.size);
		if (file.data && (!elf || elf_kind(elf) != ELF_K_ELF))
			errmsg_set(err, "what is packed in %s is no ELF file", path);
	}
	if (elf && elf_kind(elf) == ELF_K_ELF)
		rc = elf_btf(elf, path, ret, build_id, err);
	elf_end(elf);
	blob_close(&file);
	close(fd);
	return rc;
}
