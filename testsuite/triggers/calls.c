/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls THREADS ROUNDS: each thread makes ROUNDS calls of getpgid(2), all at the same time, and that is all
 * that this program does of them.  With a third argument every thread writes its number to /dev/null instead,
 * that many bytes at a time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long rounds, bytes;
static int null;
static pthread_barrier_t barrier;

static void *thread_run(void *unused)
{
	static const char text[4096];

	(void)unused;
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < rounds; i++) {
		if (!bytes)
			syscall(SYS_getpgid, 0);
		else if (write(null, text, bytes) != bytes)
			exit(1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t id[64];

	if (argc < 3 || threads < 1 || threads > 64)
		return 2;
	rounds = atol(argv[2]);
	bytes = argc > 3 ? atol(argv[3]) : 0;
	null = open("/dev/null", O_WRONLY);
	if (null < 0 || bytes < 0 || bytes > 4096)
		return 2;
	pthread_barrier_init(&barrier, NULL, threads);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, thread_run, NULL))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}
