/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stretch of bytes that was read or mapped from a file, and how to let it go. */
#ifndef STAP_BLOB_H
#define STAP_BLOB_H

#include <stdbool.h>
#include <stddef.h>

struct blob {
	const void *data;
	size_t size;
	bool mapped;               /* munmap() rather than free() */
};

/* Maps a file read-only; where that cannot be done (sysfs of older kernels) reads it.  -1 with *err. */
int blob_open(const char *path, struct blob *ret, char **err);
/* Maps what a descriptor refers to (a file or memfd), from its start.  -1 with *err. */
int blob_of_fd(int fd, struct blob *ret, char **err);
/* A copy of `size` bytes. */
struct blob blob_copy(const void *data, size_t size);
/* Writes it as a new file.  -1 with *err. */
int blob_write(const struct blob *b, const char *path, char **err);
/* Safe on a zeroed struct; zeroes it. */
void blob_close(struct blob *b);

#endif
