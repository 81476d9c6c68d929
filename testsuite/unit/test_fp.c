/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Doubles by integer arithmetic, against the processor's and printf's. */
/* link: runtime/module/fp.c */
/* libs: -lm */
#include <math.h>
#include <stdlib.h>
#include "fp.h"
#include "unit.h"

static u64 seed = 1;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static u64 bits(double d)
{
	u64 b;

	memcpy(&b, &d, 8);
	return b;
}

static double number(u64 b)
{
	double d;

	memcpy(&d, &b, 8);
	return d;
}

/* All kinds: any bits, numbers of like size, small integers, the edges. */
static u64 operand(void)
{
	static const u64 edges[] = { 0, 1ull << 63, 1, 0xfffffffffffffull, 1ull << 52, 0x7fefffffffffffffull, 0x7ffull << 52, 0xfffull << 52,
				     0x7ff8000000000000ull, 0x3ff0000000000000ull, 0x3fefffffffffffffull, 0x4340000000000000ull };

	switch (rnd() % 5) {
	case 0: return rnd();
	case 1: return edges[rnd() % (sizeof(edges) / sizeof(*edges))];
	case 2: return bits((double)(s64)(rnd() % 2000) - 1000);
	case 3: return (rnd() & 0x800fffffffffffffull) | (0x3f0ull + rnd() % 32) << 52;
	default: return (rnd() & 0x800fffffffffffffull) | (rnd() % 8) << 52;
	}
}

static void same(const char *what, u64 a, u64 b, u64 have, double want)
{
	if (isnan(want) ? !isnan(number(have)) : have != bits(want))
		UNIT_FAIL("%a %s %a is %a, not %a", number(a), what, number(b), number(have), want);
}

TEST(arithmetic)
{
	for (int i = 0; i < 2000000; i++) {
		u64 a = operand(), b = operand();
		double x = number(a), y = number(b);

		same("+", a, b, stp_fp_add(a, b), x + y);
		same("*", a, b, stp_fp_mul(a, b), x * y);
		same("/", a, b, stp_fp_div(a, b), x / y);
		CHECK_INT(stp_fp_compare(a, b), isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y);
	}
}

TEST(remainder_and_root)
{
	for (int i = 0; i < 500000; i++) {
		u64 a = operand(), b = operand();

		double rest = remainder(number(a), number(b));

		same("rem", a, b, stp_fp_rem(a, b), rest == 0 ? copysign(0, number(a)) : rest); /* glibc's 0 may have the other sign */
		same("sqrt", a, 0, stp_fp_sqrt(a), sqrt(number(a)));
	}
}

TEST(parse)
{
	static const char *const odd[] = { "", "-", "x", ".", "1e", "-0", "1.5.5", "  12abc", "1e400", "1e-400", "123456789012345678901234567890" };

	for (int i = 0; i < 200000; i++) {
		char text[64];
		int n = snprintf(text, sizeof(text), "%s%llu.%06de%d", rnd() & 1 ? "-" : "", (unsigned long long)(rnd() % 100000000),
				 (int)(rnd() % 1000000), (int)(rnd() % 20) - 10);

		same(text, 0, 0, stp_fp_parse(text, n), strtod(text, NULL));
	}
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		double have = number(stp_fp_parse(odd[i], strlen(odd[i]))), want = strtod(odd[i], NULL);

		if (have != want && fabs(have - want) > fabs(want) * 1e-15)
			UNIT_FAIL("%s is %a, not %a", odd[i], have, want);
	}
}

TEST(integers)
{
	for (int i = 0; i < 500000; i++) {
		u64 a = operand();
		s64 v = (s64)(rnd() >> rnd() % 64);
		double x = number(a);
		bool fits = fabs(x) < 9.2e18;

		same("from", 0, 0, stp_fp_from_long(v), (double)v);
		same("from", 0, 0, stp_fp_from_long(-v), (double)-v);
		if (!fits)
			continue;
		if (stp_fp_to_long(a, STP_FP_ZERO) != (s64)x || stp_fp_to_long(a, STP_FP_DOWN) != (s64)floor(x) ||
		    stp_fp_to_long(a, STP_FP_UP) != (s64)ceil(x) || stp_fp_to_long(a, STP_FP_NEAR_EVEN) != (s64)rint(x) ||
		    stp_fp_to_long(a, STP_FP_NEAR_AWAY) != (s64)round(x))
			UNIT_FAIL("%a is rounded to %lld %lld %lld %lld %lld", x, (long long)stp_fp_to_long(a, 1), (long long)stp_fp_to_long(a, 2),
				  (long long)stp_fp_to_long(a, 3), (long long)stp_fp_to_long(a, 0), (long long)stp_fp_to_long(a, 4));
	}
	CHECK(stp_fp_to_long(bits(1e19), 0) == INT64_MIN);
	CHECK(stp_fp_to_long(bits(NAN), 0) == INT64_MIN);
}

TEST(text)
{
	for (int i = 0; i < 100000; i++) {
		u64 a = operand();
		u32 precision = rnd() % 42, n;
		char have[STP_FP_TEXT + 1], want[512];

		n = stp_fp_format(have, a, precision);
		have[n] = '\0';
		snprintf(want, sizeof(want), "%.*f", precision > 40 ? 40 : (int)precision, number(a));
		if (isnan(number(a)))
			strcpy(want, "nan");
		if (strcmp(have, want) != 0)
			UNIT_FAIL("%a with %u digits is %s, not %s", number(a), precision, have, want);
	}
}

TEST(brief)
{
	for (int i = 0; i < 100000; i++) {
		double x = ldexp(1 + (double)(rnd() >> 20) / (1ull << 44), (int)(rnd() % 900) + 70);
		char have[STP_FP_TEXT + 1], want[64];
		u32 n = stp_fp_format(have, bits(x), 6);

		have[stp_fp_shorten(have, n)] = '\0';
		snprintf(want, sizeof(want), "%.6e", x);
		if (strcmp(have, want) != 0)
			UNIT_FAIL("%a is %s, not %s", x, have, want);
	}
	CHECK_INT(stp_fp_shorten((char []){ "-12.500000" }, 10), 10);
}

RUN_TESTS()
