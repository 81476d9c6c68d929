/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 4: from generated C and the compiled runtime to a loadable module, with
 * the kernel's own flags, objtool and linker script but without its make. */
#ifndef STAP_LINK_H
#define STAP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include "runtime_build.h"

/* A module's name when none is given: "stap_", 16 hex digits of the module's key,
 * "_", and a tail of ten characters, "0000000000" in the file, that the loader
 * overwrites in memory with what makes the name unique. Always this long. */
#define LINK_NAME_LEN 32
#define LINK_NAME_TAIL_LEN 10

struct link_unit {
	const char *path;	/* a .c file */
	bool kernel_headers;	/* users' embedded C; else generated C */
};

struct link_request {
	const struct link_unit *units;
	size_t unit_count;
	const char *module_name;	/* NULL: the scheme above */
	const char *output;		/* NULL: only in the cache */
	bool no_cache;			/* link even when a module is there */
	bool unoptimized;		/* -u asks the compiler for less, too */
	const char *const *embedded_flags; /* for kernel_headers units: -D..., -I... */
	const char *keep_dir;		/* -k: copy objects there, or NULL */
};

struct link_result {
	char *path;		/* of the module: `output`, or in the cache */
	char *name;		/* the module's name */
	bool from_cache;
	char *messages;		/* compiler warnings about embedded C, "" if none */
	/* Seconds of each step; zero when from the cache. */
	double cc, ld, objtool, modinfo, final;
};

/* *err begins with this when it is what the compiler says about embedded C. */
#define LINK_EMBEDDED_ERROR "the embedded C code does not compile:\n"

/* Makes the module. 0, or -1 with *err: what the compiler says about embedded C,
 * or which symbol neither the runtime nor the kernel has. */
int link_module(struct kernel_target *k, struct kernel_kit *kit, struct runtime *rt,
		struct cache *c, const char *runtime_dir, const struct link_request *req,
		struct link_result *ret, char **err);

/* Frees the fields; safe on a zeroed struct. */
void link_result_deinit(struct link_result *r);

#endif
