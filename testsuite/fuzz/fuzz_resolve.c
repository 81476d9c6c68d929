/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target for passes 1 to 3: any bytes end in C or in an error.  `make fuzz' builds it twice in
 * effect: STAP_FUZZ_KERNEL names the kernel whose types scripts see; without it there is a release of which
 * nothing else is known.  Kernel, types and cache are opened once and handed from one session to the next.
 */
#include "kernel.h"
#include "session.h"
#include "source.h"
#include "parse.h"
#include "debuginfo/types.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct kernel_target *kernel;
static struct types *types;
static struct cache *cache;
static char dir[] = "/tmp/stap-fuzz-XXXXXX";

static void remove_dir(void)
{
	char *path = g_build_filename(dir, "stap_script.c", NULL);

	unlink(path);
	g_free(path);
	path = g_build_filename(dir, "stap_embed.c", NULL);
	unlink(path);
	g_free(path);
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *release = getenv("STAP_FUZZ_KERNEL");
	char *err = NULL;

	if (kernel_target_open(release ? release : "6.1.0-nothing", &kernel, &err)) {
		fprintf(stderr, "%s\n", err);
		exit(1);
	}
	if (!mkdtemp(dir)) {
		perror(dir);
		exit(1);
	}
	atexit(remove_dir);
	return 0;
}

static struct session *session_begin(size_t size)
{
	struct session *s = session_new();

	s->kernel = kernel;
	s->types = types;
	s->cache = cache;
	s->tmpdir = dir;
	if (types)
		types->session = s;
	s->opt.guru = true;
	s->opt.unoptimized = size % 4 == 3;
	s->opt.skip_badvars = size % 8 == 5;
	g_ptr_array_add(s->opt.args, "5");
	g_ptr_array_add(s->opt.args, "two words");
	return s;
}

static void session_end(struct session *s)
{
	types = s->types;
	cache = s->cache;
	session_free(s);
}

/* Returns the name of the pass that failed, or NULL. */
static const char *passes(struct session *s, const uint8_t *data, size_t size)
{
	struct file *f = parse_source(s, source_text(s, "t", (const char *)data, size), false, true);

	if (!f)
		return "parse";
	g_ptr_array_add(s->files, f);
	s->pass = 2;
	if (pass2_resolve(s))
		return "resolve";
	s->pass = 3;
	return pass3_emit(s) ? "emit" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session *s = session_begin(size);
	struct diag_capture *cap = diag_capture_begin(s);
	const char *failed = passes(s, data, size);
	unsigned nerrors = diag_capture_end(s, cap, false);

	if ((failed != NULL) != (nerrors > 0)) {
		fprintf(stderr, "%s, with %u errors\n", failed ? failed : "no pass failed", nerrors);
		abort();
	}
	session_end(s);
	return 0;
}
