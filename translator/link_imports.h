/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a linked object still needs from the kernel, as the module-info object
 * states it: versions of imported symbols, modules depended on, namespaces. */
#ifndef STAP_LINK_IMPORTS_H
#define STAP_LINK_IMPORTS_H

#include "kernel_kit.h"

/* Writes the module-info object `output` for the linked object `object`. 0, or -1
 * with *err naming every symbol that nothing provides. */
int link_write_modinfo(struct kernel_target *k, struct kernel_kit *kit,
		       const char *object, const char *module_name,
		       const char *output, char **err);

#endif
