/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* The module's life: set-up, the session from START to STOP, and removal. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "session.h"
#include "transport.h"
#include "hook.h"

struct stp_session stp_session;
DEFINE_MUTEX(stp_session_lock);
struct stp_probe_state *stp_probes;

void stp_session_end(bool failed)
{
	if (failed)
		WRITE_ONCE(stp_session.failed, true);
	if (xchg(&stp_session.ending, true))
		return;
	stp_contexts_block(true);
	stp_wake_now();
}

/* A begin, end or error handler: in process context, nothing else of the script runs. */
static void run_one(const struct stp_probe *p)
{
	struct stp_context *x = stp_context_process;

	if (p->condition && !p->condition())
		return;
	x->sample = 2; /* not timed */
	x->busy = 1;
	stp_run(x, p);
}

/* All of a kind, by their order number, then by their place in the script. */
static void run_kind(u8 kind, bool until_ending)
{
	s64 order = S64_MIN, next;
	const struct stp_probe *p, *end = stp_script.probes + stp_script.nprobes;
	bool more;

	do {
		more = false;
		next = S64_MAX;
		for (p = stp_script.probes; p < end; p++)
			if (p->kind == kind && p->arg >= order && (p->arg < next || !more)) {
				next = p->arg;
				more = true;
			}
		for (p = stp_script.probes; more && p < end; p++) {
			if (p->kind != kind || p->arg != next)
				continue;
			if (until_ending && READ_ONCE(stp_session.ending))
				return;
			run_one(p);
			cond_resched();
		}
		order = next + 1;
	} while (more && next < S64_MAX);
}

static void detach_all(void)
{
	const struct stp_hook *const *h = stp_hooks;

	stp_contexts_block(true);
	while (*h)
		h++;
	while (h > stp_hooks)
		(*--h)->detach();
}

/* Everything is attached before anything runs. */
static int attach_all(void)
{
	const struct stp_hook *const *h;
	int rc = 0;

	for (h = stp_hooks; *h && !rc; h++)
		rc = (*h)->attach();
	return rc;
}

int stp_session_start(s32 target, u32 flags)
{
	const struct stp_hook *const *h;
	int rc;

	if (stp_session.state != STP_LOADED)
		return -EALREADY;
	stp_session.target = target;
	stp_session.detached = flags & STP_START_DETACHED;
	WRITE_ONCE(stp_session.state, STP_STARTING);
	run_kind(STP_BEGIN, true);
	if (!READ_ONCE(stp_session.ending)) {
		rc = attach_all();
		if (rc) {
			detach_all();
			WRITE_ONCE(stp_session.state, STP_OVER);
			return rc;
		}
		for (h = stp_hooks; *h; h++)
			if ((*h)->live)
				(*h)->live();
		stp_contexts_block(false);
		if (READ_ONCE(stp_session.ending)) /* set meanwhile */
			stp_contexts_block(true);
	}
	WRITE_ONCE(stp_session.state, STP_RUNNING);
	return 0;
}

void stp_session_stop(struct stp_stop_info *info)
{
	if (stp_session.state == STP_RUNNING) {
		WRITE_ONCE(stp_session.state, STP_STOPPING);
		WRITE_ONCE(stp_session.ending, true);
		detach_all();
		run_kind(stp_session.failed ? STP_ERROR : STP_END, false);
		stp_error_summary();
		if (stp_account_report)
			stp_account_report();
		if (stp_script.globals_ops)
			stp_script.globals_ops->report();
	}
	WRITE_ONCE(stp_session.state, STP_OVER);
	stp_wake_now();
	info->error = stp_session.failed;
	info->errors = atomic64_read(&stp_session.errors);
	info->skipped = atomic64_read(&stp_session.skipped);
}

void stp_session_abandon(void)
{
	WRITE_ONCE(stp_session.abandoned, true);
	if (stp_session.state == STP_RUNNING)
		detach_all();
	WRITE_ONCE(stp_session.ending, true);
	WRITE_ONCE(stp_session.state, STP_OVER);
}

static void free_all(void)
{
	u32 i;

	if (stp_printk_drain)
		stp_printk_drain();
	stp_contexts_free();
	if (stp_script.globals_ops)
		stp_script.globals_ops->free();
	stp_transport_free();
	for (i = 0; stp_probes && i < stp_script.nprobes; i++)
		kvfree(stp_probes[i].sites);
	kvfree(stp_probes);
}

static int __init stp_module_init(void)
{
	u32 i;
	int rc = -ENOMEM;

	if (stp_script.abi != STP_ABI) {
		pr_err("%s: made for another version of the runtime\n", THIS_MODULE->name);
		return -EINVAL;
	}
	stp_probes = kvcalloc(stp_script.nprobes + 1, sizeof(*stp_probes), GFP_KERNEL);
	if (!stp_probes)
		return -ENOMEM;
	for (i = 0; i < stp_script.nprobes; i++)
		stp_probes[i].p = &stp_script.probes[i];
	rc = stp_transport_create(stp_script.config->buffer_bytes);
	if (!rc)
		rc = stp_contexts_create();
	if (!rc && stp_script.globals_ops)
		rc = stp_script.globals_ops->create();
	if (!rc)
		rc = stp_control_create();
	if (rc)
		free_all();
	return rc;
}

static void __exit stp_module_exit(void)
{
	stp_control_remove();
	mutex_lock(&stp_session_lock);
	stp_session_abandon(); /* a detached session still runs */
	mutex_unlock(&stp_session_lock);
	free_all();
}

module_init(stp_module_init);
module_exit(stp_module_exit);
MODULE_LICENSE("GPL");
