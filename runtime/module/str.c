/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * String operations of the language: views, their copies in scratch memory, and string variables.
 */
#include "str.h"

s64 stp_str_cmp(struct stp_str a, struct stp_str b)
{
	size_t n = a.len < b.len ? a.len : b.len, i = 0;

	for (; i + 8 <= n; i += 8) {
		u64 x = stp_get8(a.p + i), y = stp_get8(b.p + i);

		if (x != y)
			return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
	}
	for (; i < n; i++)
		if (a.p[i] != b.p[i])
			return (u8)a.p[i] < (u8)b.p[i] ? -1 : 1;
	return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

bool stp_str_eq(struct stp_str a, struct stp_str b)
{
	return a.len == b.len && stp_bytes_eq(a.p, b.p, a.len);
}

struct stp_str stp_str_cat(struct stp_ctx *c, struct stp_str a, struct stp_str b)
{
	size_t max = stp_maxlen();
	char *p;

	if (a.len > max)
		a.len = max;
	if (b.len > max - a.len)
		b.len = max - a.len;
	if (!b.len)
		return a;
	if (!a.len)
		return b;
	p = stp_tmp(c, a.len + b.len);
	if (!p)
		return STP_STR("");
	stp_copy(p, a.p, a.len);
	stp_copy(p + a.len, b.p, b.len);
	return (struct stp_str){ p, a.len + b.len };
}

struct stp_str stp_str_dup(struct stp_ctx *c, struct stp_str s)
{
	char *p;

	if (!s.len)
		return STP_STR("");
	p = stp_tmp(c, s.len);
	if (!p)
		return STP_STR("");
	stp_copy(p, s.p, s.len);
	return (struct stp_str){ p, s.len };
}

void stp_buf_set(struct stp_buf *b, size_t max, struct stp_str s)
{
	if (s.len > max - 1)
		s.len = max - 1;
	if (s.len)
		stp_memmove(b->s, s.p, s.len);
	b->len = s.len;
}

void stp_buf_append(struct stp_buf *b, size_t max, struct stp_str s)
{
	size_t room = max - 1 - b->len;

	if (s.len > room)
		s.len = room;
	if (!s.len)
		return;
	stp_memmove(b->s + b->len, s.p, s.len);
	b->len += s.len;
}

struct stp_str stp_str_return(struct stp_ctx *c, char *mark, struct stp_str s)
{
	if (!s.len) {
		c->scratch = mark;
		return STP_STR("");
	}
	if (s.p >= mark && s.p < c->scratch) {
		stp_memmove(mark, s.p, s.len);
		s.p = mark;
		c->scratch = mark + ((s.len + 7) & ~(size_t)7);
	} else {
		c->scratch = mark;
	}
	return s;
}
