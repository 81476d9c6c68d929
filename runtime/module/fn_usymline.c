/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions about source files and lines of user programs, for which their tables then hold lines. */
#include <linux/kernel.h>
#include "port.h"
#include "fn_text.h"
#include "fn_user.h"
#include "str.h"
#include "umap.h"
#include "ustack.h"
#include "usym.h"
#include "utab.h"

const u8 stp_umap_wants_lines = 1;

static const char *find_line(s64 addr, u32 *line)
{
	const struct stp_umap *m = stp_umap_find(addr);
	u64 at;
	const struct stp_utab *t = m ? stp_umap_table(m, addr, &at) : NULL;

	return t ? stp_utab_line(t, at, line) : NULL;
}

struct stp_str stp_fn_usymfile(struct stp_ctx *c, s64 addr)
{
	u32 line;

	return stp_line_file(c, addr, find_line(addr, &line));
}

struct stp_str stp_fn_usymline(struct stp_ctx *c, s64 addr)
{
	u32 line;
	const char *file = find_line(addr, &line);

	return stp_line_number(c, addr, file, line);
}

struct stp_str stp_fn_usymfileline(struct stp_ctx *c, s64 addr)
{
	u32 line;
	const char *file = find_line(addr, &line);

	return stp_line_text(c, addr, file, line);
}

/* " 0x55e01234 : main+0x19/0x40 at prog.c:12 [/tmp/prog]" */
static void put_frame(struct stp_ctx *c, struct stp_sink *o, u64 pc, bool call)
{
	const struct stp_umap *m = stp_umap_find(pc);
	const char *file;
	char num[32];
	u32 line;

	num[0] = ' ';
	stp_put(c, o, num, 1 + stp_hex_write(num + 1, pc));
	stp_put(c, o, " : ", 3);
	stp_usym_put(c, o, pc, STP_USYM_OFFSET | (call ? STP_USYM_CALL : 0));
	file = find_line(pc - call, &line); /* the line of the call, not of what comes behind it */
	stp_line_put(c, o, file, line);
	if (m)
		stp_usym_put_module(c, o, m);
	stp_put(c, o, "\n", 1);
}

static void put_frames(struct stp_ctx *c, struct stp_sink *o, const u64 *pc, u32 n)
{
	u32 i;

	for (i = 0; i < n && !c->err; i++)
		put_frame(c, o, pc[i], i > 0);
}

void stp_fn_print_ubacktrace_fileline(struct stp_ctx *c)
{
	u64 pc[STP_USTACK_MAX];

	put_frames(c, stp_out(c), pc, stp_ustack_frames(c, pc, STP_USTACK_MAX));
}

void stp_fn_print_ubacktrace_fileline_from(struct stp_ctx *c, s64 ip, s64 sp, s64 bp)
{
	u64 pc[STP_USTACK_MAX];

	put_frames(c, stp_out(c), pc, stp_ustack_frames_from(c, ip, sp, bp, pc, STP_USTACK_MAX));
}

struct stp_str stp_fn_sprint_ubacktrace_fileline(struct stp_ctx *c)
{
	u64 pc[STP_USTACK_MAX];
	struct stp_sink o;
	char *start = stp_text_begin(c, &o);

	if (start)
		put_frames(c, &o, pc, stp_ustack_frames(c, pc, STP_USTACK_MAX));
	return stp_text_end(c, start, &o);
}
