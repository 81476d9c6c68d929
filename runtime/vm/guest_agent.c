/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent: one event loop over the port, the pipes of the commands that run,
 * and SIGCHLD.  It never blocks on a pipe nor on the port.  It does nothing by
 * the clock: the host pings, so that an idle guest stays idle.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

enum {
	COMMANDS_MAX = 16,
	DRAIN_MS = 200,		/* how long a dead command's heirs may hold its output open */
};

struct agent {
	int port;
	int signals;
	struct vm_buffer in, out;	/* of the port */
	struct guest_command *commands;
	unsigned int marks;
};

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* The device of the port with our name, from sysfs; false when it is not there yet. */
static bool port_find(char *path, size_t room)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		char name[512], text[VM_PORT_NAME_MAX] = "";
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "/sys/class/virtio-ports/%s/name", entry->d_name);
		int fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, text, sizeof(text) - 1) > 0)
			text[strcspn(text, "\n")] = '\0';
		close(fd);
		found = !strcmp(text, VM_PORT_NAME);
		if (found)
			snprintf(path, room, "/dev/%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

int port_open(void)
{
	char path[512];

	for (int tries = 0; tries < 1000; tries++) {
		if (port_find(path, sizeof(path))) {
			int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
			if (fd >= 0)
				return fd;
		}
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	guest_fail("no virtio-serial port named " VM_PORT_NAME);
}

static struct guest_command *command_find(struct agent *agent, unsigned int channel)
{
	struct guest_command *command = agent->commands;

	while (command && command->channel != channel)
		command = command->next;
	return command;
}

static void exec_handle(struct agent *agent, const struct vm_frame *frame)
{
	char error[512];
	struct guest_command *command = command_start(frame, error, sizeof(error));

	if (!command) {
		frame_append(&agent->out, VM_FAILED, frame->channel, error, strlen(error));
		return;
	}
	command->next = agent->commands;
	agent->commands = command;
}

static void waits_tell(struct agent *agent, const struct guest_command *command)
{
	struct vm_buffer text = { 0 };

	tasks_explain(&text, command->pid);
	for (size_t n; text.size; buffer_consume(&text, n)) {
		n = text.size < VM_CHUNK ? text.size : VM_CHUNK;
		frame_append(&agent->out, VM_STDERR, command->channel, buffer_bytes(&text), n);
	}
	buffer_free(&text);
}

static void frame_handle(struct agent *agent, const struct vm_frame *frame)
{
	struct guest_command *command = command_find(agent, frame->channel);

	switch (frame->type) {
	case VM_PING:
		frame_append(&agent->out, VM_PONG, 0, NULL, 0);
		break;
	case VM_EXEC:
		exec_handle(agent, frame);
		break;
	case VM_STDIN:
		if (command && command->in >= 0)
			buffer_append(&command->input, frame->payload, frame->size);
		break;
	case VM_STDIN_END:
		if (command)
			command->input_end = true;
		break;
	case VM_SIGNAL:
		if (command && frame->size == sizeof(struct vm_signal)) {
			struct vm_signal signal;
			memcpy(&signal, frame->payload, sizeof(signal));
			if (signal.flags & VM_SIGNAL_EXPLAIN)
				waits_tell(agent, command);
			command_signal(command, &signal);
		}
		break;
	}
}

/* Everything that has died: commands, and orphans that became ours as init's. */
static void children_reap(struct agent *agent)
{
	struct signalfd_siginfo info;
	pid_t pid;
	int status;

	while (read(agent->signals, &info, sizeof(info)) == sizeof(info))
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (struct guest_command *c = agent->commands; c; c = c->next) {
			if (c->pid != pid)
				continue;
			c->exited = true;
			c->status = status;
			c->drain_until = clock_ms() + DRAIN_MS;
		}
	}
}

static void output_read(struct agent *agent, struct guest_command *command, int *fd,
			enum vm_frame_type type)
{
	static char chunk[VM_CHUNK];
	ssize_t got = read(*fd, chunk, sizeof(chunk));

	if (got > 0) {
		frame_append(&agent->out, type, command->channel, chunk, got);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
}

static void input_write(struct agent *agent, struct guest_command *command)
{
	size_t before = command->input.size;
	bool broken = buffer_flush(&command->input, command->in) < 0;

	if (broken)	/* nobody reads: swallow, as if it had been taken */
		buffer_consume(&command->input, command->input.size);
	uint32_t taken = before - command->input.size;
	if (taken)
		frame_append(&agent->out, VM_STDIN_ACK, command->channel, &taken, sizeof(taken));
	if (broken || (command->input_end && !command->input.size)) {
		close(command->in);
		command->in = -1;
	}
}

/*
 * Reports a command's end.  The mark goes to the console first: when the host
 * has seen it, it has seen every kernel message that came before.
 */
static void exit_report(struct agent *agent, struct guest_command *command)
{
	struct vm_exit report = { .status = command->status, .mark = ++agent->marks };
	char mark[64];

	snprintf(mark, sizeof(mark), "<2>" VM_MARK "%u\n", report.mark);
	file_write("/dev/kmsg", mark);
	frame_append(&agent->out, VM_EXIT, command->channel, &report, sizeof(report));
}

/* Takes commands off the list that are over and have said everything. */
static void commands_finish(struct agent *agent)
{
	struct guest_command **link = &agent->commands;

	while (*link) {
		struct guest_command *command = *link;
		bool drained = (command->out < 0 && command->err < 0)
			|| clock_ms() >= command->drain_until;
		if (!command->exited || !drained) {
			link = &command->next;
			continue;
		}
		*link = command->next;
		exit_report(agent, command);
		command_free(command);
	}
}

static void port_read(struct agent *agent)
{
	struct vm_frame frame;
	ssize_t got = buffer_fill(&agent->in, agent->port, VM_CHUNK);
	int found;

	if (got < 0 && errno != EAGAIN)
		guest_fail("reading from the host: %s", strerror(errno));
	while ((found = frame_next(&agent->in, &frame)) > 0)
		frame_handle(agent, &frame);
	if (found < 0)
		guest_fail("the host sent what is no frame");
}

/* One turn of the loop: wait, then serve what is ready. */
static void agent_turn(struct agent *agent)
{
	struct pollfd fds[2 + 3 * COMMANDS_MAX];
	struct { struct guest_command *command; int *fd; enum vm_frame_type type; }
		who[2 + 3 * COMMANDS_MAX];
	bool full = agent->out.size > VM_WINDOW;
	int timeout = -1;
	unsigned int n = 2;

	fds[0] = (struct pollfd){ agent->port, POLLIN | (agent->out.size ? POLLOUT : 0), 0 };
	fds[1] = (struct pollfd){ agent->signals, POLLIN, 0 };
	for (struct guest_command *c = agent->commands; c && n + 3 <= 2 + 3 * COMMANDS_MAX;
	     c = c->next) {
		struct { int *fd; enum vm_frame_type type; bool want; } ends[] = {
			{ &c->out, VM_STDOUT, !full },
			{ &c->err, VM_STDERR, !full },
			{ &c->in, VM_STDIN, c->input.size || c->input_end },
		};
		for (unsigned int i = 0; i < 3; i++) {
			if (*ends[i].fd < 0 || !ends[i].want)
				continue;
			fds[n] = (struct pollfd){ *ends[i].fd, i == 2 ? POLLOUT : POLLIN, 0 };
			who[n].command = c;
			who[n].fd = ends[i].fd;
			who[n++].type = ends[i].type;
		}
		if (c->exited)
			timeout = 20;
	}
	if (poll(fds, n, timeout) < 0)
		return;
	for (unsigned int i = 2; i < n; i++) {
		if (!fds[i].revents || *who[i].fd < 0)
			continue;
		if (who[i].type == VM_STDIN)
			input_write(agent, who[i].command);
		else
			output_read(agent, who[i].command, who[i].fd, who[i].type);
	}
	if (fds[1].revents)
		children_reap(agent);
	if (fds[0].revents & POLLIN)
		port_read(agent);
	commands_finish(agent);
	if (buffer_flush(&agent->out, agent->port) < 0 && errno != EPIPE)
		guest_fail("writing to the host: %s", strerror(errno));
}

void agent_run(int port)
{
	struct agent agent = { .port = port };
	struct utsname name;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	agent.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (agent.signals < 0 || uname(&name))
		guest_fail("signalfd: %s", strerror(errno));
	frame_append(&agent.out, VM_READY, 0, name.release, strlen(name.release));
	for (;;)
		agent_turn(&agent);
}
