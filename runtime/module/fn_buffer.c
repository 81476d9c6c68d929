/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffers, of the current process and the kernel, as text. */
#include <linux/kernel.h>
#include "port.h"
#include "deref.h"
#include "fn.h"
#include "fn_more.h"
#include "str.h"

static struct stp_str buffer(struct stp_ctx *c, s64 addr, s64 n, s64 most,
			     bool (*copy)(struct stp_ctx *, void *, u64, size_t))
{
	struct stp_str s = STP_STR("");
	char *p;

	most = clamp_t(s64, most, 0, stp_maxlen() / 4);
	if (n <= 0)
		return stp_fn_text_strn(c, s, most, 1);
	/* one byte more than is shown tells whether there is more */
	s.len = min_t(s64, n, most + 1);
	p = stp_tmp(c, s.len);
	if (!p || !copy(c, p, addr, s.len))
		return STP_STR("");
	s.p = p;
	return stp_fn_text_strn(c, s, most, 1);
}

struct stp_str stp_fn_user_buffer(struct stp_ctx *c, s64 addr, s64 n, s64 most)
{
	return buffer(c, addr, n, most, stp_copy_user);
}

struct stp_str stp_fn_kernel_buffer(struct stp_ctx *c, s64 addr, s64 n, s64 most)
{
	return buffer(c, addr, n, most, stp_copy_mem);
}
