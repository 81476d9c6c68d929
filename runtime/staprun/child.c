/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The -c command, and commands that a script runs with system(). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "staprun.h"

/*
 * The command as a plain list of words, NULL where it is more than that and the shell's: quotes, variables and
 * patterns are done here, pipes, lists, redirections and assignments are not.
 */
static char **split(const char *command)
{
	static wordexp_t words;

	if (wordexp(command, &words, WRDE_NOCMD | WRDE_UNDEF) || !words.we_wordc || strchr(words.we_wordv[0], '='))
		return NULL;
	return words.we_wordv;
}

/* Runs the command in place of this process: by itself where that can be (so that its pid is target()), else through sh(1). */
static void become(const char *command, char **words)
{
	if (words) {
		execvp(words[0], words);
		if (errno != ENOENT)
			dprintf(2, "ERROR: cannot run %s: %s\n", words[0], strerror(errno));
		/* a shell builtin, perhaps: let the shell say what is wrong */
	}
	execl("/bin/sh", "sh", "-c", command, NULL);
	dprintf(2, "ERROR: cannot run /bin/sh: %s\n", strerror(errno));
	_exit(127);
}

/* Commands are the invoking user's: a loader that is set-uid root gives that up first. */
static void drop_privileges(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (uid == geteuid() && gid == getegid())
		return;
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid)) {
		dprintf(2, "ERROR: cannot give up privileges: %s\n", strerror(errno));
		_exit(127);
	}
}

static void signals_default(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTTIN, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
}

static void take_no_input(void)
{
	int null = open("/dev/null", O_RDONLY);

	if (null > 0) {
		dup2(null, 0);
		close(null);
	}
}

int child_hold(struct child *ch, const char *command, bool no_input)
{
	int gate[2];
	char c = 0;

	if (pipe(gate))
		return complain("pipe: %s", strerror(errno));
	ch->pid = fork();
	if (ch->pid < 0) {
		close(gate[0]);
		close(gate[1]);
		return complain("cannot start \"%s\": %s", command, strerror(errno));
	}
	if (ch->pid == 0) {
		char **words;

		drop_privileges();
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* until it is let go, it has no life of its own */
		signals_default();
		close(gate[1]);
		words = split(command); /* now: from its start on, probes see what it does */
		while (read(gate[0], &c, 1) < 0 && errno == EINTR)
			;
		if (c != 'g')
			_exit(1);
		close(gate[0]);
		prctl(PR_SET_PDEATHSIG, 0);
		if (no_input)
			take_no_input();
		become(command, words);
	}
	close(gate[0]);
	ch->gate = gate[1];
	return 0;
}

void child_release(struct child *ch)
{
	if (write(ch->gate, "g", 1) != 1)
		chat(1, "the command has ended before its start");
	close(ch->gate);
	ch->gate = -1;
}

void child_kill(struct child *ch)
{
	if (ch->pid <= 0)
		return;
	kill(ch->pid, SIGTERM);
	if (ch->gate >= 0) { /* never started: nothing in it can catch the signal */
		kill(ch->pid, SIGKILL);
		close(ch->gate);
		ch->gate = -1;
		waitpid(ch->pid, NULL, 0);
		ch->pid = 0;
	}
}

void child_system(const char *command, size_t len)
{
	pid_t pid = fork();
	char *copy;

	if (pid < 0) {
		warn("cannot run \"%.*s\": %s", (int)len, command, strerror(errno));
		return;
	}
	if (pid == 0) {
		signals_default();
		drop_privileges();
		copy = strndup(command, len);
		if (copy)
			execl("/bin/sh", "sh", "-c", copy, NULL);
		_exit(127);
	}
	/* waited for by the session's SIGCHLD */
}
