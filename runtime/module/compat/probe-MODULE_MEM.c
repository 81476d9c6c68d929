/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/module.h>
unsigned long stp_size(struct module *mod);
unsigned long stp_size(struct module *mod) { return mod->mem[MOD_RODATA].size + (unsigned long)mod->mem[MOD_RODATA].base; }
