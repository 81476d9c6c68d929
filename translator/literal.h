/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of number and string tokens. */
#ifndef STAP_LITERAL_H
#define STAP_LITERAL_H

#include "lex.h"
#include "session.h"

/* Decimal, 0x, 0 (octal) or 0b; anything up to 2^64-1, the upper half wraps to negative.  False when
 * the text is no number or too large. */
bool literal_number(const char *text, size_t len, int64_t *ret);

/* The bytes of a T_STR token, escapes decoded, NUL-terminated in the arena; they end at the first NUL
 * byte, as they do in the language.  NULL with *why when an escape is wrong. */
char *literal_string(struct session *s, const struct token *t, size_t *len, const char **why);

/* Where in the token the decoded byte number `offset` was written. */
struct loc literal_loc(const struct token *t, size_t offset);

#endif
