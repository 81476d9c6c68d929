/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses that cold code uses often. */
#ifndef STAP_ELF_LITERAL_H
#define STAP_ELF_LITERAL_H

#include "elf_image.h"

/* Where cold code (up to ELF_COLD_END) puts one address into registers at several places, by `mov $address, %reg`, it reads it from a word
 * behind the code instead, `mov word(%rip), %reg`, which is as long: one relocation instead of one a place. */
void elf_literal_pool(struct elf_image *im);

#endif
