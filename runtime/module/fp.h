/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic on the bits of IEEE 754 doubles by integers alone: handlers must not use the processor's floating point.
 * Round to nearest, ties to even.  Any context.
 */
#ifndef STP_FP_H
#define STP_FP_H

#include "port.h"

u64 stp_fp_add(u64 a, u64 b);
u64 stp_fp_mul(u64 a, u64 b);
u64 stp_fp_div(u64 a, u64 b);
/* a less the multiple of b that is nearest to it: exact, IEEE 754's remainder. */
u64 stp_fp_rem(u64 a, u64 b);
u64 stp_fp_sqrt(u64 a);
u64 stp_fp_from_long(s64 v);
/* "-12.5e3" and the like, what follows a number is left; 0 for none.  The nearest double where the digits fit 53 bits and the
 * exponent lies between -22 and 22, else one next to it. */
u64 stp_fp_parse(const char *text, u32 len);
/* How fp_to_long() rounds. */
enum { STP_FP_NEAR_EVEN, STP_FP_ZERO, STP_FP_DOWN, STP_FP_UP, STP_FP_NEAR_AWAY };
/* Beyond 64 bits, and no number: the smallest number, as the processor has it. */
s64 stp_fp_to_long(u64 a, u32 mode);
/* -1, 0, 1; 2 when one of them is no number. */
int stp_fp_compare(u64 a, u64 b);
/* Decimal with `precision` digits behind the point (at most 40), exact before rounding, into buf: the length.  `size` has to be
 * STP_FP_TEXT at least. */
#define STP_FP_TEXT 360
#define STP_FP_PRECISION 40
u32 stp_fp_format(char *buf, u64 a, u32 precision);
/* Cuts a text of precision 6 that has many digits to seven of them and an exponent, "-1.000000e+300": the new length. */
u32 stp_fp_shorten(char *buf, u32 len);
#endif
