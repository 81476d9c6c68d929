/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions about source lines of kernel code, and the tables for them that the loader brings (STP_IOC_LINES). */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include "fn.h"
#include "fn_text.h"
#include "hook.h"
#include "port.h"
#include "stack.h"
#include "str.h"
#include "symbol.h"
#include "utab.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define MAX_TABLES 256
#define MAX_BYTES (64u << 20) /* of one; the kernel warns of requests that are beyond all sense */

/* Set before handlers run, freed when the module goes. */
static struct code_lines {
	u64 addr, length;
	struct stp_utab *table;
} code[MAX_TABLES];
static u32 ncode;

static long lines_command(unsigned int cmd, void __user *arg)
{
	struct stp_utab *table;
	struct stp_lines l;

	if (cmd != STP_IOC_LINES)
		return -ENOTTY;
	if (copy_from_user(&l, arg, sizeof(l)))
		return -EFAULT;
	if (stp_session.state != STP_LOADED)
		return -EALREADY;
	if (ncode == MAX_TABLES || l.size > MAX_BYTES)
		return -ENOSPC;
	table = vmemdup_user((void __user *)(uintptr_t)l.table, l.size);
	if (IS_ERR(table))
		return PTR_ERR(table);
	if (!stp_utab_check(table, l.size)) {
		kvfree(table);
		return -EINVAL;
	}
	code[ncode++] = (struct code_lines){ l.addr, l.length, table };
	return 0;
}

static int lines_attach(void)
{
	return 0;
}

/* end probes still ask. */
static void lines_detach(void)
{
}

void stp_lines_free(void)
{
	while (ncode)
		kvfree(code[--ncode].table);
}

const struct stp_hook stp_hook_lines = { .attach = lines_attach, .detach = lines_detach, .command = lines_command };

static const char *find_line(u64 addr, u32 *line)
{
	u32 i;

	for (i = 0; i < ncode; i++)
		if (addr - code[i].addr < code[i].length)
			return stp_utab_line(code[i].table, addr - code[i].addr, line);
	return NULL;
}

struct stp_str stp_fn_symfile(struct stp_ctx *c, s64 addr)
{
	u32 line;

	return stp_line_file(c, addr, find_line(addr, &line));
}

struct stp_str stp_fn_symline(struct stp_ctx *c, s64 addr)
{
	u32 line;
	const char *file = find_line(addr, &line);

	return stp_line_number(c, addr, file, line);
}

struct stp_str stp_fn_symfileline(struct stp_ctx *c, s64 addr)
{
	u32 line;
	const char *file = find_line(addr, &line);

	return stp_line_text(c, addr, file, line);
}

/* " 0xffffffff81234567 : vfs_read+0x7/0x1b0 [kernel] at fs/read_write.c:450" */
static void put_frame(struct stp_ctx *c, struct stp_sink *o, u64 pc, bool call)
{
	struct stp_str sym;
	char *mark = c->scratch, num[32];
	const char *file;
	u32 line;

	stp_put(c, o, num, scnprintf(num, sizeof(num), " 0x%llx : ", pc));
	sym = stp_symbol_full(c, pc);
	stp_put(c, o, sym.p, sym.len);
	file = find_line(pc - call, &line); /* the line of the call, not of what comes behind it */
	stp_line_put(c, o, file, line);
	stp_put(c, o, "\n", 1);
	c->scratch = mark;
}

static void put_frames(struct stp_ctx *c, struct stp_sink *o)
{
	u32 max = stp_script.config->maxbacktrace, n, i;
	u64 *pc = stp_tmp(c, max * sizeof(*pc));

	n = pc ? stp_stack_frames(c, pc, max) : 0;
	for (i = 0; i < n && !c->err; i++)
		put_frame(c, o, pc[i], i > 0);
}

void stp_fn_print_backtrace_fileline(struct stp_ctx *c)
{
	char *mark = c->scratch;

	put_frames(c, stp_out(c));
	c->scratch = mark;
}

struct stp_str stp_fn_sprint_backtrace_fileline(struct stp_ctx *c)
{
	struct stp_sink o;
	char *start = stp_text_begin(c, &o);

	if (start)
		put_frames(c, &o);
	return stp_text_end(c, start, &o);
}
