/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Doubles by integer arithmetic (fp.h). */
#include "fp.h"

#define FRACTION 52
#define ONE (1ull << FRACTION)
#define SIGN (1ull << 63)
#define INF (0x7ffull << FRACTION)
#define NOT_A_NUMBER (INF | ONE >> 1)
#define LOWEST ((s64)SIGN)

static bool is_nan(u64 a)
{
	return (a & ~SIGN) > INF;
}

static bool is_inf(u64 a)
{
	return (a & ~SIGN) == INF;
}

/* A number as mantissa * 2^exp; the mantissa's bit 52 is set unless the number is denormal or 0. */
static u64 unpack(u64 a, s32 *exp)
{
	u32 e = (a >> FRACTION) & 0x7ff;

	*exp = (e ? (s32)e : 1) - 1075;
	return (a & (ONE - 1)) | (e ? ONE : 0);
}

static u32 top_bit(u64 v)
{
	return 63 - __builtin_clzll(v);
}

/* The same with bit 52 set for all numbers but 0. */
static u64 unpack_full(u64 a, s32 *exp)
{
	u64 man = unpack(a, exp);
	u32 shift = FRACTION - top_bit(man);

	*exp -= shift;
	return man << shift;
}

/* The double nearest to man * 2^exp; man's lowest bit stands for all that was lost below it. */
static u64 pack(u64 sign, u64 man, s32 exp)
{
	u64 lost, half;
	s32 shift;

	if (!man)
		return sign;
	shift = (s32)top_bit(man) - FRACTION;
	if (exp + shift < -1074)
		shift = -1074 - exp; /* denormal */
	if (shift > 0) {
		if (shift > 63)
			return sign;
		half = 1ull << (shift - 1);
		lost = man & ((half << 1) - 1);
		man >>= shift;
		if (lost > half || (lost == half && (man & 1)))
			man++;
	} else {
		man <<= -shift;
	}
	exp += shift;
	if (man >> (FRACTION + 1)) { /* rounded up to a power of two */
		man >>= 1;
		exp++;
	}
	if (exp + 1075 >= 0x7ff)
		return sign | INF;
	if (man < ONE)
		return sign | man;
	return sign | (u64)(exp + 1075) << FRACTION | (man & (ONE - 1));
}

/* v >> n, with the lowest bit set when bits were lost. */
static u64 shift_sticky(u64 v, u32 n)
{
	if (n == 0)
		return v;
	if (n > 63)
		return v != 0;
	return v >> n | ((v & ((1ull << n) - 1)) != 0);
}

u64 stp_fp_add(u64 a, u64 b)
{
	s32 ea, eb;
	u64 ma, mb, sum, sign;

	if (is_nan(a) || is_nan(b) || (is_inf(a) && is_inf(b) && a != b))
		return NOT_A_NUMBER;
	if (is_inf(a) || is_inf(b))
		return is_inf(a) ? a : b;
	if ((a & ~SIGN) < (b & ~SIGN)) {
		sum = a;
		a = b;
		b = sum;
	}
	ma = unpack(a, &ea) << 8;
	mb = unpack(b, &eb) << 8;
	mb = shift_sticky(mb, ea - eb);
	sign = a & SIGN;
	if (!((a ^ b) & SIGN))
		return pack(sign, ma + mb, ea - 8);
	sum = ma - mb;
	return pack(sum ? sign : 0, sum, ea - 8);
}

u64 stp_fp_mul(u64 a, u64 b)
{
	u64 sign = (a ^ b) & SIGN, ma, mb;
	unsigned __int128 p;
	s32 ea, eb;

	if (is_nan(a) || is_nan(b))
		return NOT_A_NUMBER;
	if (is_inf(a) || is_inf(b))
		return (a & ~SIGN) && (b & ~SIGN) ? sign | INF : NOT_A_NUMBER;
	if (!(a & ~SIGN) || !(b & ~SIGN))
		return sign;
	ma = unpack_full(a, &ea);
	mb = unpack_full(b, &eb);
	p = (unsigned __int128)ma * mb;
	return pack(sign, (u64)(p >> 44) | (((u64)p & ((1ull << 44) - 1)) != 0), ea + eb + 44);
}

u64 stp_fp_div(u64 a, u64 b)
{
	u64 sign = (a ^ b) & SIGN, ma, mb, quotient = 0;
	s32 ea, eb;
	u32 i;

	if (is_nan(a) || is_nan(b) || (is_inf(a) && is_inf(b)) || (!(a & ~SIGN) && !(b & ~SIGN)))
		return NOT_A_NUMBER;
	if (is_inf(a) || !(b & ~SIGN))
		return sign | INF;
	if (is_inf(b) || !(a & ~SIGN))
		return sign;
	ma = unpack_full(a, &ea);
	mb = unpack_full(b, &eb);
	for (i = 0; i < 60; i++) { /* ma < 2 * mb */
		quotient <<= 1;
		if (ma >= mb) {
			ma -= mb;
			quotient |= 1;
		}
		ma <<= 1;
	}
	return pack(sign, quotient << 1 | (ma != 0), ea - eb - 60);
}

u64 stp_fp_rem(u64 a, u64 b)
{
	u64 sign = a & SIGN, ma, mb;
	s32 ea, eb, i;
	bool odd = false;

	if (is_nan(a) || is_nan(b) || is_inf(a) || !(b & ~SIGN))
		return NOT_A_NUMBER;
	if (is_inf(b) || !(a & ~SIGN))
		return a;
	ma = unpack_full(a, &ea);
	mb = unpack_full(b, &eb);
	if (ea < eb - 1)
		return a; /* less than half of b */
	for (i = ea - eb; i >= 0; i--) {
		odd = ma >= mb;
		if (odd)
			ma -= mb;
		ma <<= 1; /* the last time to units of half of b's, which an `a` below b has already */
	}
	if (ma > mb || (ma == mb && odd)) {
		ma = 2 * mb - ma;
		sign ^= SIGN;
	}
	return pack(ma ? sign : a & SIGN, ma, eb - 1);
}

u64 stp_fp_sqrt(u64 a)
{
	unsigned __int128 rest, try;
	u64 man, root = 0;
	s32 exp, bit;

	if (is_nan(a) || !(a & ~SIGN))
		return a;
	if (a & SIGN)
		return NOT_A_NUMBER;
	if (is_inf(a))
		return a;
	man = unpack_full(a, &exp);
	if (exp & 1) {
		man <<= 1;
		exp--;
	}
	rest = (unsigned __int128)man << 58;
	for (bit = 56; bit >= 0; bit--) {
		try = ((unsigned __int128)root << (bit + 1)) + ((unsigned __int128)1 << (2 * bit));
		if (rest >= try) {
			rest -= try;
			root |= 1ull << bit;
		}
	}
	return pack(0, root << 1 | (rest != 0), (exp - 58) / 2 - 1);
}

/* 10 to the n, by doubles that are exact. */
static u64 scale_by_ten(u64 a, s32 n)
{
	u64 power = stp_fp_from_long(10);
	bool down = n < 0;
	s32 k;

	for (n = down ? -n : n; n > 0; n -= k) {
		u64 step = power;
		s32 i;

		k = n > 22 ? 22 : n; /* 10^22 is the last that a double holds exactly */
		for (i = 1; i < k; i++)
			step = stp_fp_mul(step, power);
		a = down ? stp_fp_div(a, step) : stp_fp_mul(a, step);
	}
	return a;
}

u64 stp_fp_parse(const char *text, u32 len)
{
	u64 man = 0, sign = 0, result;
	s32 exp = 0, e = 0;
	u32 i = 0;
	bool point = false, down;

	while (i < len && (text[i] == ' ' || text[i] == '\t'))
		i++;
	if (i < len && (text[i] == '-' || text[i] == '+'))
		sign = text[i++] == '-' ? SIGN : 0;
	for (; i < len; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			break;
		if (man < 900000000000000000ull) {
			man = man * 10 + (text[i] - '0');
			exp -= point;
		} else {
			exp += !point; /* no room for more digits */
		}
	}
	if (i + 1 < len && (text[i] | 32) == 'e') {
		down = text[++i] == '-';
		i += text[i] == '-' || text[i] == '+';
		for (; i < len && text[i] >= '0' && text[i] <= '9' && e < 10000; i++)
			e = e * 10 + (text[i] - '0');
		exp += down ? -e : e;
	}
	exp = exp > 700 ? 700 : exp < -700 ? -700 : exp;
	result = scale_by_ten(stp_fp_from_long((s64)man), exp);
	return result | sign;
}

u64 stp_fp_from_long(s64 v)
{
	return v < 0 ? pack(SIGN, 0 - (u64)v, 0) : pack(0, (u64)v, 0);
}

s64 stp_fp_to_long(u64 a, u32 mode)
{
	bool negative = a >> 63, up;
	u64 man, lost, half;
	s32 exp;

	if (is_nan(a) || is_inf(a))
		return LOWEST;
	man = unpack(a, &exp);
	if (exp > 10)
		return man ? LOWEST : 0;
	if (exp >= 0) {
		man <<= exp;
	} else {
		if (exp < -62) {
			man = man != 0; /* less than a half, but more than nothing */
			exp = -2;
		}
		half = 1ull << (-exp - 1);
		lost = man & ((half << 1) - 1);
		man >>= -exp;
		up = mode == STP_FP_NEAR_EVEN ? lost > half || (lost == half && (man & 1)) :
		     mode == STP_FP_NEAR_AWAY ? lost >= half : mode == STP_FP_DOWN ? negative && lost :
		     mode == STP_FP_UP ? !negative && lost : false;
		man += up;
	}
	if (man >> 63)
		return LOWEST;
	return negative ? -(s64)man : (s64)man;
}

int stp_fp_compare(u64 a, u64 b)
{
	s64 x = (s64)a, y = (s64)b;

	if (is_nan(a) || is_nan(b))
		return 2;
	x = x < 0 ? (s64)(SIGN - (u64)x) : x;
	y = y < 0 ? (s64)(SIGN - (u64)y) : y;
	return x < y ? -1 : x > y;
}

/* ---- text ---- */

#define WORDS 38 /* 2^1024 * 10^40 */

static void big_multiply(u32 *w, u32 by)
{
	u64 carry = 0;
	u32 i;

	for (i = 0; i < WORDS; i++) {
		carry += (u64)w[i] * by;
		w[i] = (u32)carry;
		carry >>= 32;
	}
}

static u32 big_divide(u32 *w, u32 by)
{
	u64 rest = 0;
	u32 i;

	for (i = WORDS; i-- > 0; ) {
		rest = rest << 32 | w[i];
		w[i] = (u32)(rest / by);
		rest %= by;
	}
	return (u32)rest;
}

static void big_shift_left(u32 *w, u32 n)
{
	u32 i, words = n / 32, bits = n % 32;

	for (i = WORDS; i-- > 0; ) {
		u64 v = i >= words ? (u64)w[i - words] << 32 : 0;

		if (i > words)
			v |= w[i - words - 1];
		w[i] = (u32)(v << bits >> 32);
	}
}

static bool big_bit(const u32 *w, u32 n)
{
	return n < WORDS * 32 && (w[n / 32] >> (n % 32) & 1);
}

/* To the nearest, ties to even. */
static void big_shift_right(u32 *w, u32 n)
{
	bool half = n && big_bit(w, n - 1), below = false;
	u32 i, words = n / 32, bits = n % 32;

	for (i = 0; n && i < n - 1 && i < WORDS * 32 && !below; i++)
		below = big_bit(w, i);
	for (i = 0; i < WORDS; i++) {
		u64 v = i + words < WORDS ? w[i + words] : 0;

		if (i + words + 1 < WORDS)
			v |= (u64)w[i + words + 1] << 32;
		w[i] = (u32)(v >> bits);
	}
	if (half && (below || (w[0] & 1)))
		for (i = 0; i < WORDS && !++w[i]; i++)
			;
}

/* The digits of w, the last first, at least `least`: how many. */
static u32 big_digits(u32 *w, char *digits, u32 least)
{
	u32 n = 0, used = 0, i;

	do {
		u32 part = big_divide(w, 1000000000);

		for (i = 0; i < 9; i++, part /= 10) {
			digits[n++] = '0' + part % 10;
			if (part % 10)
				used = n;
		}
		for (i = 0; i < WORDS && !w[i]; i++)
			;
	} while (i < WORDS || n < least);
	return used > least ? used : least;
}

u32 stp_fp_format(char *buf, u64 a, u32 precision)
{
	u32 w[WORDS] = { 0 }, i, n, len = 0;
	char digits[STP_FP_TEXT + 9];
	s32 exp;
	u64 man;

	if (is_nan(a)) {
		__builtin_memcpy(buf, "nan", 3);
		return 3;
	}
	if (a >> 63)
		buf[len++] = '-';
	if (is_inf(a)) {
		__builtin_memcpy(buf + len, "inf", 3);
		return len + 3;
	}
	if (precision > STP_FP_PRECISION)
		precision = STP_FP_PRECISION;
	man = unpack(a, &exp);
	w[0] = (u32)man;
	w[1] = (u32)(man >> 32);
	for (i = 0; i < precision; i++)
		big_multiply(w, 10);
	if (exp > 0)
		big_shift_left(w, exp);
	else
		big_shift_right(w, -exp);
	n = big_digits(w, digits, precision + 1);
	while (n-- > 0) {
		buf[len++] = digits[n];
		if (n == precision && precision)
			buf[len++] = '.';
	}
	return len;
}

#define LONG_TEXT 24

u32 stp_fp_shorten(char *buf, u32 len)
{
	char *d = buf + (buf[0] == '-');
	u32 digits = len - (u32)(d - buf) - 7, exp = digits - 1, i;

	if (len < LONG_TEXT)
		return len;
	if (d[7] >= '5') {
		for (i = 7; i-- > 0 && d[i] == '9'; )
			d[i] = '0';
		if (i < 7) {
			d[i]++;
		} else { /* 9999999 */
			d[0] = '1';
			exp++;
		}
	}
	__builtin_memmove(d + 2, d + 1, 6);
	d[1] = '.';
	d[8] = 'e';
	d[9] = '+';
	i = 10;
	if (exp >= 100)
		d[i++] = '0' + exp / 100;
	d[i++] = '0' + exp / 10 % 10;
	d[i++] = '0' + exp % 10;
	return (u32)(d - buf) + i;
}
