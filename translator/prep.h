/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stap --prep`: builds ahead of time what a kernel needs, and says what is
 * missing and how to get it. */
#ifndef STAP_PREP_H
#define STAP_PREP_H

#include <stdio.h>

struct session;

/* Prepares the session's kernel with the runtime in `runtime_dir`: what scripts need of it is built, and a line for each
 * thing looked at, with what to install where one is missing, goes to `out`.  Session and cache are open.  0 when scripts can be built for
 * the kernel; -1 with *err, after all the lines, when they cannot. */
int prep_kernel(struct session *s, const char *runtime_dir, FILE *out, char **err);

#endif
