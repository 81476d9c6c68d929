/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading and removing modules, and the watcher that removes one when the loader was killed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "staprun.h"

int module_find(const char *name, char *path, size_t size)
{
	struct utsname u;
	size_t len = strlen(name);

	if (strchr(name, '/') || (len > 3 && !strcmp(name + len - 3, ".ko"))) {
		snprintf(path, size, "%s", name);
		return 0;
	}
	uname(&u);
	snprintf(path, size, "/lib/modules/%s/systemtap/%s.ko", u.release, name);
	if (access(path, R_OK))
		return complain("there is no module %s (%s)", path, strerror(errno));
	return 0;
}

/* What is built into the kernel and has parameters is in /sys/module as well, where names are unique. */
static bool name_is_the_kernels(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return !access(path, F_OK) && !module_is_loaded(name);
}

/* init_module(2)'s errors in words. */
static const char *load_error(int err, const char *name)
{
	if (err == EINVAL && name_is_the_kernels(name))
		return "a part of the kernel has that name; `stap -m' gives the module another";
	switch (err) {
	case EEXIST: return "a module of that name is loaded already: `staprun -d NAME' removes one that was left running";
	case EPERM: return "the kernel does not permit it (not root, or modules are disabled or locked down)";
	case ENOEXEC: return "it was made for another kernel; the kernel's log (dmesg) says more";
	case ENOKEY: case EKEYREJECTED: return "the kernel takes signed modules only (secure boot): make one with `stap -p4 -m NAME', sign NAME.ko with a key"
		" that the kernel knows (its sign-file), and load that with staprun";
	case ENOENT: return "it needs a symbol that this kernel does not have; the kernel's log (dmesg) says which";
	case ENOMEM: return "there is not memory enough for the script's arrays and buffers (-D STP_MAXMEMORY, -s); the kernel's log says for which";
	case ENOSYS: return "this kernel loads no modules; `stap --vm' runs the script in a virtual machine";
	default: return strerror(err);
	}
}

/*
 * The kernel does not compare releases where it checks its symbols' versions; but the script's offsets into the
 * kernel's structures are of one build alone.
 */
static int check_release(const struct image *im)
{
	struct utsname u;
	char made_for[128];

	uname(&u);
	if (!image_release(im, made_for, sizeof(made_for)) || !strcmp(made_for, u.release))
		return 0;
	return complain("module %s was made for kernel %s, and this is %s: build it again with `stap -r %s'", im->name,
			made_for, u.release, u.release);
}

/* Before the kernel runs its init function. */
static int check_maker(const struct image *im)
{
	int version = image_stap_version(im);

	if (!version)
		return complain("module %s is none of stap's: insmod(8) loads others", im->name);
	return version == STP_MSG_VERSION ? 0 :
	       complain("module %s is of another version of stap: build it again with this one", im->name);
}

int module_load(const struct image *im)
{
	if (check_maker(im) || check_release(im))
		return -1;
	if (!syscall(SYS_init_module, im->data, im->size, ""))
		return 0;
	return complain("the kernel refuses module %s: %s", im->name, load_error(errno, im->name));
}

bool module_is_other(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/" STP_CONTROL_PREFIX "%s", name);
	return access(path, F_OK) && module_is_loaded(name);
}

/* Ten seconds, and `more` half seconds. */
static int try_unload(const char *name, int more)
{
	/* the control file's last reference goes a moment after close(2) */
	for (int tries = 0; tries < 500 + more; tries++) {
		struct timespec pause = { 0, tries < 20 ? 1000000 : tries < 500 ? 20000000 : 500000000 };

		if (!syscall(SYS_delete_module, name, O_NONBLOCK))
			return 0;
		if (errno != EWOULDBLOCK && errno != EBUSY)
			return -1;
		nanosleep(&pause, NULL);
	}
	return -1;
}

int module_unload(const char *name)
{
	if (!try_unload(name, 0))
		return 0;
	return complain("cannot remove module %s: %s", name,
			errno == EWOULDBLOCK ? "another process uses it" : errno == ENOENT ? "it is not loaded" : strerror(errno));
}

int watcher_start(const char *name)
{
	int pipefd[2];
	pid_t pid;
	char c = 0;

	if (pipe2(pipefd, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid < 0) {
		close(pipefd[0]);
		close(pipefd[1]);
		return -1;
	}
	if (pid > 0) {
		close(pipefd[0]);
		waitpid(pid, NULL, 0); /* the one in between */
		return pipefd[1];
	}
	background_forget();
	if (fork())
		_exit(0);
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_NAME, "staprun-watch");
	close(pipefd[1]);
	for (int fd = 0; fd < 3; fd++) /* keep no pipe of the caller's open */
		close(fd);
	while (read(pipefd[0], &c, 1) < 0 && errno == EINTR)
		;
	/* one byte: dismissed; end of file: the loader is gone, the module may not stay */
	if (c != 'q')
		try_unload(name, 1200); /* thousands of probes may take the kernel minutes to let go */
	_exit(0);
}

void watcher_dismiss(int fd)
{
	if (fd < 0)
		return;
	if (write(fd, "q", 1) != 1)
		chat(1, "the watcher has gone before");
	close(fd);
}
