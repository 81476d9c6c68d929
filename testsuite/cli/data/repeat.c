/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeat N HEAD OPEN MIDDLE CLOSE TAIL: prints HEAD, N times OPEN, MIDDLE, N times CLOSE, TAIL.  In them `#` is the number
 * of the repetition from 0 (or N), and `@@` the next one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(const char *text, long i)
{
	for (; *text; text++) {
		if (*text == '#')
			printf("%ld", i);
		else if (!strncmp(text, "@@", 2))
			printf("%ld", i + 1), text++;
		else
			putchar(*text);
	}
}

int main(int argc, char **argv)
{
	long n = argc == 7 ? atol(argv[1]) : 0;

	if (argc != 7)
		return 1;
	put(argv[2], n);
	for (long i = 0; i < n; i++)
		put(argv[3], i);
	put(argv[4], n);
	for (long i = 0; i < n; i++)
		put(argv[5], i);
	put(argv[6], n);
	putchar('\n');
	return 0;
}
