/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that owns a guest: one loop over QEMU's console, the agent's port
 * and the clients.  It renumbers channels so that several clients can share the
 * port, watches that the guest lives, and tells everybody why when it does not.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm.h"

enum {
	CLIENTS_MAX = 16,
	TAIL_LINES = 30,
	PING_MS = 2000,
	MARK_MS = 3000,		/* how long an exit waits for the console to catch up */
	LEFT_MS = 3000,		/* from the TERM to the KILL of what a gone client ran */
	KVM_BOOT_MS = 20000,	/* a KVM guest that is not up by then never will be */
	CLIENT_FULL = 1 << 20,	/* bytes queued for a client that pause the port */
};

/* A client and the command it runs; the command outlives a client that went. */
struct client {
	int fd;				/* -1: gone, or the slot is free */
	bool busy;			/* its command runs in the guest */
	bool exiting;			/* an exit waits for its mark */
	bool closing;			/* close when everything is written */
	struct vm_buffer in, out;
	size_t console_from;		/* console offset that its warnings start at */
	struct vm_exit exit;
	int64_t exit_by, kill_at;
};

struct server {
	const struct vm_options *options;
	const struct vm_kernel *kernel;
	struct vm_qemu qemu;
	struct vm_console console;
	struct vm_buffer in, out;	/* of the port */
	struct vm_buffer errors;	/* what QEMU itself said */
	struct client clients[CLIENTS_MAX];
	int listen_fd, parent_fd;
	bool kvm, ready, stop;
	size_t scanned;			/* console offset up to which warnings were reported */
	int64_t started, heard, pinged;
	char *dead;			/* why the guest is gone */
	char release[256];
};

static void client_send(struct client *client, enum vm_frame_type type, const char *text)
{
	if (client->fd >= 0)
		frame_append(&client->out, type, 0, text, text ? strlen(text) : 0);
}

static void client_close(struct server *server, struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
	client->closing = false;
	buffer_free(&client->in);
	buffer_free(&client->out);
	if (server->listen_fd < 0)
		server->stop = true;
	if (client->busy && !client->kill_at) {
		struct vm_signal term = { SIGTERM, 1 };
		frame_append(&server->out, VM_SIGNAL, client - server->clients + 1,
			     &term, sizeof(term));
		client->kill_at = vm_clock_ms() + LEFT_MS;
	}
}

static struct client *client_add(struct server *server, int fd)
{
	for (unsigned int i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &server->clients[i];
		if (client->fd >= 0 || client->busy)
			continue;
		memset(client, 0, sizeof(*client));
		client->fd = fd;
		fcntl(fd, F_SETFL, O_NONBLOCK);
		if (server->ready)
			client_send(client, VM_READY, server->release);
		return client;
	}
	close(fd);
	return NULL;
}

static void guest_dead(struct server *server, const char *why)
{
	if (!server->dead)
		server->dead = vm_format("%s", why);
}

/* Sends a finished command's status, with what the kernel said while it ran. */
static void exit_deliver(struct server *server, struct client *client)
{
	char *warnings = console_warnings(&server->console, client->console_from);

	if (warnings)
		client_send(client, VM_WARNINGS, warnings);
	free(warnings);
	if (client->fd >= 0)
		frame_append(&client->out, VM_EXIT, 0, &client->exit, sizeof(client->exit));
	server->scanned = server->console.size;
	client->exiting = client->busy = false;
	client->kill_at = 0;
	client->closing = client->fd >= 0;
}

static void agent_frame(struct server *server, const struct vm_frame *frame)
{
	struct client *client = frame->channel && frame->channel <= CLIENTS_MAX
		? &server->clients[frame->channel - 1] : NULL;

	if (frame->type == VM_READY) {
		snprintf(server->release, sizeof(server->release), "%.*s", (int)frame->size,
			 (const char *)frame->payload);
		server->ready = true;
		server->scanned = server->console.size;
		for (unsigned int i = 0; i < CLIENTS_MAX; i++)
			client_send(&server->clients[i], VM_READY, server->release);
	} else if (frame->type == VM_EXIT && client && frame->size == sizeof(client->exit)) {
		memcpy(&client->exit, frame->payload, sizeof(client->exit));
		client->exiting = true;
		client->exit_by = vm_clock_ms() + MARK_MS;
	} else if (client) {
		if (frame->type == VM_FAILED) {
			client->busy = false;
			client->closing = client->fd >= 0;
		}
		if (client->fd >= 0)
			frame_append(&client->out, frame->type, 0, frame->payload, frame->size);
	}
}

static void agent_read(struct server *server)
{
	struct vm_frame frame;
	ssize_t got = buffer_fill(&server->in, server->qemu.agent, VM_CHUNK);
	int found;

	if (got > 0)
		server->heard = vm_clock_ms();
	while ((found = frame_next(&server->in, &frame)) > 0)
		agent_frame(server, &frame);
	if (found < 0)
		guest_dead(server, "the guest sent what is no frame");
}

static void client_frame(struct server *server, struct client *client,
			 const struct vm_frame *frame)
{
	if (frame->type == VM_STOP) {
		char *warnings = console_warnings(&server->console, server->scanned);
		if (warnings)
			client_send(client, VM_WARNINGS, warnings);
		free(warnings);
		server->stop = true;
		return;
	}
	if (frame->type == VM_NMI) {
		if (write(server->qemu.monitor, "nmi\n", 4) != 4)
			vm_message("the monitor does not take commands");
		client->closing = true;
		return;
	}
	if (frame->type == VM_EXEC) {
		client->busy = true;
		client->console_from = server->scanned;
	}
	frame_append(&server->out, frame->type, client - server->clients + 1, frame->payload,
		     frame->size);
}

static void client_read(struct server *server, struct client *client)
{
	struct vm_frame frame;
	ssize_t got = buffer_fill(&client->in, client->fd, VM_CHUNK);
	int found;

	if (got == 0 || (got < 0 && errno != EAGAIN)) {
		client_close(server, client);
		return;
	}
	while ((found = frame_next(&client->in, &frame)) > 0)
		client_frame(server, client, &frame);
	if (found < 0)
		client_close(server, client);
}

static void console_read(struct server *server)
{
	char chunk[8192];
	ssize_t got;

	while ((got = read(server->qemu.console, chunk, sizeof(chunk))) > 0) {
		console_append(&server->console, chunk, got);
		if (server->options->verbose && write(2, chunk, got) < 0)
			return;
	}
}

/* Drops a KVM guest that does not come up and starts over under emulation. */
static void kvm_give_up(struct server *server)
{
	kvm_refuse();
	qemu_end(&server->qemu);
	buffer_free(&server->in);
	buffer_free(&server->out);
	buffer_free(&server->errors);
	server->console.size = server->console.seen = 0;
	server->kvm = false;
	server->started = server->heard = vm_clock_ms();
	server->pinged = 0;
	qemu_start(&server->qemu, server->options, server->kernel, false);
}

/* Is QEMU still there?  When not, its own words or the console's say why. */
static void qemu_check(struct server *server)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, server->qemu.pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return;
	if (server->kvm && !server->ready) {
		kvm_give_up(server);
		return;
	}
	console_read(server);
	while (buffer_fill(&server->errors, server->qemu.errors, 4096) > 0)
		;
	buffer_append(&server->errors, "", 1);
	const char *said = (const char *)buffer_bytes(&server->errors);
	if (!server->console.size && said[0])
		guest_dead(server, said);
	else
		guest_dead(server, server->ready ? "the guest died" : "the guest died while booting");
}

/* Pings, and what must happen by the clock. */
static void clock_check(struct server *server)
{
	int64_t now = vm_clock_ms();

	if (server->kvm && !server->ready && now - server->started > KVM_BOOT_MS)
		kvm_give_up(server);
	if (!server->ready) {
		if (now - server->started > server->options->boot_s * 1000LL)
			guest_dead(server, "the guest did not come up in time");
		return;
	}
	/* While the port is paused for a slow client, silence is our own doing. */
	if (server->pinged > server->heard && now - server->heard > server->options->hang_s * 1000LL)
		guest_dead(server, "the guest hangs: its agent does not answer");
	if (now - server->pinged >= PING_MS && server->heard >= server->pinged) {
		frame_append(&server->out, VM_PING, 0, NULL, 0);
		server->pinged = now;
	}
	for (unsigned int i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &server->clients[i];
		if (client->exiting && (server->console.mark >= client->exit.mark
					|| now >= client->exit_by))
			exit_deliver(server, client);
		if (client->busy && client->kill_at && now >= client->kill_at) {
			struct vm_signal gone = { SIGKILL, VM_SIGNAL_GROUP };
			frame_append(&server->out, VM_SIGNAL, i + 1, &gone, sizeof(gone));
			client->kill_at = now + LEFT_MS;
		}
	}
}

/* Writes what is queued; a client that cannot be written to has gone. */
static void queues_flush(struct server *server)
{
	if (buffer_flush(&server->out, server->qemu.agent) < 0 && errno != EPIPE)
		guest_dead(server, "cannot write to the guest's agent");
	for (unsigned int i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &server->clients[i];
		if (client->fd < 0)
			continue;
		if (buffer_flush(&client->out, client->fd) < 0
		    || (client->closing && !client->out.size))
			client_close(server, client);
	}
}

static int turn_timeout(const struct server *server)
{
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		if (server->clients[i].exiting)
			return 20;
	return server->ready ? PING_MS / 2 : 200;
}

static void server_turn(struct server *server)
{
	struct pollfd fds[5 + CLIENTS_MAX];
	bool full = false;

	for (unsigned int i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &server->clients[i];
		full |= client->out.size > CLIENT_FULL;
		fds[5 + i] = (struct pollfd){ client->fd, POLLIN, 0 };
		/* A guest that takes nothing must not make us hoard. */
		if (server->out.size > CLIENT_FULL)
			fds[5 + i].events = 0;
		if (client->out.size)
			fds[5 + i].events |= POLLOUT;
	}
	if (full)
		server->heard = vm_clock_ms();
	fds[0] = (struct pollfd){ full ? -1 : server->qemu.agent, POLLIN, 0 };
	if (server->out.size)
		fds[0].events |= POLLOUT;
	fds[1] = (struct pollfd){ server->qemu.console, POLLIN, 0 };
	fds[2] = (struct pollfd){ server->qemu.errors, POLLIN, 0 };
	fds[3] = (struct pollfd){ server->listen_fd, POLLIN, 0 };
	fds[4] = (struct pollfd){ server->parent_fd, POLLIN, 0 };
	if (poll(fds, 5 + CLIENTS_MAX, turn_timeout(server)) < 0 && errno != EINTR)
		vm_fail("poll: %s", strerror(errno));
	if (fds[1].revents)
		console_read(server);
	if (fds[2].revents & POLLIN)
		buffer_fill(&server->errors, server->qemu.errors, 4096);
	if (fds[0].revents & POLLIN)
		agent_read(server);
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		if (fds[5 + i].revents & (POLLIN | POLLHUP | POLLERR))
			client_read(server, &server->clients[i]);
	if (fds[3].revents & POLLIN) {
		int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			client_add(server, fd);
	}
	if (fds[4].revents)
		server->stop = true;
	/* After the port: what the agent said before it died still counts. */
	if ((fds[1].revents | fds[2].revents | fds[0].revents) & (POLLHUP | POLLERR))
		qemu_check(server);
	clock_check(server);
	queues_flush(server);
}

/* Tells everybody the end, with the last words of the console. */
static void dead_tell(struct server *server)
{
	console_read(server);
	char *warnings = console_warnings(&server->console, server->scanned);
	char *tail = warnings ? warnings : console_tail(&server->console, TAIL_LINES);
	size_t length = strlen(server->dead);
	char *text = vm_format("%s%s%s%s", server->dead,
			       length && server->dead[length - 1] == '\n' ? "" : "\n",
			       warnings ? "stap-vm: its kernel's report:\n"
			       : tail[0] ? "stap-vm: the last lines of its console:\n" : "", tail);
	int64_t until = vm_clock_ms() + 2000;

	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		client_send(&server->clients[i], VM_DEAD, text);
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		while (server->clients[i].fd >= 0 && server->clients[i].out.size
		       && vm_clock_ms() < until
		       && !buffer_flush(&server->clients[i].out, server->clients[i].fd))
			poll(&(struct pollfd){ server->clients[i].fd, POLLOUT, 0 }, 1, 100);
	free(tail);
	free(text);
}

int server_run(const struct vm_options *options, const struct vm_kernel *kernel,
	       int client, int listen_fd)
{
	static struct server server;

	signal(SIGPIPE, SIG_IGN);
	server.options = options;
	server.kernel = kernel;
	server.listen_fd = listen_fd;
	server.parent_fd = -1;
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		server.clients[i].fd = -1;
	if (options->parent) {
		server.parent_fd = syscall(SYS_pidfd_open, options->parent, 0);
		if (server.parent_fd < 0)
			return VM_STATUS_BROKEN;
	}
	if (options->console)
		server.console.log = fopen(options->console, "we");
	server.kvm = !options->icount && kvm_usable();
	server.started = server.heard = vm_clock_ms();
	client_add(&server, client);
	qemu_start(&server.qemu, options, kernel, server.kvm);
	while (!server.stop && !server.dead)
		server_turn(&server);
	/* First, so that whoever learns of the end can start another guest in this place. */
	if (listen_fd >= 0) {
		unlink(options->socket);
		close(listen_fd);
	}
	if (server.dead)
		dead_tell(&server);
	else
		queues_flush(&server);
	qemu_end(&server.qemu);
	return server.dead ? VM_STATUS_BROKEN : 0;
}
