/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fewer symbols and relocations for the same references. */
#ifndef STAP_ELF_SYMREF_H
#define STAP_ELF_SYMREF_H

#include "elf_image.h"

/* - References to weak symbols of the runtime that nothing defines (parts that a module does not have) become the 0 that
 *   they would be at load.
 * - Data is referred to by its section, so that it needs no symbol. */
void elf_symref_thin(struct elf_image *im);

#endif
