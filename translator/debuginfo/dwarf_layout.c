/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relocatable files whose sections have addresses already: modules that were linked in several steps.  These mean nothing, may
 * overlap, and keep libdwfl from giving each section a place of its own, so it gets a copy without them.
 */
#include "dwarf_file_priv.h"
#include "image.h"

#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The section headers of a 64-bit relocatable file of this machine's byte order, or NULL. */
static Elf64_Shdr *section_headers(void *image, size_t size, size_t *n)
{
	const Elf64_Ehdr *eh = image;

	if (size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_type != ET_REL || eh->e_shentsize != sizeof(Elf64_Shdr) ||
	    eh->e_shoff % 8 || eh->e_shoff > size || (size - eh->e_shoff) / sizeof(Elf64_Shdr) < eh->e_shnum)
		return NULL;
	*n = eh->e_shnum;
	return (Elf64_Shdr *)(void *)((char *)image + eh->e_shoff);
}

static bool has_addresses(const Elf64_Shdr *sh, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((sh[i].sh_flags & SHF_ALLOC) && sh[i].sh_addr)
			return true;
	return false;
}

static int copy_without(const void *image, size_t size)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	void *copy = fd >= 0 && ftruncate(fd, (off_t)size) == 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	Elf64_Shdr *sh;
	size_t n;

	if (copy == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	memcpy(copy, image, size);
	sh = section_headers(copy, size, &n);
	for (size_t i = 0; sh && i < n; i++)
		if (sh[i].sh_flags & SHF_ALLOC)
			sh[i].sh_addr = 0;
	munmap(copy, size);
	return fd;
}

/* The same for a compressed file, which is unpacked for it. */
static int unpacked_copy(int fd, const char *path, const void *image, size_t size)
{
	struct blob whole;
	int copy;

	if (size < SELFMAG || memcmp(image, ELFMAG, SELFMAG) == 0 || !strstr(path, ".ko.") || image_unpack(fd, path, &whole, NULL) != 0)
		return -1;
	copy = copy_without(whole.data, whole.size);
	blob_close(&whole);
	return copy;
}

int dwarf_layout_fd(int fd, const char *path)
{
	struct stat st;
	void *image;
	Elf64_Shdr *sh;
	size_t n;
	int copy = -1;

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size <= 0)
		return fd;
	image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (image == MAP_FAILED)
		return fd;
	sh = section_headers(image, (size_t)st.st_size, &n);
	if (sh && has_addresses(sh, n))
		copy = copy_without(image, (size_t)st.st_size);
	else if (!sh)
		copy = unpacked_copy(fd, path, image, (size_t)st.st_size);
	munmap(image, (size_t)st.st_size);
	if (copy < 0)
		return fd;
	close(fd);
	return copy;
}
