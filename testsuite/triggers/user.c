/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program to probe: `user N` calls leaf() and words() N times, nested() to depth N, and a library function; prints
 * what it has done.  `user N P` does so in P child processes as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone, used))

struct point {
	int x;
	long y;
	const char *name;
};

KEEP int leaf(int a, unsigned short b)
{
	asm volatile("");
	return a * 3 + b;
}

KEEP long nested(long n)
{
	long below = n > 0 ? nested(n - 1) : 0;

	asm volatile("" : "+r"(below));
	return below + n;
}

KEEP int words(const char *s, struct point *p)
{
	asm volatile("" : : "r"(p) : "memory");
	return strlen(s) + p->x;
}

KEEP static int hidden(int a)
{
	asm volatile("");
	return a + 1;
}

KEEP long eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
	asm volatile("");
	return a + b + c + d + e + f + g + h;
}

static const char some_words[] = "some words";

static long work(int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++) {
		struct point p = { i, i * 10L, "a point" };

		sum += leaf(-i, i);
		sum += words(some_words, &p);
		sum += hidden(i);
	}
	sum += nested(n);
	sum += eight(1, 2, 3, 4, 5, 6, 7, 8);
	return sum + (getppid() > 0);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, children = argc > 2 ? atoi(argv[2]) : 0;

	asm volatile("" : : "r"(*(const volatile char *)some_words)); /* its page is there from now on */
	for (int i = 0; i < children; i++)
		if (!fork()) {
			work(n);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	printf("work %ld\n", work(n));
	return 0;
}
