/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of the kernel and of probed modules, for scripts that use symfileline() and the like. */
#ifndef STAP_KERNEL_LINES_H
#define STAP_KERNEL_LINES_H

#include "session.h"

/*
 * Appends to the generated C the section .stap_lines (runtime/abi/stp_lines.h): the kernel's lines and those of each module that the
 * script's probes name.  Tables are kept in the cache and included by their path.  What has no debug information is left out,
 * with a warning for the kernel: its addresses then stay numbers.
 */
void kernel_lines_emit(struct session *s, GString *out);

#endif
