/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stap: the passes in order, and what is said about them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cache.h"
#include "define.h"
#include "dump.h"
#include "explain.h"
#include "kernel.h"
#include "list.h"
#include "marks.h"
#include "options.h"
#include "paths.h"
#include "prep.h"
#include "run.h"
#include "session.h"
#include "subprocess.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/types.h"

#define STACK_SIZE (1ul << 30) /* address space; memory as it is used */

static const struct loc nowhere;

struct clock {
	gint64 real;
	struct rusage self, children;
};

static void clock_start(struct clock *c)
{
	c->real = g_get_monotonic_time();
	getrusage(RUSAGE_SELF, &c->self);
	getrusage(RUSAGE_CHILDREN, &c->children);
}

static long elapsed_ms(struct timeval a, struct timeval b)
{
	return (b.tv_sec - a.tv_sec) * 1000 + (b.tv_usec - a.tv_usec) / 1000;
}

/* " in 12usr/3sys/15real ms." */
static void clock_say(const struct clock *c)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	fprintf(stderr, " using %ldkb resident, in %ldusr/%ldsys/%ldreal ms.\n", self.ru_maxrss,
		elapsed_ms(c->self.ru_utime, self.ru_utime) + elapsed_ms(c->children.ru_utime, children.ru_utime),
		elapsed_ms(c->self.ru_stime, self.ru_stime) + elapsed_ms(c->children.ru_stime, children.ru_stime),
		(long)((g_get_monotonic_time() - c->real) / 1000));
}

static int fail(struct session *s, const char *what)
{
	fprintf(stderr, "Pass %d: %s failed.\n", s->pass, what);
	return -1;
}

static void print_files(struct session *s)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < s->files->len; i++) {
		struct file *f = s->files->pdata[i];

		if (!f->library)
			print_file(text, f);
	}
	fputs(text->str, stdout);
	g_string_free(text, TRUE);
}

static int do_pass1(struct session *s)
{
	struct clock c;

	s->pass = 1;
	clock_start(&c);
	if (pass1_parse(s) || s->nerrors)
		return fail(s, "parse");
	if (s->opt.verbose[1]) {
		fprintf(stderr, "Pass 1: parsed user script");
		clock_say(&c);
	}
	if (s->opt.last_pass == 1)
		print_files(s);
	return 0;
}

static int do_pass2(struct session *s)
{
	struct clock c;

	s->pass = 2;
	clock_start(&c);
	if (define_check(s) || pass2_resolve(s) || s->nerrors)
		return fail(s, "analysis");
	if (s->opt.verbose[2]) {
		fprintf(stderr, "Pass 2: analyzed script: %u probe(s), %u function(s), %u embed(s), %u global(s)", s->probes->len,
			s->funcs->len, s->embeds->len, s->globals->len);
		clock_say(&c);
	}
	if (s->opt.verbose[2] > 1)
		explain_choices(s);
	if (s->opt.last_pass == 2)
		dump_resolved(s);
	return 0;
}

static int do_pass3(struct session *s)
{
	struct clock c;
	char *text;

	s->pass = 3;
	clock_start(&c);
	subprocess_catch_signals(); /* from here on there is something to remove; before, a signal just ends stap */
	if (!session_tmpdir(s) || pass3_emit(s) || s->nerrors)
		return fail(s, "translation");
	if (s->opt.verbose[3]) {
		fprintf(stderr, "Pass 3: translated to C into \"%s\"", s->c_file);
		clock_say(&c);
	}
	if (s->opt.last_pass == 3 && g_file_get_contents(s->c_file, &text, NULL, NULL)) {
		fputs(text, stdout);
		g_free(text);
		if (s->embed_c_file && g_file_get_contents(s->embed_c_file, &text, NULL, NULL)) {
			printf("\n%s", text);
			g_free(text);
		}
	}
	return 0;
}

static int do_pass4(struct session *s)
{
	struct clock c;

	s->pass = 4;
	clock_start(&c);
	if (pass4_build(s) || s->nerrors)
		return fail(s, "compilation");
	if (s->opt.verbose[4]) {
		fprintf(stderr, "Pass 4: compiled C into \"%s\"", s->module_path);
		clock_say(&c);
	}
	if (s->opt.last_pass == 4)
		puts(s->module_path);
	return 0;
}

static int do_pass5(struct session *s)
{
	struct clock c;
	int status = 1;

	s->pass = 5;
	clock_start(&c);
	if (pass5_run(s, &status)) {
		fprintf(stderr, "WARNING: the loader exited with status: %d\n", status);
		return fail(s, "run");
	}
	if (s->opt.verbose[5]) {
		fprintf(stderr, "Pass 5: run completed");
		clock_say(&c);
	}
	return 0;
}

static int do_last_passes(struct session *s)
{
	int rc = 0;

	if (s->opt.last_pass >= 3) {
		STAP_MARK(pass3__start, s);
		rc = do_pass3(s);
		STAP_MARK(pass3__end, s);
	}
	if (!rc && s->opt.last_pass >= 4) {
		STAP_MARK(pass4__start, s);
		rc = do_pass4(s);
		STAP_MARK(pass4__end, s);
	}
	if (!rc && s->opt.last_pass >= 5) {
		STAP_MARK(pass5__start, s);
		rc = do_pass5(s);
		STAP_MARK(pass5__end, s);
	}
	return rc;
}

static int do_passes(struct session *s)
{
	int rc;

	STAP_MARK(pass1a__start, s);
	STAP_MARK(pass1b__start, s); /* the library is read when pass 2 needs it */
	rc = do_pass1(s);
	STAP_MARK(pass1__end, s);
	if (!rc && s->opt.last_pass >= 2) {
		STAP_MARK(pass2__start, s);
		rc = do_pass2(s);
		STAP_MARK(pass2__end, s);
	}
	if (rc || run_check(s))
		return -1;
	return do_last_passes(s);
}

static int open_kernel(struct session *s)
{
	const char *spec = s->opt.vm ? vm_release(s) : s->opt.release;
	char *err = NULL;

	s->pass = 0;
	if (s->opt.vm && !spec)
		return diag_error(s, nowhere, "no-vm-kernel", "there is no kernel with headers to run in a virtual machine:"
				  " `make setup' installs one, or install a linux-headers package and name its release, --vm=RELEASE");
	if (!kernel_target_open(spec, &s->kernel, &err))
		return 0;
	diag_error(s, nowhere, "kernel", "%s", err);
	g_free(err);
	return -1;
}

static int prep(struct session *s)
{
	char *err = NULL;

	subprocess_catch_signals();
	if (!session_cache(s))
		return -1;
	if (!prep_kernel(s, stap_runtime_dir(), stdout, &err))
		return 0;
	diag_error(s, nowhere, "prep", "%s", err);
	g_free(err);
	return -1;
}

static int work(struct session *s)
{
	const struct options *o = &s->opt;
	int rc;

	if (o->clean_cache) {
		if (!session_cache(s))
			return -1;
		cache_clean(s->cache, true);
		if (!o->script_file && !o->have_e && !o->list && !o->prep)
			return 0;
	}
	define_apply_options(&s->opt);
	define_explain(s);
	STAP_MARK(pass0__start, s);
	rc = open_kernel(s);
	STAP_MARK(pass0__end, s);
	if (rc)
		return -1;
	if (o->prep)
		return prep(s);
	if (o->list)
		return list_points(s);
	if (o->dump_functions || o->dump_aliases || o->dump_types)
		return dump_known(s);
	return do_passes(s);
}

static void leave(struct session *s)
{
	STAP_MARK(pass6__start, s);
	if (s->tmpdir && s->opt.keep_tmp)
		fprintf(stderr, "Keeping temporary directory \"%s\"\n", s->tmpdir);
	else if (s->tmpdir)
		cache_remove_tree(s->tmpdir);
	if (s->cache)
		cache_clean(s->cache, false);
	session_dwarf_close(s);
	types_close(s->types);
	cache_close(s->cache);
	kernel_target_close(s->kernel);
	STAP_MARK(pass6__end, s);
	session_free(s);
}

struct job {
	struct session *s;
	int rc;
};

static void *work_thread(void *data)
{
	struct job *job = data;

	job->rc = work(job->s);
	return NULL;
}

/*
 * Works on a stack that has room for any script: expressions nest, and functions call one another, a thousand deep
 * each.  Signals are for that thread: it is the one that waits for children.
 */
static int work_deep(struct session *s)
{
	struct job job = { .s = s };
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all;
	int err;

	pthread_attr_init(&attr);
	err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (!err)
		err = pthread_create(&thread, &attr, work_thread, &job);
	pthread_attr_destroy(&attr);
	if (err)
		return work(s);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_join(thread, NULL);
	return job.rc;
}

/* Closed ones are opened the wrong way around: no file of ours gets their numbers, and using them fails as before. */
static void hold_standard_files(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	struct session *s = session_new();
	enum options_result r;
	int rc;

	hold_standard_files();
	r = options_parse(&s->opt, argc, argv);
	rc = r == OPTIONS_BAD ? -1 : 0;
	if (r == OPTIONS_RUN) {
		rc = work_deep(s);
		leave(s);
	} else {
		session_free(s);
	}
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "stap: cannot write to standard output: %s\n", g_strerror(errno));
		rc = -1;
	}
	return rc ? 1 : 0;
}
