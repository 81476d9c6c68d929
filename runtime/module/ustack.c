/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of the current process (ustack.h). */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include "port.h"
#include "context.h"
#include "umap.h"
#include "ustack.h"
#include "utab.h"

const u8 stp_umap_wants_rows = 1;

static bool read_word(void *data, u64 addr, u64 *v)
{
	return !copy_from_user_nofault(v, (const void __user *)addr, sizeof(*v));
}

const struct pt_regs *stp_user_regs(struct stp_ctx *c)
{
	const struct pt_regs *regs = (const struct pt_regs *)c->regs;

	/* registers of function probes have no code segment */
	if (regs && regs->cs && user_mode(regs))
		return regs;
	return current->mm && !(current->flags & PF_KTHREAD) ? task_pt_regs(current) : NULL;
}

static u32 follow(struct stp_uregs *r, u64 *pc, u32 max)
{
	bool interrupted = true; /* the innermost pc is not behind a call */
	u32 n = 0;

	while (n < max) {
		const struct stp_umap *m;
		const struct stp_utab *t;
		u64 at;

		pc[n++] = r->ip;
		m = stp_umap_find(r->ip - !interrupted);
		if (!m)
			break;
		t = stp_umap_table(m, r->ip - !interrupted, &at);
		if (!t || stp_utab_step(stp_utab_rule(t, at), at, r, read_word, NULL, &interrupted) != STP_STEP_OK)
			break;
	}
	return n;
}

u32 stp_ustack_frames(struct stp_ctx *c, u64 *pc, u32 max)
{
	const struct pt_regs *regs = stp_user_regs(c);
	struct stp_uregs r;
	u64 all[16];

	if (!regs || !max)
		return 0;
	/* DWARF's order */
	all[0] = regs->ax; all[1] = regs->dx; all[2] = regs->cx; all[3] = regs->bx;
	all[4] = regs->si; all[5] = regs->di; all[6] = regs->bp; all[7] = regs->sp;
	all[8] = regs->r8; all[9] = regs->r9; all[10] = regs->r10; all[11] = regs->r11;
	all[12] = regs->r12; all[13] = regs->r13; all[14] = regs->r14; all[15] = regs->r15;
	/* at a breakpoint the pc is the probed instruction's, whatever the registers say */
	r.ip = regs == (const struct pt_regs *)c->regs && c->ip ? c->ip : regs->ip;
	r.sp = regs->sp;
	r.bp = regs->bp;
	r.bp_known = true;
	r.all = all;
	return follow(&r, pc, max);
}

u32 stp_ustack_frames_from(struct stp_ctx *c, u64 ip, u64 sp, u64 bp, u64 *pc, u32 max)
{
	struct stp_uregs r = { .ip = ip, .sp = sp, .bp = bp, .bp_known = true };

	return max && current->mm ? follow(&r, pc, max) : 0;
}
