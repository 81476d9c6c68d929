/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing C text: an indenting writer, and spelling of constants.
 *
 * A writer collects into a GString.  emit_capture() redirects it for a while, so that the caller can
 * look at a piece of code before deciding how to wrap it.
 */
#ifndef STAP_EMIT_H
#define STAP_EMIT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct emit {
	GString *text;
	int indent;       /* tabs before each line */
};

void emit_init(struct emit *o);
void emit_free(struct emit *o);
/* One line, indented; the newline is added.  An empty format gives an empty line. */
void emit_line(struct emit *o, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* A label, one tab to the left of the code around it. */
void emit_label(struct emit *o, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* A line that ends in an open brace, and the brace that closes it. */
void emit_open(struct emit *o, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
void emit_close(struct emit *o);
/* A comment on one line; the text may hold anything. */
void emit_comment(struct emit *o, const char *text);

/* Redirects output to a new buffer; returns the old one for emit_release(). */
GString *emit_capture(struct emit *o);
/* Ends a capture; the caller owns the returned text. */
GString *emit_release(struct emit *o, GString *outer);

/* Appends `len` bytes as a C string literal with quotes; never forms a trigraph. */
void emit_c_string(GString *out, const char *str, size_t len);
/* Appends a 64-bit constant as a C expression; small ones have type int. */
void emit_c_number(GString *out, int64_t num);

#endif
