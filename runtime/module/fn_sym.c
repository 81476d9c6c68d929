/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions about symbols and kernel stacks. */
#include <linux/kernel.h>
#include "port.h"
#include "fn.h"
#include "fn_text.h"
#include "stack.h"
#include "str.h"
#include "symbol.h"

struct stp_str stp_fn_symname(struct stp_ctx *c, s64 addr)
{
	return stp_symbol_name(c, addr);
}

struct stp_str stp_fn_symdata(struct stp_ctx *c, s64 addr)
{
	return stp_symbol_full(c, addr);
}

struct stp_str stp_fn_modname(struct stp_ctx *c, s64 addr)
{
	struct stp_str s = stp_symbol_module(c, addr);

	if (!s.len)
		stp_fail(c, "modname: no kernel symbol at this address");
	return s;
}

/* " 0xffffffff81234567 : vfs_read+0x7/0x1b0 [kernel]" */
static void put_frame(struct stp_ctx *c, struct stp_sink *o, const char *lead, u64 pc)
{
	char *mark = c->scratch, num[48];
	struct stp_str sym = stp_symbol_full(c, pc);

	stp_put(c, o, num, scnprintf(num, sizeof(num), "%s0x%llx", lead, pc));
	if (!(sym.len > 1 && sym.p[1] == 'x')) {
		stp_put(c, o, " : ", 3);
		stp_put_str(c, o, sym);
	}
	stp_put(c, o, "\n", 1);
	c->scratch = mark;
}

static void put_frames(struct stp_ctx *c, struct stp_sink *o, const u64 *pc, u32 n)
{
	u32 i = 0;

	if (n && c->probe->kind == STP_RETURN && pc[0] == c->ip) {
		put_frame(c, o, "Returning from:  ", pc[i++]);
		if (n > 1)
			put_frame(c, o, "Returning to  :  ", pc[i++]);
	}
	for (; i < n && !c->err; i++)
		put_frame(c, o, " ", pc[i]);
}

static u32 stack_max(void)
{
	return stp_script.config->maxbacktrace;
}

/* The stack's addresses, *n of at most max, in scratch memory; NULL with the error set. */
static u64 *take_frames(struct stp_ctx *c, u32 max, u32 *n)
{
	u64 *pc = stp_tmp(c, max * sizeof(*pc));

	*n = pc ? stp_stack_frames(c, pc, max) : 0;
	return pc;
}

void stp_fn_print_backtrace(struct stp_ctx *c)
{
	char *mark = c->scratch;
	u32 n;
	u64 *pc = take_frames(c, stack_max(), &n);

	put_frames(c, stp_out(c), pc, n);
	c->scratch = mark;
}

struct stp_str stp_fn_sprint_backtrace(struct stp_ctx *c)
{
	struct stp_sink o;
	char *start = stp_text_begin(c, &o);
	u64 *pc;
	u32 n;

	if (start) {
		pc = take_frames(c, stack_max(), &n);
		put_frames(c, &o, pc, n);
	}
	return stp_text_end(c, start, &o);
}

static struct stp_str hex_list(struct stp_ctx *c, u32 max)
{
	u32 n;
	u64 *pc = take_frames(c, max, &n);

	return stp_hex_list(c, pc, n);
}

struct stp_str stp_fn_backtrace(struct stp_ctx *c)
{
	return hex_list(c, stack_max());
}

struct stp_str stp_fn_task_backtrace(struct stp_ctx *c, s64 task)
{
	u64 *pc;

	if (!task)
		return STP_STR("");
	pc = stp_tmp(c, stack_max() * sizeof(*pc));
	return stp_hex_list(c, pc, pc ? stp_stack_of_task(task, pc, stack_max()) : 0);
}

struct stp_str stp_fn_callers(struct stp_ctx *c, s64 n)
{
	return hex_list(c, n < 0 || n > stack_max() ? stack_max() : n);
}

s64 stp_fn_stack(struct stp_ctx *c, s64 n)
{
	char *mark = c->scratch;
	u32 found;
	u64 *pc;

	if (n < 0 || n >= stack_max())
		return 0;
	pc = take_frames(c, n + 1, &found);
	c->scratch = mark;
	return found > n ? (s64)pc[n] : 0;
}

static void put_list(struct stp_ctx *c, struct stp_sink *o, struct stp_str list)
{
	u64 addr;

	while (!c->err && stp_next_address(&list, &addr))
		put_frame(c, o, " ", addr);
}

void stp_fn_print_stack(struct stp_ctx *c, struct stp_str stack)
{
	put_list(c, stp_out(c), stack);
}

struct stp_str stp_fn_sprint_stack(struct stp_ctx *c, struct stp_str stack)
{
	struct stp_sink o;
	char *start = stp_text_begin(c, &o);

	if (start)
		put_list(c, &o, stack);
	return stp_text_end(c, start, &o);
}
