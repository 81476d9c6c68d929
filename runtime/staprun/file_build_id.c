/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build id of an ELF file: the note of type NT_GNU_BUILD_ID and owner "GNU" in a PT_NOTE segment (elf(5)). */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "staprun.h"

#define NOTES_MAX (1u << 20)
#define SEGMENTS_MAX 512

static bool read_at(int fd, void *buf, size_t n, uint64_t at)
{
	return pread(fd, buf, n, at) == (ssize_t)n;
}

/* The id in a segment's notes, as text; notes are aligned to 4 (or 8 in segments that say so). */
static bool find_note(const unsigned char *p, size_t size, size_t align, char *id)
{
	size_t at = 0;
	Elf64_Nhdr nh;

	while (size - at >= sizeof(nh)) {
		size_t name = at + sizeof(nh), desc;

		memcpy(&nh, p + at, sizeof(nh));
		if (nh.n_namesz > size - name)
			return false;
		desc = (name + nh.n_namesz + align - 1) & ~(align - 1);
		if (desc > size || nh.n_descsz > size - desc)
			return false;
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 && !memcmp(p + name, "GNU", 4) && nh.n_descsz <= BUILD_ID_MAX) {
			for (size_t i = 0; i < nh.n_descsz; i++)
				sprintf(id + 2 * i, "%02x", p[desc + i]);
			return nh.n_descsz > 0;
		}
		at = (desc + nh.n_descsz + align - 1) & ~(align - 1);
		if (at >= size)
			return false;
	}
	return false;
}

static bool segment_note(int fd, uint64_t offset, uint64_t size, uint64_t align, char *id)
{
	unsigned char *buf;
	bool ret;

	if (size > NOTES_MAX)
		return false;
	buf = malloc(size);
	ret = buf && read_at(fd, buf, size, offset) && find_note(buf, size, align == 8 ? 8 : 4, id);
	free(buf);
	return ret;
}

static bool note_64(int fd, const Elf64_Ehdr *eh, char *id)
{
	Elf64_Phdr ph;
	bool ret = false;

	for (unsigned i = 0; !ret && i < eh->e_phnum && i < SEGMENTS_MAX; i++)
		ret = read_at(fd, &ph, sizeof(ph), eh->e_phoff + i * sizeof(ph)) && ph.p_type == PT_NOTE &&
		      segment_note(fd, ph.p_offset, ph.p_filesz, ph.p_align, id);
	return ret;
}

static bool note_32(int fd, const Elf32_Ehdr *eh, char *id)
{
	Elf32_Phdr ph;
	bool ret = false;

	for (unsigned i = 0; !ret && i < eh->e_phnum && i < SEGMENTS_MAX; i++)
		ret = read_at(fd, &ph, sizeof(ph), eh->e_phoff + i * sizeof(ph)) && ph.p_type == PT_NOTE &&
		      segment_note(fd, ph.p_offset, ph.p_filesz, ph.p_align, id);
	return ret;
}

bool file_build_id(int fd, char *id)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} eh;

	if (!read_at(fd, &eh, sizeof(eh), 0) || memcmp(eh.e64.e_ident, ELFMAG, SELFMAG))
		return false;
	return eh.e64.e_ident[EI_CLASS] == ELFCLASS64 ? note_64(fd, &eh.e64, id) : note_32(fd, &eh.e32, id);
}
