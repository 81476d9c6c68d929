/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Probes of user programs: attaching uprobes to files, and whom they are for.
 *
 * The kernel asks site_filter before it puts a breakpoint into a process, so that others do not pay for
 * it; handlers ask again, since another tracer may have put one there.
 */
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include "port.h"
#include "uprobe_hit.h"

/* Those that the script's probes do not need are not there: generated code names the others (STP_UPROBE of stp.h). */
extern typeof(stp_uprobe_fn) stp_uprobe_fn __weak;
extern typeof(stp_uprobe_leaf_fn) stp_uprobe_leaf_fn __weak;
extern typeof(stp_uprobe_restart_fn) stp_uprobe_restart_fn __weak;
extern typeof(stp_ureturn_fn) stp_ureturn_fn __weak;
extern typeof(stp_ureturn_entry_fn) stp_ureturn_entry_fn __weak;
extern typeof(stp_ureturn_insn_fn) stp_ureturn_insn_fn __weak;
extern typeof(stp_ureturn_insn_entry_fn) stp_ureturn_insn_entry_fn __weak;
extern typeof(stp_usite_is_jump) stp_usite_is_jump __weak;
extern typeof(stp_ucalls_new) stp_ucalls_new __weak;
extern typeof(stp_ucalls_free) stp_ucalls_free __weak;

static struct uprobe_set *sets;

/* ---- whom a probe is for ---- */
/* Is some task of that address space in scope?  The kernel may ask about another process than the current one. */
static bool mm_in_scope(const struct stp_user_scope *sc, struct mm_struct *mm)
{
	struct task_struct *p, *t;
	bool ret = false;

	if (mm == current->mm)
		return stp_scope_has_task(sc, current);
	rcu_read_lock();
	for_each_process(p) {
		if (!stp_scope_has_task(sc, p))
			continue;
		for_each_thread(p, t)
			ret |= t->mm == mm;
		if (ret)
			break;
	}
	rcu_read_unlock();
	return ret;
}

/*
 * A file that is written to stays the same to the kernel, which would put breakpoints, and what it remembers of the instructions, anywhere into
 * what the file is now.
 */
STP_UPROBE_FILTER(site_filter, uc, mm)
{
	const struct uprobe_site *s = container_of(uc, struct uprobe_site, uc);
	const struct stp_user_scope *sc = s->scope;

	if (!sc)
		return stp_user_file_intact(s->file);
	if (sc->program && stp_mm_program(mm) != sc->program)
		return false;
	return ((!sc->pid && !sc->tree) || mm_in_scope(sc, mm)) && stp_user_file_intact(s->file);
}

/* ---- attaching ---- */
static void refused(struct stp_user_group *g, const struct stp_usite *site, int err)
{
	static u32 count;
	char *buf;

	if (g->ps->p->flags & STP_OPTIONAL || ++count > 8) {
		if (count == 9)
			stp_warn("more probes of programs could not be attached");
		return;
	}
	buf = stp_alloc(PATH_MAX);
	stp_warn("%s at offset 0x%llx of %s could not be probed: the kernel refuses it (error %d)", g->names + site->name,
		 site->offset, buf ? stp_user_path(g->file, buf, PATH_MAX) : "?", err);
	stp_free(buf);
}

static void site_prepare(struct uprobe_set *set, struct uprobe_site *s, u32 i)
{
	const struct stp_user_group *g = set->group;

	s->p = g->ps->p;
	s->site = &g->sites[i];
	s->name = g->names + g->sites[i].name;
	if (s->p->flags & STP_AT_RETURNS) {
		s->uc.handler = s->site->semaphore ? stp_ureturn_insn_fn : set->calls ? stp_ureturn_insn_entry_fn : NULL;
		s->calls = set->calls;
	} else if (s->p->kind == STP_URETURN) {
		s->uc.ret_handler = stp_ureturn_fn;
		s->uc.handler = s->p->entry ? stp_ureturn_entry_fn : NULL;
		s->calls = set->calls;
	} else if (s->p->flags & STP_RESTART) {
		s->uc.handler = stp_uprobe_restart_fn;
	} else {
		s->uc.handler = s->p->flags & STP_LEAF && !s->p->condition ? stp_uprobe_leaf_fn : stp_uprobe_fn;
	}
	if (set->scope.pid || set->scope.tree || set->scope.program)
		s->scope = &set->scope;
	s->file = g->file;
	s->uc.filter = site_filter;
}

/*
 * Registering and unregistering, by a worker of the kernel: what puts breakpoints into a program's pages, and takes them out, is
 * get_user_pages(), which fails with -EINTR for a task that is being killed.  A loader killed while it attaches would leave breakpoints
 * behind, for the kernel undoes only half of what it did, too.
 */
struct uprobe_job {
	struct work_struct work;
	struct uprobe_site *site;
	struct inode *inode;
	u64 semaphore;
	bool off;
	int rc;
};

static void job_fn(struct work_struct *work)
{
	struct uprobe_job *job = container_of(work, struct uprobe_job, work);
	struct uprobe_site *s = job->site;

	if (job->off)
		stp_uprobe_unregister(&s->handle, &s->uc);
	else
		job->rc = stp_uprobe_register(&s->handle, job->inode, s->site->offset, job->semaphore, &s->uc);
}

static int job_run(struct uprobe_job *job)
{
	INIT_WORK_ONSTACK(&job->work, job_fn);
	schedule_work(&job->work);
	flush_work(&job->work);
	destroy_work_on_stack(&job->work);
	return job->rc;
}

static int attach_set(struct uprobe_set *set)
{
	struct stp_user_group *g = set->group;
	u32 i;
	int rc;

	for (i = 0; i < g->nsites; i++) {
		struct uprobe_site *s = &set->sites[i];

		if (i % STP_ATTACH_BATCH == 0 && signal_pending(current))
			return -EINTR;
		site_prepare(set, s, i);
		if (!s->uc.handler && !s->uc.ret_handler)
			continue; /* nothing is kept at the function's start */
		rc = job_run(&(struct uprobe_job){ .site = s, .inode = g->file->inode,
						   .semaphore = s->p->flags & STP_AT_RETURNS ? 0 : g->sites[i].semaphore });
		s->on = !rc;
		g->ps->attached += !rc;
		if (rc)
			refused(g, &g->sites[i], rc);
	}
	return 0;
}

/* Are there functions that end by jumping to others?  Their calls are followed. */
static bool has_jumps(const struct stp_user_group *g)
{
	u32 i;

	for (i = 0; g->ps->p->flags & STP_AT_RETURNS && i < g->nsites; i++)
		if (stp_usite_is_jump(&g->sites[i]))
			return true;
	return false;
}

static struct uprobe_set *set_new(struct stp_user_group *g)
{
	struct uprobe_set *set = kvzalloc(struct_size(set, sites, g->nsites), GFP_KERNEL);
	const struct stp_probe *p = g->ps->p;

	if (!set)
		return NULL;
	set->group = g;
	set->scope = stp_scope_of(g);
	set->next = sets;
	sets = set;
	if (p->kind == STP_URETURN && (p->entry || has_jumps(g))) {
		if (!g->ps->hook)
			g->ps->hook = stp_ucalls_new(p);
		set->calls = g->ps->hook;
		if (!set->calls)
			return NULL;
	}
	return set;
}

static int uprobes_attach(void)
{
	struct stp_user_group *g;
	struct uprobe_set *set;
	int rc = 0;

	for (g = stp_user_groups; g && !rc; g = g->next) {
		if (g->ps->p->kind != STP_UPROBE && g->ps->p->kind != STP_URETURN)
			continue;
		set = set_new(g);
		rc = set ? attach_set(set) : -ENOMEM;
	}
	return rc;
}

static void uprobes_detach(void)
{
	struct stp_probe_state *ps;
	struct uprobe_set *set, *next;
	u32 i;

	for (set = sets; set; set = set->next)
		for (i = 0; i < set->group->nsites; i++)
			if (set->sites[i].on)
				job_run(&(struct uprobe_job){ .site = &set->sites[i], .off = true });
	if (sets)
		stp_uprobe_sync();
	stp_for_each_probe(ps, STP_URETURN) {
		if (ps->hook)
			stp_ucalls_free(ps->hook);
		ps->hook = NULL;
	}
	for (set = sets; set; set = next) {
		next = set->next;
		kvfree(set);
	}
	sets = NULL;
}

const struct stp_hook stp_hook_uprobe = { uprobes_attach, uprobes_detach };
