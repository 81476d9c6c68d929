/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build ids of kernel images. */
#ifndef STAP_KERNEL_ID_H
#define STAP_KERNEL_ID_H

/* The GNU build id as lower-case hex from a file of raw ELF notes
 * (/sys/kernel/notes) or from the note sections of an ELF file; NULL when there
 * is none. Owned by the caller (g_free). */
char *kernel_build_id_of_notes(const char *path);
char *kernel_build_id_of_elf(const char *path);

#endif
