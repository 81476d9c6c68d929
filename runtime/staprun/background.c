/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -D: the session goes on in the background, and the caller learns whether its probes became live. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "staprun.h"

static int told = -1; /* in the background process: where the one that waits reads */

/* In the process that was called: until probes are live, or the other has ended. */
static void wait_for_live(int fd, pid_t pid)
{
	char c;
	int st = 0;
	ssize_t n;

	while ((n = read(fd, &c, 1)) < 0 && errno == EINTR)
		;
	if (n == 1) {
		printf("%d\n", pid);
		exit(0);
	}
	while (waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(st))
		complain("the loader ended by signal %d (%s)", WTERMSIG(st), strsignal(WTERMSIG(st)));
	exit(WIFEXITED(st) && WEXITSTATUS(st) ? WEXITSTATUS(st) : 1); /* without the news, not even 0 is good */
}

int background_go(void)
{
	int pipefd[2], null;
	pid_t pid;

	if (pipe2(pipefd, O_CLOEXEC))
		return complain("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return complain("fork: %s", strerror(errno));
	if (pid > 0) {
		close(pipefd[1]);
		wait_for_live(pipefd[0], pid);
	}
	close(pipefd[0]);
	told = pipefd[1];
	setsid();
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
	}
	return 0;
}

int background_live(void)
{
	ssize_t n = 1;

	if (told < 0)
		return 0;
	n = write(told, "l", 1);
	background_forget();
	return n == 1 ? 0 : complain("ended before the probes were live"); /* ^C ended the one that waited */
}

void background_forget(void)
{
	if (told >= 0)
		close(told);
	told = -1;
}
