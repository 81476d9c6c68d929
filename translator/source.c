/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading script text, and finding lines in it for messages. */
#include "source.h"
#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct loc nowhere;

/* Reads fd to its end; *len is set.  NULL with errno. */
static char *read_all(int fd, size_t *len)
{
	struct stat st;
	size_t size = 4096, used = 0;
	char *buf;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 && st.st_size < SOURCE_MAX)
		size = st.st_size + 1;
	buf = g_malloc(size);
	for (;;) {
		ssize_t n = read(fd, buf + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || used + n > SOURCE_MAX) {
			int err = n < 0 ? errno : EFBIG;

			g_free(buf);
			errno = err;
			return NULL;
		}
		if (n == 0)
			break;
		used += n;
		if (used == size)
			buf = g_realloc(buf, size *= 2);
	}
	*len = used;
	return buf;
}

struct source *source_text(struct session *s, const char *name, const char *text, size_t len)
{
	struct source *src = arena_alloc(s, sizeof(*src));

	src->name = arena_strdup(s, name);
	src->text = arena_strndup(s, text, len);
	src->len = len;
	return src;
}

struct source *source_read(struct session *s, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct source *src = NULL;
	size_t len = 0;
	char *text;

	if (fd < 0) {
		diag_error(s, nowhere, "cannot-read", "cannot open '%s': %s", path, strerror(errno));
		return NULL;
	}
	text = read_all(fd, &len);
	if (text)
		src = source_text(s, is_stdin ? "<stdin>" : path, text, len);
	else
		diag_error(s, nowhere, "cannot-read", "cannot read '%s': %s", path, strerror(errno));
	g_free(text);
	if (!is_stdin)
		close(fd);
	return src;
}

static void index_lines(struct session *s, struct source *src)
{
	const char *end = src->text + src->len;
	uint32_t n = 1;

	for (const char *p = src->text; (p = memchr(p, '\n', end - p)); p++)
		n++;
	src->line_start = arena_alloc(s, n * sizeof(*src->line_start));
	n = 1;
	for (const char *p = src->text; (p = memchr(p, '\n', end - p)); p++)
		src->line_start[n++] = p + 1 - src->text;
	src->nlines = n;
}

const char *source_line(struct session *s, struct source *src, uint32_t line, size_t *len)
{
	size_t start, end;

	if (!src->line_start)
		index_lines(s, src);
	if (line < 1 || line > src->nlines)
		return NULL;
	start = src->line_start[line - 1];
	end = line < src->nlines ? src->line_start[line] - 1 : src->len;
	if (end > start && src->text[end - 1] == '\r')
		end--;
	*len = end - start;
	return src->text + start;
}
