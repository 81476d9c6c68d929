/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions about stacks of user programs. */
#include "port.h"
#include "fn_text.h"
#include "fn_user.h"
#include "ustack.h"

struct stp_str stp_fn_ubacktrace(struct stp_ctx *c)
{
	u64 pc[STP_USTACK_MAX];

	return stp_hex_list(c, pc, stp_ustack_frames(c, pc, STP_USTACK_MAX));
}

struct stp_str stp_fn_ubacktrace_from(struct stp_ctx *c, s64 ip, s64 sp, s64 bp)
{
	u64 pc[STP_USTACK_MAX];

	return stp_hex_list(c, pc, stp_ustack_frames_from(c, ip, sp, bp, pc, STP_USTACK_MAX));
}

struct stp_str stp_fn_ucallers(struct stp_ctx *c, s64 n)
{
	u64 pc[STP_USTACK_MAX];

	return stp_hex_list(c, pc, stp_ustack_frames(c, pc, n < 0 || n > STP_USTACK_MAX ? STP_USTACK_MAX : n));
}

s64 stp_fn_ustack(struct stp_ctx *c, s64 n)
{
	u64 pc[STP_USTACK_MAX];

	if (n < 0 || n >= STP_USTACK_MAX)
		return 0;
	return stp_ustack_frames(c, pc, n + 1) > n ? (s64)pc[n] : 0;
}
