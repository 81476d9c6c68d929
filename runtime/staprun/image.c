/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module file in memory: its sections (ELF-64, see elf(5)) and its name. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "staprun.h"

#define MAX_MODULE (256u << 20)
/* What scripts/sign-file of the kernel appends. */
static const char signature_mark[] = "~Module signature appended~\n";

static bool sections_ok(const struct image *im)
{
	const Elf64_Ehdr *eh = (const void *)im->data;

	if (im->size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_type != ET_REL)
		return false;
	if (eh->e_shentsize != sizeof(Elf64_Shdr) || eh->e_shstrndx >= eh->e_shnum)
		return false;
	return eh->e_shoff < im->size && (im->size - eh->e_shoff) / sizeof(Elf64_Shdr) >= eh->e_shnum;
}

static unsigned char *section_bytes(const struct image *im, const Elf64_Shdr *sh)
{
	if (sh->sh_type == SHT_NOBITS || sh->sh_offset > im->size || im->size - sh->sh_offset < sh->sh_size)
		return NULL;
	return im->data + sh->sh_offset;
}

unsigned char *image_section(const struct image *im, const char *name, size_t *size)
{
	const Elf64_Ehdr *eh = (const void *)im->data;
	const Elf64_Shdr *sh = (const void *)(im->data + eh->e_shoff);
	const char *names = (const char *)section_bytes(im, &sh[eh->e_shstrndx]);
	size_t names_size = sh[eh->e_shstrndx].sh_size;

	for (unsigned i = 1; names && i < eh->e_shnum; i++) {
		size_t at = sh[i].sh_name;

		if (at >= names_size || strncmp(names + at, name, names_size - at))
			continue;
		*size = sh[i].sh_size;
		return section_bytes(im, &sh[i]);
	}
	return NULL;
}

/* The text behind "key=" in .modinfo, NULL when it is not there. */
static char *modinfo(const struct image *im, const char *key)
{
	size_t size, klen = strlen(key);
	char *p = (char *)image_section(im, ".modinfo", &size), *end = p ? p + size : NULL;

	while (p && p < end) {
		size_t len = strnlen(p, end - p);

		if (len == (size_t)(end - p))
			return NULL; /* no terminator */
		if (len > klen && !strncmp(p, key, klen) && p[klen] == '=')
			return p + klen + 1;
		p += len + 1;
	}
	return NULL;
}

static int read_all(int fd, struct image *im)
{
	size_t have = 0;

	while (have < im->size) {
		ssize_t n = read(fd, im->data + have, im->size - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		have += n;
	}
	return 0;
}

int image_read(struct image *im, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	const char *name;

	if (fd < 0)
		return complain("cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_MODULE) {
		close(fd);
		return complain("%s is not a module file", path);
	}
	im->size = st.st_size;
	im->data = malloc(im->size + 1);
	if (!im->data || read_all(fd, im)) {
		close(fd);
		free(im->data);
		return complain("cannot read %s: %s", path, strerror(errno));
	}
	close(fd);
	name = sections_ok(im) ? modinfo(im, "name") : NULL;
	if (!name) {
		free(im->data);
		return complain("%s is not a module file for this machine", path);
	}
	snprintf(im->name, sizeof(im->name), "%s", name);
	return 0;
}

void image_free(struct image *im)
{
	free(im->data);
}

const char *image_release(const struct image *im, char *buf, size_t size)
{
	const char *magic = modinfo(im, "vermagic");

	if (!magic)
		return NULL;
	snprintf(buf, size, "%.*s", (int)strcspn(magic, " "), magic);
	return buf;
}

int image_stap_version(const struct image *im)
{
	const char *text = modinfo(im, "stap");

	return text ? atoi(text) : 0;
}

static bool is_signed(const struct image *im)
{
	size_t len = sizeof(signature_mark) - 1;

	return im->size > len && !memcmp(im->data + im->size - len, signature_mark, len);
}

/*
 * Modules that stap named end in "_" and ten zeroes (doc/build-cache.md); these are replaced by this process's
 * number and the time, in .modinfo and in struct module, so that copies do not collide.
 */
#define NAME_LEN 32
#define TAIL_LEN 10

void image_make_unique(struct image *im)
{
	size_t len = strlen(im->name), size;
	char *info = modinfo(im, "name");
	unsigned char *mod = image_section(im, ".gnu.linkonce.this_module", &size);
	unsigned char *at;
	struct timespec now;
	char tail[TAIL_LEN + 1];

	if (len != NAME_LEN || strncmp(im->name, "stap_", 5) || strcmp(im->name + len - TAIL_LEN - 1, "_0000000000") ||
	    is_signed(im) || !mod)
		return;
	at = memmem(mod, size, im->name, len + 1);
	if (!at)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(tail, sizeof(tail), "%06x%04x", (unsigned)getpid() & 0xffffff, (unsigned)(now.tv_nsec >> 10) & 0xffff);
	memcpy(im->name + len - TAIL_LEN, tail, TAIL_LEN);
	memcpy(info + len - TAIL_LEN, tail, TAIL_LEN);
	memcpy(at + len - TAIL_LEN, tail, TAIL_LEN);
}
