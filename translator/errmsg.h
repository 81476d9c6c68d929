/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error messages of the parts that know nothing of scripts: plain words in a
 * string that the caller frees, or passes on to its diagnostics. */
#ifndef STAP_ERRMSG_H
#define STAP_ERRMSG_H

#include <stdbool.h>

/* Stores a formatted message in *err (when err is not NULL; an older message
 * there is freed) and returns -1, so that callers can `return errmsg_set(...)`.
 * The message has no trailing newline; it is released with g_free(). */
int errmsg_set(char **err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* True when what a program wrote to stderr, or the free space around `dir`,
 * says that a disk (or quota) is full. `output` may be NULL. */
bool errmsg_is_disk_full(const char *output, const char *dir);

/* The one message for a full disk, naming the directory and the ways out.
 * Returns -1. */
int errmsg_disk_full(char **err, const char *dir);

#endif
