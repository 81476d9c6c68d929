/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside strings: helpers on views that other pure parts use.  Nothing here reads beyond a view.
 */
#ifndef STP_STRH_H
#define STP_STRH_H

#include "port.h"

/* Longest string of the script, in bytes: MAXSTRINGLEN - 1. */
static inline size_t stp_maxlen(void)
{
	return stp_script.config->maxstringlen - 1;
}

/* Equality of n bytes, by words. */
static __always_inline bool stp_bytes_eq(const char *a, const char *b, size_t n)
{
	if (n >= 8) {
		const char *last = a + n - 8;

		if (stp_get8(last) != stp_get8(b + n - 8))
			return false;
		for (; a < last; a += 8, b += 8)
			if (stp_get8(a) != stp_get8(b))
				return false;
		return true;
	}
	if (n >= 4)
		return stp_get4(a) == stp_get4(b) && stp_get4(a + n - 4) == stp_get4(b + n - 4);
	return !n || (a[0] == b[0] && a[n >> 1] == b[n >> 1] && a[n - 1] == b[n - 1]);
}

/* Copies n bytes that do not overlap; made for the short strings that scripts have. */
static __always_inline void stp_copy(char *to, const char *from, size_t n)
{
	if (n >= 8 && n <= 64) {
		u64 tail = stp_get8(from + n - 8);
		char *last = to + n - 8;

		for (; to < last; to += 8, from += 8)
			__builtin_memcpy(to, from, 8);
		__builtin_memcpy(last, &tail, 8);
	} else if (n >= 4 && n < 8) {
		u32 tail = stp_get4(from + n - 4);

		__builtin_memcpy(to, from, 4);
		__builtin_memcpy(to + n - 4, &tail, 4);
	} else if (n < 4) {
		if (n)
			to[0] = from[0];
		if (n > 1) {
			to[n >> 1] = from[n >> 1];
			to[n - 1] = from[n - 1];
		}
	} else {
		stp_memmove(to, from, n); /* one function to import, not two */
	}
}

/* "0x" and the number in hexadecimal at p, at most 18 bytes; returns how many.  Quicker than snprintf. */
static inline size_t stp_hex_write(char *p, u64 v)
{
	u32 digits = v ? (67 - __builtin_clzll(v)) / 4 : 1, i;

	p[0] = '0';
	p[1] = 'x';
	for (i = digits; i > 0; i--, v >>= 4)
		p[1 + i] = "0123456789abcdef"[v & 15];
	return 2 + digits;
}

#endif
