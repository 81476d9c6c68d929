/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks the kernel in a boot image, and compressed files that libdw cannot read itself, with the usual
 * tools (xz, zstd ...).  Input and output are files in memory, so that no tool ever waits for us.
 */
#include "image.h"
#include "errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct packer {
	const char *magic;
	size_t len;
	const char *argv[5];
} packers[] = {
	{ "\x1f\x8b", 2, { "gzip", "-dcq", NULL } },
	{ "\xfd" "7zXZ", 6, { "xz", "-dcqq", NULL } },
	{ "\x28\xb5\x2f\xfd", 4, { "zstd", "-dcq", "--long=31", NULL } },
	{ "\x02\x21\x4c\x18", 4, { "lz4", "-dcq", NULL } },
	{ "\x04\x22\x4d\x18", 4, { "lz4", "-dcq", NULL } },
	{ "BZh", 3, { "bzip2", "-dcq", NULL } },
	{ "\x5d\x00\x00", 3, { "xz", "--format=lzma", "-dcqq", NULL } },
	{ "\x89LZO", 4, { "lzop", "-dcq", NULL } },
};

struct extent {
	off_t start;
	size_t len;
	size_t tail;               /* bytes at the end that are no part of the compressed stream */
};

static uint32_t le32(const unsigned char *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Where the compressed stream lies: in an x86 boot image, an EFI zboot image, or the whole file. */
static struct extent payload_find(const struct blob *file)
{
	const unsigned char *p = file->data;
	struct extent x = { .len = file->size };

	if (file->size > 0x260 && memcmp(p + 0x202, "HdrS", 4) == 0 && (p[0x206] | p[0x207] << 8) >= 0x208) {
		x.start = ((p[0x1f1] ? p[0x1f1] : 4) + 1) * 512 + (off_t)le32(p + 0x248);
		x.len = le32(p + 0x24c);
		x.tail = 4; /* the unpacked size; in gzip's case that is its own last word */
	} else if (file->size > 64 && memcmp(p, "MZ", 2) == 0 && memcmp(p + 4, "zimg", 4) == 0) {
		x.start = le32(p + 8);
		x.len = le32(p + 12);
	}
	if ((size_t)x.start > file->size || file->size - x.start < x.len || x.len < 8)
		x.len = 0;
	return x;
}

static const struct packer *packer_find(const unsigned char *p)
{
	for (size_t i = 0; i < G_N_ELEMENTS(packers); i++)
		if (memcmp(p, packers[i].magic, packers[i].len) == 0)
			return &packers[i];
	return NULL;
}

static int run_tool(const struct packer *pk, int in, int out, const char *path, char **err)
{
	posix_spawn_file_actions_t actions;
	int status = 0, rc;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(&pid, pk->argv[0], &actions, NULL, (char *const *)pk->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc != 0)
		return errmsg_set(err, "unpacking %s needs the program '%s': %s", path, pk->argv[0], g_strerror(rc));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* some tools end with an error over padding behind a good stream: the reader judges the result */
	if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		return errmsg_set(err, "'%s' could not unpack %s", pk->argv[0], path);
	return 0;
}

/* A file in memory with the bytes of `x`. */
static int copy_extent(const struct blob *file, const struct extent *x)
{
	int fd = memfd_create("packed", MFD_CLOEXEC);
	const char *p = (const char *)file->data + x->start;
	size_t left = x->len;

	while (fd >= 0 && left) {
		ssize_t n = write(fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		p += n;
		left -= n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

int image_unpack(int fd, const char *path, struct blob *ret, char **err)
{
	const struct packer *pk;
	struct extent x;
	struct blob file;
	char *why = NULL;
	int in = -1, out = -1, rc = -1;

	if (blob_of_fd(fd, &file, &why) != 0) {
		errmsg_set(err, "cannot read %s: %s", path, why);
		g_free(why);
		return -1;
	}
	x = payload_find(&file);
	pk = x.len ? packer_find((const unsigned char *)file.data + x.start) : NULL;
	if (!pk) {
		blob_close(&file);
		return errmsg_set(err, "%s is neither an ELF file nor a boot image that can be unpacked", path);
	}
	if (pk != &packers[0])
		x.len -= x.tail;
	in = copy_extent(&file, &x);
	out = memfd_create("unpacked", MFD_CLOEXEC);
	blob_close(&file);
	if (in < 0 || out < 0)
		errmsg_set(err, "no memory to unpack %s: %s", path, g_strerror(errno));
	else if (run_tool(pk, in, out, path, err) == 0)
		rc = blob_of_fd(out, ret, &why);
	if (why)
		errmsg_set(err, "unpacking %s with '%s' gave nothing", path, pk->argv[0]);
	g_free(why);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return rc;
}
