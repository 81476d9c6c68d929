/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Releases of installed kernels (kernel_release.h). */
#include "kernel_release.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

bool kernel_release_matches(const char *release, const char *wish)
{
	size_t len = strlen(wish);

	return !strncmp(release, wish, len) && (!len || !g_ascii_isdigit(wish[len - 1]) || !g_ascii_isdigit(release[len]));
}

struct search {
	const char *wish;
	bool (*has_headers)(const char *release);
	bool exact, headers; /* of best */
	char *best;
};

static void look_at(struct search *q, const char *name)
{
	bool headers;

	if (!g_ascii_isdigit(*name) || !kernel_release_matches(name, q->wish))
		return;
	q->exact |= !strcmp(name, q->wish);
	headers = q->has_headers(name);
	if (q->best && (headers < q->headers || (headers == q->headers && strverscmp(name, q->best) <= 0)))
		return;
	g_free(q->best);
	q->best = g_strdup(name);
	q->headers = headers;
}

/* What lies in `dir`, names with `prefix` in front. */
static void look_in(struct search *q, const char *dir, const char *prefix)
{
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d)))
		if (g_str_has_prefix(name, prefix))
			look_at(q, name + strlen(prefix));
	if (d)
		g_dir_close(d);
}

char *kernel_release_find(const char *wish, bool (*has_headers)(const char *release))
{
	struct search q = { .wish = wish, .has_headers = has_headers };
	const char *dir = g_getenv("SYSTEMTAP_DIR");
	char *path;

	look_in(&q, "/lib/modules", "");
	look_in(&q, "/usr/lib/modules", "");
	look_in(&q, "/usr/src", "linux-headers-");
	look_in(&q, "/usr/src/kernels", "");
	look_in(&q, "/var/cache/stap/kernels", "");
	if (dir && *dir) {
		path = g_build_filename(dir, "cache", "kernels", NULL);
		look_in(&q, path, "");
		g_free(path);
	}
	if (geteuid() != 0) {
		path = g_build_filename(g_get_user_cache_dir(), "stap", "kernels", NULL);
		look_in(&q, path, "");
		g_free(path);
	}
	if (q.exact || !q.best) {
		g_free(q.best);
		return g_strdup(wish);
	}
	return q.best;
}
