/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kernels this machine has to boot: installed ones and those in the cache. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "vm.h"

char *kernel_cache_dir(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (getuid() == 0)
		return vm_format("/var/cache/stap/kernels");
	if (xdg && xdg[0] == '/')
		return vm_format("%s/stap/kernels", xdg);
	return vm_format("%s/.cache/stap/kernels", home ? home : "");
}

bool kernel_matches(const char *release, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (!length || !strcmp(release, name))
		return true;
	return !strncmp(release, name, length)
		&& !isdigit((unsigned char)release[length]) && release[length];
}

static bool has_headers(const char *release)
{
	char *path = vm_format("/lib/modules/%s/build/Makefile", release);
	bool found = !access(path, R_OK);

	free(path);
	return found;
}

/* A kernel with its image at PREFIX/boot; NULL when that cannot be read. */
static struct vm_kernel *kernel_at(const char *prefix, const char *release)
{
	char *image = vm_format("%s/boot/vmlinuz-%s", prefix, release);

	if (access(image, R_OK)) {
		free(image);
		return NULL;
	}
	struct vm_kernel *kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		vm_fail("out of memory");
	kernel->image = image;
	kernel->release = vm_format("%s", release);
	kernel->cached = prefix[0] != '\0';
	kernel->headers = has_headers(release);
	kernel->modules = vm_format("%s/lib/modules/%s", prefix, release);
	if (access(kernel->modules, R_OK)) {
		free(kernel->modules);
		kernel->modules = NULL;
	}
	return kernel;
}

/* Keeps the list sorted, newest first; of two with one release the first added stays. */
static void list_insert(struct vm_kernel **list, struct vm_kernel *kernel)
{
	int order = 1;

	if (!kernel)
		return;
	while (*list && (order = strverscmp((*list)->release, kernel->release)) > 0)
		list = &(*list)->next;
	if (*list && order == 0) {
		kernel_free(kernel);
		return;
	}
	kernel->next = *list;
	*list = kernel;
}

/* Calls for each entry of the directory whose name starts with start. */
static void list_add_dir(struct vm_kernel **list, const char *dir, const char *start, bool cache)
{
	DIR *handle = opendir(dir);
	struct dirent *entry;

	if (!handle)
		return;
	while ((entry = readdir(handle))) {
		const char *name = entry->d_name;
		if (name[0] == '.' || strncmp(name, start, strlen(start)))
			continue;
		name += strlen(start);
		char *prefix = cache ? vm_format("%s/%s", dir, name) : vm_format("%s", "");
		list_insert(list, kernel_at(prefix, name));
		free(prefix);
	}
	closedir(handle);
}

/* An installed image without its modules tree is of no use: the headers alone make one. */
static bool installed_whole(const struct vm_kernel *kernel)
{
	char *path = vm_format("%s/modules.dep", kernel->modules ? kernel->modules : "/nonexistent");
	bool whole = !access(path, R_OK);

	free(path);
	return whole;
}

struct vm_kernel *kernel_list(void)
{
	struct vm_kernel *list = NULL;
	char *cache = kernel_cache_dir();

	list_add_dir(&list, "/boot", "vmlinuz-", false);
	for (struct vm_kernel **link = &list; *link; ) {
		struct vm_kernel *kernel = *link;
		if (installed_whole(kernel)) {
			link = &kernel->next;
			continue;
		}
		*link = kernel->next;
		kernel->next = NULL;
		kernel_free(kernel);
	}
	list_add_dir(&list, cache, "", true);
	if (getuid())	/* what root fetched serves everybody */
		list_add_dir(&list, "/var/cache/stap/kernels", "", true);
	free(cache);
	return list;
}

void kernel_free(struct vm_kernel *list)
{
	while (list) {
		struct vm_kernel *next = list->next;
		free(list->release);
		free(list->image);
		free(list->modules);
		free(list);
		list = next;
	}
}

struct vm_kernel *kernel_find(const char *name)
{
	struct vm_kernel *list = kernel_list(), **best = NULL;

	for (struct vm_kernel **link = &list; *link; link = &(*link)->next)
		if (kernel_matches((*link)->release, name)
		    && (!best || (!(*best)->headers && (*link)->headers)))
			best = link;
	struct vm_kernel *found = best ? *best : NULL;
	if (found) {
		*best = found->next;
		found->next = NULL;
	}
	kernel_free(list);
	return found;
}

struct vm_kernel *kernel_in_dir(const char *dir)
{
	char *real = realpath(dir, NULL);
	char *boot = vm_format("%s/boot", real ? real : dir);
	struct vm_kernel *found = NULL;
	DIR *handle = opendir(boot);
	struct dirent *entry;

	while (handle && !found && (entry = readdir(handle)))
		if (!strncmp(entry->d_name, "vmlinuz-", 8))
			found = kernel_at(real, entry->d_name + 8);
	if (handle)
		closedir(handle);
	if (!found)
		vm_message("no readable vmlinuz-* in %s", boot);
	free(boot);
	free(real);
	return found;
}

char *kernel_with_headers(const char *name)
{
	DIR *handle = opendir("/lib/modules");
	struct dirent *entry;
	char *best = NULL;

	while (handle && (entry = readdir(handle))) {
		const char *release = entry->d_name;
		if (release[0] == '.' || !kernel_matches(release, name) || !has_headers(release))
			continue;
		if (best && strverscmp(best, release) >= 0)
			continue;
		free(best);
		best = vm_format("%s", release);
	}
	if (handle)
		closedir(handle);
	return best;
}
