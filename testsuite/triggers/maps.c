/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `maps FILE odd`: files with odd names and very long paths, and a hundred thousand mappings.
 * `maps FILE [STEPS [SEED]]`: changes its mappings in every way there is, at random; at checkpoints appends /proc/self/maps to FILE, behind a
 * line with its pid and a number, and calls checkpoint(number), for a probe there to print what it knows.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096ul
#define ARENA 64                /* pages */
#define THREADS 4

static char room[16 << 20];
static const char *path;
static int steps = 400, file;

__attribute__((noinline)) void checkpoint(int n);
void checkpoint(int n)
{
	asm volatile("" : : "r"(n) : "memory");
}

/* Nothing is mapped between reading and the probe. */
static void check(int n)
{
	int out = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600), in = open("/proc/self/maps", O_RDONLY);
	int len = sprintf(room, "== %d %d\n", getpid(), n);
	ssize_t got;

	while ((got = read(in, room + len, sizeof(room) - len)) > 0)
		len += got;
	if (write(out, room, len) != len)
		abort();
	close(in);
	close(out);
	checkpoint(n);
}

/* One change somewhere in an arena of its own. */
static void change(char *arena, unsigned *seed)
{
	unsigned at = rand_r(seed) % ARENA, n = 1 + rand_r(seed) % 5, to = rand_r(seed) % ARENA;
	int prot = rand_r(seed) % 8, flags = MAP_FIXED | (rand_r(seed) % 2 ? MAP_PRIVATE : MAP_SHARED);
	char *p = arena + at * PAGE;

	if (at + n > ARENA)
		n = ARENA - at;
	switch (rand_r(seed) % 9) {
	case 0: case 1:
		mmap(p, n * PAGE, prot, flags | MAP_ANONYMOUS, -1, 0);
		break;
	case 2: case 3:
		mmap(p, n * PAGE, prot & ~PROT_WRITE, flags, file, (rand_r(seed) % 8) * PAGE);
		break;
	case 4:
		munmap(p, n * PAGE);
		break;
	case 5: case 6:
		mprotect(p, n * PAGE, prot);
		break;
	case 7:
		if (to + n <= ARENA && (to + n <= at || at + n <= to))
			mremap(p, n * PAGE, n * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, arena + to * PAGE);
		break;
	case 8:
		mremap(p, n * PAGE, (n + 1) * PAGE, 0);
		break;
	}
}

static void heap_and_stack(unsigned *seed)
{
	char *now = sbrk(0);
	volatile char deep[(1 + rand_r(seed) % 40) * PAGE];

	deep[0] = 1;
	asm volatile("" : : "r"(deep) : "memory");
	if (rand_r(seed) % 2)
		brk(now + (rand_r(seed) % 9) * PAGE);
	else
		brk(now - (rand_r(seed) % 3) * PAGE);
}

static void *thread(void *arg)
{
	unsigned seed = (unsigned)(unsigned long)arg;

	for (int i = 0; i < steps; i++)
		change(arg, &seed);
	return NULL;
}

static void threads(char *arenas)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread, arenas + i * ARENA * PAGE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void libraries(void)
{
	void *lib = dlopen("libresolv.so.2", RTLD_NOW);

	check(2);
	if (lib)
		dlclose(lib);
	check(3);
}

static void in_child(char *arena, unsigned *seed)
{
	check(20);
	for (int i = 0; i < steps / 4; i++)
		change(arena, seed);
	check(21);
	_exit(0);
}

static void shared_memory(void)
{
	int id = shmget(IPC_PRIVATE, 3 * PAGE, 0600 | IPC_CREAT);
	void *p = shmat(id, NULL, 0);

	check(4);
	shmdt(p);
	shmctl(id, IPC_RMID, NULL);
	check(5);
}

static void map_file(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, 3 * PAGE) || mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, PAGE) == MAP_FAILED)
		abort();
	close(fd);
}

static void odd(void)
{
	char name[201], *p;
	int n = 100000;

	chdir("/tmp");
	map_file("with space");
	map_file("with\nnewline \\ and % and \"");
	map_file("gone");
	unlink("gone");
	memset(name, 'x', 200);
	name[200] = '\0';
	for (int i = 0; i < 19; i++)
		if ((mkdir(name, 0700) && errno != EEXIST) || chdir(name))
			abort();
	map_file("deep");
	check(1);
	p = mmap(NULL, n * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (int i = 0; i < n; i += 2)
		if (mprotect(p + i * PAGE, PAGE, PROT_READ))
			abort();
	check(2);
	munmap(p, n * PAGE);
	check(3);
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 3 ? atoi(argv[3]) : 1;
	char *arenas, *hidden, number[20];

	path = argv[1];
	steps = argc > 2 ? atoi(argv[2]) : steps;
	checkpoint(0); /* the kernel maps a page for probes at the first one */
	if (argc > 2 && !strcmp(argv[2], "odd")) {
		odd();
		return 0;
	}
	check(1);
	if (argc > 4)
		return 0;
	file = open("/proc/self/exe", O_RDONLY);
	arenas = mmap(NULL, (THREADS * ARENA + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	arenas += PAGE; /* whatever is beside stays away */
	hidden = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(hidden, PAGE, MADV_DONTFORK);
	libraries();
	shared_memory();
	for (int i = 0; i < steps; i++) {
		change(arenas, &seed);
		if (i % 8 == 0)
			heap_and_stack(&seed);
		if (i % (steps / 5) == 0)
			check(100 + i);
	}
	check(6);
	threads(arenas);
	check(7);
	if (!fork())
		in_child(arenas, &seed);
	wait(NULL);
	check(8);
	sprintf(number, "%d", steps);
	execl("/proc/self/exe", "maps", path, number, "1", "again", NULL);
	return 1;
}
