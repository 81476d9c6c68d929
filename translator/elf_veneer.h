/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared jumps to outside functions. */
#ifndef STAP_ELF_VENEER_H
#define STAP_ELF_VENEER_H

#include "elf_image.h"

/* A call of a function outside costs a relocation of 24 bytes, one through a register with
 * guards against speculation 28 more. Where cold code (before ELF_COLD_END) calls the same one more than once, and
 * wherever the check of the stack fails, the calls go to one jump that is put behind the code. */
void elf_veneer(struct elf_image *im);

#endif
