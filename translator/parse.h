/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 1: a hand-written parser.  It reports several independent errors in one go. */
#ifndef STAP_PARSE_H
#define STAP_PARSE_H

#include "session.h"
#include "source.h"

/*
 * Parses one file.  `library`: from a tapset or -I directory (embedded C is allowed, its `runtime:` and
 * `nofail` pragmas count); `guru`: -g.  The result lives in the arena.  NULL after diag_error.
 */
struct file *parse_source(struct session *s, struct source *src, bool library, bool guru);

#endif
