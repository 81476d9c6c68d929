// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stap-tables: the table of one file after another, for the loader; or of one file, for people.
 *
 *	stap-tables FILE [fdrlp]   writes FILE's table (functions, data symbols, rows, lines) to standard output; p: FILE is a list of
 *	                           symbols such as /tmp/perf-PID.map
 *	stap-tables --serve        on a socket at standard input: takes requests (tables_msg.h) with a file's descriptor, answers each
 *	                           with the size of the table and a descriptor of memory that holds it
 */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tables.h"
#include "tables_msg.h"

#define NOBODY 65534

static int write_all(int fd, const void *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w <= 0)
			return -1;
		p = (const char *)p + w;
		n -= (size_t)w;
	}
	return 0;
}

static unsigned parse_what(const char *s)
{
	return (strchr(s, 'f') ? STP_TABLE_FUNC : 0) | (strchr(s, 'd') ? STP_TABLE_DATA : 0) | (strchr(s, 'r') ? STP_TABLE_ROWS : 0) | (strchr(s, 'l') ? STP_TABLE_LINES : 0) | (strchr(s, 'p') ? STP_TABLE_PERF_MAP : 0);
}

static int one_file(const char *path, const char *what)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *err = NULL;
	struct buf b;

	if (fd < 0) {
		fprintf(stderr, "stap-tables: %s: %m\n", path);
		return 1;
	}
	if (table_make(fd, parse_what(what), &b, &err)) {
		fprintf(stderr, "stap-tables: %s: %s\n", path, err);
		return 1;
	}
	if (write_all(1, b.p, b.n)) {
		fprintf(stderr, "stap-tables: writing: %m\n");
		return 1;
	}
	return 0;
}

/* A request and the descriptor that came with it (-1: none); 0 at the end. */
static int request_read(int sock, struct tables_request *rq, int *fd)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { rq, sizeof(*rq) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c;

	*fd = -1;
	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != sizeof(*rq))
		return 0;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return 1;
}

static int reply_write(int sock, const struct tables_reply *re, int fd)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	struct iovec iov = { (void *)re, sizeof(*re) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *c;

		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL) == sizeof(*re) ? 0 : -1;
}

static void answer(const struct tables_request *rq, int file, struct tables_reply *re, int *fd)
{
	const char *err = "no file";
	struct buf b = { 0 };
	bool made;

	*fd = -1;
	*re = (struct tables_reply){ .id = rq->id };
	made = file >= 0 && !table_make(file, rq->what, &b, &err);
	re->too_large = made && table_check_size(b.n, &err);
	if (made && !re->too_large) {
		*fd = memfd_create("stap table", MFD_CLOEXEC);
		if (*fd >= 0 && !write_all(*fd, b.p, b.n))
			re->size = (uint32_t)b.n;
		else
			err = "no memory for the table";
	}
	if (!re->size)
		snprintf(re->error, sizeof(re->error), "%s", err);
	buf_free(&b);
}

/* What damaged files may do to this process, it shall do as nobody; and it ends with the loader. */
static int privileges_drop(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		return -1;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* the kernel forgets it when ids change */
	return 0;
}

static int serve(void)
{
	struct tables_request rq;
	struct tables_reply re;
	int file, fd, r = privileges_drop();

	while (!r && request_read(0, &rq, &file)) {
		answer(&rq, file, &re, &fd);
		r = reply_write(0, &re, fd);
		if (fd >= 0)
			close(fd);
		if (file >= 0)
			close(file);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--serve"))
		return serve();
	if ((argc == 2 || argc == 3) && argv[1][0] != '-')
		return one_file(argv[1], argc == 3 ? argv[2] : "fdr");
	fputs("usage: stap-tables FILE [f][d][r][l][p] > TABLE\n", stderr);
	return 2;
}
