/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of the current process (ustack.h). */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include "port.h"
#include "context.h"
#include "umap.h"
#include "ustack.h"
#include "utab.h"

const u8 stp_umap_wants_rows = 1;

/* Where a walk is: the mapping that the last pc was in, its table, and what leads from an address to the file's own. */
struct walk {
	const struct stp_space *space;
	const struct stp_umap *m;
	const struct stp_utab *t;
	u64 delta;
	bool nmi;
	bool jit;                 /* code that the process made as it runs */
};

/* What copy_from_user_nofault does for one word, in a tenth of the instructions; NMIs need its further checks. */
static bool read_word(void *data, u64 addr, u64 *v)
{
	const u64 __user *p = (const u64 __user *)addr;
	bool ok;

	if (unlikely(((struct walk *)data)->nmi))
		return !copy_from_user_nofault(v, p, sizeof(*v));
	if (!access_ok(p, sizeof(*v)))
		return false;
	pagefault_disable();
	ok = !__get_user(*v, p);
	pagefault_enable();
	return ok;
}

/* The last rules that were looked up on this CPU: a stack that is walked again and again is the usual case. */
#define CACHED 128
struct cached_rule {
	const struct stp_utab *t;
	u64 at;
	const struct stp_utab_rule *rule;
};
static struct cached_rule __percpu *rules; /* CACHED of each CPU */

void stp_ustack_cache(bool make)
{
	if (make && !rules)
		WRITE_ONCE(rules, __alloc_percpu(CACHED * sizeof(*rules), __alignof__(*rules)));
	if (!make)
		free_percpu(rules);
}

/* Interrupts are off, so that only an NMI could come in between: it does without. */
static const struct stp_utab_rule *rule_at(const struct walk *w, u64 at)
{
	struct cached_rule __percpu *all = READ_ONCE(rules);
	struct cached_rule *c;

	if (unlikely(w->nmi || !all))
		return stp_utab_rule(w->t, at);
	c = this_cpu_ptr(all) + (at ^ at >> 7) % CACHED;
	if (c->t != w->t || c->at != at) {
		c->rule = stp_utab_rule(w->t, at);
		c->t = w->t;
		c->at = at;
	}
	return c->rule;
}

/* The table for a pc, and its address in the file. */
static const struct stp_utab *table_at(struct walk *w, u64 pc, u64 *at)
{
	if (!w->m || pc < w->m->start || pc >= w->m->end) {
		w->m = stp_space_find(w->space, pc);
		w->jit = w->m && w->m->file->source == STP_SOURCE_PERF_MAP;
		w->t = w->m && !w->jit ? stp_umap_table(w->m, pc, at) : NULL;
		w->delta = *at - pc;
	}
	*at = pc + w->delta;
	return w->t;
}

const struct pt_regs *stp_user_regs(struct stp_ctx *c)
{
	const struct pt_regs *regs = (const struct pt_regs *)c->regs;

	/* registers of function probes have no code segment */
	if (regs && regs->cs && user_mode(regs))
		return regs;
	return current->mm && !(current->flags & PF_KTHREAD) ? task_pt_regs(current) : NULL;
}

/*
 * A return probe puts a trampoline's address where the caller's was, and the kernel keeps the caller's in a list (struct
 * return_instance of linux/uprobes.h, no longer than its MAX_URETPROBE_DEPTH). The reads are guarded: in an interrupt the
 * head of the list may just have been freed. Several probes of one call are chained; the last has the caller's address.
 */
#define RETURNS_MAX 64
static void trampoline_undo(struct stp_uregs *r)
{
#ifdef CONFIG_UPROBES
	struct uprobe_task *task = current->utask;
	const struct return_instance *i;
	struct return_instance in;
	u32 n;

	if (likely(!task))
		return;
	i = (const struct return_instance *)READ_ONCE(task->return_instances);
	for (n = 0; i && n < RETURNS_MAX && !copy_from_kernel_nofault(&in, i, sizeof(in)); n++) {
		if (in.stack == r->sp - sizeof(u64) && !in.chained) {
			r->ip = in.orig_ret_vaddr;
			return;
		}
		i = (const struct return_instance *)in.next;
	}
#endif
}

/* An instruction that has a breakpoint runs as a copy in a place of its own meanwhile: where it belongs. */
static void copy_undo(struct stp_uregs *r)
{
#ifdef CONFIG_UPROBES
	const struct uprobe_task *task = current->utask;

	if (unlikely(task && READ_ONCE(task->active_uprobe) && r->ip - task->xol_vaddr < MAX_UINSN_BYTES))
		r->ip = task->vaddr + (r->ip - task->xol_vaddr);
#endif
}

/*
 * Just-in-time compilers leave nothing that tells of frames, nor do Go's compiler and assembly, but most keep rbp as the frame pointer.  It is believed when it is
 * a little above the stack pointer, and what lies behind it leads to code.
 */
#define RBP_FRAME_MAX (1u << 20)
static enum stp_step step_by_rbp(struct walk *w, struct stp_uregs *r, bool *interrupted)
{
	static const struct stp_utab_rule rule = { .cfa = STP_CFA_REG, .reg = 6 /* rbp */, .cfa_off = 16, .ra = STP_SAVE_CFA, .ra_off = -8,
		.bp = STP_SAVE_CFA, .bp_off = -16 };
	const struct stp_umap *m;

	if (!r->bp_known || r->bp & 7 || r->bp - r->sp > RBP_FRAME_MAX ||
	    stp_utab_step(&rule, 0, r, read_word, w, interrupted) != STP_STEP_OK)
		return STP_STEP_LOST;
	m = stp_space_find(w->space, r->ip);
	return m && m->flags & STP_UMAP_EXEC ? STP_STEP_OK : STP_STEP_LOST;
}

static enum stp_step step(struct walk *w, struct stp_uregs *r, bool *interrupted)
{
	u64 at = 0;
	const struct stp_utab *t = table_at(w, r->ip - !*interrupted, &at);
	const struct stp_utab_rule *rule;

	if (w->jit)
		return step_by_rbp(w, r, interrupted);
	if (!t)
		return STP_STEP_LOST;
	rule = rule_at(w, at);
	return rule ? stp_utab_step(rule, at, r, read_word, w, interrupted) : step_by_rbp(w, r, interrupted);
}

/* From registers on, behind the n that are there; `interrupted`: r->ip is not behind a call. */
static u32 follow(struct stp_uregs *r, u64 *pc, u32 n, u32 max, bool interrupted)
{
	struct walk w = { .space = stp_space_current(), .nmi = in_nmi() };

	copy_undo(r);
	while (n < max) {
		pc[n++] = r->ip;
		if (n == max || !w.space || step(&w, r, &interrupted) != STP_STEP_OK)
			break;
		if (!interrupted)
			trampoline_undo(r);
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
	/* an entry handler runs where the function begins, and what it sees is as in other probes */
	if (regs == (const struct pt_regs *)c->regs && c->probe->kind == STP_URETURN && regs->ip != c->ip) {
		r.ip = regs->ip;
		if (!(c->probe->flags & STP_AT_RETURNS)) { /* the function has returned: it, and where it was called */
			pc[0] = c->ip;
			return follow(&r, pc, 1, max, false);
		}
	}
	return follow(&r, pc, 0, max, true);
}

u32 stp_ustack_frames_from(struct stp_ctx *c, u64 ip, u64 sp, u64 bp, u64 *pc, u32 max)
{
	struct stp_uregs r = { .ip = ip, .sp = sp, .bp = bp, .bp_known = true };

	return max && current->mm ? follow(&r, pc, 0, max, true) : 0;
}
