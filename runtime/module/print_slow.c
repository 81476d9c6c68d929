/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Long pieces of text into a sink, and those that do not fit at once. */
#include "print_fmt.h"

bool stp_put_slow(struct stp_ctx *c, struct stp_sink *o, const char *p, size_t n)
{
	size_t room = o->end - o->p;
	bool fits = room >= n || (!o->string && stp_sink_more(c, o, n));

	if (!fits && !o->string)
		return false;
	if (!fits)
		n = room; /* 0 where there is no scratch memory: both are NULL */
	if (n)
		stp_memmove(o->p, p, n);
	o->p += n;
	return fits;
}
