/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return probes at the places where a function is left (STP_AT_RETURNS, enum stp_leaves): its return instructions, and jumps to other
 * functions, which return to its caller in its place.  Nothing is written to the program's stack.
 */
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "port.h"
#include "session.h"
#include "stp_leaves.h"
#include "uprobe_hit.h"

const char stp_err_no_result[] = "the result is not known: the function ended by jumping to another";

/* A word of the current process, if it is there. */
static bool read_user(u64 addr, u64 *v)
{
	return !copy_from_user_nofault(v, (const void __user *)addr, sizeof(*v));
}

/* A goroutine: it begins with the bounds of its stack, low and high. */
static bool is_goroutine(u64 g, u64 sp, u64 *high)
{
	u64 low;

	return g && read_user(g, &low) && read_user(g + 8, high) && low < sp && sp < *high;
}

/*
 * What a call is known by where coroutines run on whatever thread: their stacks' addresses.  Go copies stacks to other places, where
 * they keep their distance from the high end; the running goroutine is found in thread-local storage, or in r14.
 */
static struct stp_ucall_key insn_key(const struct uprobe_site *s, const struct pt_regs *regs)
{
	struct stp_ucall_key k = { current->mm, (void *)(regs->ip - (s64)(s32)s->site->semaphore), regs->sp };
	u64 g, high;

	if (!(s->p->flags & STP_GOROUTINES))
		return k;
	if (!read_user(current->thread.fsbase - 8, &g) || !is_goroutine(g, regs->sp, &high)) {
		g = regs->r14;
		if (!is_goroutine(g, regs->sp, &high))
			return k;
	}
	k.owner = (void *)(unsigned long)g;
	k.sp = high - regs->sp;
	return k;
}

static u32 leaves_how(const struct stp_usite *site)
{
	return site->semaphore >> STP_LEAVES_SHIFT;
}

bool stp_usite_is_jump(const struct stp_usite *site)
{
	u32 kind = leaves_how(site) & STP_LEAVES_KIND;

	return kind != STP_LEAVES_RETURN && kind != STP_LEAVES_NOT;
}

static void entered(struct uprobe_site *s, struct pt_regs *regs)
{
	struct stp_ucall_key k = insn_key(s, regs);

	stp_call_entered(s, regs, &k);
}

int stp_ureturn_insn_entry_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	entered(container_of(uc, struct uprobe_site, uc), regs);
	return 0;
}

/* The processor's condition codes: pairs of a condition and its opposite. */
static bool is_taken(u64 flags, u32 code)
{
	bool c = flags & X86_EFLAGS_CF, z = flags & X86_EFLAGS_ZF, less = !(flags & X86_EFLAGS_SF) != !(flags & X86_EFLAGS_OF), is;

	switch (code >> 1 & 7) {
	case 0: is = flags & X86_EFLAGS_OF; break;
	case 1: is = c; break;
	case 2: is = z; break;
	case 3: is = c || z; break;
	case 4: is = flags & X86_EFLAGS_SF; break;
	case 5: is = flags & X86_EFLAGS_PF; break;
	case 6: is = less; break;
	default: is = less || z; break;
	}
	return is != (code & 1);
}

/* What becomes of the call at this instruction, before it may be left. */
static void follow(struct uprobe_site *s, const struct stp_ucall_key *k, u32 how, bool taken)
{
	bool other = how & STP_LEAVES_OTHER;
	unsigned long flags;

	raw_local_irq_save(flags);
	if (other && how & STP_LEAVES_ENTRY)
		stp_ucalls_begin_other(s->calls, k);
	if (taken && (how & STP_LEAVES_KIND) == STP_LEAVES_FOR)
		stp_ucalls_jump(s->calls, k, other);
	raw_local_irq_restore(flags);
}

int stp_ureturn_insn_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	struct stp_ucall_key k = insn_key(s, regs);
	u32 how = leaves_how(s->site), kind = how & STP_LEAVES_KIND, call = 0;
	bool taken = !(how & STP_LEAVES_IF) || is_taken(regs->flags, how >> STP_LEAVES_CODE);

	if ((how & (STP_LEAVES_ENTRY | STP_LEAVES_OTHER)) == STP_LEAVES_ENTRY && s->calls)
		entered(s, regs);
	if (how)
		follow(s, &k, how, taken);
	if (!taken || kind == STP_LEAVES_FOR || kind == STP_LEAVES_NOT)
		return 0;
	if (how & STP_LEAVES_OTHER)
		call = CALL_OTHER | CALL_MUST;
	else if (kind == STP_LEAVES_INDIRECT || s->p->entry)
		call = CALL_MUST;
	if (kind != STP_LEAVES_RETURN)
		call |= CALL_NO_RESULT;
	stp_call_left(s, (u64)(unsigned long)k.site, regs, &k, call);
	return 0;
}

s64 stp_user_result(struct stp_ctx *c)
{
	if (unlikely(stp_context_of(c)->no_result)) {
		stp_fail(c, stp_err_no_result);
		return 0;
	}
	return c->regs[offsetof(struct pt_regs, ax) / sizeof(u64)];
}
