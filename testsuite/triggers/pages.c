/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pages N: touches N fresh pages, each once, and says what getrusage(2) counted of faults meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	char *p = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;

	if (p == MAP_FAILED)
		return 1;
	madvise(p, (size_t)n * 4096, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < n; i++)
		((volatile char *)p)[i * 4096] = 1;
	getrusage(RUSAGE_SELF, &after);
	fprintf(stderr, "%ld\n", after.ru_minflt - before.ru_minflt);
	return 0;
}
