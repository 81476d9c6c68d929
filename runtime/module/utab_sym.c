// SPDX-License-Identifier: GPL-2.0-or-later
/* cold unit */
/* Tables of user programs: symbols by address. */
#include "utab.h"
#include "utab_priv.h"

/* The numbers in front of a symbol's name. */
struct numbers {
	u64 size, gap;
	u32 codes;
	bool aligned;
};
#define NUMBERS_MAX 24 /* bytes of them at most */

/* Those of the symbol at w->p, which goes behind them; false: the bytes end. */
static bool numbers_slow(struct stp_utab_walk *w, struct numbers *n)
{
	u64 v;

	if (!stp_utab_varint(w, &v))
		return false;
	n->size = v >> 5;
	n->codes = v >> 1 & 15;
	n->aligned = v & 1;
	n->gap = 0;
	if (!n->aligned && !stp_utab_varint(w, &n->gap))
		return false;
	if (!n->codes) {
		if (w->p >= w->end)
			return false;
		n->codes = *w->p++;
	}
	return true;
}

static __always_inline bool numbers(struct stp_utab_walk *w, struct numbers *n)
{
	const u8 *p = w->p;
	u32 v;

	if (unlikely(w->end - p < NUMBERS_MAX))
		return numbers_slow(w, n);
	v = *p++;
	if (v & 0x80) {
		v = (v & 0x7f) | (u32)*p++ << 7;
		if (v & 0x4000) {
			if (unlikely(*p & 0x80))
				return numbers_slow(w, n);
			v = (v & 0x3fff) | (u32)*p++ << 14;
		}
	}
	n->size = v >> 5;
	n->codes = v >> 1 & 15;
	n->aligned = v & 1;
	n->gap = 0;
	if (!n->aligned) {
		n->gap = *p++;
		if (unlikely(n->gap & 0x80))
			return numbers_slow(w, n);
	}
	if (unlikely(!n->codes))
		n->codes = *p++;
	w->p = p;
	return true;
}

bool stp_utab_find(const struct stp_utab *t, const struct stp_utab_list *l, u64 addr, struct stp_utab_sym *ret)
{
	struct stp_utab_walk w;
	struct numbers n;
	bool found = false;
	u32 at;

	if (!stp_utab_seek(t, l, addr, &w))
		return false;
	/* a later one that covers it too is the nearer */
	for (; w.left && w.addr <= w.want && numbers(&w, &n) && n.codes <= w.end - w.p; w.left--) {
		at = w.addr;
		w.addr += (u32)n.size;
		if (w.want < w.addr || !n.size) {
			*ret = (struct stp_utab_sym){ t->base + at, (u32)n.size, (u32)(w.p - (const u8 *)stp_utab_at(t, l->bytes)), n.codes };
			found = true;
		}
		w.p += n.codes;
		if (n.aligned)
			w.addr = (w.addr + 15) & ~15U;
		else
			w.addr += n.gap & 1 ? -(u32)(n.gap >> 1) : (u32)(n.gap >> 1);
	}
	return found && (ret->size || addr - ret->addr < 4096);
}

size_t stp_utab_name(const struct stp_utab *t, const struct stp_utab_list *l, const struct stp_utab_sym *s, char *buf, size_t max)
{
	const u8 (*pair)[2] = stp_utab_at(t, l->pairs);
	const u8 *p = (const u8 *)stp_utab_at(t, l->bytes) + s->pos, *end = p + s->codes;
	char *to = buf, *to_end = buf + (max < STP_UTAB_NAME ? max : STP_UTAB_NAME);
	u8 stack[STP_UTAB_DEPTH + 1], *top = stack, code;

	for (; p < end; p++)
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
