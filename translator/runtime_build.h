/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtime compiled for one kernel: every runtime/module/NAME.c as an object of
 * an archive, from which a script's link takes what it needs. */
#ifndef STAP_RUNTIME_BUILD_H
#define STAP_RUNTIME_BUILD_H

#include <stdbool.h>
#include "kernel_kit.h"

struct runtime {
	char *key;		/* kernel kit, compiler, flags and sources */
	char *archive;		/* runtime.a */
	char *features;		/* stp_features.h */
	char *layout;		/* sizes and offsets it relies on, see layout.h */
	bool built;		/* by this call, not found in the cache */
	double seconds;		/* that took */
};

/* Finds the runtime for `kit` in the cache, or compiles it (some seconds; says so
 * on stderr when it takes more than one, unless `quiet`). `runtime_dir` holds
 * module/ and abi/. 0, or -1 with *err. */
int runtime_open(struct kernel_target *k, struct kernel_kit *kit, struct cache *c,
		 const char *runtime_dir, bool quiet, struct runtime **ret, char **err);

/* NULL is allowed. */
void runtime_close(struct runtime *rt);

/* The compiler command for a unit with kernel headers, up to and without "-c -o
 * OUT FILE". `prelude` is the header of runtime_prelude.h, or NULL for users'
 * embedded C, which sees what it includes; `features` is NULL for feature probes.
 * Elements and array owned by the caller, not NULL-terminated yet. */
GPtrArray *runtime_unit_command(const struct kernel_kit *kit, const char *runtime_dir,
				const char *prelude, const char *features);

#endif
