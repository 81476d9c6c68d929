/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the processes of a command wait for: said before one that took too long is ended. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

enum { TASKS_MAX = 2000 }; /* looked at, of any session */

/* Reads a file of /proc/PID/task/TID; the bytes got, 0 when it can't be. */
static size_t task_file(pid_t pid, pid_t tid, const char *name, char *text, size_t room)
{
	char path[128];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = read(fd, text, room - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? got : 0;
}

/* Name, state and kernel stack of one thread, if it is of the session. */
static void task_tell(struct vm_buffer *out, pid_t session, pid_t pid, pid_t tid)
{
	char stat[512], line[700], stack[4096], *name, *behind, state = '?';
	int parent, group, of = -1;

	if (!task_file(pid, tid, "stat", stat, sizeof(stat)))
		return;
	/* proc(5): PID (NAME) STATE PPID PGRP SESSION ...; a name may have brackets */
	name = strchr(stat, '(');
	behind = strrchr(stat, ')');
	if (!name || !behind || sscanf(behind + 1, " %c %d %d %d", &state, &parent, &group, &of) != 4 || of != session)
		return;
	*behind = '\0';
	snprintf(line, sizeof(line), "  %d %s, state %c:\n", tid, name + 1, state);
	buffer_append(out, line, strlen(line));
	if (!task_file(pid, tid, "stack", stack, sizeof(stack)))
		return;
	for (char *at = strtok(stack, "\n"); at; at = strtok(NULL, "\n")) {
		snprintf(line, sizeof(line), "    %s\n", at);
		buffer_append(out, line, strlen(line));
	}
}

static void process_tell(struct vm_buffer *out, pid_t session, pid_t pid, int *left)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && *left > 0 && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid > 0)
			task_tell(out, session, pid, tid);
		*left -= tid > 0;
	}
	if (dir)
		closedir(dir);
}

void tasks_explain(struct vm_buffer *out, pid_t session)
{
	DIR *proc = opendir("/proc");
	int left = TASKS_MAX;
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0)
			process_tell(out, session, pid, &left);
	}
	if (proc)
		closedir(proc);
}
