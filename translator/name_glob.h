/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and the wildcards that stand for them: the one meaning that `*`, `?` and `[set]` have in probe points. */
#ifndef STAP_NAME_GLOB_H
#define STAP_NAME_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* A backslash before a wildcard takes its meaning away, as fnmatch(3) has it; the pattern counts as one with wildcards all the same. */

/* Has the pattern a wildcard? */
bool name_is_glob(const char *pattern);
/* How many bytes of the pattern come before its first wildcard or backslash: all of them where there is none. */
size_t name_glob_prefix(const char *pattern);
/*
 * Is `name` the pattern itself, or one that it stands for, from end to end?  The former also where the pattern has wildcards:
 * "main.Map[go.shape.int]" is a name as well.
 */
bool name_glob(const char *pattern, const char *name);
/*
 * The same for the whole of `name` or an end of it behind `separator` ("/", "::").  A pattern that begins with the separator means
 * the whole.
 */
bool name_glob_end(const char *pattern, const char *name, const char *separator);
/* The pattern that means this name alone, as it is between the quotes of a script: "operator\\\\*=".  g_free() it. */
char *name_glob_quote(const char *name);

#endif
