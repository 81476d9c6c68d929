/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people write them: paths made canonical, file patterns, demangled names. */
#include "dwarf_index.h"
#include "name_glob.h"

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

bool dwarf_file_pattern_match(const char *pattern, const char *path)
{
	return name_glob_end(pattern, path, "/");
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
