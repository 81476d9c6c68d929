/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error messages of the parts that know nothing of scripts. */
#include "errmsg.h"

#include <stdarg.h>
#include <string.h>
#include <sys/statvfs.h>
#include <glib.h>

int errmsg_set(char **err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	/* The old text may be an argument of the new one: free it last. */
	char *text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	g_free(*err);
	*err = text;
	return -1;
}

bool errmsg_is_disk_full(const char *output, const char *dir)
{
	struct statvfs sv;

	if (output && (strstr(output, "No space left on device") ||
		       strstr(output, "Disk quota exceeded")))
		return true;
	/* Tools often die of a short write without naming the reason. */
	return dir && statvfs(dir, &sv) == 0 && sv.f_bavail * sv.f_frsize < 65536;
}

int errmsg_disk_full(char **err, const char *dir)
{
	return errmsg_set(err, "no space left in %s: free some, or point "
			  "XDG_CACHE_HOME or SYSTEMTAP_DIR at another disk "
			  "(TMPDIR for temporary files)", dir);
}
