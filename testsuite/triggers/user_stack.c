/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of all kinds, each shown by libgcc's unwinder (backtrace(3)) as "own: KIND ADDRESS..." right before a getppid(2) at which a
 * probe may do the same.  Frame 0 is leaf's own.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *kind;

__attribute__((noinline)) static long leaf(void)
{
	void *pc[60];
	long ret;
	int n = backtrace(pc, 60), i;

	printf("own: %s", kind);
	for (i = 1; i < n; i++)
		printf(" %p", pc[i]);
	printf("\n");
	fflush(stdout);
	asm volatile("syscall" : "=a"(ret) : "0"((long)SYS_getppid) : "rcx", "r11", "memory");
	return ret;
}

__attribute__((noinline)) static long on_stack(int n)
{
	char room[n * 16 + 1]; /* a frame that needs rbp */

	memset(room, n, sizeof(room));
	return (n ? on_stack(n - 1) : leaf()) + room[n];
}

static int compare(const void *a, const void *b)
{
	static int once;

	if (!once++)
		on_stack(3);
	return *(const char *)a - *(const char *)b;
}

static void handler(int sig)
{
	on_stack(2);
}

static void *in_thread(void *arg)
{
	on_stack(1);
	return NULL;
}

__attribute__((noinline)) static void aligned(void)
{
	char room[64] __attribute__((aligned(64)));

	memset(room, 1, sizeof(room));
	on_stack(room[7]);
}

int main(int argc, char **argv)
{
	char letters[] = "bac";
	void *first[2];
	pthread_t t;

	backtrace(first, 2); /* loads libgcc */
	kind = "plain";
	on_stack(5);
	kind = "library";
	qsort(letters, 3, 1, compare);
	kind = "aligned";
	aligned();
	kind = "signal";
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	kind = "thread";
	pthread_create(&t, NULL, in_thread, NULL);
	pthread_join(t, NULL);
	if (argc > 1) { /* a library that comes later: its function calls back */
		void *lib = dlopen(argv[1], RTLD_NOW);
		long (*call)(long (*)(int), int) = lib ? (long (*)(long (*)(int), int))dlsym(lib, "call_back") : NULL;

		kind = "dlopen";
		if (call)
			call(on_stack, 1);
	}
	return 0;
}
