/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where built things are kept between runs: opening, entries, locks. The
 * cleaning is in cache_clean.c. */
#include "cache.h"
#include "errmsg.h"
#include "subprocess.h"
#include "marks.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib.h>

#define SYSTEM_ROOT "/var/cache/stap"

/* A directory that others may write to could feed code into the kernel. */
static bool directory_is_trusted(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0) &&
	       (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static char *cache_default_root(void)
{
	const char *dir = g_getenv("SYSTEMTAP_DIR");

	if (dir && *dir)
		return g_build_filename(dir, "cache", NULL);
	if (geteuid() == 0)
		return g_strdup(SYSTEM_ROOT);
	dir = g_getenv("XDG_CACHE_HOME");
	if (dir && g_path_is_absolute(dir))
		return g_build_filename(dir, "stap", NULL);
	dir = g_getenv("HOME");
	if (dir && g_path_is_absolute(dir))
		return g_build_filename(dir, ".cache", "stap", NULL);
	return NULL;
}

/* Makes the root and its scratch area. Returns NULL or why it is unusable. */
static char *cache_prepare_root(struct cache *c)
{
	char *tmp, *why = NULL;

	if (!c->root)
		return g_strdup("neither XDG_CACHE_HOME nor HOME is set");
	tmp = g_build_filename(c->root, "tmp", NULL);
	if (g_mkdir_with_parents(tmp, 0755) != 0 || access(tmp, W_OK) != 0)
		why = g_strdup_printf("cannot write to %s: %s", c->root,
				      g_strerror(errno));
	else if (!directory_is_trusted(c->root))
		why = g_strdup_printf("%s belongs to somebody else or is "
				      "writable by others", c->root);
	g_free(tmp);
	return why;
}

/* Makes the root in TMPDIR; `why` says what for. */
static int make_private_root(struct cache *c, const char *why, char **err)
{
	c->root = g_build_filename(g_get_tmp_dir(), "stap-cache-XXXXXX", NULL);
	c->ephemeral = g_mkdtemp_full(c->root, 0700) != NULL;
	if (c->ephemeral) {
		subprocess_remove_on_signal(c->root);
		return 0;
	}
	return errmsg_set(err, "no directory to build in: %s%s%s: %s", why ? why : "", why ? ", and " : "", c->root,
			  g_strerror(errno));
}

int cache_open_private(struct cache **ret, char **err)
{
	struct cache *c = g_new0(struct cache, 1);

	*ret = NULL;
	if (make_private_root(c, NULL, err) != 0) {
		cache_close(c);
		return -1;
	}
	*ret = c;
	return 0;
}

void cache_renew(struct cache *c)
{
	/* File times may lag behind the clock by a tick. */
	c->renew_from = (g_get_real_time() - 50000) * 1000LL;
}

int cache_open(struct cache **ret, char **err)
{
	struct cache *c = g_new0(struct cache, 1);
	char *root = cache_default_root();

	*ret = NULL;
	/* Compilers run in other directories, so the path must be absolute. */
	c->root = root ? g_canonicalize_filename(root, NULL) : NULL;
	g_free(root);
	c->warning = cache_prepare_root(c);
	if (c->warning) {
		g_free(c->root);
		if (make_private_root(c, c->warning, err) != 0) {
			cache_close(c);
			return -1;
		}
	}
	/* Somebody who names a place wants that one and no other. */
	if (!g_getenv("SYSTEMTAP_DIR") && strcmp(c->root, SYSTEM_ROOT) != 0 &&
	    directory_is_trusted(SYSTEM_ROOT))
		c->system_root = g_strdup(SYSTEM_ROOT);
	*ret = c;
	return 0;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	if (c->ephemeral)
		cache_remove_tree(c->root);
	g_free(c->root);
	g_free(c->system_root);
	g_free(c->warning);
	g_free(c);
}

char *cache_path(struct cache *c, const char *name)
{
	return g_build_filename(c->root, name, NULL);
}

/* An entry is its top-level directory below the kind ("runtime/KEY") or the
 * file itself; the clock of what was used last is that path's mtime. */
static void entry_touch(const char *root, const char *name)
{
	const char *kind = strchr(name, '/');
	const char *end = kind ? strchr(kind + 1, '/') : NULL;
	char *entry = end ? g_strndup(name, end - name) : g_strdup(name);
	char *path = g_build_filename(root, entry, NULL);

	utimensat(AT_FDCWD, path, NULL, 0);
	g_free(path);
	g_free(entry);
}

static bool is_old(const struct cache *c, const struct stat *st)
{
	return c->renew_from && st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec < c->renew_from;
}

static char *find_below(struct cache *c, const char *root, const char *name)
{
	char *path = g_build_filename(root, name, NULL);
	struct stat st;

	if (stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && st.st_size > 0 && !is_old(c, &st) &&
	    (st.st_uid == geteuid() || st.st_uid == 0)) {
		entry_touch(root, name);
		STAP_MARK2(cache__get, path, path);
		return path;
	}
	g_free(path);
	return NULL;
}

char *cache_find_own(struct cache *c, const char *name)
{
	return find_below(c, c->root, name);
}

char *cache_find(struct cache *c, const char *name)
{
	char *path = cache_find_own(c, name);

	return path || !c->system_root ? path : find_below(c, c->system_root, name);
}

int cache_scratch(struct cache *c, char **ret, char **err)
{
	char *dir = g_build_filename(c->root, "tmp", NULL);

	*ret = g_build_filename(dir, "XXXXXX", NULL);
	if (g_mkdir_with_parents(dir, 0755) != 0 || !g_mkdtemp_full(*ret, 0755)) {
		int e = errno;

		g_free(*ret);
		*ret = NULL;
		if (e == ENOSPC || e == EDQUOT)
			errmsg_disk_full(err, dir);
		else
			errmsg_set(err, "cannot make a directory in %s: %s", dir,
				   g_strerror(e));
		g_free(dir);
		return -1;
	}
	g_free(dir);
	return 0;
}

static int sync_path(const char *path, const struct stat *st, int type,
		     struct FTW *ftw)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return 0;
	rc = fsync(fd);
	close(fd);
	/* Some file systems cannot sync directories; a full one must be told. */
	return rc != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO);
}

/* rename() that also replaces a whole directory; what was there goes. */
static int put_in_place(struct cache *c, const char *from, const char *to)
{
	char *aside = NULL;
	int rc;

	if (g_file_test(to, G_FILE_TEST_IS_DIR) && cache_scratch(c, &aside, NULL) == 0) {
		char *old = g_build_filename(aside, "old", NULL);

		rename(to, old);
		g_free(old);
	}
	rc = rename(from, to);
	if (aside) {
		int e = errno;

		cache_remove_tree(aside);
		g_free(aside);
		errno = e;
	}
	return rc;
}

int cache_publish(struct cache *c, const char *from, const char *name,
		  bool durable, char **ret, char **err)
{
	char *to = cache_path(c, name);
	char *parent = g_path_get_dirname(to);
	int rc = 0;

	*ret = NULL;
	if (durable && nftw(from, sync_path, 16, FTW_DEPTH | FTW_PHYS) != 0)
		rc = errmsg_disk_full(err, c->root);
	else if (g_mkdir_with_parents(parent, 0755) != 0)
		rc = errmsg_set(err, "cannot make %s: %s", parent, g_strerror(errno));
	else if ((c->renew_from ? put_in_place(c, from, to) : rename(from, to)) != 0) {
		if (errno == EEXIST || errno == ENOTEMPTY)
			cache_remove_tree(from);
		else
			rc = errmsg_set(err, "cannot move %s to %s: %s", from, to,
					g_strerror(errno));
	}
	g_free(parent);
	if (rc == 0)
		STAP_MARK2(cache__add, from, to);
	if (rc == 0)
		*ret = to;
	else
		g_free(to);
	return rc;
}

int cache_lock(struct cache *c, const char *name, const char *what, char **err)
{
	char *dir = cache_path(c, "locks");
	char *path = g_build_filename(dir, name, NULL);
	int fd = -1;

	if (g_mkdir_with_parents(dir, 0755) == 0)
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0) {
		errmsg_set(err, "cannot open the lock %s: %s", path, g_strerror(errno));
	} else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		fprintf(stderr, "waiting for another stap that builds %s\n", what);
		if (flock(fd, LOCK_EX) != 0) {
			errmsg_set(err, "interrupted while waiting for the lock %s",
				   path);
			close(fd);
			fd = -1;
		}
	}
	g_free(path);
	g_free(dir);
	return fd;
}

void cache_unlock(int fd)
{
	if (fd >= 0)
		close(fd);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	remove(path);
	return 0;
}

void cache_remove_tree(const char *path)
{
	if (path)
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns 0, or -1 with errno set. */
static int write_file(const char *path, const char *text, gsize len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	gsize done = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	while (done < len && (n = write(fd, text + done, len - done)) > 0)
		done += n;
	if (done < len) {
		int e = n == 0 ? ENOSPC : errno;

		close(fd);
		errno = e;
		return -1;
	}
	return close(fd);
}

int cache_copy_file(const char *from, const char *to, char **err)
{
	char *tmp = g_strdup_printf("%s.tmp%d", to, (int)getpid());
	GError *gerr = NULL;
	char *text = NULL;
	gsize len = 0;
	int rc = -1;

	if (g_file_get_contents(from, &text, &len, &gerr)) {
		if (write_file(tmp, text, len) == 0 && rename(tmp, to) == 0)
			rc = 0;
		else if (errno == ENOSPC || errno == EDQUOT)
			errmsg_disk_full(err, to);
		else
			errmsg_set(err, "cannot write %s: %s", to, g_strerror(errno));
		if (rc != 0)
			unlink(tmp);
	} else {
		errmsg_set(err, "%s", gerr->message);
		g_error_free(gerr);
	}
	g_free(text);
	g_free(tmp);
	return rc;
}
