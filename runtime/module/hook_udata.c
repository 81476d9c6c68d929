/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Watchpoints on a program's data: a debug register of each task that runs the program, as an event of that task.  Where the program
 * is in memory is known from its address space (start_code), so that they are there before its first instruction.
 */
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include "task_watch.h"
#include "udata.h"
#include "compat/perf.h"

static struct udata_hook *hooks;

/* In an exception that user mode came by, or the kernel on the process's behalf. */
static void udata_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct udata_hook *h = event->overflow_handler_context;
	u64 args[1] = { event->attr.bp_addr };

	if (stp_handler_runs()) /* it is the handler that reads the variable */
		return;
	if (h->scope.pid && current->tgid != h->scope.pid) /* a child of its has inherited the event */
		return;
	stp_hit(h->te.ps->p, (u64 *)regs, args, regs ? instruction_pointer(regs) : 0);
}

static bool wants(const struct stp_task_events *te, struct task_struct *task)
{
	const struct udata_hook *h = container_of(te, struct udata_hook, te);
	bool runs;

	if (!stp_scope_has_task(&h->scope, task))
		return false;
	task_lock(task);
	runs = stp_mm_program(task->mm) == h->group->file->inode;
	task_unlock(task);
	return runs;
}

struct perf_event *stp_udata_event(const struct udata_hook *h, struct task_struct *task, u64 addr, const struct perf_event_attr *extra)
{
	const struct stp_probe *p = h->te.ps->p;
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.inherit = extra->inherit;
	attr.disabled = 0;
	if (stp_perf_removes_on_exec(extra))
		stp_perf_remove_on_exec(&attr);
	attr.bp_addr = addr;
	attr.bp_len = p->arg; /* HW_BREAKPOINT_LEN_* are numbers of bytes */
	attr.bp_type = p->sub;
	return perf_event_create_kernel_counter(&attr, -1, task, udata_hit, (void *)h);
}

static struct perf_event *create(const struct stp_task_events *te, struct task_struct *task, const struct perf_event_attr *extra)
{
	const struct udata_hook *h = container_of(te, struct udata_hook, te);
	u64 addr = h->group->sites[0].offset;
	struct mm_struct *mm = get_task_mm(task);

	if (!mm)
		return ERR_PTR(-ESRCH);
	if (te->ps->p->arg2 == UDATA_PROGRAM)
		addr += mm->start_code;
	mmput(mm);
	return stp_udata_event(h, task, addr, extra);
}

static void refused(const struct stp_task_events *te, int err)
{
	const struct stp_probe *p = te->ps->p;

	if (p->flags & STP_OPTIONAL)
		return;
	if (err == -ENOSPC)
		stp_warn("probe %s could not be attached: the process's debug registers are all in use, by a debugger or other watchpoints", p->point);
	else
		stp_warn("probe %s could not be attached: the kernel refuses it (error %d)", p->point, err);
}

struct udata_hook *stp_udata_new(const struct stp_user_group *g)
{
	struct udata_hook *h = kzalloc(sizeof(*h), GFP_KERNEL);

	if (h) {
		h->group = g;
		h->scope = stp_scope_of(g);
		h->te = (struct stp_task_events){ .ps = g->ps, .wants = wants, .create = create, .refused = refused };
	}
	return h;
}

static int udata_attach(void)
{
	const struct stp_user_group *g;
	struct udata_hook *h;

	for (g = stp_user_groups; g; g = g->next) {
		if (g->ps->p->kind != STP_UDATA || !g->nsites || g->ps->p->arg2 == UDATA_LIBRARY)
			continue;
		h = stp_udata_new(g);
		if (!h)
			return -ENOMEM;
		h->next = hooks;
		hooks = h;
		stp_task_events_start(&h->te);
	}
	return 0;
}

static void udata_detach(void)
{
	struct udata_hook *h;

	while ((h = hooks)) {
		hooks = h->next;
		stp_task_events_stop(&h->te);
		kfree(h);
	}
}

const struct stp_hook stp_hook_udata = { udata_attach, udata_detach };
