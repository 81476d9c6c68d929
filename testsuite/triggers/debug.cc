/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with debug information to probe: methods, overloads, a namespace, inlined functions, a label, globals. */
#include <cstdio>
#include <cstdlib>

namespace shop {
struct item {
	int price;
	const char *name;
};

class basket {
public:
	long total = 0;
	int n = 0;
	__attribute__((noipa)) void add(const item &it, int count)
	{
		total += static_cast<long>(it.price) * count;
		n++;
	}
	__attribute__((noipa)) void add(long amount)
	{
		total += amount;
		n++;
	}
};
}

int counter = 5;
static long hidden_total;

static inline __attribute__((always_inline)) long twice(long x)
{
	long y = x * 2;

	asm volatile("" : "+r"(y));
	return y;
}

extern "C" __attribute__((noipa)) int search(int from, int to)
{
	for (int i = from; i < to; i++)
		if (i * i > 50)
			goto found;
	return -1;
found:
	asm volatile("nop");
	return to;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;
	shop::basket b;
	shop::item apple = { 30, "apple" };

	asm volatile("" : : "r"(*const_cast<const volatile char *>(apple.name))); /* its page is there from now on */

	for (int i = 0; i < n; i++) {
		b.add(apple, i);
		b.add(100L);
		hidden_total += twice(i) + twice(i + 1);
		counter++;
		search(0, i + 8);
	}
	printf("total %ld in %d, hidden %ld\n", b.total, b.n, hidden_total);
	return 0;
}
