/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information from the servers that DEBUGINFOD_URLS names.  The client library is loaded when it is needed,
 * so that a machine without it still runs everything else.
 */
#include "dwarf_file_priv.h"
#include "errmsg.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STALLED_S 60   /* without a byte, unless DEBUGINFOD_TIMEOUT says otherwise */
#define SHOW_AFTER_US 500000

struct debuginfod_client;

struct fetch_state {
	const char *name;
	gint64 start, last_byte, limit;
	long seen;
	bool shown, stalled;
};

/* The client's functions (debuginfod.h), as many as are used here. */
struct fetch_api {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *);
	int (*find_debuginfo)(struct debuginfod_client *, const unsigned char *, int, char **);
	int (*find_executable)(struct debuginfod_client *, const unsigned char *, int, char **);
	void (*set_progress)(struct debuginfod_client *, int (*)(struct debuginfod_client *, long, long));
	void (*set_data)(struct debuginfod_client *, void *);
	void *(*get_data)(struct debuginfod_client *);
};

static struct fetch_api api;

static bool api_load(void)
{
	static bool asked, ok;
	void *lib;

	if (asked)
		return ok;
	asked = true;
	lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return false;
	*(void **)&api.begin = dlsym(lib, "debuginfod_begin");
	*(void **)&api.end = dlsym(lib, "debuginfod_end");
	*(void **)&api.find_debuginfo = dlsym(lib, "debuginfod_find_debuginfo");
	*(void **)&api.find_executable = dlsym(lib, "debuginfod_find_executable");
	*(void **)&api.set_progress = dlsym(lib, "debuginfod_set_progressfn");
	*(void **)&api.set_data = dlsym(lib, "debuginfod_set_user_data");
	*(void **)&api.get_data = dlsym(lib, "debuginfod_get_user_data");
	ok = api.begin && api.end && api.find_debuginfo && api.find_executable && api.set_progress && api.set_data &&
	     api.get_data;
	return ok;
}

/* Called several times a second; what is not 0 ends the transfer. */
static int on_progress(struct debuginfod_client *client, long done, long total)
{
	struct fetch_state *f = api.get_data(client);
	gint64 now = g_get_monotonic_time();

	if (done > f->seen) {
		f->seen = done;
		f->last_byte = now;
	}
	if (now - f->last_byte > f->limit) {
		f->stalled = true;
		return 1;
	}
	if (now - f->start < SHOW_AFTER_US || !isatty(STDERR_FILENO))
		return 0;
	f->shown = true;
	if (total > 0 && done <= total)
		fprintf(stderr, "\rdownloading debug information of %s: %ld of %ld KiB\033[K", f->name, done >> 10, total >> 10);
	else
		fprintf(stderr, "\rasking for debug information of %s: %ld s\033[K", f->name, (long)((now - f->start) / 1000000));
	fflush(stderr);
	return 0;
}

static int hex_bytes(const char *hex, unsigned char *ret, int room)
{
	int n = 0;

	for (; hex[0] && hex[1] && n < room; hex += 2)
		ret[n++] = g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]);
	return n;
}

char *dwarf_fetch(const char *build_id, bool executable, const char *name, char **why)
{
	const char *urls = g_getenv("DEBUGINFOD_URLS"), *timeout = g_getenv("DEBUGINFOD_TIMEOUT");
	struct fetch_state f = { .name = name, .start = g_get_monotonic_time() };
	struct debuginfod_client *client;
	unsigned char id[64];
	char *path = NULL;
	int fd, n;

	if (!urls || !*urls || !build_id)
		return NULL;
	if (!api_load() || !(client = api.begin())) {
		errmsg_set(why, "DEBUGINFOD_URLS is set, but there is no libdebuginfod here");
		return NULL;
	}
	f.last_byte = f.start;
	f.limit = (timeout && atoi(timeout) > 0 ? atoi(timeout) : STALLED_S) * G_USEC_PER_SEC;
	api.set_data(client, &f);
	api.set_progress(client, on_progress);
	n = hex_bytes(build_id, id, sizeof(id));
	fd = (executable ? api.find_executable : api.find_debuginfo)(client, id, n, &path);
	api.end(client);
	if (f.shown)
		fprintf(stderr, "\r\033[K");
	if (fd < 0) {
		if (f.stalled)
			errmsg_set(why, "the server of DEBUGINFOD_URLS, %s, sent nothing for %d s; DEBUGINFOD_TIMEOUT=SECONDS changes that",
				   urls, (int)(f.limit / G_USEC_PER_SEC));
		else if (fd == -ETIME || fd == -ETIMEDOUT)
			errmsg_set(why, "the server of DEBUGINFOD_URLS, %s, is too slow: %s; DEBUGINFOD_TIMEOUT=SECONDS gives it longer",
				   urls, g_strerror(-fd));
		else
			errmsg_set(why, "the servers of DEBUGINFOD_URLS, %s, do not have it: %s", urls, g_strerror(-fd));
		return NULL;
	}
	close(fd);
	/* the library's string is malloc()ed, ours is GLib's */
	char *ret = g_strdup(path);
	free(path);
	return ret;
}
