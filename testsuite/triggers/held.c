/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that is held in a system call after it has taken away a mapping of a program, for as long as nobody reads that event from
 * its userfaultfd(2).  Prints "held" when it is, and waits.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 4096 };
static char *mapping;

static void *unmap(void *arg)
{
	munmap(mapping, 2 * SIZE);
	return arg;
}

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY), faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_EVENT_UNMAP };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct pollfd event = { .fd = faults, .events = POLLIN };
	pthread_t thread;

	mapping = mmap(NULL, 2 * SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(mapping, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	range.range.start = (unsigned long)mapping + SIZE;
	range.range.len = SIZE;
	if (ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		return 1;
	}
	fcntl(faults, F_SETFL, O_NONBLOCK); /* poll(2) wants it */
	pthread_create(&thread, NULL, unmap, NULL);
	poll(&event, 1, -1);
	printf("held\n");
	fflush(stdout);
	pause();
}
