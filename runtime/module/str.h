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
		size_t i;

		for (i = 0; i + 8 <= n; i += 8)
			if (stp_get8(a + i) != stp_get8(b + i))
				return false;
		return stp_get8(a + n - 8) == stp_get8(b + n - 8);
	}
	if (n >= 4)
		return stp_get4(a) == stp_get4(b) && stp_get4(a + n - 4) == stp_get4(b + n - 4);
	for (; n; n--)
		if (a[n - 1] != b[n - 1])
			return false;
	return true;
}

#endif
