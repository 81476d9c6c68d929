/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel that --vm boots: one of those that stap-vm has, or can get. */
#include "kernel_release.h"
#include "paths.h"
#include "run.h"
#include "session.h"

#include <string.h>
#include <unistd.h>

/* The newest release of the list that matches the wish, of those that has_headers() takes; NULL: none.  To be freed. */
static char *newest_release(char *const *lines, const char *wish, bool (*has_headers)(const char *line, const char *release))
{
	char *best = NULL;

	for (; lines && *lines; lines++) {
		char *release = g_strstrip(g_strndup(*lines, strcspn(*lines, " \t")));

		if (*release && kernel_release_matches(release, wish) && has_headers(*lines, release) && (!best || strverscmp(release, best) > 0)) {
			g_free(best);
			best = release;
		} else {
			g_free(release);
		}
	}
	return best;
}

static bool says_headers(const char *line, const char *release)
{
	return strstr(line, "with headers") != NULL;
}

static bool headers_there(const char *line, const char *release)
{
	char *path = g_build_filename("/lib/modules", release, "build", "Makefile", NULL);
	bool ret = access(path, R_OK) == 0;

	g_free(path);
	return ret;
}

/* A release whose headers are here, and its image not: the virtual machine gets that from the distribution.  NULL: there is none, or
 * it could not be had, which was said. */
static char *fetch_release(const char *wish)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *d = g_dir_open("/lib/modules", 0, NULL);
	char *argv[] = { (char *)stap_vm_program(), "fetch", NULL, NULL }, *out = NULL;
	int status = -1;

	for (const char *name; d && (name = g_dir_read_name(d)); )
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_add(names, NULL);
	argv[2] = newest_release((char *const *)names->pdata, wish, headers_there);
	if (argv[2] && g_spawn_sync(NULL, argv, NULL, 0, NULL, NULL, &out, NULL, &status, NULL) && status != 0)
		g_clear_pointer(&argv[2], g_free);
	if (d)
		g_dir_close(d);
	g_ptr_array_free(names, TRUE);
	g_free(out);
	return argv[2];
}

const char *vm_release(struct session *s)
{
	const char *wish = s->opt.vm && *s->opt.vm ? s->opt.vm : s->opt.release ? s->opt.release : "";
	char *out = NULL, **lines, *best;
	char *argv[] = { (char *)stap_vm_program(), "kernels", NULL };

	if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out, NULL, NULL, NULL))
		return *wish ? wish : NULL;
	lines = g_strsplit(out, "\n", -1);
	best = newest_release(lines, wish, says_headers);
	if (!best)
		best = fetch_release(wish);
	g_strfreev(lines);
	g_free(out);
	return best ? best : *wish ? wish : NULL;
}
