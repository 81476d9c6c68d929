/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second unit of dwarf_one.c's program. */
#include "dwarf_shared.h"

struct only_here;
/* sink: dwarf_shared.h */
__thread int per_thread = 1;

static __attribute__((noinline)) int helper(int x)
{
	per_thread += x;
	return x - 1;
}

__attribute__((noinline)) int two_entry(int x)
{
	if (x > 1000)
		sink = helper(x);
	return helper(x) + shared(per_thread);
}
