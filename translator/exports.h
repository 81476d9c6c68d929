/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel exports to modules, from the Module.symvers of its headers. */
#ifndef STAP_EXPORTS_H
#define STAP_EXPORTS_H

#include <glib.h>
#include <stdint.h>
#include "kernel.h"

struct export {
	uint32_t crc;
	char *module;		/* NULL for the kernel itself, else "dir/name" */
	char *name_space;	/* symbol namespace to import, or NULL */
};

/* Looks up the names that are keys of `wanted` (values are not used) and returns
 * a table from name (owned) to struct export (owned) of those that are exported.
 * One pass over the file, about a millisecond. NULL with *err. */
GHashTable *exports_find(const struct kernel_target *k, GHashTable *wanted, char **err);

#endif
