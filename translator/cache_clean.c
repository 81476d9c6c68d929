/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the cache under its size limit: least recently used entries go first.
 * Removal is safe beside running stap processes: what they have open stays
 * readable, and what they miss is built again. */
#include "cache.h"
#include "marks.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <glib.h>

#define DEFAULT_LIMIT_MB 256
#define DEFAULT_INTERVAL_S 300
#define SCRATCH_LIFETIME_S (6 * 3600)
#define MINIMUM_AGE_S 60	/* an entry just made is never removed */

/* The kinds of entries that may go, and how deep their entries lie. */
static const char *const kinds[] = { "kits", "runtime", "modules", "index" };

struct entry {
	char *path;
	off_t size;
	time_t used;
};

static off_t tree_size;

static int add_size(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	tree_size += st->st_blocks * 512;
	return 0;
}

static void entry_free(gpointer data)
{
	struct entry *e = data;

	g_free(e->path);
	g_free(e);
}

static long setting(struct cache *c, const char *name, long preset)
{
	char *path = cache_path(c, name), *text = NULL;
	long value = preset;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		char *end;
		long v = strtol(text, &end, 10);

		if (end != text && v >= 0)
			value = v;
	}
	g_free(text);
	g_free(path);
	return value;
}

static void kind_collect(const char *dir, GPtrArray *entries, off_t *total)
{
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		struct entry *e = g_new0(struct entry, 1);
		struct stat st;

		e->path = g_build_filename(dir, name, NULL);
		if (lstat(e->path, &st) != 0) {
			entry_free(e);
			continue;
		}
		tree_size = 0;
		nftw(e->path, add_size, 16, FTW_PHYS);
		e->size = tree_size;
		e->used = st.st_mtime;
		*total += e->size;
		g_ptr_array_add(entries, e);
	}
	if (d)
		g_dir_close(d);
}

static gint entry_compare(gconstpointer a, gconstpointer b)
{
	const struct entry *x = *(struct entry *const *)a;
	const struct entry *y = *(struct entry *const *)b;

	return (x->used > y->used) - (x->used < y->used);
}

static void scratch_clean(struct cache *c, time_t now)
{
	char *dir = cache_path(c, "tmp");
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		char *path = g_build_filename(dir, name, NULL);
		struct stat st;

		if (lstat(path, &st) == 0 && now - st.st_mtime > SCRATCH_LIFETIME_S)
			cache_remove_tree(path);
		g_free(path);
	}
	if (d)
		g_dir_close(d);
	g_free(dir);
}

/* True when it is time to look, and we alone are looking. */
static bool clean_is_due(struct cache *c, time_t now, bool force, int *ret_fd)
{
	char *stamp = cache_path(c, "cleaned");
	struct stat st;
	bool due = true;

	if (!force && stat(stamp, &st) == 0)
		due = now - st.st_mtime >=
		      setting(c, "cache_clean_interval_s", DEFAULT_INTERVAL_S);
	*ret_fd = due ? open(stamp, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
	if (*ret_fd >= 0 && flock(*ret_fd, LOCK_EX | LOCK_NB) != 0) {
		close(*ret_fd);
		*ret_fd = -1;
	}
	if (*ret_fd >= 0)
		futimens(*ret_fd, NULL);
	g_free(stamp);
	return *ret_fd >= 0;
}

void cache_clean(struct cache *c, bool force)
{
	time_t now = time(NULL);
	off_t total = 0, limit;
	GPtrArray *entries;
	int fd;

	if (c->ephemeral || !clean_is_due(c, now, force, &fd))
		return;
	scratch_clean(c, now);
	entries = g_ptr_array_new_with_free_func(entry_free);
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		char *dir = cache_path(c, kinds[i]);

		kind_collect(dir, entries, &total);
		g_free(dir);
	}
	g_ptr_array_sort(entries, entry_compare);
	limit = (off_t)setting(c, "cache_mb_limit", DEFAULT_LIMIT_MB) << 20;
	for (guint i = 0; i < entries->len && total > limit; i++) {
		struct entry *e = entries->pdata[i];

		if (now - e->used < MINIMUM_AGE_S)
			break;
		STAP_MARK(cache__clean, e->path);
		cache_remove_tree(e->path);
		total -= e->size;
	}
	g_ptr_array_free(entries, TRUE);
	close(fd);
}
