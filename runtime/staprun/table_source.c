/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tables are made of where the module has no file to hand over: the kernel's vdso, as it is mapped into this process too, and the
 * lists of symbols that just-in-time compilers write, /tmp/perf-PID.map, as the process itself sees that path.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "staprun.h"

/* Where this process has it; false: it has none. */
static bool vdso_range(unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", start, end) == 2;
	if (f)
		fclose(f);
	return found;
}

static int open_vdso(void)
{
	unsigned long start, end;
	int fd = vdso_range(&start, &end) ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd >= 0 && write(fd, (const void *)start, end - start) != (ssize_t)(end - start)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The line `name` of /proc/PID/status: its second number (0) or last one (-1). */
static long status_number(int pid, const char *name, bool last)
{
	char path[64], line[512], *word, *save;
	long ret = -1;
	int i = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, name, strlen(name)))
			continue;
		for (word = strtok_r(line + strlen(name), " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save), i++)
			if (last || i == 1)
				ret = strtol(word, NULL, 10);
		break;
	}
	if (f)
		fclose(f);
	return ret;
}

/* ---- lists that are asked for again and again ---- */
static struct seen {
	uint32_t id;
	off_t size;
	struct timespec changed;
} seen[64];

/* Is the file as it was when it was last read?  It is taken to be read now. */
static bool unchanged(uint32_t id, const struct stat *st)
{
	struct seen *s = &seen[id % (sizeof(seen) / sizeof(seen[0]))], now = { id, st->st_size, st->st_mtim };
	bool ret = s->id == id && s->size == now.size && s->changed.tv_sec == now.changed.tv_sec && s->changed.tv_nsec == now.changed.tv_nsec;

	*s = now;
	return ret;
}

/* Why a list is not used, once for each of the last ones. */
static int refuse(uint32_t id, int pid, const char *path, const char *why)
{
	static uint32_t told[64];
	uint32_t *t = &told[id % (sizeof(told) / sizeof(told[0]))];

	if (*t != id)
		warn("code that process %d makes has no names: %s is not used: %s", pid, path, why);
	*t = id;
	return -1;
}

/* NULL: it can be. */
static const char *unusable(int fd, const struct stat *st, long uid)
{
	if (fd < 0)
		return errno == ELOOP ? "it is a symbolic link" : strerror(errno);
	if (!S_ISREG(st->st_mode))
		return "it is no regular file";
	return st->st_uid != (uid_t)uid && st->st_uid != 0 ? "it is another user's" : NULL;
}

/*
 * The file is the process's own: whoever can write to its /tmp could otherwise name its code.  Its path is followed within its own
 * root, so that no link of its leads to a file of ours.
 */
static int open_perf_map(uint32_t id, int pid)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char path[64];
	long own = status_number(pid, "NSpid:", true), uid = status_number(pid, "Uid:", false);
	struct stat st = { 0 };
	const char *why;
	int root, fd;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	root = pid > 0 && own > 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (root < 0)
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", own);
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOENT) {
		close(root);
		return -1;
	}
	why = fd >= 0 && fstat(fd, &st) ? strerror(errno) : unusable(fd, &st, uid);
	close(root);
	if (!why && !unchanged(id, &st))
		return fd;
	if (fd >= 0)
		close(fd);
	return why ? refuse(id, pid, path, why) : -1;
}

int table_source_open(struct stp_file_request *rq)
{
	if (rq->source == STP_SOURCE_VDSO)
		rq->fd = open_vdso();
	else if (rq->source == STP_SOURCE_PERF_MAP)
		rq->fd = open_perf_map(rq->id, rq->pid);
	return rq->fd;
}
