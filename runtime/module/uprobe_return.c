/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Returns of functions of programs, and the calls that are followed until then (ucalls.c). */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "uprobe_hit.h"

extern typeof(stp_user_hit_restart) stp_user_hit_restart __weak; /* comes with probes that have STP_RESTART */

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
		stp_user_hit(s, regs, func, words, how & CALL_NO_RESULT);
	raw_local_irq_restore(flags);
	if (hit && s->p->flags & STP_RESTART)
		stp_user_hit_restart(s, regs, func, words, how & CALL_NO_RESULT);
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
