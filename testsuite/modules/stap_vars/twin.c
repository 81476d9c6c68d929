/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second file of the module: a static variable that is called like one in vars.c. */
#include <linux/compiler.h>
#include <linux/types.h>
#include "vars.h"

static unsigned short vars_same = 2002;

noinline long vars_twin(long value)
{
	vars_same++;
	return value + READ_ONCE(vars_same);
}
