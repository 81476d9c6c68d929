/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions that read memory at an address. */
#include <linux/kernel.h>
#include "port.h"
#include "deref.h"
#include "fn.h"
#include "str.h"

s64 stp_fn_kernel_char(struct stp_ctx *c, s64 addr)
{
	return (s8)stp_load(c, addr, 1);
}

s64 stp_fn_kernel_short(struct stp_ctx *c, s64 addr)
{
	return (s16)stp_load(c, addr, 2);
}

s64 stp_fn_kernel_int(struct stp_ctx *c, s64 addr)
{
	return (s32)stp_load(c, addr, 4);
}

s64 stp_fn_kernel_long(struct stp_ctx *c, s64 addr)
{
	return stp_load(c, addr, 8);
}

s64 stp_fn_user_char(struct stp_ctx *c, s64 addr)
{
	return (s8)stp_uload(c, addr, 1);
}

s64 stp_fn_user_short(struct stp_ctx *c, s64 addr)
{
	return (s16)stp_uload(c, addr, 2);
}

s64 stp_fn_user_int(struct stp_ctx *c, s64 addr)
{
	return (s32)stp_uload(c, addr, 4);
}

s64 stp_fn_user_long(struct stp_ctx *c, s64 addr)
{
	return stp_uload(c, addr, 8);
}

/* For stp_cstr: 0 is no limit but MAXSTRINGLEN. */
static u32 limit(s64 n)
{
	return n > U32_MAX ? 0 : n;
}

struct stp_str stp_fn_kernel_string(struct stp_ctx *c, s64 addr)
{
	return stp_cstr(c, addr, 0);
}

struct stp_str stp_fn_kernel_string_n(struct stp_ctx *c, s64 addr, s64 n)
{
	return n > 0 ? stp_cstr(c, addr, limit(n)) : STP_STR("");
}

struct stp_str stp_fn_user_string(struct stp_ctx *c, s64 addr)
{
	return stp_ucstr(c, addr, 0);
}

struct stp_str stp_fn_user_string_n(struct stp_ctx *c, s64 addr, s64 n)
{
	return n > 0 ? stp_ucstr(c, addr, limit(n)) : STP_STR("");
}

/* Encodes one character; returns the bytes, 0 when it does not fit. */
static u32 put_utf8(char *p, size_t room, u32 ch)
{
	u32 n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4, i;

	if (n > room)
		return 0;
	if (n == 1) {
		p[0] = ch;
		return 1;
	}
	for (i = n - 1; i; i--, ch >>= 6)
		p[i] = 0x80 | (ch & 0x3f);
	p[0] = (u8)(0xf00 >> n) | ch; /* n leading ones */
	return n;
}

/* Wide characters up to a zero one; bytes 2 (UTF-16, with surrogate pairs) or 4 (UTF-32). */
static struct stp_str wide_string(struct stp_ctx *c, u64 addr, u32 bytes, u64 (*load)(struct stp_ctx *, u64, u32))
{
	char *p = stp_tmp(c, stp_maxlen());
	size_t len = 0;
	u32 ch, n;

	if (!p)
		return STP_STR("");
	for (;; addr += bytes) {
		ch = load(c, addr, bytes);
		if (!ch || c->err)
			break;
		if (bytes == 2 && (ch & 0xfc00) == 0xd800) {
			u32 low = load(c, addr + 2, 2);

			if ((low & 0xfc00) != 0xdc00)
				break;
			ch = 0x10000 + ((ch & 0x3ff) << 10 | (low & 0x3ff));
			addr += 2;
		}
		if (ch > 0x10ffff) {
			stp_fail(c, "invalid character in a wide string");
			break;
		}
		n = put_utf8(p + len, stp_maxlen() - len, ch);
		if (!n)
			break;
		len += n;
	}
	c->scratch = p + ALIGN(len, 8);
	return (struct stp_str){ p, len };
}

struct stp_str stp_fn_kernel_string_utf16(struct stp_ctx *c, s64 addr)
{
	return wide_string(c, addr, 2, stp_load);
}

struct stp_str stp_fn_kernel_string_utf32(struct stp_ctx *c, s64 addr)
{
	return wide_string(c, addr, 4, stp_load);
}

struct stp_str stp_fn_user_string_utf16(struct stp_ctx *c, s64 addr)
{
	return wide_string(c, addr, 2, stp_uload);
}

struct stp_str stp_fn_user_string_utf32(struct stp_ctx *c, s64 addr)
{
	return wide_string(c, addr, 4, stp_uload);
}
