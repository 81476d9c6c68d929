/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers that run again once the user memory they read is there (STP_RESTART). */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "uprobe_hit.h"

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
	stp_run_begin(x, p, x->maxaction);
	x->may_restart = !last;
	stp_run_handler(x, p);
	x->may_restart = false;
	again = c->again;
	if (unlikely(again)) {
		c->again = 0;
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

void stp_user_hit_restart(struct uprobe_site *s, struct pt_regs *regs, u64 ip, u64 *saved, bool no_result)
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
		stp_user_hit_restart(s, regs, regs->ip, NULL, false);
	return 0;
}
