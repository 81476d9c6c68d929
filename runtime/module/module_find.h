/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is looked for in a module that arrives.  In its notifier, when all of its symbols are there. */
#ifndef STP_MODULE_FIND_H
#define STP_MODULE_FIND_H

#include "compat/module.h"

/* Is it of that build?  True for any when len is 0. */
bool stp_module_is_build(const struct module *mod, const u8 *id, u32 len);
/* The value of its symbol, 0 when it has none of that name. */
u64 stp_module_symbol(const struct module *mod, const char *name);
#endif
