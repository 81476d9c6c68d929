/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One command in the guest as seen from here: our streams, our signals, its exit status. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm.h"

enum { GRACE_MS = 5000 };	/* between the steps that end a command whose time is up */

struct session {
	int fd, signals;
	const struct vm_options *options;
	struct vm_buffer in, out;
	size_t unacknowledged;		/* stdin bytes on their way */
	bool input_open;
	unsigned int interrupts;
	int64_t deadline;		/* 0: none */
	unsigned int overdue;		/* steps taken since the deadline */
	bool warned;
	int status;			/* -1: the command runs */
};

static void write_all(int fd, const unsigned char *data, size_t size)
{
	while (size) {
		ssize_t put = write(fd, data, size);
		if (put < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ fd, POLLOUT, 0 }, 1, -1);
		else if (put < 0 && errno != EINTR)
			return;
		else if (put > 0) {
			data += put;
			size -= put;
		}
	}
}

static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The next signal that came, or 0. */
static int signal_take(int signals)
{
	struct signalfd_siginfo info;

	return read(signals, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

static void dead_report(const struct vm_frame *frame)
{
	fprintf(stderr, "stap-vm: ");
	write_all(2, frame->payload, frame->size);
}

int client_wait_ready(int fd, const char *release)
{
	struct vm_buffer in = { 0 };
	struct vm_frame frame;
	int signals = signals_open(), status = -1, found = 0;
	bool terminal = isatty(2);
	int64_t start = vm_clock_ms();

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (status < 0) {
		struct pollfd fds[2] = { { fd, POLLIN, 0 }, { signals, POLLIN, 0 } };
		poll(fds, 2, 1000);
		int number = signal_take(signals);
		if (number)
			status = 128 + number;
		else if (terminal && vm_clock_ms() - start > 900)
			fprintf(stderr, "\rstap-vm: booting %s ... %d s ", release,
				(int)((vm_clock_ms() - start) / 1000));
		if (!fds[0].revents)
			continue;
		ssize_t got = buffer_fill(&in, fd, VM_CHUNK);
		if (terminal && vm_clock_ms() - start > 900)
			fprintf(stderr, "\r\033[K");
		if (got == 0 || (found = frame_next(&in, &frame)) < 0) {
			vm_message("the process that runs the guest is gone");
			status = VM_STATUS_BROKEN;
		} else if (found && frame.type == VM_READY) {
			status = 0;
		} else if (found && frame.type == VM_DEAD) {
			dead_report(&frame);
			status = VM_STATUS_BROKEN;
		}
	}
	buffer_free(&in);
	close(signals);
	return status;
}

static void exec_send(struct session *session, char *const argv[])
{
	struct vm_exec_head head = { 0 };
	struct vm_buffer payload = { 0 };
	char *cwd = getcwd(NULL, 0);

	if (!session->options->no_refresh)
		head.flags |= VM_EXEC_REFRESH;
	if (session->options->user)
		head.uid = head.gid = strtoul(session->options->user, NULL, 10);
	while (argv[head.argc])
		head.argc++;
	while (environ[head.envc])
		head.envc++;
	buffer_append(&payload, &head, sizeof(head));
	buffer_append(&payload, cwd ? cwd : "/", strlen(cwd ? cwd : "/") + 1);
	for (uint32_t i = 0; i < head.argc; i++)
		buffer_append(&payload, argv[i], strlen(argv[i]) + 1);
	for (uint32_t i = 0; i < head.envc; i++)
		buffer_append(&payload, environ[i], strlen(environ[i]) + 1);
	frame_append(&session->out, VM_EXEC, 0, buffer_bytes(&payload), payload.size);
	buffer_free(&payload);
	free(cwd);
}

static void signal_send(struct session *session, int number, uint32_t flags)
{
	struct vm_signal signal = { number, flags };

	frame_append(&session->out, VM_SIGNAL, 0, &signal, sizeof(signal));
}

/* ^C goes to the guest; the second one ends our part at once. */
static void signal_handle(struct session *session)
{
	int number = signal_take(session->signals);

	if (!number)
		return;
	if (number == SIGINT && ++session->interrupts > 1) {
		session->status = 128 + SIGINT;
		return;
	}
	signal_send(session, number, number == SIGINT || number == SIGQUIT ? VM_SIGNAL_GROUP : 0);
}

static void frame_handle(struct session *session, const struct vm_frame *frame)
{
	struct vm_exit report;
	uint32_t taken;

	switch (frame->type) {
	case VM_STDOUT:
		write_all(1, frame->payload, frame->size);
		break;
	case VM_STDERR:
		write_all(2, frame->payload, frame->size);
		break;
	case VM_STDIN_ACK:
		memcpy(&taken, frame->payload, sizeof(taken));
		session->unacknowledged -= taken;
		break;
	case VM_WARNINGS:
		session->warned = true;
		vm_message("the guest's kernel warned:");
		write_all(2, frame->payload, frame->size);
		break;
	case VM_DEAD:
		dead_report(frame);
		session->status = VM_STATUS_BROKEN;
		break;
	case VM_FAILED:
		vm_message("%.*s", (int)frame->size, (const char *)frame->payload);
		session->status = VM_STATUS_BROKEN;
		break;
	case VM_EXIT:
		memcpy(&report, frame->payload, sizeof(report));
		session->status = WIFEXITED(report.status) ? WEXITSTATUS(report.status)
			: 128 + WTERMSIG(report.status);
		if (session->overdue)
			session->status = VM_STATUS_TIMEOUT;
		if (session->warned && session->options->fail_on_warning)
			session->status = VM_STATUS_WARNING;
		break;
	}
}

static void server_read(struct session *session)
{
	struct vm_frame frame;
	ssize_t got = buffer_fill(&session->in, session->fd, VM_CHUNK);
	int found = 0;

	while (session->status < 0 && (found = frame_next(&session->in, &frame)) > 0)
		frame_handle(session, &frame);
	if (session->status >= 0)
		return;
	if (found < 0 || got == 0 || (got < 0 && errno != EAGAIN)) {
		vm_message("the process that runs the guest is gone");
		session->status = VM_STATUS_BROKEN;
	}
}

static void input_read(struct session *session)
{
	static char chunk[VM_CHUNK];
	ssize_t got = read(0, chunk, sizeof(chunk));

	if (got > 0) {
		frame_append(&session->out, VM_STDIN, 0, chunk, got);
		session->unacknowledged += got;
	} else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
		frame_append(&session->out, VM_STDIN_END, 0, NULL, 0);
		session->input_open = false;
	}
}

/* The command's time is up: ask it to end, then make it, then give the guest up. */
static void deadline_check(struct session *session)
{
	if (!session->deadline || vm_clock_ms() < session->deadline || session->status >= 0)
		return;
	session->deadline = vm_clock_ms() + GRACE_MS;
	switch (session->overdue++) {
	case 0:
		vm_message("the command is not done after %u s", session->options->timeout_s);
		signal_send(session, SIGTERM, VM_SIGNAL_GROUP | VM_SIGNAL_EXPLAIN);
		break;
	case 1:
		signal_send(session, SIGKILL, VM_SIGNAL_GROUP);
		break;
	default:
		vm_message("the command cannot be killed; ending the guest");
		frame_append(&session->out, VM_STOP, 0, NULL, 0);
		buffer_flush(&session->out, session->fd);
		session->status = VM_STATUS_BROKEN;
	}
}

static void session_turn(struct session *session)
{
	bool want_input = session->input_open && session->unacknowledged < VM_WINDOW;
	struct pollfd fds[3] = {
		{ session->fd, POLLIN | (session->out.size ? POLLOUT : 0), 0 },
		{ session->signals, POLLIN, 0 },
		{ want_input ? 0 : -1, POLLIN, 0 },
	};
	int64_t left = session->deadline ? session->deadline - vm_clock_ms() : -1;

	poll(fds, 3, session->deadline && left < 0 ? 0 : left);
	if (fds[1].revents)
		signal_handle(session);
	if (fds[0].revents & (POLLIN | POLLHUP | POLLERR))
		server_read(session);
	if (fds[2].revents)
		input_read(session);
	deadline_check(session);
	/* A failure shows as the end of the stream, at the next read. */
	buffer_flush(&session->out, session->fd);
}

int client_run(int fd, const struct vm_options *options, char *const argv[])
{
	struct session session = {
		.fd = fd, .options = options, .signals = signals_open(),
		.input_open = true, .status = -1,
	};

	if (options->timeout_s)
		session.deadline = vm_clock_ms() + options->timeout_s * 1000LL;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	exec_send(&session, argv);
	while (session.status < 0)
		session_turn(&session);
	close(session.signals);
	buffer_free(&session.in);
	buffer_free(&session.out);
	return session.status;
}

int client_stop(int fd)
{
	struct vm_buffer in = { 0 }, out = { 0 };
	struct vm_frame frame;
	int status = 0;

	fcntl(fd, F_SETFL, 0);
	frame_append(&out, VM_STOP, 0, NULL, 0);
	if (buffer_flush(&out, fd) < 0)
		status = VM_STATUS_BROKEN;
	buffer_free(&out);
	while (buffer_fill(&in, fd, VM_CHUNK) > 0) {
		while (frame_next(&in, &frame) > 0) {
			if (frame.type != VM_WARNINGS && frame.type != VM_DEAD)
				continue;
			if (frame.type == VM_WARNINGS)
				vm_message("the guest's kernel warned, with no command running:");
			write_all(2, frame.payload, frame.size);
			status = frame.type == VM_DEAD ? VM_STATUS_BROKEN : VM_STATUS_WARNING;
		}
	}
	buffer_free(&in);
	return status;
}
