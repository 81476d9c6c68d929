/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between attaching uprobes and their hits. */
#ifndef STP_UPROBE_HIT_H
#define STP_UPROBE_HIT_H

#include "compat/uprobes.h"
#include "context.h"
#include "task_watch.h"
#include "user_file.h"
#include "user_scope.h"

struct stp_ucalls;
struct uprobe_site {
	struct uprobe_consumer uc;
	const struct stp_probe *p;
	const struct stp_user_scope *scope; /* NULL: everybody */
	struct stp_user_file *file;
	const char *name;
	struct stp_ucalls *calls;       /* STP_URETURN with an entry handler, or whose functions end by jumping to others */
	const struct stp_usite *site;
	struct stp_uprobe_handle handle;
	bool on;
};

/* The places of a probe in a file. */
struct uprobe_set {
	struct uprobe_set *next;
	struct stp_user_group *group;
	struct stp_user_scope scope;
	struct stp_ucalls *calls;
	struct uprobe_site sites[];
};

int stp_uprobe_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA);
int stp_uprobe_restart_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA);
int stp_uprobe_leaf_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA);
int stp_ureturn_fn(struct uprobe_consumer *uc, unsigned long func, struct pt_regs *regs STP_UPROBE_DATA);
int stp_ureturn_insn_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA);
int stp_ureturn_insn_entry_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA);
/* uprobe_insn.c asks for these: a followed call begins; the handler runs at its end, CALL_*. */
enum { CALL_MUST = 1 /* only of calls that were followed */, CALL_OTHER = 2 /* it ends in another function */, CALL_NO_RESULT = 4 };
struct stp_ucall_key;
void stp_call_entered(struct uprobe_site *s, struct pt_regs *regs, const struct stp_ucall_key *k);
void stp_call_left(struct uprobe_site *s, u64 func, struct pt_regs *regs, const struct stp_ucall_key *k, u32 how);
/* uprobe_insn.c: does it jump to other functions? */
bool stp_usite_is_jump(const struct stp_usite *site);
extern const char stp_err_no_result[];

int stp_ureturn_entry_fn(struct uprobe_consumer *uc, struct pt_regs *regs STP_UPROBE_DATA);

/*
 * ucalls.c: calls under way whose entry handler kept something.  A call is known by its thread, its probed place and
 * the stack pointer behind its return address, so that recursion and longjmp() do no harm; where stacks move, by what
 * stays the same instead.
 */
struct stp_ucall_key {
	const void *owner;              /* the thread */
	const void *site;
	unsigned long sp;
};
struct stp_ucalls *stp_ucalls_new(const struct stp_probe *p);   /* NULL: no memory */
void stp_ucalls_free(struct stp_ucalls *uc);                    /* NULL is fine */
/* Interrupts off: words to fill for this call, NULL: no room, counted; then say whether it is to be followed. */
u64 *stp_ucalls_enter(struct stp_ucalls *uc, const struct stp_ucall_key *k);
void stp_ucalls_entered(u64 *words, bool live);
/* Interrupts off: the call's words, NULL: it was not followed; to be given back with stp_ucalls_entered(words, false). */
u64 *stp_ucalls_leave(struct stp_ucalls *uc, const struct stp_ucall_key *k);
/* ... of a call that is under way in another function now. */
u64 *stp_ucalls_leave_other(struct stp_ucalls *uc, const struct stp_ucall_key *k);
/*
 * Interrupts off: the call jumps to another function (`other`: from one that it has jumped to before); and such a function begins.  When it
 * begins without a jump, the call has been over for long, by an exception, and another one is at the same place of the stack.
 */
void stp_ucalls_jump(struct stp_ucalls *uc, const struct stp_ucall_key *k, bool other);
void stp_ucalls_begin_other(struct stp_ucalls *uc, const struct stp_ucall_key *k);

/* ---- what the hits have in common ---- */
static __always_inline void stp_user_hit(struct uprobe_site *s, struct pt_regs *regs, u64 ip, u64 *saved, bool no_result)
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

/* A hit of a probe with STP_RESTART; interrupts on. */
void stp_user_hit_restart(struct uprobe_site *s, struct pt_regs *regs, u64 ip, u64 *saved, bool no_result);
#endif
