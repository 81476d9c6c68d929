/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes into a sink: a record of the output, or sprintf's piece of scratch memory. */
#include "print_fmt.h"

void stp_put(struct stp_ctx *c, struct stp_sink *o, const char *p, size_t n)
{
	if (unlikely(!o->p) && n <= STP_PUT_SHORT && !stp_sink_more(c, o, n)) /* a handler's first text */
		return;
	stp_put_bytes(c, o, p, n);
}

/* sprintf writes straight into scratch: a full-size piece is taken, and what was not needed given back. */
void stp_sprint_begin(struct stp_ctx *c, struct stp_sink *o)
{
	o->string = true;
	o->p = stp_tmp(c, stp_maxlen());
	o->end = o->p ? o->p + stp_maxlen() : NULL;
}

struct stp_str stp_sprint_end(struct stp_ctx *c, struct stp_sink *o)
{
	char *start;
	size_t max = (stp_maxlen() + 7) & ~(size_t)7, n;

	if (!o->end)
		return STP_STR("");
	start = o->end - stp_maxlen();
	n = o->p - start;
	if (c->scratch == start + max) /* nothing was taken behind it */
		c->scratch = start + ((n + 7) & ~(size_t)7);
	return (struct stp_str){ start, n };
}
