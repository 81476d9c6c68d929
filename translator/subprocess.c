/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs other programs with captured output. Children are started with
 * posix_spawn (no copy of our page tables), their pipes are served by one
 * poll loop, and their ids are kept where a signal handler can reach them. */
#include "marks.h"
#include "subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib.h>

#define MAX_PARALLEL 64

extern char **environ;

static volatile sig_atomic_t interrupted_by;
static volatile pid_t running_pids[MAX_PARALLEL];

/* One running child: which job it is, and our ends of its pipes. */
struct slot {
	struct subprocess *job;
	pid_t pid;
	int fds[2];		/* stdout, stderr; -1 once at end of file */
	GString *text[2];
	gint64 started;
};

void subprocess_interrupt(int sig)
{
	int saved = errno;

	interrupted_by = sig;
	for (int i = 0; i < MAX_PARALLEL; i++)
		if (running_pids[i] > 0)
			kill(running_pids[i], SIGTERM);
	errno = saved;
}

int subprocess_interrupted(void)
{
	return interrupted_by;
}

static char removed_dir[PATH_MAX];

/* Async-signal-safe: another program does the work.  Other threads may write to the directory meanwhile, hence the tries. */
static void remove_and_end(int sig)
{
	for (int tries = 0; tries < 5 && access(removed_dir, F_OK) == 0; tries++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl("/bin/rm", "rm", "-rf", "--", removed_dir, NULL);
			_exit(1);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_handler(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction old, sa = { .sa_handler = handler };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    (old.sa_handler == SIG_DFL || old.sa_handler == remove_and_end))
			sigaction(signals[i], &sa, NULL);
}

void subprocess_remove_on_signal(const char *dir)
{
	if (g_strlcpy(removed_dir, dir, sizeof(removed_dir)) < sizeof(removed_dir))
		set_handler(remove_and_end);
}

void subprocess_catch_signals(void)
{
	set_handler(subprocess_interrupt);
}

int subprocess_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return MAX(1, CPU_COUNT(&set));
}

char *subprocess_find(const char *program)
{
	return g_find_program_in_path(program);
}

void subprocess_deinit(struct subprocess *job)
{
	g_free(job->out);
	g_free(job->err);
	job->out = job->err = NULL;
}

static char **environment_with(const char *const *extra)
{
	char **env = g_strdupv(environ);

	for (; extra && *extra; extra++) {
		const char *eq = strchr(*extra, '=');
		char *name = g_strndup(*extra, eq - *extra);

		env = g_environ_setenv(env, name, eq + 1, TRUE);
		g_free(name);
	}
	return env;
}

/* posix_spawn with the child's output on the two pipes. Returns an errno. */
static int spawn_child(const struct subprocess *job, int out, int err,
		       pid_t *ret_pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t defaults;
	char **env = environment_with(job->env);

	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_adddup2(&fa, err, 2);
	if (job->dir)
		posix_spawn_file_actions_addchdir_np(&fa, job->dir);
	/* A caller may ignore SIGPIPE; compilers should not inherit that. */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);

	STAP_MARK(stap_system__start, job->argv[0]);
	int rc = posix_spawnp(ret_pid, job->argv[0], &fa, &attr,
			      (char *const *)job->argv, env);
	STAP_MARK2(stap_system__spawn, rc, rc ? -1 : *ret_pid);

	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&attr);
	g_strfreev(env);
	return rc;
}

static void job_failed_to_start(struct subprocess *job, int error)
{
	job->status = 127;
	job->not_found = error == ENOENT;
	job->out = g_strdup("");
	job->err = g_strdup_printf("%s: %s\n", job->argv[0], g_strerror(error));
}

/* Starts a job in a slot; on failure the job is finished and false returned. */
static bool slot_start(struct slot *s, int index, struct subprocess *job)
{
	int out[2], err[2], rc;

	job->status = -1;
	job->not_found = false;
	if (pipe2(out, O_CLOEXEC) != 0) {
		job_failed_to_start(job, errno);
		return false;
	}
	if (pipe2(err, O_CLOEXEC) != 0) {
		rc = errno;
		close(out[0]);
		close(out[1]);
		job_failed_to_start(job, rc);
		return false;
	}
	s->started = g_get_monotonic_time();
	rc = spawn_child(job, out[1], err[1], &s->pid);
	close(out[1]);
	close(err[1]);
	if (rc != 0) {
		close(out[0]);
		close(err[0]);
		job_failed_to_start(job, rc);
		return false;
	}
	running_pids[index] = s->pid;
	s->job = job;
	s->fds[0] = out[0];
	s->fds[1] = err[0];
	s->text[0] = g_string_new(NULL);
	s->text[1] = g_string_new(NULL);
	return true;
}

static void slot_read(struct slot *s, int which)
{
	char buf[16384];
	ssize_t n = read(s->fds[which], buf, sizeof(buf));

	if (n > 0) {
		g_string_append_len(s->text[which], buf, n);
	} else if (n == 0 || errno != EINTR) {
		close(s->fds[which]);
		s->fds[which] = -1;
	}
}

/* Both pipes are at their end: collect the child. */
static void slot_finish(struct slot *s, int index)
{
	int st = 0;

	while (waitpid(s->pid, &st, 0) < 0 && errno == EINTR)
		;
	running_pids[index] = 0;
	s->job->status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
	STAP_MARK2(stap_system__complete, s->job->status, s->pid);
	s->job->out = g_string_free(s->text[0], FALSE);
	s->job->err = g_string_free(s->text[1], FALSE);
	s->job->seconds = (g_get_monotonic_time() - s->started) / 1e6;
	s->job = NULL;
}

/* Waits for output of any running child and reads it. */
static void slots_poll(struct slot *slots, int count)
{
	struct pollfd pfd[2 * MAX_PARALLEL];
	int owner[2 * MAX_PARALLEL], n = 0;

	for (int i = 0; i < count; i++) {
		for (int w = 0; slots[i].job && w < 2; w++) {
			if (slots[i].fds[w] < 0)
				continue;
			pfd[n] = (struct pollfd){ slots[i].fds[w], POLLIN, 0 };
			owner[n++] = i * 2 + w;
		}
	}
	if (poll(pfd, n, -1) <= 0)
		return;
	for (int i = 0; i < n; i++)
		if (pfd[i].revents)
			slot_read(&slots[owner[i] / 2], owner[i] % 2);
}

/* Fills free slots with the next jobs; returns how many were started. */
static int slots_fill(struct slot *slots, int parallel, struct subprocess *jobs,
		      size_t count, size_t *next, bool *failed)
{
	int started = 0;

	for (int i = 0; i < parallel && *next < count; i++) {
		if (slots[i].job)
			continue;
		if (slot_start(&slots[i], i, &jobs[(*next)++]))
			started++;
		else
			*failed = true;
	}
	return started;
}

/* Collects the children that have closed their output; returns how many. */
static int slots_reap(struct slot *slots, int parallel, bool *failed)
{
	int ended = 0;

	for (int i = 0; i < parallel; i++) {
		struct subprocess *job = slots[i].job;

		if (!job || slots[i].fds[0] >= 0 || slots[i].fds[1] >= 0)
			continue;
		slot_finish(&slots[i], i);
		*failed |= job->status != 0;
		ended++;
	}
	return ended;
}

int subprocess_run_many(struct subprocess *jobs, size_t count, int parallel,
			bool stop_on_failure, subprocess_progress_fn progress,
			void *data)
{
	struct slot slots[MAX_PARALLEL] = { 0 };
	size_t next = 0, done = 0;
	int active = 0;
	bool failed = false;

	if (parallel <= 0)
		parallel = subprocess_cpus();
	parallel = MIN(parallel, MAX_PARALLEL);
	for (size_t i = 0; i < count; i++) {
		jobs[i].status = -1;
		jobs[i].out = jobs[i].err = NULL;
	}
	for (;;) {
		if (!interrupted_by && !(failed && stop_on_failure))
			active += slots_fill(slots, parallel, jobs, count,
					     &next, &failed);
		if (active == 0) {
			if (next < count && !interrupted_by &&
			    !(failed && stop_on_failure))
				continue;	/* none of these could be started */
			break;
		}
		slots_poll(slots, parallel);

		int ended = slots_reap(slots, parallel, &failed);

		active -= ended;
		done += ended;
		if (progress && ended)
			progress(done, count, data);
	}
	for (size_t i = 0; i < count; i++) {
		failed |= jobs[i].status != 0;
		if (!jobs[i].out)
			jobs[i].out = g_strdup("");
		if (!jobs[i].err)
			jobs[i].err = g_strdup("");
	}
	return failed || interrupted_by ? -1 : 0;
}

int subprocess_run(struct subprocess *job)
{
	return subprocess_run_many(job, 1, 1, true, NULL, NULL);
}
