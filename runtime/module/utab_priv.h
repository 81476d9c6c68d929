/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walk through one block of a table's list; for utab*.c alone. */
#ifndef STP_UTAB_PRIV_H
#define STP_UTAB_PRIV_H

#include "utab.h"

static inline const void *stp_utab_at(const struct stp_utab *t, u32 off)
{
	return (const char *)t + off;
}

struct stp_utab_walk {
	const u8 *p, *end;
	u32 addr;                 /* of the entry at p */
	u32 left;                 /* entries from there on */
	u32 want;
};

/* Sets w to the first entry of the block that an address (the file's own) is in; false: before all of them. */
bool stp_utab_seek(const struct stp_utab *t, const struct stp_utab_list *l, u64 addr, struct stp_utab_walk *w);

/* False at the end of the bytes. */
static inline bool stp_utab_varint(struct stp_utab_walk *w, u64 *ret)
{
	u64 v = 0;
	u32 shift = 0;

	while (w->p < w->end) {
		u8 b = *w->p++;

		if (shift < 64)
			v |= (u64)(b & 0x7f) << shift;
		shift += 7;
		if (!(b & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

#endif
