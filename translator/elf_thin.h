/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fewer relocations and table entries for the same code. */
#ifndef STAP_ELF_THIN_H
#define STAP_ELF_THIN_H

#include "elf_image.h"

/* The linker script (link_script.c) puts code that runs seldom at the beginning of its
 * section, up to here. */
#define ELF_COLD_END "stp_cold_end"

/* - Landing pads that objtool found to be no target of indirect calls are sealed here,
 *   as the kernel would do at load.
 * - Returns of cold code (jumps to the return thunk, to be patched by the kernel) go
 *   through one of them.
 * - Calls of one outside function from cold code go through one jump (elf_veneer.h).
 * - Unwind entries for bytes that never run, and those that repeat, go.
 * - Constants lie behind the code, references to symbols become those to sections (elf_rodata.h, elf_symref.h).
 * - Addresses that cold code uses often are words behind it (elf_literal.h).
 * - Relative references inside one section of code are resolved. */
void elf_thin(struct elf_image *im);

#endif
