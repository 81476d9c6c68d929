/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions of a kernel ftrace can trace, from its vmlinux: the table of all places that call __fentry__, which the
 * kernel itself makes its list of (__start_mcount_loc to __stop_mcount_loc; kernel/trace/ftrace.c).
 */
#ifndef STAP_KERNEL_TRACEABLE_H
#define STAP_KERNEL_TRACEABLE_H

#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"

struct kernel_traceable {
	uint64_t *at;        /* sorted; addresses of the file */
	size_t count;        /* 0: the file has no such table */
};

/* For the kernel's file, of which ix is the index. */
void kernel_traceable_open(struct kernel_traceable *t, struct dwarf_file *f, struct dwarf_index *ix);
/* Does the function that begins at pc have such a place: its first instruction, or the one behind a landing pad? */
bool kernel_traceable_has(const struct kernel_traceable *t, uint64_t pc);
void kernel_traceable_close(struct kernel_traceable *t);

#endif
