/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second file of the module: local functions that are called like those in main.c. */
#include <linux/compiler.h>
#include <linux/types.h>
#include "target.h"

static noinline int target_twin(int value)
{
	target_counts[COUNT_TWIN_OTHER]++;
	return value * 1000;
}

noinline int target_other(int value)
{
	return target_elsewhere(target_twin(value));
}

/* In a section of its own. */
noinline __attribute__((section(".text.special"))) int target_elsewhere(int value)
{
	return value + 1;
}

int target_alias(int value) __attribute__((alias("target_elsewhere")));

/* The linker takes the one in main.c. */
__weak noinline int target_weak(int value)
{
	return value - 1;
}

/* The compiler makes a copy of it without the argument that is always the same, target_constant.constprop.0. */
static noinline int target_constant(int value, int by)
{
	asm volatile("" : "+r" (value));
	return value * by + (value >> by);
}

int target_copies(int value)
{
	return target_constant(value, 7) + target_constant(value + 1, 7);
}
