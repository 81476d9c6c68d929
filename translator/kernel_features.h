/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel can do, found by compiling: each runtime/module/compat/probe-NAME.c
 * that compiles gives `#define STP_HAVE_NAME 1`, each symbol listed in
 * runtime/module/compat/exports.list that the kernel exports gives
 * `#define STP_EXPORTED_symbol 1`. NAME is the file's, in capitals, `-` as `_`. */
#ifndef STAP_KERNEL_FEATURES_H
#define STAP_KERNEL_FEATURES_H

#include "kernel_kit.h"

/* Writes stp_features.h into `dir`; `prelude` is from runtime_prelude_make(), and
 * every probe is compiled behind it. 0, or -1 with *err. */
int features_write(struct kernel_target *k, struct kernel_kit *kit,
		   const char *runtime_dir, const char *prelude, const char *dir,
		   char **err);

#endif
