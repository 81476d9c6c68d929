/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stap --prep`: builds ahead of time what a kernel needs, and says what is
 * missing and how to get it. */
#ifndef STAP_PREP_H
#define STAP_PREP_H

#include <stdio.h>
#include "kernel.h"

struct cache;

/* Prepares kernel `k` with the runtime in `runtime_dir`; a line for each thing
 * looked at goes to `out`. 0 when scripts can be built for the kernel; -1 with
 * *err, after all the lines, when they cannot. */
int prep_kernel(struct kernel_target *k, struct cache *c, const char *runtime_dir,
		FILE *out, char **err);

#endif
