/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Users' embedded C as text: which of the conventions a piece of it uses, and what the compiler says
 * about it.  Nothing here parses C; words are looked for outside of nothing but themselves, so a word in a comment
 * counts (that is how pragmas work).
 */
#ifndef STAP_EMBED_H
#define STAP_EMBED_H

#include "session.h"

enum embed_use { EMBED_READ = 1, EMBED_WRITE = 2 };

/* Does `code` contain `word` as a whole C identifier? */
bool embed_has_word(const char *code, const char *word);
/* Does it contain the comment that says just `pragma`? */
bool embed_has_pragma(const char *code, const char *pragma);
/*
 * Calls found(data, NAME, use) for each global that the code names: STAP_GLOBAL_GET_NAME, STAP_GLOBAL_SET_NAME, and the
 * pragmas read:NAME, write:NAME (also spelt pragma:read:NAME).  A name may come more than once.
 */
typedef void embed_found_fn(void *data, const char *name, enum embed_use use);
void embed_globals(struct session *s, const char *code, embed_found_fn *found, void *data);
/* Can the code give its function a value? */
bool embed_sets_value(const char *code);
/* Does it look at registers? */
bool embed_wants_registers(const char *code);

/* Reports what the compiler said (its standard error) with places in the script; -1. */
int embed_report(struct session *s, const char *text);

#endif
