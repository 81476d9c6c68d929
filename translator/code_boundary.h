/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses that a script gives as numbers: a probe inside an instruction would break it. */
#ifndef STAP_CODE_BOUNDARY_H
#define STAP_CODE_BOUNDARY_H

#include "session.h"
#include "debuginfo/dwarf_file.h"

/*
 * Whether an instruction begins at `pc` of the file, as far as its bytes tell: 0, or -1 after an error that names the
 * nearest addresses where one does, in the script's way of counting (`asked` is what it calls pc).  What is no code
 * of a function that symbols or debuginfo know, or is not in the file, is let through: the kernel has the last word.
 */
int code_check_boundary(struct session *s, struct loc loc, struct dwarf_file *f, uint64_t pc, uint64_t asked);

#endif
