// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of user programs: symbols by address. */
#include "utab.h"
#include "utab_priv.h"

/* One symbol; the walk goes behind it.  False: the bytes end. */
static bool symbol_next(const struct stp_utab *t, const struct stp_utab_list *l, struct stp_utab_walk *w, struct stp_utab_sym *s)
{
	u64 size, gap = 0;

	if (!w->left || !stp_utab_varint(w, &size))
		return false;
	if (!(size & 1) && !stp_utab_varint(w, &gap))
		return false;
	s->addr = t->base + w->addr;
	s->size = (u32)(size >> 1);
	s->pos = (u32)(w->p - (const u8 *)stp_utab_at(t, l->bytes));
	if (w->p >= w->end || *w->p >= w->end - w->p)
		return false;
	w->p += 1 + *w->p;
	w->addr += s->size;
	if (size & 1)
		w->addr = (w->addr + 15) & ~15U;
	else
		w->addr += gap & 1 ? -(u32)(gap >> 1) : (u32)(gap >> 1);
	w->left--;
	return true;
}

bool stp_utab_find(const struct stp_utab *t, const struct stp_utab_list *l, u64 addr, struct stp_utab_sym *ret)
{
	struct stp_utab_walk w;
	struct stp_utab_sym s;
	bool found = false;

	if (!stp_utab_seek(t, l, addr, &w))
		return false;
	while (w.addr <= w.want && symbol_next(t, l, &w, &s))
		if (addr - s.addr < s.size || (!s.size && addr >= s.addr)) {
			*ret = s;
			found = true; /* a later one that covers it too is the nearer */
		}
	return found && (ret->size || addr - ret->addr < 4096);
}

/* What one code stands for, appended to buf. */
static size_t code_put(const u8 (*pair)[2], u8 code, char *buf, size_t n, size_t max)
{
	u8 stack[STP_UTAB_DEPTH + 1];
	u32 depth = 0;

	for (;;) {
		/* down the left sides, noting the right ones */
		while (pair[code][0] != code && depth < STP_UTAB_DEPTH) {
			stack[depth++] = pair[code][1];
			code = pair[code][0];
		}
		buf[n++] = (char)code;
		if (!depth || n == max)
			return n;
		code = stack[--depth];
	}
}

size_t stp_utab_name(const struct stp_utab *t, const struct stp_utab_list *l, const struct stp_utab_sym *s, char *buf, size_t max)
{
	const u8 (*pair)[2] = stp_utab_at(t, l->pairs);
	const u8 *p = (const u8 *)stp_utab_at(t, l->bytes) + s->pos;
	size_t n = 0;
	u32 i;

	if (max > STP_UTAB_NAME)
		max = STP_UTAB_NAME;
	for (i = 0; i < *p && n < max; i++)
		n = code_put(pair, p[1 + i], buf, n, max);
	return n;
}
