/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build ids of kernel images, the configuration, and what tells one headers
 * tree from another. */
#include "kernel_id.h"
#include "kernel.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *notes_build_id(const unsigned char *p, size_t len)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;
		size_t name, desc;

		memcpy(&n, p, sizeof(n));
		name = sizeof(n);
		desc = name + ((n.n_namesz + 3) & ~3ul);
		size_t next = desc + ((n.n_descsz + 3) & ~3ul);

		if (desc + n.n_descsz > len)
			return NULL;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    memcmp(p + name, "GNU", 4) == 0) {
			GString *hex = g_string_new(NULL);

			for (size_t i = 0; i < n.n_descsz; i++)
				g_string_append_printf(hex, "%02x", p[desc + i]);
			return g_string_free(hex, FALSE);
		}
		if (next > len)
			return NULL;
		p += next;
		len -= next;
	}
	return NULL;
}

char *kernel_build_id_of_notes(const char *path)
{
	char *text = NULL, *id;
	gsize len;

	if (!g_file_get_contents(path, &text, &len, NULL))
		return NULL;
	id = notes_build_id((unsigned char *)text, len);
	g_free(text);
	return id;
}

char *kernel_build_id_of_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *scn = NULL;
	char *id = NULL;
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && !id && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			id = notes_build_id(data->d_buf, data->d_size);
	}
	elf_end(elf);
	close(fd);
	return id;
}

/* The kernel's configuration: lines "CONFIG_X=value", each behind a newline.  One of an unknown kernel is empty. */
static char *config_read(const struct kernel_target *k)
{
	static const char *const files[] = { "include/config/auto.conf", ".config" };
	char *text = NULL, *path, *ret;

	for (size_t i = 0; !text && k->build_dir && i < G_N_ELEMENTS(files); i++) {
		path = g_build_filename(k->build_dir, files[i], NULL);
		g_file_get_contents(path, &text, NULL, NULL);
		g_free(path);
	}
	if (!text) {
		path = g_strdup_printf("/boot/config-%s", k->release);
		g_file_get_contents(path, &text, NULL, NULL);
		g_free(path);
	}
	ret = g_strconcat("\n", text, NULL);
	g_free(text);
	return ret;
}

/* Scripts ask for a handful of ten thousand lines: each is looked for when it is. */
const char *kernel_config(struct kernel_target *k, const char *symbol)
{
	char *line, *at, *value = NULL;
	gpointer known;

	if (!k->config) {
		k->config = config_read(k);
		k->config_known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	}
	if (g_hash_table_lookup_extended(k->config_known, symbol, NULL, &known))
		return known;
	line = g_strdup_printf("\n%s=", symbol);
	at = strstr(k->config, line);
	if (at) {
		at += strlen(line);
		value = g_strndup(at, strcspn(at, "\n"));
	}
	g_free(line);
	g_hash_table_insert(k->config_known, g_strdup(symbol), value);
	return value;
}

char *kernel_headers_identity(const struct kernel_target *k)
{
	static const char *const files[] = { "Module.symvers", ".config",
		"include/generated/autoconf.h", "include/generated/utsrelease.h",
		"include/config/auto.conf" };
	GString *s = g_string_new(k->release);

	/* Not the running kernel's build id: what a host builds for its VM must
	 * have the same name in there, and objects depend on the headers only. */
	g_string_append_printf(s, " %s", k->build_dir);
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *path = g_build_filename(k->build_dir, files[i], NULL);
		struct stat st;

		if (stat(path, &st) == 0)
			g_string_append_printf(s, " %lld.%lld.%09ld",
					       (long long)st.st_size,
					       (long long)st.st_mtim.tv_sec,
					       st.st_mtim.tv_nsec);
		g_free(path);
	}
	return g_string_free(s, FALSE);
}
