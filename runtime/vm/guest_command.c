/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One command of the guest: started from a VM_EXEC frame, with pipes for its streams. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

/* A VM_EXEC frame taken apart; the strings lie in the frame. */
struct request {
	struct vm_exec_head head;
	const char *cwd;
	char **argv, **envp;
};

static void request_free(struct request *request)
{
	free(request->argv);
	free(request->envp);
}

static int request_parse(const struct vm_frame *frame, struct request *request)
{
	const char *at = (const char *)frame->payload + sizeof(request->head);
	const char *end = (const char *)frame->payload + frame->size;

	if (frame->size < sizeof(request->head))
		return -1;
	memcpy(&request->head, frame->payload, sizeof(request->head));
	if (!request->head.argc || request->head.argc > frame->size
	    || request->head.envc > frame->size)
		return -1;
	request->argv = calloc(request->head.argc + 1, sizeof(char *));
	request->envp = calloc(request->head.envc + 1, sizeof(char *));
	if (!request->argv || !request->envp)
		return -1;
	for (uint32_t i = 0; i < 1 + request->head.argc + request->head.envc; i++) {
		const char *nul = memchr(at, '\0', end - at);
		if (!nul)
			return -1;
		if (i == 0)
			request->cwd = at;
		else if (i <= request->head.argc)
			request->argv[i - 1] = (char *)at;
		else
			request->envp[i - 1 - request->head.argc] = (char *)at;
		at = nul + 1;
	}
	return 0;
}

/* In the child; errors go to the command's own stderr, statuses are a shell's. */
__attribute__((noreturn))
static void child_run(const struct request *request, int in, int out, int err)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	if (request->head.uid
	    && (setgroups(0, NULL) || setgid(request->head.gid) || setuid(request->head.uid))) {
		fprintf(stderr, "stap-vm: cannot become user %u: %s\n", request->head.uid,
			strerror(errno));
		_exit(126);
	}
	if (chdir(request->cwd)) {
		fprintf(stderr, "stap-vm: %s: %s in the guest\n", request->cwd, strerror(errno));
		_exit(126);
	}
	clearenv();
	environ = request->envp;
	execvp(request->argv[0], request->argv);
	int cause = errno;
	fprintf(stderr, "stap-vm: %s: %s in the guest\n", request->argv[0], strerror(cause));
	_exit(cause == ENOENT ? 127 : 126);
}

static int pipes_open(int pipes[3][2])
{
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			return -1;
	fcntl(pipes[0][1], F_SETFL, O_NONBLOCK);
	fcntl(pipes[1][0], F_SETFL, O_NONBLOCK);
	fcntl(pipes[2][0], F_SETFL, O_NONBLOCK);
	return 0;
}

static void pipes_close(int pipes[3][2])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++)
			if (pipes[i][j] >= 0)
				close(pipes[i][j]);
}

struct guest_command *command_start(const struct vm_frame *frame, char *error, size_t room)
{
	int pipes[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	struct request request = { 0 };
	struct guest_command *command = calloc(1, sizeof(*command));

	if (!command || request_parse(frame, &request)) {
		snprintf(error, room, "the request makes no sense to the guest");
		goto failed;
	}
	/* The 9p mount trusts its cache, and the host may have rebuilt a file since. */
	if (request.head.flags & VM_EXEC_REFRESH)
		file_write("/proc/sys/vm/drop_caches", "3");
	if (pipes_open(pipes)) {
		snprintf(error, room, "pipe: %s", strerror(errno));
		goto failed;
	}
	command->pid = fork();
	if (command->pid < 0) {
		snprintf(error, room, "fork: %s", strerror(errno));
		goto failed;
	}
	if (!command->pid)
		child_run(&request, pipes[0][0], pipes[1][1], pipes[2][1]);
	close(pipes[0][0]);
	close(pipes[1][1]);
	close(pipes[2][1]);
	command->channel = frame->channel;
	command->in = pipes[0][1];
	command->out = pipes[1][0];
	command->err = pipes[2][0];
	request_free(&request);
	return command;
failed:
	request_free(&request);
	pipes_close(pipes);
	free(command);
	return NULL;
}

void command_free(struct guest_command *command)
{
	int fds[] = { command->in, command->out, command->err };

	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	buffer_free(&command->input);
	free(command);
}

void command_signal(struct guest_command *command, const struct vm_signal *signal)
{
	if (command->exited)
		return;
	/* The child leads a session: its pid is its group's once it ran setsid(). */
	if (!(signal->flags & VM_SIGNAL_GROUP) || kill(-command->pid, signal->number))
		kill(command->pid, signal->number);
}
