/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit N [DEPTH]: calls read(2) on /dev/null N times, from DEPTH calls deep, and prints what one call took, in hundredths of
 * a nanosecond. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int measure(long n)
{
	int fd = open("/dev/null", O_RDONLY);
	long long best = 0;
	char c;

	if (fd < 0 || n <= 0)
		return 1;
	/* the quickest of some rounds: timer interrupts hit the others */
	for (int round = 0; round < 8; round++) {
		long long t = now(), d;

		for (long i = 0; i < n / 8; i++)
			if (read(fd, &c, 1))
				return 1;
		d = (now() - t) * 100 / (n / 8);
		if (!best || d < best)
			best = d;
	}
	fprintf(stderr, "per-call %lld\n", best);
	return 0;
}

static __attribute__((noinline)) int deeper(long n, int depth)
{
	volatile int rc = depth ? deeper(n, depth - 1) : measure(n);

	return rc;
}

int main(int argc, char **argv)
{
	return deeper(argc > 1 ? atol(argv[1]) : 20000, argc > 2 ? atoi(argv[2]) : 0);
}
