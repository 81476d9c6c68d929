/* SPDX-License-Identifier: GPL-2.0-or-later */
/* __trace_puts() takes the text's length (until 7.1). */
#include <linux/kernel.h>

int stp_probe(const char *s, int n);
int stp_probe(const char *s, int n)
{
	return __trace_puts(0, s, n);
}
