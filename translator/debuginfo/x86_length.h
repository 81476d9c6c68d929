/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lengths of x86-64 instructions, to tell where one begins: a breakpoint inside an instruction would break it.  In 64-bit mode; from
 * the opcode maps of the Intel 64 Software Developer's Manual, volume 2, appendix A, with VEX and EVEX (chapter 2), and
 * AMD's XOP and 3DNow.
 */
#ifndef STAP_X86_LENGTH_H
#define STAP_X86_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at `code`, of which `size` can be read; 0: no instruction that is known, or it is cut off. */
unsigned x86_length(const uint8_t *code, size_t size);

enum x86_boundary {
	X86_BEGINS,     /* an instruction begins there */
	X86_INSIDE,     /* *before and *after are where the one around it begins and ends */
	X86_UNKNOWN     /* something on the way there is no known instruction */
};

/* What is at offset `at` of code whose first byte begins an instruction. */
enum x86_boundary x86_boundary(const uint8_t *code, size_t size, size_t at, size_t *before, size_t *after);

#endif
