// SPDX-License-Identifier: GPL-2.0-or-later
/* cold unit */
/* Tables of user programs: the check of what came from outside, segments, and search in lists. */
#include "utab.h"
#include "utab_priv.h"

static bool range_ok(const struct stp_utab *t, u32 off, u64 n, u32 size)
{
	return !(off & 3) && off >= sizeof(*t) && off <= t->size && n <= (t->size - off) / size;
}

static bool segs_ok(const struct stp_utab *t)
{
	const struct stp_utab_seg *s = stp_utab_at(t, t->seg);
	u32 i;

	if (!range_ok(t, t->seg, t->nseg, sizeof(*s)) || (t->seg & 7))
		return false;
	for (i = 0; i < t->nseg; i++)
		if (s[i].filesz > s[i].memsz || s[i].offset + s[i].filesz < s[i].offset || s[i].addr + s[i].memsz < s[i].addr)
			return false;
	return true;
}

static bool rules_ok(const struct stp_utab *t)
{
	const struct stp_utab_rule *r = stp_utab_at(t, t->rule);
	u32 i;

	if (!range_ok(t, t->rule, t->nrule, sizeof(*r)))
		return false;
	for (i = 0; i < t->nrule; i++)
		if (r[i].cfa > STP_CFA_PLT || r[i].reg > 15 || r[i].ra > STP_SAVE_UNDEF || r[i].bp > STP_SAVE_UNDEF)
			return false;
	return true;
}

/* Each pair is made of codes that are no deeper than STP_UTAB_DEPTH - 1. */
static bool pairs_ok(const u8 (*pair)[2])
{
	u8 depth[256];
	u32 round, i, left = 0;

	for (i = 0; i < 256; i++) {
		depth[i] = pair[i][0] == i ? 1 : 0;
		left += !depth[i];
	}
	for (round = 2; left && round <= STP_UTAB_DEPTH; round++)
		for (i = 0; i < 256; i++) {
			u8 a = depth[pair[i][0]], b = depth[pair[i][1]];

			if (!depth[i] && a && b && a < round && b < round) {
				depth[i] = round;
				left--;
			}
		}
	return !left;
}

static bool list_ok(const struct stp_utab *t, const struct stp_utab_list *l, bool names)
{
	const struct stp_utab_block *b = stp_utab_at(t, l->index);
	u32 i;

	if (!l->count)
		return true;
	if (!range_ok(t, l->index, l->nblocks, sizeof(*b)) || l->bytes < sizeof(*t) || l->bytes > t->size || l->nbytes > t->size - l->bytes ||
	    !l->step || l->step > STP_UTAB_STEP_MAX || l->nblocks != ((u64)l->count + l->step - 1) / l->step)
		return false;
	if (names && (!range_ok(t, l->pairs, 256, 2) || !pairs_ok(stp_utab_at(t, l->pairs))))
		return false;
	for (i = 0; i < l->nblocks; i++)
		if (b[i].pos > l->nbytes || (i && b[i].addr < b[i - 1].addr))
			return false;
	return true;
}

static bool files_ok(const struct stp_utab *t)
{
	const u32 *f = stp_utab_at(t, t->file);
	u32 i;

	if (!t->nfile)
		return true;
	if (!range_ok(t, t->file, t->nfile, sizeof(*f)) || ((const char *)t)[t->size - 1])
		return false; /* the table ends in a zero byte, so each name in it ends */
	for (i = 0; i < t->nfile; i++)
		if (f[i] < sizeof(*t) || f[i] >= t->size)
			return false;
	return true;
}

bool stp_utab_check(const struct stp_utab *t, size_t size)
{
	return size >= sizeof(*t) && t->magic == STP_UTAB_MAGIC && t->version == STP_UTAB_VERSION && t->size == size &&
	       t->id_len <= STP_UTAB_BUILD_ID && segs_ok(t) && rules_ok(t) && list_ok(t, &t->func, true) && list_ok(t, &t->data, true) &&
	       list_ok(t, &t->row, false) && list_ok(t, &t->line, false) && files_ok(t);
}

bool stp_utab_addr(const struct stp_utab *t, u64 off, bool exec, u64 *addr)
{
	const struct stp_utab_seg *s = stp_utab_at(t, t->seg), *best = NULL;
	u32 i;

	for (i = 0; i < t->nseg; i++) {
		/* whole pages are mapped: what lies in front of a segment in its first page goes with it, unless it is another's */
		u64 from = s[i].offset & ~4095ULL, to = (s[i].offset + s[i].filesz + 4095) & ~4095ULL;
		bool is_exec = s[i].flags & 1;

		if (off < from || off >= to)
			continue;
		if (!best || is_exec == exec)
			best = &s[i];
		if (is_exec == exec && off >= s[i].offset && off < s[i].offset + s[i].filesz)
			break;
	}
	if (!best)
		return false;
	*addr = t->base + best->addr + (off - best->offset);
	return true;
}

bool stp_utab_bss_addr(const struct stp_utab *t, u64 off, u64 *addr)
{
	const struct stp_utab_seg *s = stp_utab_at(t, t->seg), *end = s + t->nseg;

	for (; s < end; s++)
		if (off >= s->offset + s->filesz && off - s->offset < s->memsz) {
			*addr = t->base + s->addr + (off - s->offset);
			return true;
		}
	return false;
}

/* Number of the block in which an address is, or -1 before the first. */
static s64 block_find(const struct stp_utab_block *b, u32 n, u32 addr)
{
	u32 lo = 0, hi = n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (b[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (s64)lo - 1;
}

bool stp_utab_seek(const struct stp_utab *t, const struct stp_utab_list *l, u64 addr, struct stp_utab_walk *w)
{
	const struct stp_utab_block *b;
	s64 i;

	if (!l->count || addr < t->base || addr - t->base > (u32)-1)
		return false;
	b = stp_utab_at(t, l->index);
	i = block_find(b, l->nblocks, (u32)(addr - t->base));
	if (i < 0)
		return false;
	w->p = (const u8 *)stp_utab_at(t, l->bytes) + b[i].pos;
	w->end = (const u8 *)stp_utab_at(t, l->bytes) + (i + 1 < l->nblocks && b[i + 1].pos >= b[i].pos ? b[i + 1].pos : l->nbytes);
	w->addr = b[i].addr;
	w->left = i + 1 < l->nblocks ? l->step : l->count - (u32)i * l->step;
	w->want = (u32)(addr - t->base);
	return true;
}
