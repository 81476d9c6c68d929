/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a kernel builds its modules, learnt from the kernel itself: one tiny
 * module is built by its own build system, once, and the saved command lines
 * and the module-info object of that build are kept in the cache. */
#ifndef STAP_KERNEL_KIT_H
#define STAP_KERNEL_KIT_H

#include <stdbool.h>
#include "cache.h"
#include "kernel.h"

/* All vectors are NULL-terminated and begin with the program; commands run with
 * work_dir as the working directory (their paths are relative to it). */
struct kernel_kit {
	char *key;		/* identity of headers, compiler and this format */
	char *dir;		/* the cache entry */
	char *work_dir;
	char **cc_kernel;	/* units that include kernel headers */
	char **cc_script;	/* units that include none */
	char **objtool;		/* on a linked object; NULL where the kernel uses none */
	char **ld_partial;	/* joins objects */
	char **ld_final;	/* makes the .ko, with the kernel's linker script */
	char *template;		/* module-info object: vermagic, struct module, versions */
	char *module_common;	/* .module-common.o, or NULL */
	char *vermagic;
	char *compiler;		/* path, size and time of the compiler */
	size_t this_module_size;/* sizeof(struct module) in these headers: compare it
				 * with the running kernel's BTF before a first load */
};

/* Finds the kit in the cache or makes it (1-2 s). Returns 0, or -1 with *err:
 * no headers, no compiler, no make, or what the kernel's build system said. */
int kernel_kit_open(struct kernel_target *k, struct cache *c,
		    struct kernel_kit **ret, char **err);

/* NULL is allowed. */
void kernel_kit_close(struct kernel_kit *kit);

/* Environment for objtool and friends ("SRCARCH=x86", ...); static storage. */
const char *const *kernel_kit_env(const struct kernel_target *k);

#endif
