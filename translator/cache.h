/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory where built things are kept between runs: runtimes, kernel
 * build settings, linked modules. Entries are made in a scratch directory of
 * the same file system and appear under their final name by one rename, so a
 * reader meets a whole entry or none. See doc/build-cache.md. */
#ifndef STAP_CACHE_H
#define STAP_CACHE_H

#include <stdbool.h>

struct cache {
	char *root;		/* absolute path */
	char *system_root;	/* root's cache, read by users too; NULL if same */
	bool ephemeral;		/* no place to write: removed by cache_close() */
	char *warning;		/* why it is ephemeral, or NULL */
	long long renew_from;	/* entries older than this (ns) do not count; 0: all do */
};

/* Opens (and makes) SYSTEMTAP_DIR/cache, or /var/cache/stap for root, or
 * XDG_CACHE_HOME/stap, ~/.cache/stap. Where that cannot be written, falls back
 * to a private directory under TMPDIR and sets `warning`. Returns 0, or -1
 * with *err. */
int cache_open(struct cache **ret, char **err);

/* An empty private cache for one run, below TMPDIR (--disable-cache). */
int cache_open_private(struct cache **ret, char **err);

/* From now on entries that are there already are not found, but made again and
 * put in their places (--poison-cache). */
void cache_renew(struct cache *c);

/* Frees `c` (NULL allowed) and removes an ephemeral cache. */
void cache_close(struct cache *c);

/* Path of the entry `name` ("runtime/KEY/runtime.a") if it exists, is ours or
 * root's, and is not empty, else NULL. Marks it as used. Owned by the caller. */
char *cache_find(struct cache *c, const char *name);

/* The same, never root's: for an entry to which something is added. */
char *cache_find_own(struct cache *c, const char *name);

/* Where cache_publish() would put `name`. Owned by the caller. */
char *cache_path(struct cache *c, const char *name);

/* A new empty directory, private to this process. Owned by the caller, who
 * removes it with cache_remove_tree() unless it was published. */
int cache_scratch(struct cache *c, char **ret, char **err);

/* Moves the file or directory `from` (made in a scratch directory) to `name`
 * and returns the final path in *ret. When somebody else published the same
 * name first, theirs is kept and `from` removed. With `durable` the content is
 * on disk before the name is: for what took long to make. */
int cache_publish(struct cache *c, const char *from, const char *name,
		  bool durable, char **ret, char **err);

/* Takes the lock `name` for a long build; waits for another holder, and says
 * so on stderr first (`what`: "the runtime for 6.1"). Returns a descriptor for
 * cache_unlock(); -1 with *err. A dead holder's lock is free. */
int cache_lock(struct cache *c, const char *name, const char *what, char **err);
void cache_unlock(int fd);

/* Removes the least recently used entries when the cache is over its limit
 * (256 MiB, or the number of MiB in ROOT/cache_mb_limit), and scratch
 * directories that a killed run left. Looks at the disk at most once in five
 * minutes (ROOT/cache_clean_interval_s) unless `force`. Never fails. */
void cache_clean(struct cache *c, bool force);

/* Removes a file or a whole directory; missing is fine. */
void cache_remove_tree(const char *path);

/* Copies a file under a new name by way of a temporary neighbour and a rename.
 * Returns 0 or -1 with *err; nothing half-written stays. */
int cache_copy_file(const char *from, const char *to, char **err);

#endif
