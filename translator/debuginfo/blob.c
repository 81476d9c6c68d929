/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of files: mapping, reading, writing. */
#include "blob.h"
#include "errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int blob_of_fd(int fd, struct blob *ret, char **err)
{
	struct stat st;
	void *map;

	memset(ret, 0, sizeof(*ret));
	if (fstat(fd, &st) != 0)
		return errmsg_set(err, "%s", g_strerror(errno));
	if (st.st_size == 0)
		return errmsg_set(err, "the file is empty");
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return errmsg_set(err, "%s", g_strerror(errno));
	ret->data = map;
	ret->size = st.st_size;
	ret->mapped = true;
	return 0;
}

static int read_all(int fd, struct blob *ret, char **err)
{
	size_t room = 8u << 20, have = 0;
	char *buf = malloc(room), *more;
	ssize_t n;

	while (buf && (n = read(fd, buf + have, room - have)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			free(buf);
			return errmsg_set(err, "%s", g_strerror(errno));
		}
		have += n;
		if (have < room)
			continue;
		more = realloc(buf, room *= 2);
		if (!more)
			free(buf);
		buf = more;
	}
	if (!buf)
		return errmsg_set(err, "out of memory");
	ret->data = buf;
	ret->size = have;
	ret->mapped = false;
	return 0;
}

int blob_open(const char *path, struct blob *ret, char **err)
{
	char *why = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc; /* a FIFO is not waited for */
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0)
		return errmsg_set(err, "cannot open %s: %s", path, g_strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return errmsg_set(err, "%s is not a regular file", path);
	}
	rc = blob_of_fd(fd, ret, NULL);
	if (rc != 0)
		rc = read_all(fd, ret, &why);
	close(fd);
	if (rc != 0)
		errmsg_set(err, "cannot read %s: %s", path, why);
	g_free(why);
	return rc;
}

struct blob blob_copy(const void *data, size_t size)
{
	struct blob b = { .data = g_memdup2(data, size), .size = size };

	return b;
}

int blob_write(const struct blob *b, const char *path, char **err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	size_t done = 0;
	ssize_t n = 0;

	if (fd < 0)
		return errmsg_set(err, "cannot make %s: %s", path, g_strerror(errno));
	while (done < b->size) {
		n = write(fd, (const char *)b->data + done, b->size - done);
		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? n : 0;
	}
	if (close(fd) != 0 || n < 0) {
		errmsg_set(err, "cannot write %s: %s", path, g_strerror(errno));
		unlink(path);
		return -1;
	}
	return 0;
}

void blob_close(struct blob *b)
{
	if (b->mapped)
		munmap((void *)b->data, b->size);
	else
		free((void *)b->data);
	memset(b, 0, sizeof(*b));
}
