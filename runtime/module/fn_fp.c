/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions on floating point: numbers are the bits of doubles. */
#include <linux/kernel.h>
#include "port.h"
#include "fn.h"
#include "fp.h"
#include "str.h"

s64 stp_fn_fp_add(struct stp_ctx *c, s64 a, s64 b);
s64 stp_fn_fp_sub(struct stp_ctx *c, s64 a, s64 b);
s64 stp_fn_fp_mul(struct stp_ctx *c, s64 a, s64 b);
s64 stp_fn_fp_div(struct stp_ctx *c, s64 a, s64 b);
s64 stp_fn_fp_rem(struct stp_ctx *c, s64 a, s64 b);
s64 stp_fn_fp_sqrt(struct stp_ctx *c, s64 a);
s64 stp_fn_string_to_fp(struct stp_ctx *c, struct stp_str text);
s64 stp_fn_fp_compare(struct stp_ctx *c, s64 a, s64 b);
s64 stp_fn_long_to_fp(struct stp_ctx *c, s64 v);
s64 stp_fn_fp_to_long(struct stp_ctx *c, s64 a, s64 mode);
s64 stp_fn_fp32_to_fp64(struct stp_ctx *c, s64 a);
struct stp_str stp_fn_fp_to_string(struct stp_ctx *c, s64 a, s64 precision);
struct stp_str stp_fn_fp_brief(struct stp_ctx *c, s64 a);

s64 stp_fn_fp_add(struct stp_ctx *c, s64 a, s64 b)
{
	return (s64)stp_fp_add((u64)a, (u64)b);
}

s64 stp_fn_fp_sub(struct stp_ctx *c, s64 a, s64 b)
{
	return (s64)stp_fp_add((u64)a, (u64)b ^ 1ull << 63);
}

s64 stp_fn_fp_mul(struct stp_ctx *c, s64 a, s64 b)
{
	return (s64)stp_fp_mul((u64)a, (u64)b);
}

s64 stp_fn_fp_div(struct stp_ctx *c, s64 a, s64 b)
{
	return (s64)stp_fp_div((u64)a, (u64)b);
}

s64 stp_fn_fp_rem(struct stp_ctx *c, s64 a, s64 b)
{
	return (s64)stp_fp_rem((u64)a, (u64)b);
}

s64 stp_fn_fp_sqrt(struct stp_ctx *c, s64 a)
{
	return (s64)stp_fp_sqrt((u64)a);
}

s64 stp_fn_string_to_fp(struct stp_ctx *c, struct stp_str text)
{
	return (s64)stp_fp_parse(text.p, text.len);
}

s64 stp_fn_fp_compare(struct stp_ctx *c, s64 a, s64 b)
{
	return stp_fp_compare((u64)a, (u64)b);
}

s64 stp_fn_long_to_fp(struct stp_ctx *c, s64 v)
{
	return (s64)stp_fp_from_long(v);
}

s64 stp_fn_fp_to_long(struct stp_ctx *c, s64 a, s64 mode)
{
	if (mode < 0 || mode > STP_FP_NEAR_AWAY) {
		stp_fail(c, "fp_to_long: the rounding mode is 0 to 4");
		return 0;
	}
	return stp_fp_to_long((u64)a, mode);
}

s64 stp_fn_fp32_to_fp64(struct stp_ctx *c, s64 a)
{
	return stp_double_bits((u64)a);
}

struct stp_str stp_fn_fp_to_string(struct stp_ctx *c, s64 a, s64 precision)
{
	char *buf;

	if (precision < 0 || precision > STP_FP_PRECISION) {
		stp_fail(c, "fp_to_string: from 0 to 40 digits can be had");
		return STP_STR("");
	}
	buf = stp_tmp(c, STP_FP_TEXT);
	if (!buf)
		return STP_STR("");
	return (struct stp_str){ buf, min_t(size_t, stp_fp_format(buf, (u64)a, precision), stp_maxlen()) };
}

struct stp_str stp_fn_fp_brief(struct stp_ctx *c, s64 a)
{
	char *buf = stp_tmp(c, STP_FP_TEXT);

	if (!buf)
		return STP_STR("");
	return (struct stp_str){ buf, min_t(size_t, stp_fp_shorten(buf, stp_fp_format(buf, (u64)a, 6)), stp_maxlen()) };
}
