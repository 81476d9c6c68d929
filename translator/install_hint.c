/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to install to get headers and debug information, by distribution. */
#include "install_hint.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

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

static bool is_debian(const char *os)
{
	return is_like(os, "debian") || is_like(os, "ubuntu");
}

static bool is_fedora(const char *os)
{
	return is_like(os, "fedora") || is_like(os, "rhel");
}

/* Does dpkg know a package of that kernel? */
static bool dpkg_has(const char *release)
{
	static const char *const packages[] = { "linux-image", "linux-headers", "linux-image-unsigned", "linux-modules" };
	bool found = false;

	for (size_t i = 0; i < G_N_ELEMENTS(packages) && !found; i++) {
		char *path = g_strdup_printf("/var/lib/dpkg/info/%s-%s.list", packages[i], release);

		found = access(path, F_OK) == 0;
		g_free(path);
	}
	return found;
}

/* Is the release called as this distribution calls those of its packages?  Someone's own kernel has none. */
static bool is_packaged(const char *os, const char *release)
{
	static const char *const debian = "^[0-9.]+[-+].*-(amd64|i?686(-pae)?|arm64(-16k)?|armmp(-lpae)?|rpi|powerpc64le(-64k)?|s390x|"
		"riscv64|loong64|loongson-3|octeon|marvell|[0-9a-z]+-(kc-)?malta)$";
	static const char *const ubuntu = "^[0-9.]+-[0-9]+-(generic|lowlatency|realtime|aws|azure|gcp|gke|oracle|kvm|raspi|ibm|oem|nvidia|"
		"virtual|fips).*$";
	const char *form = is_like(os, "ubuntu") ? ubuntu : is_like(os, "debian") ? debian : is_fedora(os) ? "\\.(fc|el)[0-9]+" :
		is_like(os, "suse") ? "-[0-9.]+-[a-z]+$" : is_like(os, "arch") ? "-(arch|lts|zen|hardened)" : "";

	return (is_debian(os) && dpkg_has(release)) || g_regex_match_simple(form, release, 0, 0);
}

char *hint_kernel_headers(const char *release)
{
	char *os = os_release(), *ret;

	if (!is_packaged(os, release))
		ret = g_strdup("no package of this distribution has that kernel; what they are made from is the directory in which it was built");
	else if (is_debian(os))
		ret = g_strdup_printf("install them with `apt install linux-headers-%s`", release);
	else if (is_fedora(os))
		ret = g_strdup_printf("install them with `dnf install kernel-devel-%s`", release);
	else if (is_like(os, "suse"))
		ret = g_strdup("install them with `zypper install kernel-default-devel`");
	else if (is_like(os, "arch"))
		ret = g_strdup("install them with `pacman -S linux-headers`");
	else
		ret = g_strdup_printf("install the package with them (linux-headers-%s or kernel-devel-%s)", release, release);
	g_free(os);
	return ret;
}

/* ", or set DEBUGINFOD_URLS=https://...": not to who has set it */
static const char *server(const char *url)
{
	const char *set = g_getenv("DEBUGINFOD_URLS");

	return set && *set ? "" : url;
}

char *hint_kernel_debuginfo(const char *release)
{
	char *os = os_release(), *ret;

	if (!is_packaged(os, release))
		ret = g_strdup_printf("no package of this distribution has that kernel; where it was built with CONFIG_DEBUG_INFO, put its "
				      "vmlinux as vmlinux-%s into a directory that SYSTEMTAP_DEBUGINFO_PATH names", release);
	else if (is_like(os, "ubuntu"))
		ret = g_strdup_printf("install it with `apt install linux-image-%s-dbgsym` (from ddebs.ubuntu.com)%s", release,
				      server(", or set DEBUGINFOD_URLS=https://debuginfod.ubuntu.com"));
	else if (is_like(os, "debian"))
		ret = g_strdup_printf("install it with `apt install linux-image-%s-dbg`%s", release,
				      server(", or set DEBUGINFOD_URLS=https://debuginfod.debian.net"));
	else if (is_fedora(os))
		ret = g_strdup_printf("install it with `dnf debuginfo-install kernel-core-%s`", release);
	else if (is_like(os, "suse"))
		ret = g_strdup("install it with `zypper install kernel-default-debuginfo`");
	else if (is_like(os, "arch") && *server("-"))
		ret = g_strdup("set DEBUGINFOD_URLS=https://debuginfod.archlinux.org");
	else
		ret = g_strdup_printf("install the package with the debug information of kernel %s", release);
	g_free(os);
	return ret;
}

char *hint_user_debuginfo(const char *path)
{
	char *os = os_release(), *ret;

	if (is_debian(os))
		ret = g_strdup_printf("install the -dbgsym package of its package (`find-dbgsym-packages %s` names it), or compile it with -g%s",
				      path, server(is_like(os, "ubuntu") ? ", or set DEBUGINFOD_URLS=https://debuginfod.ubuntu.com" :
						   ", or set DEBUGINFOD_URLS=https://debuginfod.debian.net"));
	else if (is_fedora(os))
		ret = g_strdup_printf("install it with `dnf debuginfo-install %s`, or compile it with -g", path);
	else if (is_like(os, "suse"))
		ret = g_strdup("install the -debuginfo package of its package, or compile it with -g");
	else
		ret = g_strdup_printf("compile it with -g, or install its debug information%s", server(", or set DEBUGINFOD_URLS"));
	g_free(os);
	return ret;
}
