/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `storm SECONDS`: forks, execs itself, makes threads, and kills a third of its children at whatever moment, in six rounds of
 * eight at least.  `storm 1 j` and `storm 1 x` are what it execs: four threads, joined or left to die.
 * `storm N b`: N processes at once, of which every third execs and every fourth, which does not, is killed; four at a time fork.  Says how many
 * began by fork and by exec, and how many threads they made.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *thread(void *arg)
{
	usleep(rand() % 300);
	return arg;
}

static int threads(int join)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 4 && join; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static void child(char **argv, int i)
{
	pthread_t t;

	if (i % 2)
		execl(argv[0], argv[0], "1", i % 4 == 1 ? "j" : "x", NULL);
	if (!fork())
		_exit(0);
	pthread_create(&t, NULL, thread, NULL);
	_exit(0);
}

/* Of all processes. */
static struct counts {
	int forks, execs, threads;
} *counts;

static void bomb_child(char **argv, int i)
{
	char number[20];
	pthread_t t;

	if (i % 12 == 3 || i % 12 == 7) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
		__atomic_fetch_add(&counts->threads, 1, __ATOMIC_RELAXED);
	}
	if (i % 3 == 0 && i % 4) {
		sprintf(number, "%d", i);
		execl(argv[0], argv[0], number, "n", NULL);
		abort();
	}
	if (i % 4 == 0)
		pause();
	_exit(0);
}

static void bomb_part(char **argv, int n)
{
	pid_t *pid = calloc(n, sizeof(*pid));

	for (int i = 0; i < n; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			bomb_child(argv, i);
		if (pid[i] < 0)
			abort();
		__atomic_fetch_add(&counts->forks, 1, __ATOMIC_RELAXED);
		if (i % 3 == 0 && i % 4)
			__atomic_fetch_add(&counts->execs, 1, __ATOMIC_RELAXED);
		if (i % 16 == 4)
			kill(pid[i], SIGKILL); /* wherever it has come to */
	}
	for (int i = 0; i < n; i += 4)
		kill(pid[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static int bomb(char **argv, int n)
{
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 4; i++) {
		counts->forks++;
		if (!fork())
			bomb_part(argv, n / 4);
	}
	while (wait(NULL) > 0)
		;
	printf("begins %d ends %d threads %d/%d\n", counts->forks + counts->execs + 1, counts->forks + counts->execs + 1, counts->threads, counts->threads);
	return 0;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
	int rounds = 0;
	pid_t pid[8];

	if (argc > 2 && !strcmp(argv[2], "b"))
		return bomb(argv, atoi(argv[1]));
	if (argc > 2 && !strcmp(argv[2], "n"))
		return 0;
	if (argc > 2)
		return threads(!strcmp(argv[2], "j"));
	while (time(NULL) < end || rounds++ < 6) {
		for (int i = 0; i < 8; i++)
			if (!(pid[i] = fork()))
				child(argv, i);
		for (int i = 0; i < 8; i += 3)
			kill(pid[i], SIGKILL);
		while (wait(NULL) > 0)
			;
	}
	return 0;
}
