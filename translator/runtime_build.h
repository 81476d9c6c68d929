/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtime compiled for one kernel: every runtime/module/NAME.c as an object, of which a script's link takes what it needs.
 * objtool has not seen them: it has to see a module as a whole, and skips a link of objects that it has already seen, leaving
 * new code without unwind data and return sites. */
#ifndef STAP_RUNTIME_BUILD_H
#define STAP_RUNTIME_BUILD_H

#include <stdbool.h>
#include "kernel_kit.h"

struct runtime {
	char *key;		/* kernel kit, compiler, flags and sources */
	char *dir;		/* the cache entry */
	char *archive;		/* runtime.a, NULL as long as not all units are compiled: see runtime_units.h */
	char *features;		/* stp_features.h */
	char *layout;		/* sizes and offsets it relies on, see layout.h */
	bool built;		/* the entry was made by this call, not found in the cache */
	gint64 began;		/* when that began, g_get_monotonic_time(); 0: it was found */

	/* how units are compiled */
	struct kernel_target *k;
	struct kernel_kit *kit;
	struct cache *cache;
	char *runtime_dir;	/* absolute */
	char *name;		/* the entry's, in the cache */
	char *what;		/* for messages */
	char *scratch;		/* directory for what is being compiled, or NULL */
	char *prelude;		/* prelude.h in it, or NULL */
	bool quiet;
};

/* Finds the runtime's entry for `kit` in the cache, or makes it (a second or two); no unit is compiled yet. `runtime_dir` holds
 * module/ and abi/. `quiet`: nothing is said on stderr. 0, or -1 with *err. The arguments must outlive *ret. */
int runtime_open(struct kernel_target *k, struct kernel_kit *kit, struct cache *c,
		 const char *runtime_dir, bool quiet, struct runtime **ret, char **err);

/* Sets rt->archive if all units are there by now. */
void runtime_find_archive(struct runtime *rt);

/* NULL is allowed. */
void runtime_close(struct runtime *rt);

/* Sorted paths of the files in `dir` whose names end in one of `suffixes`. The array owns them and is the caller's. */
GPtrArray *runtime_files_in(const char *dir, const char *const *suffixes);

/* The compiler command for a unit with kernel headers, up to and without "-c -o
 * OUT FILE". `prelude` is the header of runtime_prelude.h, or NULL for users'
 * embedded C, which sees what it includes; `features` is NULL for feature probes.
 * Elements and array owned by the caller, not NULL-terminated yet. */
GPtrArray *runtime_unit_command(const struct kernel_kit *kit, const char *runtime_dir,
				const char *prelude, const char *features);

#endif
