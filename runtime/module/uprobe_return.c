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

	if (!x)
		return false;
	x->c.regs = (u64 *)regs;
	x->c.ip = regs->ip;
	x->c.saved = saved;
	x->c.site = s->name;
	return stp_run_entry(x, s->p);
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
