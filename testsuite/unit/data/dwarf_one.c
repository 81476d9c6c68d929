/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What debug information is asked about: inlines, clones, labels, statics, a name that dwarf_two.c has as well. */
#include "dwarf_shared.h"

struct item {
	int key;
	struct item *next;
};

typedef struct item item_t;
enum colour { RED, GREEN = 7 };

int counter = 3;
static int hidden = 4;
volatile int sink;
enum colour paint = GREEN;

static __attribute__((noinline)) int helper(int x)
{
	static int calls;

	calls++;
	return x * counter + calls;
}

static inline __attribute__((always_inline)) int small(int x)
{
	sink = x + 1;
	return x ^ hidden;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	int y = small(x);

	if (y > 10)
		y = small(y + 2);
	return y + shared(x);
}

__attribute__((noinline)) int walk(const item_t *list)
{
	int sum = 0;

again:
	if (list) {
		sum += middle(list->key);
		list = list->next;
		goto again;
	}
	sink = sum;
	return sum + helper(sum);
}

__attribute__((noinline)) int tail(int x)
{
	sink = x;
	return two_entry(x + 1);
}

int alias_of_walk(const item_t *list) __attribute__((alias("walk")));

int main(int argc, char **argv)
{
	item_t b = { argc, 0 }, a = { 2, &b };

	hidden += argc;
	counter += argc;
	return walk(&a) + tail(argc) == 12345;
}
