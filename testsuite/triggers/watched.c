/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables that are written and read a known number of times: counter by bump (twice), in a thread and in a child, state and table by
 * main; a word of the heap, whose address is told.  With "again" the program is run once more in the same process.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

long counter;
static volatile char state = 1;
volatile int table[16] = { 1 };

static void *in_thread(void *arg)
{
	counter += 100;
	return arg;
}

__attribute__((noinline)) static void bump(void)
{
	long n = *(volatile long *)&counter;

	asm volatile("" : "+r"(n)); /* a read and a write, which newer compilers would make one instruction of */
	*(volatile long *)&counter = n + 1;
}

int main(int argc, char **argv)
{
	int sum = 0;
	pthread_t t;

	bump();
	bump();
	pthread_create(&t, NULL, in_thread, NULL);
	pthread_join(t, NULL);
	state = 7;
	sum += table[0];
	table[1] = 5;
	if (!fork()) {
		counter = 1000;
		_exit(0);
	}
	wait(NULL);
	if (argc > 1 && !strcmp(argv[1], "again"))
		execl("/proc/self/exe", "watched", NULL);
	return sum == 0;
}
