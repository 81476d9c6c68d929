/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running kernel tells of itself and its modules in sysfs: build ids, section addresses, states. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "staprun.h"

/* The file's first `size` bytes; how many there are, 0 when it can not be read. */
static size_t read_start(const char *path, void *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n = 1;

	if (fd < 0)
		return 0;
	while (have < size && n > 0) {
		n = read(fd, (char *)buf + have, size - have);
		have += n > 0 ? n : 0;
	}
	close(fd);
	return have;
}

static bool find_build_id(const unsigned char *p, size_t size, char *hex, size_t hex_size)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *h = (const void *)p;
		size_t name = (h->n_namesz + 3ul) & ~3ul, desc = (h->n_descsz + 3ul) & ~3ul;

		if (size - sizeof(*h) < name || size - sizeof(*h) - name < desc)
			return false;
		if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4 && !memcmp(h + 1, "GNU", 4) && h->n_descsz * 2 < hex_size) {
			const unsigned char *id = p + sizeof(*h) + name;

			for (unsigned i = 0; i < h->n_descsz; i++)
				sprintf(hex + 2 * i, "%02x", id[i]);
			return true;
		}
		p += sizeof(*h) + name + desc;
		size -= sizeof(*h) + name + desc;
	}
	return false;
}

/* A module's name as sysfs has it: no slashes, `_` for `-`. */
static bool sys_name(const char *module, char *buf, size_t size)
{
	size_t i;

	for (i = 0; module[i] && i + 1 < size; i++) {
		if (module[i] == '/' || (i == 0 && module[i] == '.'))
			return false;
		buf[i] = module[i] == '-' ? '_' : module[i];
	}
	buf[i] = '\0';
	return i > 0 && !module[i];
}

bool running_build_id(const char *module, char *hex, size_t size)
{
	static union { unsigned char bytes[65536]; Elf64_Nhdr align; } notes;
	char path[160], name[64];

	if (!strcmp(module, "vmlinux"))
		snprintf(path, sizeof(path), "/sys/kernel/notes");
	else if (sys_name(module, name, sizeof(name)))
		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	else
		return false;
	return find_build_id(notes.bytes, read_start(path, notes.bytes, sizeof(notes.bytes)), hex, size);
}

bool module_is_loaded(const char *module)
{
	char path[160], name[64], state[16] = "";

	if (!sys_name(module, name, sizeof(name)))
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	return read_start(path, state, sizeof(state) - 1) && strncmp(state, "going", 5);
}

bool module_section_address(const char *module, const char *section, uint64_t *addr)
{
	char path[256], name[64], text[32] = "";
	int lowered;
	bool told;

	if (!sys_name(module, name, sizeof(name)) || strchr(section, '/'))
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", name, section);
	lowered = kptr_lower();
	told = read_start(path, text, sizeof(text) - 1) > 0;
	kptr_restore(lowered);
	if (!told)
		return false;
	*addr = strtoull(text, NULL, 16);
	return *addr != 0; /* hidden from who may not see it */
}
