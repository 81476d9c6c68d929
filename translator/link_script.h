/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linker script that joins units and runtime. */
#ifndef STAP_LINK_SCRIPT_H
#define STAP_LINK_SCRIPT_H

/* Objects of the runtime whose code runs seldom are called so. */
#define LINK_COLD_SUFFIX ".cold.o"

/* Writes it to `path`: all code in one section, what runs seldom at its beginning, up
 * to the symbol ELF_COLD_END; constants and data in one section each. Sections in which
 * the kernel looks for tables keep their names. 0, or -1 with *err. */
int link_script_write(const char *path, char **err);

#endif
