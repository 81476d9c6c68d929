/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions that read registers: arguments and results by the calling convention, registers by name. */
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include "context.h"
#include "port.h"
#include "fn.h"
#include "fn_more.h"

static const struct pt_regs *regs_of(struct stp_ctx *c)
{
	const u64 *regs = stp_registers(c);

	if (!regs)
		stp_fail(c, "no registers are known at this probe point");
	return (const struct pt_regs *)regs;
}

static s64 tracepoint_arg(struct stp_ctx *c, s64 n)
{
	if (c->args && n >= 1 && n <= c->probe->nargs)
		return c->args[n - 1];
	stp_fail(c, "no such argument of the tracepoint");
	return 0;
}

static bool is_user_probe(const struct stp_ctx *c)
{
	return c->probe->kind == STP_UPROBE || c->probe->kind == STP_URETURN;
}

/* The system call's: the fourth is in another register than a function's. */
static s64 syscall_arg(struct stp_ctx *c, const struct pt_regs *r, s64 n)
{
	switch (n) {
	case 1: return r->di;
	case 2: return r->si;
	case 3: return r->dx;
	case 4: return r->r10;
	case 5: return r->r8;
	case 6: return r->r9;
	}
	stp_fail(c, "no such argument: a system call has six, and the first is number 1");
	return 0;
}

/* In probes of syscall.* aliases: the kernel's function has a pointer to the registers of the task that calls. */
static s64 wrapper_arg(struct stp_ctx *c, u64 regs, s64 n)
{
	static const u8 places[] = { offsetof(struct pt_regs, di), offsetof(struct pt_regs, si), offsetof(struct pt_regs, dx),
				     offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9) };

	if (n >= 1 && n <= 6)
		return stp_load(c, regs + places[n - 1], 8);
	stp_fail(c, "no such argument: a system call has six, and the first is number 1");
	return 0;
}

s64 stp_fn_arg(struct stp_ctx *c, s64 n)
{
	const struct pt_regs *r;

	if (c->probe->kind == STP_TRACEPOINT)
		return tracepoint_arg(c, n);
	r = regs_of(c);
	if (!r)
		return 0;
	if (c->probe->kind == STP_TASK || c->probe->kind == STP_VMA)
		return syscall_arg(c, r, n);
	if (c->probe->kind == STP_ENTRY && c->probe->sub == STP_ENTRY_SYSCALL)
		return wrapper_arg(c, r->di, n);
	if (is_user_probe(c) && !user_64bit_mode((struct pt_regs *)r) && n >= 1 && n < 100)
		return stp_uload(c, (u32)(r->sp + 4 * n), 4); /* all on the stack, above the return address */
	switch (n) {
	case 1: return r->di;
	case 2: return r->si;
	case 3: return r->dx;
	case 4: return r->cx;
	case 5: return r->r8;
	case 6: return r->r9;
	}
	if (n > 6 && n < 100) /* above the return address */
		return is_user_probe(c) ? stp_uload(c, r->sp + 8 * (n - 6), 8) : stp_load(c, r->sp + 8 * (n - 6), 8);
	stp_fail(c, "no such argument: the first is number 1");
	return 0;
}

extern const char stp_err_no_result[] __weak; /* uprobe_insn.c, comes with probes of programs */

s64 stp_fn_returnval(struct stp_ctx *c)
{
	const struct pt_regs *r;

	if (c->probe->kind != STP_RETURN && c->probe->kind != STP_URETURN &&
	    !(c->probe->kind == STP_TASK && c->probe->arg == STP_TASK_SYSCALL_RETURN)) {
		stp_fail(c, "returnval() has a meaning in return probes only");
		return 0;
	}
	if (c->probe->flags & STP_AT_RETURNS && stp_context_of(c)->no_result) {
		stp_fail(c, stp_err_no_result);
		return 0;
	}
	r = regs_of(c);
	return r ? r->ax : 0;
}

/* Names without their first letter: rax and eax are "ax". */
static const struct {
	char name[6];
	u8 word;
} legacy[] = {
#define REG(n) { #n, offsetof(struct pt_regs, n) / 8 }
	REG(ax), REG(bx), REG(cx), REG(dx), REG(si), REG(di), REG(bp), REG(sp), REG(ip), REG(flags),
	{ "rax", offsetof(struct pt_regs, orig_ax) / 8 }, /* orig_rax, below */
}, segments[] = {
	{ "xcs", offsetof(struct pt_regs, cs) / 8 }, { "xss", offsetof(struct pt_regs, ss) / 8 },
}, numbered[] = {
	REG(r8), REG(r9), REG(r10), REG(r11), REG(r12), REG(r13), REG(r14), REG(r15),
#undef REG
};

static bool named(struct stp_str s, const char *name)
{
	return strlen(name) == s.len && !memcmp(s.p, name, s.len);
}

/* The index in words of struct pt_regs, -1 for none; *half: only the lower 32 bits are meant. */
static int find(struct stp_str s, bool *half)
{
	unsigned int i;

	*half = false;
	if (named(s, "orig_rax") || named(s, "orig_eax")) {
		*half = s.p[5] == 'e';
		return legacy[ARRAY_SIZE(legacy) - 1].word;
	}
	for (i = 0; i < ARRAY_SIZE(numbered); i++) {
		struct stp_str low = { s.p, s.len - 1 };

		if (named(s, numbered[i].name))
			return numbered[i].word;
		if (s.len > 2 && s.p[s.len - 1] == 'd' && named(low, numbered[i].name)) {
			*half = true;
			return numbered[i].word;
		}
	}
	for (i = 0; i < ARRAY_SIZE(segments); i++)
		if (named(s, segments[i].name) || named(s, segments[i].name + 1))
			return segments[i].word;
	if (s.len < 2 || (s.p[0] != 'r' && s.p[0] != 'e'))
		return -1;
	*half = s.p[0] == 'e';
	s.p++;
	s.len--;
	for (i = 0; i + 1 < ARRAY_SIZE(legacy); i++)
		if (named(s, legacy[i].name))
			return legacy[i].word;
	return -1;
}

static u64 value(struct stp_ctx *c, struct stp_str name, bool *half)
{
	const struct pt_regs *r = regs_of(c);
	int word;

	if (!r)
		return 0;
	word = find(name, half);
	if (word < 0) {
		stp_fail(c, "unknown register name");
		return 0;
	}
	return ((const unsigned long *)r)[word];
}

s64 stp_fn_register(struct stp_ctx *c, struct stp_str name)
{
	bool half = false;
	u64 v = value(c, name, &half);

	return half ? (s64)(s32)v : (s64)v;
}

s64 stp_fn_u_register(struct stp_ctx *c, struct stp_str name)
{
	bool half = false;
	u64 v = value(c, name, &half);

	return half ? (s64)(u32)v : (s64)v;
}

s64 stp_fn_probing_32bit_app(struct stp_ctx *c)
{
	const struct pt_regs *r = (const struct pt_regs *)stp_registers(c);

	return r && user_mode((struct pt_regs *)r) && !user_64bit_mode((struct pt_regs *)r);
}

s64 stp_fn_page_size(struct stp_ctx *c)
{
	return PAGE_SIZE;
}
