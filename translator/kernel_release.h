/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Releases of installed kernels, by the beginning of their names. */
#ifndef STAP_KERNEL_RELEASE_H
#define STAP_KERNEL_RELEASE_H

#include <stdbool.h>

/* Does the release begin with `wish`, at the end of a number?  6.1 is no beginning of 6.12. */
bool kernel_release_matches(const char *release, const char *wish);

/*
 * The newest release with files on this machine that begins with `wish`, one with headers before one without; `wish` itself when it is one,
 * or when nothing matches.  has_headers asks for the headers of a release.  Owned by the caller.
 */
char *kernel_release_find(const char *wish, bool (*has_headers)(const char *release));

#endif
