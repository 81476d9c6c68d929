/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants beside the code. */
#ifndef STAP_ELF_RODATA_H
#define STAP_ELF_RODATA_H

#include "elf_image.h"

#include <stdint.h>

/* Puts .rodata behind the code, in the code's section, so that references from one to the other need no relocations
 * where they are relative; `mov $address, %reg` becomes `lea address(%rip), %reg`, which is as long. The kernel maps code
 * readable. Nothing happens in a module of a kernel with KASAN, which knows constants by their section. */
void elf_rodata_join(struct elf_image *im);

/* Where instructions begin, one bit each, up to the first that is not known; size / 8 + 1 bytes, to be freed. */
uint8_t *elf_instructions_find(const struct elf_section *text, size_t size);

#endif
