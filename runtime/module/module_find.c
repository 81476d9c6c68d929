/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Build id and symbols of an arriving module. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "module_find.h"
#include "stp_msg.h"

/* The note that the linker makes is in the module's read-only memory, at some multiple of four. */
bool stp_module_is_build(const struct module *mod, const u8 *id, u32 len)
{
	u32 head[4] = { 4, len, 3 /* NT_GNU_BUILD_ID */ };
	size_t size, i, n = sizeof(head) + len;
	const char *p = stp_module_rodata(mod, &size);

	if (!len)
		return true;
	memcpy(&head[3], "GNU", 4);
	for (i = 0; p && i + n <= size; i += 4)
		if (!memcmp(p + i, head, sizeof(head)) && !memcmp(p + i + sizeof(head), id, len))
			return true;
	return false;
}

u64 stp_module_symbol(const struct module *mod, const char *name)
{
	const struct mod_kallsyms *k = stp_module_symbols(mod);
	u32 i;

	for (i = 1; k && i < k->num_symtab; i++)
		if (k->symtab[i].st_shndx != SHN_UNDEF && !strcmp(k->strtab + k->symtab[i].st_name, name))
			return k->symtab[i].st_value;
	return 0;
}
