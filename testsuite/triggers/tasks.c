/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `tasks N`: makes N threads and waits for them, calls getpid(2) three times, ends.  `tasks -1`: a thread and the main
 * one sleep until they are killed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *thread(void *arg)
{
	if (arg)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t[64];

	if (n < 0) {
		pthread_create(&t[0], NULL, thread, t);
		pause();
	}
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getpid);
	return 0;
}
