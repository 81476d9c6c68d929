/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `storm SECONDS`: forks, execs itself, makes threads, and kills a third of its children at whatever moment, in six rounds of
 * eight at least.  `storm 1 j` and `storm 1 x` are what it execs: four threads, joined or left to die.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
	int rounds = 0;
	pid_t pid[8];

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
