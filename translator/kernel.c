/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel that a script is built for: finding its files. */
#include "kernel.h"
#include "errmsg.h"
#include "install_hint.h"
#include "kernel_id.h"
#include "kernel_release.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool is_headers_tree(const char *dir)
{
	char *makefile = g_build_filename(dir, "Makefile", NULL);
	char *autoconf = g_build_filename(dir, "include", "generated", "autoconf.h", NULL);
	bool ok = access(makefile, R_OK) == 0 && access(autoconf, R_OK) == 0;

	g_free(makefile);
	g_free(autoconf);
	return ok;
}

/* UTS_RELEASE of a headers tree: what `uname -r` says on its kernel, and what the
 * kernel compares. Distributions' kernel.release can be another. */
static char *tree_uts_release(const char *dir)
{
	char *path = g_build_filename(dir, "include", "generated", "utsrelease.h", NULL);
	char *text = NULL, *ret = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		char *start = strstr(text, "UTS_RELEASE \"");
		char *end = start ? strchr(start + 13, '"') : NULL;

		if (end)
			ret = g_strndup(start + 13, end - start - 13);
	}
	g_free(text);
	g_free(path);
	return ret;
}

/* The release that a headers tree was made for, or NULL. */
static char *tree_release(const char *dir)
{
	char *ret = tree_uts_release(dir), *path, *text = NULL;

	if (ret)
		return ret;
	path = g_build_filename(dir, "include", "config", "kernel.release", NULL);
	if (g_file_get_contents(path, &text, NULL, NULL))
		ret = g_strdup(g_strstrip(text));
	g_free(text);
	g_free(path);
	return ret;
}

/* First of ROOT/TEMPLATE (with %s for the release) that can be read. */
/* *denied gets the first that is there and may not be read; it may be NULL. */
static char *find_readable(char **roots, const char *const *templates, const char *release, char **denied)
{
	for (; *roots; roots++) {
		for (const char *const *t = templates; *t; t++) {
			char **parts = g_strsplit(*t, "%s", -1);
			char *tail = g_strjoinv(release, parts);
			char *path = g_build_filename(*roots, tail, NULL);

			g_strfreev(parts);
			g_free(tail);
			if (access(path, R_OK) == 0)
				return path;
			if (errno == EACCES && denied && !*denied && access(path, F_OK) == 0)
				*denied = g_steal_pointer(&path);
			g_free(path);
		}
	}
	return NULL;
}

static char *find_file(char **roots, const char *const *templates, const char *release)
{
	return find_readable(roots, templates, release, NULL);
}

/* Where files of this kernel may lie as if under "/": the tree that a private
 * build directory is part of, the system, and the VM's kernel stores. */
static char **kernel_roots(const char *release, const char *spec_dir)
{
	GPtrArray *roots = g_ptr_array_new();
	const char *dir = g_getenv("SYSTEMTAP_DIR"), *cut = NULL;

	if (spec_dir) {
		cut = strstr(spec_dir, "/lib/modules/");
		if (!cut)
			cut = strstr(spec_dir, "/usr/src/");
		if (cut && cut != spec_dir)
			g_ptr_array_add(roots, g_strndup(spec_dir, cut - spec_dir));
	}
	g_ptr_array_add(roots, g_strdup("/"));
	if (dir && *dir)
		g_ptr_array_add(roots, g_build_filename(dir, "cache", "kernels",
							release, NULL));
	if (geteuid() != 0)
		g_ptr_array_add(roots, g_build_filename(g_get_user_cache_dir(), "stap",
							"kernels", release, NULL));
	g_ptr_array_add(roots, g_build_filename("/var/cache/stap/kernels", release, NULL));
	g_ptr_array_add(roots, NULL);
	return (char **)g_ptr_array_free(roots, FALSE);
}

/* SYSTEMTAP_DEBUGINFO_PATH: directories with `:` between, each with boot/vmlinux-R or lib/modules/R/vmlinux below it, as
 * /usr/lib/debug has; a leading + or - (check sums or not) and relative ones, which are for user programs, mean nothing here. */
static char *find_debug_on_path(const char *path, const char *release, char **denied)
{
	static const char *const below[] = { "boot/vmlinux-%s", "vmlinux-%s", "lib/modules/%s/vmlinux",
		"usr/lib/modules/%s/vmlinux", NULL };
	char **dirs = g_strsplit(path, ":", -1), *found = NULL;

	for (int i = 0; dirs[i] && !found; i++) {
		char *dir = dirs[i] + strspn(dirs[i], "+-"), *one[] = { dir, NULL };

		if (*dir == '/')
			found = find_readable(one, below, release, denied);
		if (*dir == '/' && !found && !*denied && access(dir, X_OK) != 0 && errno == EACCES)
			*denied = g_strdup(dir);
	}
	g_strfreev(dirs);
	return found;
}

static void find_images(struct kernel_target *k, char **roots)
{
	static const char *const images[] = { "boot/vmlinuz-%s",
		"lib/modules/%s/vmlinuz", "usr/lib/modules/%s/vmlinuz",
		"boot/vmlinux-%s", NULL };
	static const char *const elf[] = { "lib/modules/%s/vmlinux",
		"lib/modules/%s/build/vmlinux", "boot/vmlinux-%s", NULL };
	static const char *const debug[] = { "usr/lib/debug/boot/vmlinux-%s",
		"usr/lib/debug/lib/modules/%s/vmlinux",
		"usr/lib/debug/usr/lib/modules/%s/vmlinux", NULL };
	static const char *const btf[] = { "boot/btf-%s", NULL };
	static const char *const modules[] = { "lib/modules/%s/kernel",
		"usr/lib/modules/%s/kernel", "lib/modules/%s/modules.dep", NULL };
	char *path;

	k->boot_image = find_readable(roots, images, k->release, &k->image_denied);
	if (k->build_dir) {
		path = g_build_filename(k->build_dir, "vmlinux", NULL);
		if (access(path, R_OK) == 0)
			k->vmlinux = path;
		else
			g_free(path);
	}
	if (!k->vmlinux)
		k->vmlinux = find_file(roots, elf, k->release);
	if (g_getenv("SYSTEMTAP_DEBUGINFO_PATH"))
		k->vmlinux_debug = find_debug_on_path(g_getenv("SYSTEMTAP_DEBUGINFO_PATH"), k->release, &k->debug_denied);
	if (!k->vmlinux_debug)
		k->vmlinux_debug = find_readable(roots, debug, k->release, &k->debug_denied);
	if (k->is_running && access("/sys/kernel/btf/vmlinux", R_OK) == 0)
		k->btf_file = g_strdup("/sys/kernel/btf/vmlinux");
	else
		k->btf_file = find_readable(roots, btf, k->release, &k->image_denied);
	path = find_file(roots, modules, k->release);
	if (path)
		k->modules_dir = g_path_get_dirname(path);
	g_free(path);
}

static char *find_headers(const char *release, char **roots)
{
	static const char *const trees[] = { "lib/modules/%s/build/Makefile",
		"usr/lib/modules/%s/build/Makefile",
		"usr/src/kernels/%s/Makefile",
		"usr/src/linux-headers-%s/Makefile", NULL };
	char *makefile = find_file(roots, trees, release), *dir = NULL;

	if (makefile) {
		dir = g_path_get_dirname(makefile);
		if (!is_headers_tree(dir)) {
			g_free(dir);
			dir = NULL;
		}
	}
	g_free(makefile);
	return dir;
}

static void find_arch(struct kernel_target *k)
{
	struct utsname uts;

	uname(&uts);
	k->arch = g_strdup(kernel_config(k, "CONFIG_X86_64") ? "x86_64" :
			   kernel_config(k, "CONFIG_ARM64") ? "arm64" :
			   strcmp(uts.machine, "aarch64") == 0 ? "arm64" : uts.machine);
	k->srcarch = g_strdup(strcmp(k->arch, "x86_64") == 0 ? "x86" : k->arch);
}

/* Headers found under a release's name can be another kernel's. */
static void check_headers(struct kernel_target *k)
{
	char *found = k->build_dir ? tree_release(k->build_dir) : NULL;
	char *hint = hint_kernel_headers(k->release);

	if (!k->build_dir) {
		k->headers_problem = g_strdup_printf(
			"no headers for kernel %s: %s, or name another kernel or "
			"a build directory with -r", k->release, hint);
	} else if (found && strcmp(found, k->release) != 0) {
		k->headers_problem = g_strdup_printf(
			"the headers in %s are those of kernel %s, not of %s: %s",
			k->build_dir, found, k->release, hint);
		g_free(k->build_dir);
		k->build_dir = NULL;
	}
	g_free(hint);
	g_free(found);
}

static int open_build_dir(struct kernel_target *k, const char *spec, char **err)
{
	k->build_dir = g_canonicalize_filename(spec, NULL);
	if (!is_headers_tree(k->build_dir))
		return errmsg_set(err, "%s is not a kernel build directory: it needs a "
				  "Makefile and include/generated/autoconf.h (in a kernel "
				  "source tree run `make modules_prepare`)", spec);
	k->release = tree_release(k->build_dir);
	if (!k->release || !*k->release)
		return errmsg_set(err, "%s does not say which release it is: "
				  "include/config/kernel.release is missing (in a kernel "
				  "source tree run `make modules_prepare`)", spec);
	return 0;
}

static bool has_headers(const char *release)
{
	char **roots = kernel_roots(release, NULL), *dir = find_headers(release, roots);

	g_strfreev(roots);
	g_free(dir);
	return dir;
}

int kernel_target_open(const char *spec, struct kernel_target **ret, char **err)
{
	struct kernel_target *k = g_new0(struct kernel_target, 1);
	struct utsname uts;
	char **roots;

	*ret = NULL;
	uname(&uts);
	if (spec && strchr(spec, '/')) {
		if (open_build_dir(k, spec, err) != 0) {
			kernel_target_close(k);
			return -1;
		}
	} else {
		k->release = spec && *spec ? kernel_release_find(spec, has_headers) : g_strdup(uts.release);
	}
	k->is_running = strcmp(k->release, uts.release) == 0;
	roots = kernel_roots(k->release, k->build_dir);
	if (!k->build_dir)
		k->build_dir = find_headers(k->release, roots);
	check_headers(k);
	find_images(k, roots);
	find_arch(k);
	if (k->is_running)
		k->build_id = kernel_build_id_of_notes("/sys/kernel/notes");
	if (!k->build_id && k->vmlinux)
		k->build_id = kernel_build_id_of_elf(k->vmlinux);
	g_strfreev(roots);
	*ret = k;
	return 0;
}

void kernel_target_close(struct kernel_target *k)
{
	if (!k)
		return;
	g_free(k->release);
	g_free(k->arch);
	g_free(k->srcarch);
	g_free(k->build_dir);
	g_free(k->headers_problem);
	g_free(k->build_id);
	g_free(k->boot_image);
	g_free(k->vmlinux);
	g_free(k->vmlinux_debug);
	g_free(k->debug_denied);
	g_free(k->image_denied);
	g_free(k->btf_file);
	g_free(k->modules_dir);
	if (k->config_known)
		g_hash_table_destroy(k->config_known);
	g_free(k->config);
	g_free(k);
}

int kernel_need_headers(const struct kernel_target *k, char **err)
{
	if (k->build_dir)
		return 0;
	return errmsg_set(err, "%s", k->headers_problem);
}
