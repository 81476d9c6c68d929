/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct module. */
#ifndef STP_COMPAT_MODULE_H
#define STP_COMPAT_MODULE_H

#include <linux/module.h>

/* A module's read-only data, its notes among them.  6.4 (ac3b43283923) made of the layouts an array of memories. */
static inline const void *stp_module_rodata(const struct module *mod, size_t *size)
{
#ifdef STP_HAVE_MODULE_MEM
	*size = mod->mem[MOD_RODATA].size;
	return mod->mem[MOD_RODATA].base;
#else
	*size = mod->core_layout.ro_size - mod->core_layout.text_size;
	return (const char *)mod->core_layout.base + mod->core_layout.text_size;
#endif
}

/* Its symbol table, complete while the module arrives; NULL where the kernel keeps none. */
static inline const struct mod_kallsyms *stp_module_symbols(const struct module *mod)
{
#ifdef CONFIG_KALLSYMS
	return (const struct mod_kallsyms __force *)mod->kallsyms;
#else
	return NULL;
#endif
}
#endif
