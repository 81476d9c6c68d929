/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs when a uprobe is hit: in the task's own context, on its way through the kernel.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "uprobe_hit.h"

static __always_inline void user_hit(struct uprobe_site *s, struct pt_regs *regs, u64 ip, u64 *saved, bool no_result)
{
	const struct stp_probe *p = s->p;
	struct stp_context *x;

	if (unlikely(p->condition && !p->condition()))
		return;
	x = stp_claim(p);
	if (unlikely(!x))
		return;
	x->c.regs = (u64 *)regs;
	x->c.ip = ip;
	x->c.saved = saved;
	x->c.site = s->name;
	x->no_result = no_result;
	stp_run(x, p);
}

#define RESTARTS_MAX 8
#define FAULT_PAGES_MAX 16

/* Brings in memory of the current process; may sleep.  false: there is none. */
static bool fault_in(u64 addr, u32 len)
{
	u64 end = addr + min_t(u64, len ?: 1, FAULT_PAGES_MAX * PAGE_SIZE);
	u8 byte;

	for (; addr < end; addr = (addr | (PAGE_SIZE - 1)) + 1)
		if (get_user(byte, (const u8 __user *)(uintptr_t)addr))
			return false;
	return true;
}

/*
 * One run of a handler with STP_RESTART.  true: it read user memory that was not there and has done nothing else,
 * so that it may run again once the memory is (*missing, *len).
 */
static bool run_once(struct uprobe_site *s, struct pt_regs *regs, u64 ip, u64 *saved, bool no_result, bool last, u64 *missing, u32 *len)
{
	const struct stp_probe *p = s->p;
	struct stp_context *x = stp_claim(p);
	struct stp_ctx *c = &x->c;
	bool again;

	if (!x)
		return false;
	c->regs = (u64 *)regs;
	c->ip = ip;
	c->saved = saved;
	c->site = s->name;
	x->no_result = no_result;
	c->probe = p;
	c->actions = x->maxaction;
	c->scratch = x->scratch_base;
	c->stack_start = (u64)__builtin_frame_address(0);
	x->fault = 0;
	if (unlikely(--x->sample <= 0))
		stp_run_sampled(x, p);
	else
		p->handler(c);
	again = unlikely(c->err) && x->fault && !c->out.p && !x->lost && !last;
	if (again) {
		c->err = NULL;
		c->err_pos = 0;
		c->nesting = 0;
		*missing = x->fault;
		*len = x->fault_len;
	} else if (unlikely(c->err || c->out.p)) {
		stp_finish(x);
	}
	stp_release(x);
	return again;
}

static void user_hit_restart(struct uprobe_site *s, struct pt_regs *regs, u64 ip, u64 *saved, bool no_result)
{
	unsigned long flags;
	u32 tries = 0, len;
	u64 missing;
	bool again;

	if (s->p->condition && !s->p->condition())
		return;
	do {
		raw_local_irq_save(flags);
		again = run_once(s, regs, ip, saved, no_result, tries >= RESTARTS_MAX, &missing, &len);
		raw_local_irq_restore(flags);
		if (again && !fault_in(missing, len))
			tries = RESTARTS_MAX;
	} while (again && tries++ <= RESTARTS_MAX);
}

int stp_uprobe_restart_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);

	if (likely(!s->scope) || stp_scope_has_current(s->scope))
		user_hit_restart(s, regs, regs->ip, NULL, false);
	return 0;
}

int stp_uprobe_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	unsigned long flags;

	if (unlikely(s->scope) && !stp_scope_has_current(s->scope))
		return 0;
	raw_local_irq_save(flags);
	user_hit(s, regs, regs->ip, NULL, false);
	raw_local_irq_restore(flags);
	return 0;
}

/* Handlers without strings, printing and conditions. */
int stp_uprobe_leaf_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	struct stp_context *x;
	unsigned long flags;

	if (unlikely(s->scope) && !stp_scope_has_current(s->scope))
		return 0;
	raw_local_irq_save(flags);
	x = stp_claim(s->p);
	if (likely(x)) {
		x->c.regs = (u64 *)regs;
		x->c.ip = regs->ip;
		x->c.site = s->name;
		stp_run_leaf(x, s->p);
	}
	raw_local_irq_restore(flags);
	return 0;
}

/* Behind the return address of a call: at its entry, and again at its return. */
static unsigned long entry_sp(const struct pt_regs *regs)
{
	return regs->sp + (user_64bit_mode((struct pt_regs *)regs) ? 8 : 4);
}

/* Runs the entry handler; false: this call's return is not to be followed. */
static bool run_entry(struct uprobe_site *s, struct pt_regs *regs, u64 *saved)
{
	struct stp_context *x = stp_claim(s->p);
	struct stp_ctx *c = &x->c;
	bool ok;

	if (!x)
		return false;
	c->regs = (u64 *)regs;
	c->ip = regs->ip;
	c->saved = saved;
	c->site = s->name;
	c->probe = s->p;
	c->actions = x->maxaction;
	c->scratch = x->scratch_base;
	c->stack_start = (u64)__builtin_frame_address(0);
	s->p->entry(c);
	ok = !c->err;
	if (unlikely(c->err || c->out.p || x->lost))
		stp_finish(x);
	stp_release(x);
	return ok;
}

void stp_call_entered(struct uprobe_site *s, struct pt_regs *regs, const struct stp_ucall_key *k)
{
	unsigned long flags;
	u64 *words;

	if (unlikely(s->scope) && !stp_scope_has_current(s->scope))
		return;
	raw_local_irq_save(flags);
	words = stp_ucalls_enter(s->calls, k);
	if (words)
		stp_ucalls_entered(words, !s->p->entry || run_entry(s, regs, words));
	raw_local_irq_restore(flags);
}

int stp_ureturn_entry_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	struct stp_ucall_key k = { current, s, entry_sp(regs) };

	stp_call_entered(s, regs, &k);
	return 0;
}

void stp_call_left(struct uprobe_site *s, u64 func, struct pt_regs *regs, const struct stp_ucall_key *k, u32 how)
{
	unsigned long flags;
	u64 *words = NULL;
	bool hit;

	if (unlikely(s->scope) && !stp_scope_has_current(s->scope))
		return;
	raw_local_irq_save(flags);
	if (s->calls)
		words = how & CALL_OTHER ? stp_ucalls_leave_other(s->calls, k) : stp_ucalls_leave(s->calls, k);
	hit = words || !(how & CALL_MUST);
	if (hit && !(s->p->flags & STP_RESTART))
		user_hit(s, regs, func, words, how & CALL_NO_RESULT);
	raw_local_irq_restore(flags);
	if (hit && s->p->flags & STP_RESTART)
		user_hit_restart(s, regs, func, words, how & CALL_NO_RESULT);
	if (words)
		stp_ucalls_entered(words, false);
}

int stp_ureturn_fn(struct uprobe_consumer *uc, unsigned long func, struct pt_regs *regs STP_UPROBE_DATA)
{
	struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	struct stp_ucall_key k = { current, s, regs->sp };

	stp_call_left(s, func, regs, &k, s->p->entry ? CALL_MUST : 0);
	return 0;
}
