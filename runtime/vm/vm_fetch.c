/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gets a kernel from the distribution's packages into the cache, without installing it. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm.h"

static volatile sig_atomic_t interrupted;

/* The part of a package name after "linux-image-" that is a release of the plain flavour. */
static bool package_is_plain(const char *release)
{
	static const char *const others[] = { "-dbg", "-unsigned", "-cloud", "-rt-", "-template" };

	if (release[0] < '0' || release[0] > '9' || !strstr(release, "-amd64"))
		return false;
	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strstr(release, others[i]))
			return false;
	return true;
}

/* The newest release with a package that answers to name; the caller frees. */
static char *package_find(const char *name)
{
	char *prefix = vm_format("linux-image-%s", name ? name : "");
	char *argv[] = { "apt-cache", "pkgnames", prefix, NULL };
	size_t size;
	char *text = vm_spawn_read(argv, &size), *best = NULL, *rest = text;

	free(prefix);
	for (char *line; text && (line = strsep(&rest, "\n")); ) {
		const char *release = line + strlen("linux-image-");
		if (strlen(line) <= strlen("linux-image-") || !package_is_plain(release)
		    || !kernel_matches(release, name))
			continue;
		if (best && strverscmp(best, release) >= 0)
			continue;
		free(best);
		best = vm_format("%s", release);
	}
	free(text);
	return best;
}

static void tree_remove(const char *path)
{
	char *argv[] = { "rm", "-rf", "--", (char *)path, NULL };

	vm_spawn(argv, -1, NULL);
}

/* A .deb in dir, or NULL; the caller frees. */
static char *deb_find(const char *dir)
{
	DIR *handle = opendir(dir);
	struct dirent *entry;
	char *found = NULL;

	while (handle && !found && (entry = readdir(handle))) {
		size_t length = strlen(entry->d_name);
		if (length > 4 && !strcmp(entry->d_name + length - 4, ".deb"))
			found = vm_format("%s/%s", dir, entry->d_name);
	}
	if (handle)
		closedir(handle);
	return found;
}

/* Renews the package lists, which only root may. */
static bool lists_update(void)
{
	char *update[] = { "apt-get", "-qq", "update", NULL };

	if (getuid())
		return false;
	vm_message("apt-get update ...");
	vm_spawn(update, 2, NULL);	/* some sources may fail; what matters may be there */
	return true;
}

/* Downloads a package into the directory work. */
static bool package_download(const char *package, const char *work)
{
	char *download[] = { "apt-get", "-q", "download", (char *)package, NULL };
	int status = vm_spawn(download, 2, work);

	/* Lists that are missing or old know no such file. */
	if (status && !interrupted && lists_update())
		status = vm_spawn(download, 2, work);
	return !status;
}

/* Unpacks every package in the directory work, and removes it. */
static bool debs_unpack(const char *work)
{
	bool good = true;

	for (char *deb; good && (deb = deb_find(work)); free(deb)) {
		char *unpack[] = { "dpkg-deb", "-x", deb, (char *)work, NULL };

		good = !vm_spawn(unpack, -1, NULL) && !unlink(deb);
	}
	return good;
}

/*
 * The packages that a kernel's consists of: itself alone, or, from Debian's 7.2 on, linux-binary-RELEASE, linux-modules-RELEASE and linux-base-RELEASE,
 * which it depends on.  Downloads them into the directory work.
 */
static bool packages_download(const char *package, const char *release, const char *work)
{
	char *depends[] = { "apt-cache", "depends", "--important", (char *)package, NULL };
	size_t size, tail = strlen(release);
	char *text, *rest;
	bool good = package_download(package, work);

	rest = text = vm_spawn_read(depends, &size);
	for (char *line; good && text && (line = strsep(&rest, "\n")); ) {
		const char *name = strstr(line, "Depends: linux-");
		size_t length = name ? strlen(name += strlen("Depends: ")) : 0;

		if (length > tail && !strcmp(name + length - tail, release))
			good = package_download(name, work);
	}
	free(text);
	return good;
}

/* Newer packages have all in usr/: a link where older ones have it. */
static void where_expected(const char *work, const char *name, const char *elsewhere, const char *target)
{
	char *old = vm_format("%s/%s", work, name), *now = vm_format("%s/%s", work, elsewhere), *dir = vm_format("%s/boot", work);

	if (access(old, F_OK) && !access(now, F_OK)) {
		mkdir(dir, 0755);
		if (symlink(target, old))
			vm_message("%s: %s", old, strerror(errno));
	}
	free(old);
	free(now);
	free(dir);
}

/* Downloads and unpacks into the empty directory work; 0, or -1 after a message. */
static int package_unpack(const char *release, const char *work, bool quiet)
{
	char *package = vm_format("linux-image-%s", release);
	char *depmod[] = { "depmod", "-b", (char *)work, (char *)release, NULL };
	char *image = vm_format("boot/vmlinuz-%s", release), *in_modules = vm_format("../usr/lib/modules/%s/vmlinuz", release);
	int rc = -1;

	if (!quiet)
		vm_message("downloading %s (about 100 MB) ...", package);
	if (!packages_download(package, release, work)) {
		if (!interrupted)
			vm_message("cannot download %s%s", package,
				   getuid() ? " (as root: apt-get update)" : "");
		free(package);
		free(image);
		free(in_modules);
		return -1;
	}
	if (!quiet)
		vm_message("unpacking %s ...", package);
	free(package);
	if (debs_unpack(work)) {
		where_expected(work, "lib", "usr/lib/modules", "usr/lib");
		where_expected(work, image, in_modules + strlen("../"), in_modules);
		rc = vm_spawn(depmod, -1, NULL) ? -1 : 0;
	}
	free(image);
	free(in_modules);
	if (rc)
		vm_message("cannot unpack the package (is the disk full?)");
	return rc;
}

/* ^C ends the tools that run for us; we stay to clean up. */
static void interrupt_note(int number)
{
	interrupted = number;
}

/* Removes what a fetch left that was killed an hour ago or earlier. */
static void leftovers_remove(const char *cache)
{
	char *find[] = { "find", (char *)cache, "-mindepth", "1", "-maxdepth", "1", "-type", "d",
			 "-name", ".*.??????", "-mmin", "+60", "-exec", "rm", "-rf", "{}", "+",
			 NULL };

	vm_spawn(find, -1, NULL);
}

/* Fetches to a name of our own, then renames: others see all of it or nothing. */
static int release_fetch(const char *release, bool quiet)
{
	char *cache = kernel_cache_dir();
	char *work = vm_format("%s/.%s.XXXXXX", cache, release);
	char *final = vm_format("%s/%s", cache, release);
	int result = -1;

	if (vm_mkdir(cache) || !mkdtemp(work))
		vm_fail("%s: %s", cache, strerror(errno));
	chmod(work, 0755);
	void (*before)(int) = signal(SIGINT, interrupt_note);
	leftovers_remove(cache);
	result = package_unpack(release, work, quiet);
	/* Somebody else may have been quicker; theirs is as good. */
	if (!result && rename(work, final) && errno != EEXIST && errno != ENOTEMPTY) {
		vm_message("%s: %s", final, strerror(errno));
		result = -1;
	}
	tree_remove(work);
	signal(SIGINT, before);
	if (interrupted)
		raise(SIGINT);
	free(cache);
	free(work);
	free(final);
	return result;
}

struct vm_kernel *kernel_fetch(const char *name, bool quiet)
{
	struct vm_kernel *kernel = kernel_find(name);
	char *release = kernel_with_headers(name);

	/* One that is here is good enough, unless headers ask for another. */
	if (kernel && (kernel->headers || !release)) {
		free(release);
		return kernel;
	}
	kernel_free(kernel);
	if (!release)
		release = package_find(name);
	if (!release && lists_update())
		release = package_find(name);
	if (!release) {
		vm_message("no package of a kernel %s (apt-get update?)", name ? name : "at all");
		return NULL;
	}
	kernel = release_fetch(release, quiet) ? NULL : kernel_find(release);
	free(release);
	return kernel;
}
