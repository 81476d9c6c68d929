/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and the wildcards that stand for them (name_glob.h). */
#include "name_glob.h"

#include <fnmatch.h>
#include <glib.h>
#include <string.h>

size_t name_glob_prefix(const char *pattern)
{
	size_t n = strcspn(pattern, "*?[\\");

	/* a backslash without a wildcard is one */
	return strpbrk(pattern + n, "*?[") ? n : strlen(pattern);
}

bool name_is_glob(const char *pattern)
{
	return pattern[name_glob_prefix(pattern)] != 0;
}

char *name_glob_quote(const char *name)
{
	GString *ret = g_string_new(NULL);

	if (!name_is_glob(name))
		return g_string_free(g_string_append(ret, name), FALSE);
	for (const char *p = name; *p; p++) {
		/* a bracket without an end is itself: C++'s operator[] */
		if (*p == '*' || *p == '?' || *p == '\\' || (*p == '[' && p[1] && strchr(p + 2, ']')))
			g_string_append(ret, *p == '\\' ? "\\\\\\" : "\\\\");
		g_string_append_c(ret, *p);
	}
	return g_string_free(ret, FALSE);
}

bool name_glob(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || (name_is_glob(pattern) && fnmatch(pattern, name, 0) == 0);
}

bool name_glob_end(const char *pattern, const char *name, const char *separator)
{
	size_t n = strlen(pattern), len = strlen(name), gap = strlen(separator);
	bool deep = strncmp(pattern, separator, gap) != 0, ok;
	char *any;

	if (name_glob(pattern, name))
		return true;
	if (!deep)
		return false;
	if (n + gap <= len && !strcmp(name + len - n, pattern) && !strncmp(name + len - n - gap, separator, gap))
		return true;
	if (!name_is_glob(pattern))
		return false;
	any = g_strconcat("*", separator, pattern, NULL);
	ok = fnmatch(any, name, 0) == 0;
	g_free(any);
	return ok;
}
