/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Section .stap_lines of a probe module: tables of source lines of the kernel and of modules, for the loader, which finds where the code is
 * and hands the tables down (STP_IOC_LINES).  The kernel does not load the section.  It holds one piece after the other, each of
 * `size` bytes (a multiple of 8): this head, then a struct stp_utab with the lines alone, whose addresses count from the
 * start of the code.
 */
#ifndef STP_LINES_H
#define STP_LINES_H

#include <linux/types.h>

#define STP_LINES_MAGIC 0x656e696c /* "line" */

struct stp_lines_head {
	__u32 magic;
	__u32 size;          /* of the piece */
	__u32 table_size;
	__u32 pad;
	__u64 offset;        /* the code begins at symbol + offset */
	__u64 length;        /* bytes of code */
	char module[64];     /* "vmlinux" or the module's name */
	char symbol[64];     /* "_stext", or the module's section */
	char build_id[72];   /* hexadecimal, "": not known */
};

#endif
