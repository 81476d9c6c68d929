/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the script's output goes: standard output, a file, or a row of files of limited size
 * (-S), of which the oldest are removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "staprun.h"

/* A file of a row ends with a line, unless that is longer than this. */
#define MAX_LINE (1 << 16)

static char buffer[1 << 16];
static size_t filled;
static int fd = STDOUT_FILENO;
static uint64_t written;   /* bytes in the current file */
static unsigned number;    /* of the current file, with -S or after output_switch() */
static char base[PATH_MAX / 2];

static int open_file(void)
{
	char path[PATH_MAX];

	if (opt.file_size || number)
		snprintf(path, sizeof(path), "%s.%u", base, number);
	else
		snprintf(path, sizeof(path), "%s", base);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return complain("cannot write to %s: %s", path, strerror(errno));
	written = 0;
	return 0;
}

int output_open(void)
{
	time_t now = time(NULL);

	if (!opt.output)
		return opt.file_size ? complain("-S needs a file for the output (-o FILE)") : 0;
	if (!strftime(base, sizeof(base), opt.output, localtime(&now)))
		return complain("the name of the output file is empty or too long");
	return open_file();
}

/* The next file of the row; the one that falls out of it is removed. */
static int next_file(void)
{
	char old[PATH_MAX];

	close(fd);
	number++;
	if (opt.file_count && number >= opt.file_count) {
		snprintf(old, sizeof(old), "%s.%u", base, number - opt.file_count);
		unlink(old);
	}
	return open_file();
}

int output_flush(void)
{
	size_t done = 0;

	while (done < filled) {
		ssize_t n = write(fd, buffer + done, filled - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int err = errno;

			filled = 0;
			return err == EPIPE ? -1 : complain("cannot write the output: %s", strerror(err));
		}
		done += n;
	}
	written += filled;
	filled = 0;
	return 0;
}

int output_switch(void)
{
	if (!opt.output)
		return 0;
	return output_flush() ? -1 : next_file();
}

static int put(const char *p, size_t n)
{
	while (n) {
		size_t room = sizeof(buffer) - filled, part = n < room ? n : room;

		memcpy(buffer + filled, p, part);
		filled += part;
		p += part;
		n -= part;
		if (filled == sizeof(buffer) && output_flush())
			return -1;
	}
	return 0;
}

/* How much of the text still goes to the current file: to the end of the line that reaches its size. */
static size_t part_for_file(const char *p, size_t n, bool *full)
{
	uint64_t have = written + filled;
	size_t left = have < opt.file_size ? opt.file_size - have : 1;
	const char *nl = left <= n ? memchr(p + left - 1, '\n', n - left + 1) : NULL;

	/* without any line ends, some bytes more have to do */
	*full = nl || have + n >= opt.file_size + MAX_LINE;
	return nl ? (size_t)(nl - p) + 1 : n;
}

int output_write(const char *p, size_t n)
{
	while (opt.file_size && n) {
		bool full;
		size_t part = part_for_file(p, n, &full);

		if (put(p, part) || (full && (output_flush() || next_file())))
			return -1;
		p += part;
		n -= part;
	}
	return put(p, n);
}

void output_close(void)
{
	output_flush();
	if (fd != STDOUT_FILENO)
		close(fd);
}
