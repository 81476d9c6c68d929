/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `soak FILE`: calls a function that is probed, until it is killed; at SIGUSR1 writes to FILE whether the function's first byte is a breakpoint's.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) int probed(int n);
int probed(int n)
{
	asm volatile("" : "+r"(n));
	return n + 1;
}

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	asked = 1;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_signal };
	int n = 0;

	sigaction(SIGUSR1, &act, NULL);
	for (;;) {
		n = probed(n);
		usleep(1000);
		if (asked) {
			FILE *f = fopen(argv[1], "w");

			asked = 0;
			fputs(*(volatile unsigned char *)probed == 0xcc ? "breakpoint\n" : "clean\n", f);
			fclose(f);
		}
	}
}
