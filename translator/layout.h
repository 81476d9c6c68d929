/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are the headers that the runtime was compiled with those of the kernel that is to run
 * it? Same names and even the same release say nothing about a kernel built again. */
#ifndef STAP_LAYOUT_H
#define STAP_LAYOUT_H

#include "runtime_build.h"
#include "session.h"

/* Compiles runtime/module/compat/layout.c and writes its table of sizes and offsets to
 * the file `layout` in `dir`. 0, or -1 with *err. */
int layout_make(struct kernel_target *k, struct kernel_kit *kit, const char *runtime_dir,
		const char *prelude, const char *features, const char *dir, char **err);

/* Compares the runtime's table with the kernel's BTF, where that can be had; once for
 * each runtime and kernel, which is remembered in the cache. 0, or -1 after a
 * diagnostic that names both and what differs. */
int layout_check(struct session *s, const struct runtime *rt);

#endif
