/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of user programs: a thread that waits for the module to need one, has stap-tables make it from the file, in a process
 * without privileges, and hands it in.
 */
#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "staprun.h"
#include "stp_utab.h"
#include "tables_msg.h"

#define PATIENCE_MS 30000         /* for one table */
#define MAX_MEMORY (4ull << 30)   /* of the helper's address space */

static struct {
	pthread_t thread;
	bool started;
	atomic_bool stop;
	int control;
	int sock;                  /* to stap-tables, -1: none */
	pid_t helper;
} tables = { .sock = -1 };

/* Besides the loader's own program, whoever may have started it from elsewhere. */
static int helper_path(char *path, size_t size)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return -1;
	self[n] = '\0';
	return snprintf(path, size, "%s/stap-tables", dirname(self)) < (int)size ? 0 : -1;
}

/* In the child. */
static void helper_become(int sock, const char *path)
{
	static char *const env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };
	struct rlimit memory = { MAX_MEMORY, MAX_MEMORY }, no_core = { 0, 0 };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CORE, &no_core);
	if (dup2(sock, 0) < 0)
		_exit(1);
	/* it becomes nobody by itself, since nobody may have no way to it: a tree in /root, a umask of 077 */
	execle(path, "stap-tables", "--serve", NULL, env);
	_exit(127);
}

static int helper_start(void)
{
	char path[4096];
	int pair[2];

	if (tables.sock >= 0)
		return 0;
	if (helper_path(path, sizeof(path)) || access(path, X_OK) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	tables.helper = fork();
	if (tables.helper == 0)
		helper_become(pair[1], path);
	close(pair[1]);
	tables.sock = pair[0];
	return tables.helper < 0 ? -1 : 0;
}

static void helper_stop(void)
{
	if (tables.sock >= 0)
		close(tables.sock);
	tables.sock = -1;
	if (tables.helper > 0) {
		kill(tables.helper, SIGKILL);
		waitpid(tables.helper, NULL, 0);
	}
	tables.helper = 0;
}

static int send_request(const struct tables_request *rq, int file)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	struct iovec iov = { (void *)rq, sizeof(*rq) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(file));
	memcpy(CMSG_DATA(c), &file, sizeof(file));
	return sendmsg(tables.sock, &m, MSG_NOSIGNAL) == sizeof(*rq) ? 0 : -1;
}

/* The answer to request `id`, and its memory's descriptor (-1: none); -1 when the helper has gone or takes too long. */
static int take_reply(uint32_t id, struct tables_reply *re, int *fd)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { re, sizeof(*re) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	struct pollfd p = { tables.sock, POLLIN, 0 };
	struct cmsghdr *c;
	int waited = 0;

	*fd = -1;
	while (poll(&p, 1, 100) <= 0) {
		waited += 100;
		if (atomic_load(&tables.stop) || waited >= PATIENCE_MS)
			return -1;
	}
	if (recvmsg(tables.sock, &m, MSG_CMSG_CLOEXEC) != sizeof(*re))
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	re->error[sizeof(re->error) - 1] = '\0';
	return re->id == id ? 0 : -1;
}

/* Gives the module the table in fd (size 0: there is none). */
static void hand_in(uint32_t id, uint32_t size, int fd)
{
	struct stp_file_table t = { .id = id };
	void *p = MAP_FAILED;

	if (size && size <= STP_UTAB_BYTES && lseek(fd, 0, SEEK_END) == (off_t)size)
		p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p != MAP_FAILED) {
		t.size = size;
		t.table = (uintptr_t)p;
	}
	if (ioctl(tables.control, STP_IOC_TABLE, &t) && t.size) {
		chat(1, "the module did not take a table: %s", strerror(errno));
	}
	if (p != MAP_FAILED)
		munmap(p, size);
}

static void serve_one(struct stp_file_request *rq)
{
	struct tables_request ask = { .id = rq->id, .what = rq->what };
	struct tables_reply re = { 0 };
	int fd = -1;

	if (table_source_open(rq) < 0) {
		chat(2, "nothing new of %s", rq->path);
		hand_in(rq->id, 0, -1);
		return;
	}
	if (helper_start() || send_request(&ask, rq->fd) || take_reply(rq->id, &re, &fd)) {
		helper_stop();
		if (!atomic_load(&tables.stop))
			warn("no symbols of %s: stap-tables has failed", rq->path);
		re.size = 0;
	} else if (re.too_large) {
		warn("no symbols of %s: %s", rq->path, re.error);
	} else if (!re.size) {
		chat(1, "no symbols of %s: %s", rq->path, re.error);
	} else {
		chat(2, "%s: a table of %u bytes", rq->path, re.size);
	}
	hand_in(rq->id, fd >= 0 ? re.size : 0, fd);
	if (fd >= 0)
		close(fd);
	close(rq->fd);
}

static void *tables_thread(void *arg)
{
	struct stp_file_request rq;

	while (!atomic_load(&tables.stop)) {
		if (ioctl(tables.control, STP_IOC_FILE_NEXT, &rq) == 0)
			serve_one(&rq);
		else if (errno != EINTR && errno != EAGAIN)
			break;
	}
	helper_stop();
	return NULL;
}

int tables_start(int control)
{
	struct stp_info info;

	if (ioctl(control, STP_IOC_INFO, &info) || !(info.flags & STP_INFO_TABLES))
		return 0;
	tables.control = control;
	if (pthread_create(&tables.thread, NULL, tables_thread, NULL))
		return complain("cannot start a thread: %s", strerror(errno));
	tables.started = true;
	return 0;
}

void tables_stop(void)
{
	struct timespec t = { 0, 10000000 };

	if (!tables.started)
		return;
	atomic_store(&tables.stop, true);
	/* it may just be on its way into the call */
	while (pthread_kill(tables.thread, SIGUSR1) == 0 && pthread_tryjoin_np(tables.thread, NULL))
		nanosleep(&t, NULL);
	tables.started = false;
}
