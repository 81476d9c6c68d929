/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `perf_map KIND FILE`: code made as the program runs that calls getppid(2) until FILE is there, a minute at most, and a list of it in
 * /tmp/perf-PID.map as no compiler should write it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static void leaf(void)
{
	long ret;

	asm volatile("syscall" : "=a"(ret) : "0"((long)SYS_getppid) : "rcx", "r11", "memory");
}

/* push %rbp; mov %rsp,%rbp; mov $leaf,%rax; call *%rax; pop %rbp; ret */
static void put_function(unsigned char *p)
{
	static const unsigned char head[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8 }, tail[] = { 0xff, 0xd0, 0x5d, 0xc3 };
	void (*target)(void) = leaf;

	memcpy(p, head, sizeof(head));
	memcpy(p + sizeof(head), &target, sizeof(target));
	memcpy(p + sizeof(head) + sizeof(target), tail, sizeof(tail));
}

/* The last line of all is the right one. */
static void lines(FILE *f, const char *kind, unsigned long at)
{
	int i;

	if (!strcmp(kind, "garbage")) {
		for (i = 0; i < 100000; i++)
			fputc(rand(), f);
		fputc('\n', f);
	} else if (!strcmp(kind, "sizes")) {
		fprintf(f, "%lx ffffffffffffffff huge\n%lx 7fffffff large\n0 ffffffff all\n", at, at);
	} else if (!strcmp(kind, "overlap")) {
		for (i = 0; i < 20000; i++)
			fprintf(f, "%lx %x over%d\n", at - rand() % 60, rand() % 64 + 1, i);
	} else if (!strcmp(kind, "order")) {
		for (i = 0; i < 20000; i++)
			fprintf(f, "%lx 10 f%d\n", at + 0x100000 - i * 16, i);
	} else if (!strcmp(kind, "line")) {
		fprintf(f, "%lx 20 %01048576d\n", at, 1);
	} else if (!strcmp(kind, "holes")) {
		fflush(f);
		if (ftruncate(fileno(f), 1L << 40) || fseek(f, 0, SEEK_END))
			abort();
		fputc('\n', f);
	}
	fprintf(f, "%lx 20 %s\n", at, kind);
	if (!strcmp(kind, "foreign") && fchown(fileno(f), 77, 77))
		abort();
}

int main(int argc, char **argv)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long at = (unsigned long)page + 64;
	const char *kind = argv[1];
	int times = 1200, rc = 0;
	char path[64];
	FILE *f;

	put_function(page + 64);
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	sprintf(path, "/tmp/perf-%d.map", getpid());
	remove(path);
	if (!strcmp(kind, "fifo")) {
		rc = mkfifo(path, 0666);
	} else if (!strcmp(kind, "link")) {
		rc = symlink("/dev/zero", path);
	} else {
		f = fopen(path, "w");
		lines(f, kind, at);
		rc = fclose(f);
	}
	while (!rc && times-- > 0 && access(argv[2], F_OK)) {
		((void (*)(void))at)();
		usleep(50000);
	}
	remove(path);
	return rc;
}
