/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol names of the running kernel. */
#ifndef STAP_KALLSYMS_H
#define STAP_KALLSYMS_H

#include <stdbool.h>

/* True when /proc/kallsyms lists a function of that name, or a copy that the compiler made of it, of the kernel (module NULL) or a loaded module.
 * *readable (may be NULL) tells whether the list could be read at all. */
bool kallsyms_has_function(const char *name, const char *module, bool *readable);

#endif
