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
	return target_twin(value) + 1;
}
