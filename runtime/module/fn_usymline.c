/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions about source files and lines of user programs, for which their tables then hold lines. */
#include <linux/kernel.h>
#include "port.h"
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

static struct stp_str number_text(struct stp_ctx *c, s64 addr)
{
	char *p = stp_tmp(c, 24);

	return p ? (struct stp_str){ p, scnprintf(p, 24, "0x%llx", addr) } : STP_STR("");
}

struct stp_str stp_fn_usymfile(struct stp_ctx *c, s64 addr)
{
	u32 line;
	const char *file = find_line(addr, &line);

	return file ? stp_str_dup(c, (struct stp_str){ file, strnlen(file, stp_maxlen()) }) : number_text(c, addr);
}

struct stp_str stp_fn_usymline(struct stp_ctx *c, s64 addr)
{
	u32 line;
	char *p;

	if (!find_line(addr, &line))
		return number_text(c, addr);
	p = stp_tmp(c, 16);
	return p ? (struct stp_str){ p, scnprintf(p, 16, "%u", line) } : STP_STR("");
}

struct stp_str stp_fn_usymfileline(struct stp_ctx *c, s64 addr)
{
	u32 line;
	const char *file = find_line(addr, &line);
	size_t max = stp_maxlen() + 1;
	char *p;

	if (!file)
		return number_text(c, addr);
	p = stp_tmp(c, max);
	return p ? (struct stp_str){ p, scnprintf(p, max, "%s:%u", file, line) } : STP_STR("");
}

/* " 0x55e01234 : main+0x19/0x40 at prog.c:12 [/tmp/prog]" */
static void put_frame(struct stp_ctx *c, struct stp_sink *o, u64 pc, bool call)
{
	const struct stp_umap *m = stp_umap_find(pc);
	const char *file;
	char num[32];
	u32 line;

	stp_put(c, o, num, scnprintf(num, sizeof(num), " 0x%llx : ", pc));
	stp_usym_put(c, o, pc, STP_USYM_OFFSET | (call ? STP_USYM_CALL : 0));
	file = find_line(pc - call, &line); /* the line of the call, not of what comes behind it */
	if (file) {
		stp_put(c, o, " at ", 4);
		stp_put(c, o, file, strlen(file));
		stp_put(c, o, num, scnprintf(num, sizeof(num), ":%u", line));
	}
	if (m) {
		stp_put(c, o, " [", 2);
		stp_put(c, o, m->file->path, m->file->path_len);
		stp_put(c, o, "]", 1);
	}
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
	char *p = stp_tmp(c, stp_maxlen());
	struct stp_sink o = { .p = p, .end = p ? p + stp_maxlen() : NULL, .string = true };
	u64 pc[STP_USTACK_MAX];

	if (!p)
		return STP_STR("");
	put_frames(c, &o, pc, stp_ustack_frames(c, pc, STP_USTACK_MAX));
	c->scratch = p + ALIGN(o.p - p, 8);
	return (struct stp_str){ p, o.p - p };
}
