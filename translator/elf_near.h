/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables about code, at a known distance from it. */
#ifndef STAP_ELF_NEAR_H
#define STAP_ELF_NEAR_H

#include "elf_image.h"

/* Makes the tables that the kernel or objtool has of places in code (unwind entries, returns, alternatives, exceptions)
 * executable sections: the kernel's loader puts sections of one kind one behind the other in the file's order, each at the
 * next multiple of its alignment (layout_sections() of kernel/module/main.c). What refers from one of them to another is
 * then a number, and needs no relocation of 24 bytes.
 *
 * A loader that lays them out differently must not load the module: a word behind the code is relocated once for each table,
 * with what comes out as 0 where the table is as far away as it was taken to be, and the kernel refuses to relocate what is
 * not 0 (apply_relocate_add() of arch/x86/kernel/module.c: "Invalid relocation target"). That happens before it uses any of
 * the tables.
 *
 * The last thing to do: code and tables keep their sizes after it. */
void elf_near(struct elf_image *im);

#endif
