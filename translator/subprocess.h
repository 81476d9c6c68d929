/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs other programs, one or many at once, with their output captured, and
 * ends them when stap itself is told to stop. */
#ifndef STAP_SUBPROCESS_H
#define STAP_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct subprocess {
	/* in: NULL-terminated; argv[0] is looked up in PATH. Not owned. */
	const char *const *argv;
	/* in: working directory, or NULL for ours. */
	const char *dir;
	/* in: NULL-terminated "NAME=VALUE" additions to our environment, or NULL. */
	const char *const *env;

	/* out: owned by the job, see subprocess_deinit(). Never NULL after a run. */
	char *out;
	char *err;
	/* out: exit status 0..255, or 128 + signal number. 127 with an errno
	 * text in err when the program could not be started. */
	int status;
	bool not_found;		/* out: no such program in PATH */
	double seconds;		/* out: wall clock from start to end */
};

/* Called whenever a job has ended: `done` of `total`. */
typedef void (*subprocess_progress_fn)(size_t done, size_t total, void *data);

/* Runs `count` jobs, at most `parallel` at a time (0: one per usable CPU), and
 * waits for all. With `stop_on_failure` no further job is started once one has
 * failed; jobs never started have status -1. Returns 0 when every job ended
 * with status 0, else -1. After an interruption -1, with every child gone. */
int subprocess_run_many(struct subprocess *jobs, size_t count, int parallel,
			bool stop_on_failure, subprocess_progress_fn progress,
			void *data);

/* One job; as above. */
int subprocess_run(struct subprocess *job);

/* Frees the outputs. Safe on a zeroed struct. */
void subprocess_deinit(struct subprocess *job);

/* Async-signal-safe: ends every running child and makes each current and
 * future run fail, so that callers unwind and remove their temporary files.
 * Meant to be called from the translator's own handlers. */
void subprocess_interrupt(int sig);

/* Installs subprocess_interrupt() for SIGINT, SIGTERM, SIGHUP and SIGQUIT where
 * these have their default action. */
void subprocess_catch_signals(void);

/* Until subprocess_catch_signals(): a signal that ends us removes this directory first. */
void subprocess_remove_on_signal(const char *dir);

/* The signal passed to subprocess_interrupt(), 0 if there was none. */
int subprocess_interrupted(void);

/* CPUs this process may run on; at least 1. */
int subprocess_cpus(void);

/* Full path of a program in PATH (or of a path with a slash), or NULL.
 * Owned by the caller. */
char *subprocess_find(const char *program);

#endif
