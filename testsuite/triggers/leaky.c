/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaky SECONDS: takes memory and gives some of it back, then works in two functions for so long together, a third of
 * the time in quick_part.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned sink;
void *volatile kept[64];

__attribute__((noinline)) void keep_some(void)
{
	for (int i = 0; i < 7; i++)
		kept[i] = malloc(1000);
	for (int i = 0; i < 3; i++)
		free(kept[i]);
}

__attribute__((noinline)) void keep_zeroed(void)
{
	kept[10] = calloc(10, 50);
	kept[11] = realloc(malloc(10), 300);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

__attribute__((noinline)) void quick_part(double seconds)
{
	for (double end = now() + seconds; now() < end;)
		for (int i = 0; i < 20000; i++)
			sink += i;
}

__attribute__((noinline)) void slow_part(double seconds)
{
	for (double end = now() + seconds; now() < end;)
		for (int i = 0; i < 20000; i++)
			sink ^= i;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0;

	keep_some();
	keep_zeroed();
	quick_part(seconds / 3);
	slow_part(seconds * 2 / 3);
	sink += argc;
	return 0;
}
