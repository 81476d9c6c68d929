/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside formatting: pieces that the histogram printer and other printers of the runtime use.
 */
#ifndef STP_PRINT_FMT_H
#define STP_PRINT_FMT_H

#include "str.h"

/* stp_put_bytes of more than STP_PUT_SHORT bytes, or where o has no room: cut for sprintf, else ask for some. */
bool stp_put_slow(struct stp_ctx *c, struct stp_sink *o, const char *p, size_t n);
#define STP_PUT_SHORT 64
/* stp_put; false when the sink took no more. */
static inline bool stp_put_bytes(struct stp_ctx *c, struct stp_sink *o, const char *p, size_t n)
{
	if (unlikely(n > STP_PUT_SHORT || (size_t)(o->end - o->p) < n))
		return stp_put_slow(c, o, p, n);
	stp_copy(o->p, p, n);
	o->p += n;
	return true;
}

/* n times the byte ch (n <= 0: nothing); false when the sink took no more. */
bool stp_put_fill(struct stp_ctx *c, struct stp_sink *o, char ch, s64 n);
/* No field is filled up with more than this, nor more memory dumped by one %m: `*` takes its numbers from the script. */
#define STP_FIELD_MAX 8192
/* n bytes of text in a field of the given width (< 0: none), at its left side when left; false as above. */
bool stp_put_field(struct stp_ctx *c, struct stp_sink *o, const char *p, size_t n, s64 width, bool left);

/* Decimal digits of v, written backwards from end (room for 20); returns the first. */
char *stp_dec_digits(char *end, u64 v);
/* Digits in base 2^shift (1-4), likewise (room for 64). */
char *stp_pow2_digits(char *end, u64 v, u32 shift, bool upper);

#endif
