/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins sections of one kind: each costs a header, and every reference from one to
 * another a relocation. Code that the kernel would free after the start of a module
 * (.init.text) stays: it is smaller than what a section of its own costs. */
#include "link_script.h"
#include "elf_thin.h"
#include "errmsg.h"

#include <glib.h>

/* What nothing refers to but the kernel or objtool by its name: not to be taken for
 * unused when unused functions are left out. */
static const char script[] =
	"SECTIONS {\n"
	".modinfo : { KEEP(*(.modinfo)) }\n"
	".stap_sites : { KEEP(*(.stap_sites)) }\n"
	".stap_lines : { KEEP(*(.stap_lines)) }\n"
	".stap_addresses : { KEEP(*(.stap_addresses)) }\n"
	".stap_entries : { KEEP(*(.stap_entries)) }\n"
	"__ex_table : { KEEP(*(__ex_table)) }\n"
	"__bug_table : { KEEP(*(__bug_table)) }\n"
	"__jump_table : { KEEP(*(__jump_table)) }\n"
	".altinstructions : { KEEP(*(.altinstructions)) }\n"
	".altinstr_aux : { KEEP(*(.altinstr_aux)) }\n"
	".parainstructions : { KEEP(*(.parainstructions)) }\n"
	".init_array : { KEEP(*(.init_array .init_array.*)) }\n"
	".ctors : { KEEP(*(.ctors .ctors.*)) }\n"
	"__param : { KEEP(*(__param)) }\n"
	".text : {\n"
	"	*(.text.unlikely .text.unlikely.* .init.text .exit.text)\n"
	"	*" LINK_COLD_SUFFIX "(.text .text.*)\n"
	"	" ELF_COLD_END " = .;\n"
	"	*(.text .text.*)\n"
	"}\n"
	".rodata : { *(.rodata .rodata.* .init.rodata) }\n"
	".data : { *(.data .data.[!.]* .data..read_mostly .data..cacheline_aligned\n"
	"	.data..once .init.data .exit.data) }\n"
	".bss : { *(.bss .bss.* .sbss) }\n"
	"/DISCARD/ : { *(.smp_locks .comment .discard.addressable) }\n"
	"}\n";

int link_script_write(const char *path, char **err)
{
	if (g_file_set_contents_full(path, script, sizeof(script) - 1, G_FILE_SET_CONTENTS_NONE,
				     0644, NULL))
		return 0;
	return errmsg_disk_full(err, path);
}
