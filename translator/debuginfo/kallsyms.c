/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks a name up in /proc/kallsyms: for what BTF does not know. */
#include "kallsyms.h"
#include "blob.h"
#include "stp_msg.h"

#include <string.h>

/* One line: "ADDRESS TYPE NAME[\t[MODULE]]"; a copy that the compiler made of the function will do. */
static bool line_is(const char *p, const char *end, const char *name, size_t len, const char *module)
{
	const char *type = memchr(p, ' ', end - p), *sym, *rest;

	if (!type || end - type < 4 || !strchr("tTwW", type[1]))
		return false;
	sym = type + 3;
	if ((size_t)(end - sym) < len || memcmp(sym, name, len) != 0)
		return false;
	rest = memchr(sym, '\t', end - sym);
	if (!rest)
		rest = end;
	if ((size_t)(rest - sym) != len && stp_clone_base(sym, rest - sym) != len)
		return false;
	if (!module)
		return rest == end;
	len = strlen(module);
	return (size_t)(end - rest) == len + 3 && rest[1] == '[' && memcmp(rest + 2, module, len) == 0;
}

bool kallsyms_has_function(const char *name, const char *module, bool *readable)
{
	struct blob b;
	bool found = false, ok = blob_open("/proc/kallsyms", &b, NULL) == 0;
	const char *p = b.data, *end = p + b.size, *eol;
	size_t len = strlen(name);

	if (readable)
		*readable = ok && b.size;
	if (!ok)
		return false;
	for (; !found && p < end; p = eol + 1) {
		eol = memchr(p, '\n', end - p);
		if (!eol)
			break;
		found = line_is(p, eol, name, len, module);
	}
	blob_close(&b);
	return found;
}
