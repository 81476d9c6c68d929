/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code made as the program runs: two functions with frame pointers, outer and inner, that call back into C, where getppid(2) shows the
 * stack to a probe.  /tmp/perf-PID.map first has outer alone, among lines that are none, later inner as well, which takes the place of an
 * older function.  Then the vdso's clock_gettime, which makes a system call for this clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static void leaf(void)
{
	long ret;

	asm volatile("syscall" : "=a"(ret) : "0"((long)SYS_getppid) : "rcx", "r11", "memory");
}

/* push %rbp; mov %rsp,%rbp; mov $target,%rax; call *%rax; pop %rbp; ret */
static void put_function(unsigned char *p, void (*target)(void))
{
	static const unsigned char head[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8 }, tail[] = { 0xff, 0xd0, 0x5d, 0xc3 };

	memcpy(p, head, sizeof(head));
	memcpy(p + sizeof(head), &target, sizeof(target));
	memcpy(p + sizeof(head) + sizeof(target), tail, sizeof(tail));
}

/* Until the probe knows the names, and has made the file; a minute at most. */
__attribute__((noinline)) static void run(void (*code)(void), const char *file)
{
	int times = 1200;

	do {
		code();
		usleep(50000);
	} while (times-- > 0 && access(file, F_OK));
}

int main(void)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec t;
	char path[64];
	FILE *f;

	put_function(page + 64, leaf);
	put_function(page + 256, (void (*)(void))(page + 64));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	sprintf(path, "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	fprintf(f, "no line at all\n\n0x zz\n%lx 20\nffffffffffffffff 20 wraps\n%lx 20 outer\n%lx 80 old function\n", (long)page + 256, (long)page + 256,
		(long)page + 32);
	fflush(f);
	run((void (*)(void))(page + 256), "/tmp/jit.1");
	fprintf(f, "0x%lx 0x20 inner code\n%lx 20 not ye", (long)page + 64, (long)page + 64);
	fflush(f);
	run((void (*)(void))(page + 256), "/tmp/jit.2");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	fclose(f);
	remove(path);
	return 0;
}
