/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a linked module smaller: every relocation costs 24 bytes, every symbol
 * 24 and its name, and a relocatable link keeps many that the kernel never needs. */
#ifndef STAP_ELF_SHRINK_H
#define STAP_ELF_SHRINK_H

/* Rewrites the module at `path` with the same code and data, less what the kernel does
 * not need to load it. Names of functions stay for backtraces, but for static ones in code that
 * runs seldom (ELF_COLD_END).
 * A file that is not as expected (not x86-64, section groups, damaged) stays as it is.
 * 0, or -1 with *err when it cannot be written, or when per-CPU data has addresses as initial values: the
 * kernel's module loader does not relocate those, and they would be 0 (numbers are there). */
int elf_shrink(const char *path, char **err);

#endif
