/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `maps TEXT [FILE]`: what system calls that change mappings cost, in nanoseconds each (instructions, where the clock counts those): of many short
 * batches the cheapest, in which no timer and nobody else came between.  With a file, how often a loop of pairs, and not more.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BATCH 8
#define BATCHES 400
#define BYTES 8192

static char *at[BATCH], *area;
static int self, k;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

static void map(int prot, int fd)
{
	at[k] = mmap(NULL, BYTES, prot, MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	if (at[k] == MAP_FAILED)
		exit(1);
}
static void nothing(void) { syscall(SYS_getppid); }
static void map_memory(void) { map(PROT_READ | PROT_WRITE, -1); }
static void map_file(void) { map(PROT_READ, self); }
static void map_code(void) { map(PROT_READ | PROT_EXEC, self); }
static void unmap(void) { munmap(at[k], BYTES); }
static void pair_memory(void) { map_memory(); unmap(); }
static void pair_file(void) { map_file(); unmap(); }
static void pair_code(void) { map_code(); unmap(); }
static void protect(void) { mprotect(area + BYTES, BYTES, k & 1 ? PROT_READ | PROT_WRITE : PROT_READ); }
static void heap(void) { sbrk(k & 1 ? -BYTES : BYTES); }
static void move(void) { at[0] = mremap(at[0], BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, area + 4 * BYTES + (k & 1 ? 4 * BYTES : 0)); }

static const struct kind {
	const char *name;
	void (*fn)(void), (*prepare)(void), (*clean)(void); /* each BATCH times */
} kinds[] = {
	{ "getppid", nothing }, { "mmap memory", map_memory, NULL, unmap }, { "munmap", unmap, map_memory },
	{ "mmap file", map_file, NULL, unmap }, { "munmap", unmap, map_file }, { "mmap code", map_code, NULL, unmap }, { "munmap", unmap, map_code },
	{ "pair memory", pair_memory }, { "pair file", pair_file }, { "pair code", pair_code },
	{ "mprotect", protect }, { "brk", heap }, { "mremap", move },
};

static void each(void (*fn)(void))
{
	for (k = 0; fn && k < BATCH; k++)
		fn();
}

static long cost(const struct kind *kind)
{
	long best = 1l << 60, t;

	for (int i = 0; i < BATCHES; i++) {
		each(kind->prepare);
		t = now();
		each(kind->fn);
		t = now() - t;
		each(kind->clean);
		best = t < best ? t : best;
	}
	return best / BATCH;
}

int main(int argc, char **argv)
{
	self = open("/proc/self/exe", O_RDONLY);
	area = mmap(NULL, 12 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("%-26s", argc > 1 ? argv[1] : "");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].fn == move) {
			map_memory();
			at[0] = at[k];
		}
		printf("| %s %ld ", argc > 2 ? kinds[i].name : "", cost(&kinds[i]));
	}
	printf("|\n");
	return 0;
}
