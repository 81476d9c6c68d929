/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to install to get debug information, by distribution. */
#include "dwarf_file.h"
#include "kernel.h"

#include <glib.h>
#include <string.h>

static char *os_release(void)
{
	char *text = NULL;

	if (!g_file_get_contents("/etc/os-release", &text, NULL, NULL) &&
	    !g_file_get_contents("/usr/lib/os-release", &text, NULL, NULL))
		text = g_strdup("");
	return text;
}

/* True when ID or ID_LIKE has that word. */
static bool is_like(const char *os, const char *word)
{
	bool found = false;
	char **lines = g_strsplit(os, "\n", -1);

	for (char **l = lines; *l && !found; l++)
		found = (g_str_has_prefix(*l, "ID=") || g_str_has_prefix(*l, "ID_LIKE=")) && strstr(*l, word);
	g_strfreev(lines);
	return found;
}

static char *kernel_hint(const char *os, const char *release)
{
	if (is_like(os, "ubuntu"))
		return g_strdup_printf("install it with `apt install linux-image-%s-dbgsym` (from ddebs.ubuntu.com), "
				       "or set DEBUGINFOD_URLS=https://debuginfod.ubuntu.com", release);
	if (is_like(os, "debian"))
		return g_strdup_printf("install it with `apt install linux-image-%s-dbg`, "
				       "or set DEBUGINFOD_URLS=https://debuginfod.debian.net", release);
	if (is_like(os, "fedora") || is_like(os, "rhel"))
		return g_strdup_printf("install it with `dnf debuginfo-install kernel-core-%s`", release);
	if (is_like(os, "suse"))
		return g_strdup("install it with `zypper install kernel-default-debuginfo`");
	if (is_like(os, "arch"))
		return g_strdup("set DEBUGINFOD_URLS=https://debuginfod.archlinux.org");
	return g_strdup_printf("install the package with the debug information of kernel %s", release);
}

static char *user_hint(const char *os, const char *path)
{
	if (is_like(os, "ubuntu") || is_like(os, "debian"))
		return g_strdup_printf("install the -dbgsym package of its package (`find-dbgsym-packages %s` names it), compile it with -g, "
				       "or set DEBUGINFOD_URLS=https://debuginfod.%s", path,
				       is_like(os, "ubuntu") ? "ubuntu.com" : "debian.net");
	if (is_like(os, "fedora") || is_like(os, "rhel"))
		return g_strdup_printf("install it with `dnf debuginfo-install %s`, or compile it with -g", path);
	if (is_like(os, "suse"))
		return g_strdup("install the -debuginfo package of its package, or compile it with -g");
	return g_strdup("compile it with -g, or install its debug information, or set DEBUGINFOD_URLS");
}

char *dwarf_file_hint(const struct dwarf_file *f, const struct kernel_target *k)
{
	char *os = os_release(), *ret;

	if (f->kind == DWARF_FILE_USER || !k)
		ret = user_hint(os, f->path ? f->path : f->name);
	else
		ret = kernel_hint(os, k->release);
	g_free(os);
	return ret;
}
