/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints, found by name, also in modules.  A tracepoint calls its probes with (data, arguments...)
 * after the C calling convention; the callbacks here take more words than any tracepoint passes and
 * hand on those that there are.
 */
#include <linux/sched/signal.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "hook.h"
#include "task_watch.h"

struct tracepoint_hook {
	struct tracepoint *tp;
	struct module *owner;
	void *fn;
};

/* The argument words that come in registers. */
static void tracepoint_regs_fn(void *data, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4)
{
	u64 args[] = { a0, a1, a2, a3, a4 };

	stp_hit(data, NULL, args, 0);
}

/* Reads up to seven words of the caller's stack: always there, below its own frame. */
static void tracepoint_stack_fn(void *data, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6, u64 a7, u64 a8,
				u64 a9, u64 a10, u64 a11)
{
	u64 args[STP_MAXARGS] = { a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11 };

	stp_hit(data, NULL, args, 0);
}

/* ---- attaching ---- */
static int attach_one(struct stp_probe_state *ps)
{
	struct tracepoint_hook *h = ps->hook;
	void *fn = ps->p->nargs <= 5 ? (void *)tracepoint_regs_fn : (void *)tracepoint_stack_fn;
	int rc = tracepoint_probe_register(h->tp, fn, (void *)ps->p);

	if (!rc) {
		h->fn = fn;
		ps->attached = 1;
	}
	return rc;
}

static void detach_one(struct stp_probe_state *ps)
{
	struct tracepoint_hook *h = ps->hook;

	if (h->fn)
		tracepoint_probe_unregister(h->tp, h->fn, (void *)ps->p);
	h->fn = NULL;
}

static void match(struct tracepoint *tp, void *arg)
{
	struct stp_probe_state *ps = arg;
	struct tracepoint_hook *h = ps->hook;

	if (!h->tp && !strcmp(tp->name, ps->p->target))
		h->tp = tp;
}

/* ---- modules ---- */
#ifdef CONFIG_MODULES
static bool notified; /* the notifier is registered */

static void module_comes(struct stp_probe_state *ps, struct module *mod)
{
	struct tracepoint_hook *h = ps->hook;
	unsigned int i;

	for (i = 0; !h->tp && i < mod->num_tracepoints; i++)
		match(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), ps);
	if (h->tp && !h->fn) {
		h->owner = mod;
		attach_one(ps);
	}
}

/*
 * Called for every module that has tracepoints while registering and, as if it went, while unregistering; and when
 * one comes or goes meanwhile.  One call at a time.  stp_session_lock may be held by who registers, and is not
 * taken here.
 */
static int module_event(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct module *mod = ((struct tp_module *)arg)->mod;
	struct stp_probe_state *ps;
	bool gone = false;

	stp_for_each_probe(ps, STP_TRACEPOINT) {
		struct tracepoint_hook *h = ps->hook;

		if (event == MODULE_STATE_COMING && !h->tp) {
			module_comes(ps, mod);
		} else if (event == MODULE_STATE_GOING && h->owner == mod) {
			detach_one(ps);
			h->tp = NULL;
			h->owner = NULL;
			gone = true;
		}
	}
	if (gone)
		stp_tracepoints_drain();
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = module_event };

static void watch_modules(bool on)
{
	if (on)
		notified = !register_tracepoint_module_notifier(&notifier);
	else if (notified)
		unregister_tracepoint_module_notifier(&notifier);
	notified &= on;
}
#else
static void watch_modules(bool on)
{
}
#endif

static void refuse(struct stp_probe_state *ps, const char *why)
{
	if (!(ps->p->flags & STP_OPTIONAL))
		stp_warn("probe %s could not be attached: %s", ps->p->point, why);
}

/* ---- the hook ---- */
static int tracepoints_attach(void)
{
	struct stp_probe_state *ps;
	bool missing = false;

	stp_for_each_probe(ps, STP_TRACEPOINT) {
		ps->hook = kzalloc(sizeof(struct tracepoint_hook), GFP_KERNEL);
		if (!ps->hook)
			return -ENOMEM;
	}
	stp_for_each_probe(ps, STP_TRACEPOINT) {
		struct tracepoint_hook *h = ps->hook;

		if (signal_pending(current))
			return -EINTR;
		for_each_kernel_tracepoint(match, ps);
		if (!h->tp)
			missing = true;
		else if (attach_one(ps))
			refuse(ps, "the kernel refuses it");
	}
	if (!missing)
		return 0;
	watch_modules(true);
	stp_for_each_probe(ps, STP_TRACEPOINT)
		if (!((struct tracepoint_hook *)ps->hook)->tp)
			refuse(ps, "this kernel has no such tracepoint now; should a module bring it, the probe begins then");
	return 0;
}

static void tracepoints_detach(void)
{
	struct stp_probe_state *ps;

	watch_modules(false);
	stp_for_each_probe(ps, STP_TRACEPOINT)
		if (ps->hook)
			detach_one(ps);
	stp_tracepoints_drain();
	stp_for_each_probe(ps, STP_TRACEPOINT) {
		kfree(ps->hook);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_tracepoint = { tracepoints_attach, tracepoints_detach };
