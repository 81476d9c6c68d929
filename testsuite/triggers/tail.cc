/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that end by jumping to others, which throw exceptions at times: to one of this file, by conditions, through a pointer, out of a
 * table, to a library, and with nothing in front.  Prints of each how often it returned and the sum of what it returned.
 */
#include <cstdio>
#include <stdexcept>

#define KEEP __attribute__((noinline, noclone, used))

extern "C" {
volatile int sink;
KEEP int thrower(int a) { if (a % 3 == 0) throw std::runtime_error("three"); sink = a; return a * 2; }
KEEP int quiet(int a) { sink = a; return a + 100; }
KEEP int tail(int a) { sink = a; return thrower(a + 1); }
KEEP int either(int a) { if (a & 1) return tail(a); return quiet(a); }
int (*volatile pointer)(int) = thrower;
KEEP int indirect(int a) { sink = a; return pointer(a); }
KEEP int outside(int a) { sink = 1; return puts(a ? "outside" : "out"); }
KEEP int thunk(int a) { return thrower(a); }
KEEP double real(double x) { sink = 1; return x * 2; }
KEEP double tailreal(double x) { sink = 2; return real(x + 1); }
KEEP int table(int a)
{
	switch (a) {
	case 0: return quiet(7);
	case 1: sink = 1; return 1;
	case 2: sink = 3; return 9;
	case 3: return thrower(4);
	case 4: sink = 8; return 5;
	case 5: sink = 9; return thrower(3);
	}
	return -1;
}
}

static void run(const char *name, int (*f)(int))
{
	int n = 0, sum = 0;

	for (int i = 0; i < 6; i++) {
		try {
			sum += f(i);
			n++;
		} catch (std::exception &) {
		}
	}
	printf("%s %d %d\n", name, n, sum);
}

int main()
{
	double d = 0;

	run("tail", tail);
	run("either", either);
	run("indirect", indirect);
	run("outside", outside);
	run("thunk", thunk);
	run("table", table);
	run("quiet", quiet);
	for (int i = 0; i < 3; i++)
		d += tailreal(i);
	printf("tailreal 3 %d\n", (int)d);
}
