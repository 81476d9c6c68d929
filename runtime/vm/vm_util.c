/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages, time, directories and helper processes for the host program. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vm.h"

static void message_print(const char *format, va_list args)
{
	fprintf(stderr, "stap-vm: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
}

void vm_message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message_print(format, args);
	va_end(args);
}

void vm_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message_print(format, args);
	va_end(args);
	exit(VM_STATUS_BROKEN);
}

char *vm_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		vm_fail("out of memory");
	va_end(args);
	return text;
}

int64_t vm_clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int vm_mkdir(const char *path)
{
	char *part = vm_format("%s", path);
	int result = 0;

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0755);
		*slash = '/';
	}
	if (mkdir(part, 0755) && errno != EEXIST)
		result = -1;
	free(part);
	return result;
}

static pid_t child_start(char *const argv[], int out_fd, const char *cwd)
{
	pid_t pid = fork();

	if (pid < 0)
		vm_fail("fork: %s", strerror(errno));
	if (pid)
		return pid;
	if (out_fd >= 0)
		dup2(out_fd, 1);
	if (cwd && chdir(cwd))
		_exit(127);
	/* depmod and its like are not on every user's path. */
	const char *path = getenv("PATH");
	char *wider = vm_format("%s:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");
	setenv("PATH", wider, 1);
	execvp(argv[0], argv);
	fprintf(stderr, "stap-vm: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int vm_spawn(char *const argv[], int out_fd, const char *cwd)
{
	return child_wait(child_start(argv, out_fd, cwd));
}

char *vm_spawn_read(char *const argv[], size_t *size)
{
	struct vm_buffer buffer = { 0 };
	int ends[2];
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC))
		vm_fail("pipe: %s", strerror(errno));
	pid_t pid = child_start(argv, ends[1], NULL);
	close(ends[1]);
	while ((got = buffer_fill(&buffer, ends[0], 1 << 16)) > 0)
		;
	close(ends[0]);
	if (child_wait(pid)) {
		buffer_free(&buffer);
		return NULL;
	}
	*size = buffer.size;
	buffer_append(&buffer, "", 1);
	return (char *)buffer.data;
}
