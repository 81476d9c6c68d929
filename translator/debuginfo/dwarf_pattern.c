/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people write them: paths made canonical, file patterns, demangled names. */
#include "dwarf_index.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* demangle.h of libiberty, which has no header of a stable name */
#define DMGL_PARAMS (1 << 0)
#define DMGL_ANSI (1 << 1)
extern char *cplus_demangle(const char *mangled, int options);

char *dwarf_canonical_path(const char *dir, const char *path)
{
	GString *out = g_string_new(NULL);
	size_t root;

	if (dir && *dir && (!path || *path != '/'))
		g_string_append(g_string_append(out, dir), "/");
	g_string_append(out, path ? path : "");
	char *whole = g_string_free(out, FALSE);
	root = *whole == '/';
	out = g_string_new(root ? "/" : "");
	for (char *p = whole; *p; ) {
		size_t n = strcspn(p, "/");
		char *slash = strrchr(out->str, '/');
		const char *last = slash ? slash + 1 : out->str;

		if (n == 2 && p[0] == '.' && p[1] == '.' && *last && strcmp(last, "..") != 0) {
			g_string_truncate(out, slash && (size_t)(slash - out->str) > root - (root ? 1 : 0) ? (gsize)(slash - out->str) : root);
		} else if (n == 0 || (n == 1 && *p == '.') || (n == 2 && p[0] == '.' && p[1] == '.' && root)) {
			/* nothing */
		} else {
			if (out->len > root)
				g_string_append_c(out, '/');
			g_string_append_len(out, p, n);
		}
		p += n + (p[n] == '/');
	}
	g_free(whole);
	return g_string_free(out, FALSE);
}

static bool has_wildcards(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

bool dwarf_file_pattern_match(const char *pattern, const char *path)
{
	size_t n = strlen(pattern), len = strlen(path);
	char *deep;
	bool ok;

	if (n <= len && strcmp(path + len - n, pattern) == 0 && (n == len || (*pattern != '/' && path[len - n - 1] == '/')))
		return true;
	if (!has_wildcards(pattern))
		return false;
	if (fnmatch(pattern, path, 0) == 0)
		return true;
	if (*pattern == '/')
		return false;
	deep = g_strconcat("*/", pattern, NULL);
	ok = fnmatch(deep, path, 0) == 0;
	g_free(deep);
	return ok;
}

char *dwarf_demangle(const char *name, bool parameters)
{
	char *text, *ret = NULL;

	if (!name || (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0))
		return NULL;
	text = cplus_demangle(name, DMGL_ANSI | (parameters ? DMGL_PARAMS : 0));
	if (text)
		ret = g_strdup(text);
	free(text);
	return ret;
}
