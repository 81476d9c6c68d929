/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel headers that runtime units share, read once instead of once a unit:
 * nine tenths of a unit's compile time is spent on them. */
#ifndef STAP_RUNTIME_PRELUDE_H
#define STAP_RUNTIME_PRELUDE_H

#include "kernel_kit.h"

/* Writes prelude.h into `dir` and, with `precompile`, precompiles it there. When that fails (a small
 * disk, a compiler without precompiled headers), units still include the text:
 * slower, with the same result. Returns its path, or NULL with *err. The
 * precompiled form takes some 60 MB, so `dir` should be short-lived. */
char *runtime_prelude_make(struct kernel_target *k, struct kernel_kit *kit,
			   const char *dir, bool precompile, char **err);

/* Compiler and flags of kit->cc_kernel without its -include options, which the
 * prelude holds, and with the names that every unit of ours is compiled under.
 * Array and elements are the caller's; not NULL-terminated yet. */
GPtrArray *runtime_prelude_flags(const struct kernel_kit *kit);

#endif
