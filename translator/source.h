/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Script text: one file, -e text or standard input, with access to its lines for messages. */
#ifndef STAP_SOURCE_H
#define STAP_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct session;

struct source {
	const char *name;      /* as messages show it: the path as given, "<input>" for -e text */
	const char *text;      /* len bytes and a NUL; may hold NULs */
	size_t len;
	uint32_t *line_start;  /* offsets of line starts, made on first use */
	uint32_t nlines;
};

#define SOURCE_MAX (256u << 20) /* bytes: what is larger is no script */

/* Reads a whole file ("-": standard input, shown as "<stdin>").  The source lives in the session's
 * arena.  Returns NULL after diag_error. */
struct source *source_read(struct session *s, const char *path);

/* A source from text in memory, which is copied.  `name` is copied too. */
struct source *source_text(struct session *s, const char *name, const char *text, size_t len);

/* Line number `line` (from 1) without its newline; NULL when there is no such line. */
const char *source_line(struct session *s, struct source *src, uint32_t line, size_t *len);

#endif
