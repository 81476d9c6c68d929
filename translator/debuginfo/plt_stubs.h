/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stubs of a program's procedure linkage table, through which it calls library functions: each is known by its indirect jump through a
 * slot that a relocation fills.
 */
#ifndef STAP_PLT_STUBS_H
#define STAP_PLT_STUBS_H

#include <gelf.h>
#include <stdint.h>

/* Calls fn for each stub, with the called function's name (without its version, valid during the call), the file's own address and the
 * stub's length.  x86-64; nothing for others. */
typedef void (*plt_stub_fn)(void *data, const char *name, size_t name_len, uint64_t addr, uint64_t size);
void plt_stubs(Elf *elf, plt_stub_fn fn, void *data);

#endif
