// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of user programs: symbols by address. */
#include "utab.h"
#include "utab_priv.h"

/* Whether reading a symbol's numbers can come to the end of the bytes. */
#define NUMBERS_MAX 21

/* The numbers of the symbol at w->p, up to its name's length; false: the bytes end. */
static bool numbers_slow(struct stp_utab_walk *w, u64 *size, u64 *gap)
{
	*gap = 0;
	return stp_utab_varint(w, size) && (*size & 1 || stp_utab_varint(w, gap)) && w->p < w->end;
}

static __always_inline bool numbers(struct stp_utab_walk *w, u64 *size, u64 *gap)
{
	const u8 *p = w->p;

	if (unlikely(w->end - p < NUMBERS_MAX))
		return numbers_slow(w, size, gap);
	*size = *p++;
	if (unlikely(*size & 0x80)) {
		if (unlikely(*p & 0x80))
			return numbers_slow(w, size, gap);
		*size = (*size & 0x7f) | (u64)*p++ << 7;
	}
	*gap = 0;
	if (!(*size & 1)) {
		*gap = *p++;
		if (unlikely(*gap & 0x80))
			return numbers_slow(w, size, gap);
	}
	w->p = p;
	return true;
}

bool stp_utab_find(const struct stp_utab *t, const struct stp_utab_list *l, u64 addr, struct stp_utab_sym *ret)
{
	const u8 *found = NULL, *name;
	struct stp_utab_walk w;
	u32 at, found_at = 0, found_size = 0;
	u64 n, gap;

	if (!stp_utab_seek(t, l, addr, &w))
		return false;
	/* a later one that covers it too is the nearer */
	for (; w.left && w.addr <= w.want && numbers(&w, &n, &gap); w.left--) {
		name = w.p;
		if (*name >= w.end - name)
			break;
		w.p += 1 + *name;
		at = w.addr;
		w.addr += (u32)(n >> 1);
		if (w.want < w.addr || !(n >> 1)) {
			found = name;
			found_at = at;
			found_size = (u32)(n >> 1);
		}
		if (n & 1)
			w.addr = (w.addr + 15) & ~15U;
		else
			w.addr += gap & 1 ? -(u32)(gap >> 1) : (u32)(gap >> 1);
	}
	if (!found || (!found_size && w.want - found_at >= 4096))
		return false;
	*ret = (struct stp_utab_sym){ t->base + found_at, found_size, (u32)(found - (const u8 *)stp_utab_at(t, l->bytes)) };
	return true;
}

size_t stp_utab_name(const struct stp_utab *t, const struct stp_utab_list *l, const struct stp_utab_sym *s, char *buf, size_t max)
{
	const u8 (*pair)[2] = stp_utab_at(t, l->pairs);
	const u8 *p = (const u8 *)stp_utab_at(t, l->bytes) + s->pos, *end = p + 1 + *p;
	char *to = buf, *to_end = buf + (max < STP_UTAB_NAME ? max : STP_UTAB_NAME);
	u8 stack[STP_UTAB_DEPTH + 1], *top = stack, code;

	for (p++; p < end; p++)
		/* down the left sides, noting the right ones; no pair is nested deeper than the stack (stp_utab_check) */
		for (code = *p;;) {
			u8 left = pair[code][0];

			if (left != code) {
				*top++ = pair[code][1];
				code = left;
				continue;
			}
			if (to == to_end)
				return to - buf;
			*to++ = (char)code;
			if (top == stack)
				break;
			code = *--top;
		}
	return to - buf;
}
