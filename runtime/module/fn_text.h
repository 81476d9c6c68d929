/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What library functions about stacks, symbols and source lines share: texts of many lines, lists of addresses, lines as text. */
#ifndef STP_FN_TEXT_H
#define STP_FN_TEXT_H

#include "stp.h"

/* A sink for text in scratch memory, so that symbol look-ups have the rest of it; NULL with the error set. Any context, as all here. */
char *stp_text_begin(struct stp_ctx *c, struct stp_sink *o);
/* The text as a string. What did not fit is left out by whole lines, and a last line " ..." says so. `start` may be NULL. */
struct stp_str stp_text_end(struct stp_ctx *c, char *start, struct stp_sink *o);

/* Takes the next hexadecimal number off a list of them, as backtrace() and ubacktrace() give; false: there is none. */
bool stp_next_address(struct stp_str *s, u64 *addr);
/* As many of n addresses as fit a string, such a list. */
struct stp_str stp_hex_list(struct stp_ctx *c, const u64 *pc, u32 n);

/* A source file (NULL: not known, the text is the address then), its line, "FILE:LINE", as strings in scratch. */
struct stp_str stp_line_file(struct stp_ctx *c, s64 addr, const char *file);
struct stp_str stp_line_number(struct stp_ctx *c, s64 addr, const char *file, u32 line);
struct stp_str stp_line_text(struct stp_ctx *c, s64 addr, const char *file, u32 line);
/* " at FILE:LINE"; nothing where file is NULL. */
void stp_line_put(struct stp_ctx *c, struct stp_sink *o, const char *file, u32 line);

#endif
