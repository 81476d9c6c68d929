/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of all functions of all modules of a kernel in one cached file, so that a pattern over modules
 * need not unpack thousands of them.
 */
#ifndef STAP_MODULE_PACK_H
#define STAP_MODULE_PACK_H

#include "types.h"

struct module_pack;

/* Opens the pack of the target's modules, or makes it (with progress on stderr: it takes a while).
 * Owned by `t`; NULL when the kernel has no types or no list of modules. */
struct module_pack *module_pack_open(struct types *t);
void module_pack_close(struct module_pack *p);
/* Calls fn for each function of `module` whose name `match` accepts, in order of names, each once.  Names
 * are valid until the pack is closed. */
void module_pack_each(struct module_pack *p, const char *module, bool (*match)(void *data, const char *name),
		      cfunc_fn fn, void *data);

#endif
