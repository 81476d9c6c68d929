/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `recode FILE FILE N`: maps two files as code, here and there, whole and in pieces, over one another, moves them, changes their rights, unmaps them,
 * N times at random, in a process, a thread and a child; after each change tells checkpoint() which file's code is at a few addresses: 1, 2, or 0
 * for none, and the child that it is one (+ 4).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096ul
#define PAGES 48

static int fds[2], times, child;

/* One of them for each thread, changed by that thread alone. */
struct area {
	char *at;
	char what[PAGES];       /* file 1, 2; 4: may not be run; 0: nothing */
	unsigned seed;
};

__attribute__((noinline)) void checkpoint(const void *addr, int what);
void checkpoint(const void *addr, int what)
{
	asm volatile("" : : "r"(addr), "r"(what));
}

static unsigned pick(struct area *a, unsigned n)
{
	return (unsigned)rand_r(&a->seed) % n;
}

static void check(struct area *a, int page)
{
	checkpoint(a->at + page * PAGE + 16, (a->what[page] & 4 ? 0 : a->what[page]) + child);
}

static void fill(struct area *a, int page, int n, int what)
{
	for (; n--; page++)
		a->what[page] = (char)what;
}

static void do_map(struct area *a, int page, int n)
{
	int file = (int)pick(a, 2), code = pick(a, 4) > 0;

	mmap(a->at + page * PAGE, n * PAGE, PROT_READ | (code ? PROT_EXEC : 0), MAP_PRIVATE | MAP_FIXED, fds[file], (off_t)pick(a, 2) * PAGE);
	fill(a, page, n, 1 + file + (code ? 0 : 4));
}

static void do_unmap(struct area *a, int page, int n)
{
	munmap(a->at + page * PAGE, n * PAGE);
	fill(a, page, n, 0);
}

static void do_protect(struct area *a, int page, int n)
{
	int code = (int)pick(a, 2), i;

	for (i = 0; i < n; i++) {
		if (!a->what[page + i])
			continue;
		mprotect(a->at + (page + i) * PAGE, PAGE, PROT_READ | (code ? PROT_EXEC : 0));
		a->what[page + i] = (char)((a->what[page + i] & 3) + (code ? 0 : 4));
	}
}

/* One page: more need not be of one mapping. */
static void do_move(struct area *a, int from, int to)
{
	if (!a->what[from] || from == to)
		return;
	mremap(a->at + from * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a->at + to * PAGE);
	a->what[to] = a->what[from];
	a->what[from] = 0;
}

/* The same, as a program does that loads and unloads one library. */
static void do_again(struct area *a)
{
	for (int i = 0; i < 5; i++) {
		char *p = mmap(a->at + (PAGES + 1) * PAGE, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fds[i & 1], 0);

		checkpoint(p + 16, 1 + (i & 1) + child);
		munmap(p, 2 * PAGE);
		checkpoint(p + 16, child);
	}
}

static void change(struct area *a)
{
	int page = (int)pick(a, PAGES), n = 1 + (int)pick(a, 4);

	n = page + n > PAGES ? PAGES - page : n;
	switch (pick(a, 8)) {
	case 0: case 1: case 2: do_map(a, page, n); break;
	case 3: case 4: do_unmap(a, page, n); break;
	case 5: do_protect(a, page, n); break;
	case 6: do_move(a, page, (int)pick(a, PAGES)); break;
	case 7: do_again(a); break;
	}
	check(a, page);
	check(a, (int)pick(a, PAGES));
	check(a, (int)pick(a, PAGES));
}

static void *work(void *arg)
{
	struct area *a = arg;

	for (int i = 0; i < times; i++)
		change(a);
	for (int i = 0; i < PAGES; i++)
		check(a, i);
	return NULL;
}

static void make(struct area *a, unsigned seed)
{
	size_t bytes = (PAGES + 4) * PAGE;

	/* a hole with a page that stays on either side: nothing else is so small but what says where it goes */
	a->at = (char *)mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + PAGE;
	a->seed = seed;
	munmap(a->at, bytes);
}

int main(int argc, char **argv)
{
	static struct area areas[2];
	pthread_t t;

	for (int i = 0; i < 2; i++)
		fds[i] = open(argv[1 + i], O_RDONLY);
	times = atoi(argv[3]);
	make(&areas[0], 1);
	work(&areas[0]);
	if (!fork()) {
		child = 4;
		work(&areas[0]);
		_exit(0);
	}
	make(&areas[1], 2);
	pthread_create(&t, NULL, work, &areas[1]);
	areas[0].seed = 3;
	work(&areas[0]);
	pthread_join(t, NULL);
	wait(NULL);
	return 0;
}
