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

/* ---- finding ---- */
static void match(struct tracepoint *tp, void *arg)
{
	struct stp_probe_state *ps = arg;
	struct tracepoint_hook *h = ps->hook;

	if (!h->tp && !strcmp(tp->name, ps->p->target))
		h->tp = tp;
}

#ifdef CONFIG_MODULES
/* Called for every module that has tracepoints while registering. */
static int match_module(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct module *mod = ((struct tp_module *)arg)->mod;
	struct stp_probe_state *ps;
	unsigned int i;

	if (event != MODULE_STATE_COMING)
		return NOTIFY_OK;
	stp_for_each_probe(ps, STP_TRACEPOINT) {
		struct tracepoint_hook *h = ps->hook;

		for (i = 0; !h->tp && i < mod->num_tracepoints; i++)
			match(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), ps);
		if (h->tp && !h->owner && within_module((unsigned long)h->tp, mod)) {
			if (try_module_get(mod)) /* stays while we probe it */
				h->owner = mod;
			else
				h->tp = NULL;
		}
	}
	return NOTIFY_OK;
}

static void find_in_modules(void)
{
	static struct notifier_block nb = { .notifier_call = match_module };

	if (!register_tracepoint_module_notifier(&nb))
		unregister_tracepoint_module_notifier(&nb);
}
#else
static void find_in_modules(void)
{
}
#endif

static void refuse(struct stp_probe_state *ps, const char *why)
{
	if (!(ps->p->flags & STP_OPTIONAL))
		stp_warn("probe %s could not be attached: %s", ps->p->point, why);
}

static void attach_one(struct stp_probe_state *ps)
{
	struct tracepoint_hook *h = ps->hook;

	if (!h->tp) {
		refuse(ps, "this kernel has no such tracepoint");
		return;
	}
	h->fn = ps->p->nargs <= 5 ? (void *)tracepoint_regs_fn : (void *)tracepoint_stack_fn;
	if (tracepoint_probe_register(h->tp, h->fn, (void *)ps->p)) {
		h->fn = NULL;
		refuse(ps, "the kernel refuses it");
		return;
	}
	ps->attached = 1;
}

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
		for_each_kernel_tracepoint(match, ps);
		missing |= !((struct tracepoint_hook *)ps->hook)->tp;
	}
	if (missing)
		find_in_modules();
	stp_for_each_probe(ps, STP_TRACEPOINT) {
		if (signal_pending(current))
			return -EINTR;
		attach_one(ps);
	}
	return 0;
}

static void tracepoints_detach(void)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_TRACEPOINT) {
		struct tracepoint_hook *h = ps->hook;

		if (h && h->fn)
			tracepoint_probe_unregister(h->tp, h->fn, (void *)ps->p);
	}
	tracepoint_synchronize_unregister();
	stp_for_each_probe(ps, STP_TRACEPOINT) {
		struct tracepoint_hook *h = ps->hook;

		if (h && h->owner)
			module_put(h->owner);
		kfree(h);
		ps->hook = NULL;
	}
}

const struct stp_hook stp_hook_tracepoint = { tracepoints_attach, tracepoints_detach };
