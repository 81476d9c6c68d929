/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions that print stacks of user programs by name. */
#include "port.h"
#include "fn_text.h"
#include "fn_user.h"
#include "str.h"
#include "ustack.h"
#include "usym.h"

/* " 0x55e01234 : main+0x19/0x40 [/bin/true]" */
static void put_frames(struct stp_ctx *c, struct stp_sink *o, const u64 *pc, u32 n)
{
	stp_usym_put_stack(c, o, pc, n, STP_USYM_OFFSET | STP_USYM_MODULE);
}

void stp_fn_print_ubacktrace(struct stp_ctx *c, s64 brief)
{
	u64 pc[STP_USTACK_MAX];
	u32 n = stp_ustack_frames(c, pc, STP_USTACK_MAX), i;

	if (!brief) {
		put_frames(c, stp_out(c), pc, n);
		return;
	}
	for (i = 0; i < n && !c->err; i++) {
		stp_usym_put(c, stp_out(c), pc[i], STP_USYM_BRIEF | (i > 0 ? STP_USYM_CALL : 0));
		stp_put(c, stp_out(c), "\n", 1);
	}
}

void stp_fn_print_ubacktrace_from(struct stp_ctx *c, s64 ip, s64 sp, s64 bp)
{
	u64 pc[STP_USTACK_MAX];

	put_frames(c, stp_out(c), pc, stp_ustack_frames_from(c, ip, sp, bp, pc, STP_USTACK_MAX));
}

struct stp_str stp_fn_sprint_ubacktrace(struct stp_ctx *c)
{
	u64 pc[STP_USTACK_MAX];
	struct stp_sink o;
	char *start = stp_text_begin(c, &o);

	if (start)
		put_frames(c, &o, pc, stp_ustack_frames(c, pc, STP_USTACK_MAX));
	return stp_text_end(c, start, &o);
}

struct stp_str stp_fn_sprint_ubacktrace_from(struct stp_ctx *c, s64 ip, s64 sp, s64 bp)
{
	u64 pc[STP_USTACK_MAX];
	struct stp_sink o;
	char *start = stp_text_begin(c, &o);

	if (start)
		put_frames(c, &o, pc, stp_ustack_frames_from(c, ip, sp, bp, pc, STP_USTACK_MAX));
	return stp_text_end(c, start, &o);
}

static void put_list(struct stp_ctx *c, struct stp_sink *o, struct stp_str list)
{
	u64 pc[STP_USTACK_MAX];
	u32 n = 0;

	while (n < STP_USTACK_MAX && stp_next_address(&list, &pc[n]))
		n++;
	put_frames(c, o, pc, n);
}

void stp_fn_print_ustack(struct stp_ctx *c, struct stp_str stack)
{
	put_list(c, stp_out(c), stack);
}

struct stp_str stp_fn_sprint_ustack(struct stp_ctx *c, struct stp_str stack)
{
	struct stp_sink o;
	char *start = stp_text_begin(c, &o);

	if (start)
		put_list(c, &o, stack);
	return stp_text_end(c, start, &o);
}
