/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the command lines that the kernel's build system saves in .cmd files,
 * and derives ours from them. */
#ifndef STAP_KBUILD_CMD_H
#define STAP_KBUILD_CMD_H

#include <stdbool.h>

/* The commands of one .cmd file: a NULL-terminated array of NULL-terminated
 * vectors, in order. NULL when the file is missing or not understood. */
char ***kbuild_cmd_read(const char *path);
void kbuild_cmd_free(char ***commands);

/* The first command whose program's base name is `name` (or, with `name` NULL,
 * the first at all), or NULL. Borrowed. */
char **kbuild_cmd_find(char ***commands, const char *name);

/* From the command that compiled a unit: the compiler and every flag that
 * decides what code it makes, without what makes functions traceable, debug
 * information, input and output. With `headers` also include paths, defines,
 * language level and warnings. Owned by the caller. */
char **kbuild_cc_flags(char **compile, bool headers);

/* From a link or objtool command: everything before the first of its files.
 * Owned by the caller. */
char **kbuild_ld_flags(char **link);
char **kbuild_objtool_flags(char **objtool, bool add_link);

#endif
