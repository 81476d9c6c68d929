/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatting of printf, print and sprintf into a sink: numbers, strings, padding, as C's printf does it,
 * and the language's own %b, %m and %M.
 */
#include "print_fmt.h"
#include "str.h"

static const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051"
	"525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

char *stp_dec_digits(char *end, u64 v)
{
	u32 w;

	while (v >> 32) {
		u64 q = v / 100;

		end -= 2;
		__builtin_memcpy(end, digit_pairs + 2 * (v - q * 100), 2);
		v = q;
	}
	for (w = v; w >= 100; w /= 100) { /* most numbers: shorter instructions */
		end -= 2;
		__builtin_memcpy(end, digit_pairs + 2 * (w % 100), 2);
	}
	if (w >= 10) {
		end -= 2;
		__builtin_memcpy(end, digit_pairs + 2 * w, 2);
	} else {
		*--end = '0' + w;
	}
	return end;
}

char *stp_pow2_digits(char *end, u64 v, u32 shift, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	u32 mask = (1u << shift) - 1;

	do
		*--end = set[v & mask];
	while (v >>= shift);
	return end;
}

bool stp_put_fill(struct stp_ctx *c, struct stp_sink *o, char ch, s64 n)
{
	char piece[64];
	size_t now;

	if (n <= 0)
		return true;
	if (n > STP_FIELD_MAX)
		n = STP_FIELD_MAX;
	stp_memset(piece, ch, n < (s64)sizeof(piece) ? (size_t)n : sizeof(piece));
	for (; n > 0; n -= now) {
		now = n < (s64)sizeof(piece) ? (size_t)n : sizeof(piece);
		if (!stp_put_bytes(c, o, piece, now))
			return false;
	}
	return true;
}

bool stp_put_field(struct stp_ctx *c, struct stp_sink *o, const char *p, size_t n, s64 width, bool left)
{
	s64 pad = width - (s64)n;

	if (!left && !stp_put_fill(c, o, ' ', pad))
		return false;
	if (!stp_put_bytes(c, o, p, n))
		return false;
	return !left || stp_put_fill(c, o, ' ', pad);
}

/* How many decimal digits v has. */
static __always_inline u32 dec_length(u64 v)
{
	static const u64 power[20] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
		1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, 10000000000000000000u,
	};
	u32 n = (64 - __builtin_clzll(v | 1)) * 1233 >> 12; /* bits times log10(2) */

	return n + (v >= power[n]);
}

/* Where a record or sprintf's piece of memory ends. */
static stp_cold void put_dec_slow(struct stp_ctx *c, struct stp_sink *o, s64 v)
{
	char tmp[24], *end = tmp + sizeof(tmp), *p = stp_dec_digits(end, v < 0 ? 0 - (u64)v : (u64)v);

	if (v < 0)
		*--p = '-';
	stp_put_slow(c, o, p, end - p);
}

void stp_put_dec(struct stp_ctx *c, struct stp_sink *o, s64 v)
{
	u64 u = v < 0 ? 0 - (u64)v : (u64)v;
	u32 n = dec_length(u);
	char *p = o->p;

	if (unlikely(o->end - p < 24)) {
		if (p)
			put_dec_slow(c, o, v);
		if (p || !stp_sink_more(c, o, 24))
			return;
		p = o->p;
	}
	if (v < 0)
		*p++ = '-';
	stp_dec_digits(p + n, u);
	o->p = p + n;
}

void stp_put_hex(struct stp_ctx *c, struct stp_sink *o, u64 v)
{
	char tmp[16], *end = tmp + sizeof(tmp), *p = stp_pow2_digits(end, v, 4, false);

	stp_put_bytes(c, o, p, end - p);
}

/* An integer's text in pieces: prefix (sign, 0x), zeros to precision or width, digits; then padded. */
static void put_integer(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, const char *prefix,
			size_t nprefix, const char *digits, size_t ndigits)
{
	s64 width = f->width, zeros = (s64)f->prec - (s64)ndigits, pad;
	bool left = f->flags & STP_FMT_MINUS;

	if (zeros < 0)
		zeros = 0;
	if (f->prec < 0 && (f->flags & STP_FMT_ZERO) && !left) {
		zeros = width - (s64)(nprefix + ndigits);
		if (zeros < 0)
			zeros = 0;
	}
	pad = width - (s64)(nprefix + ndigits) - zeros;
	if (!left && !stp_put_fill(c, o, ' ', pad))
		return;
	if (!stp_put_bytes(c, o, prefix, nprefix) || !stp_put_fill(c, o, '0', zeros) || !stp_put_bytes(c, o, digits, ndigits))
		return;
	if (left)
		stp_put_fill(c, o, ' ', pad);
}

static void put_signed(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, s64 v)
{
	char tmp[20], *end = tmp + sizeof(tmp), *p;
	const char *sign = v < 0 ? "-" : f->flags & STP_FMT_PLUS ? "+" : f->flags & STP_FMT_SPACE ? " " : "";

	p = stp_dec_digits(end, v < 0 ? 0 - (u64)v : (u64)v);
	if (f->prec == 0 && v == 0)
		p = end;
	put_integer(c, o, f, sign, sign[0] != 0, p, end - p);
}

static void put_unsigned(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, u64 v)
{
	char tmp[24], *end = tmp + sizeof(tmp), *p;
	const char *prefix = "";
	size_t n = 0;

	if (f->conv == 'u')
		p = stp_dec_digits(end, v);
	else
		p = stp_pow2_digits(end, v, f->conv == 'o' ? 3 : 4, f->conv == 'X');
	if (f->prec == 0 && v == 0 && f->conv != 'p')
		p = end;
	if (f->conv == 'o' && (f->flags & STP_FMT_ALT) && (p == end || *p != '0') && f->prec <= end - p)
		*--p = '0';
	/* a zero has its 0x too, other than in C: scripts' columns and readers count on it */
	if (f->conv == 'p' || ((f->flags & STP_FMT_ALT) && (f->conv == 'x' || f->conv == 'X'))) {
		prefix = f->conv == 'X' ? "0X" : "0x";
		n = 2;
	}
	put_integer(c, o, f, prefix, n, p, end - p);
}

/* %b: the lowest 1, 2, 4 or 8 (when no width is given) bytes of v as they lie in memory. */
static void put_binary(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, s64 v)
{
	size_t n = 8;

	if (f->width == 1 || f->width == 2 || f->width == 4)
		n = f->width;
	stp_put_bytes(c, o, (const char *)&v, n);
}

void stp_put_long(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, s64 v)
{
	char ch;

	switch (f->conv) {
	case 'd':
	case 'i':
		put_signed(c, o, f, v);
		break;
	case 'c':
		ch = v;
		stp_put_field(c, o, &ch, 1, f->width, f->flags & STP_FMT_MINUS);
		break;
	case 'b':
		put_binary(c, o, f, v);
		break;
	default: /* u x X o p */
		put_unsigned(c, o, f, v);
	}
}

void stp_put_fstr(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, struct stp_str s)
{
	if (f->prec >= 0 && (size_t)f->prec < s.len)
		s.len = f->prec;
	stp_put_field(c, o, s.p, s.len, f->width, f->flags & STP_FMT_MINUS);
}
