/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* The module's life: set-up, the session from START to STOP, and removal.  defines: init_module cleanup_module */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "session.h"
#include "transport.h"
#include "hook.h"
#include "extras.h"

extern typeof(stp_extras) stp_extras __weak;

struct stp_session stp_session;
DEFINE_MUTEX(stp_session_lock);
struct stp_probe_state *stp_probes;

void stp_session_end(bool failed)
{
	struct stp_session *s = stp_session_base();

	if (failed)
		WRITE_ONCE(s->failed, true);
	if (xchg(&s->ending, true))
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
	const struct stp_probe *p, *first = stp_script.probes, *end = first + stp_script.nprobes;
	bool more;

	do {
		more = false;
		next = S64_MAX;
		for (p = first; p < end; p++)
			if (p->kind == kind && p->arg >= order && (p->arg < next || !more)) {
				next = p->arg;
				more = true;
			}
		for (p = first; more && p < end; p++) {
			if (p->kind != kind || p->arg != next)
				continue;
			if (until_ending && READ_ONCE(stp_session.ending))
				return;
			run_one(p);
			if (need_resched())
				schedule(); /* smaller than cond_resched() */
		}
		order = next + 1;
	} while (more && next < S64_MAX);
}

long stp_extra(enum stp_moment moment, unsigned int cmd, void *arg)
{
	return stp_extras ? stp_extras(moment, cmd, arg) : moment >= STP_AT_COMMAND ? -ENOTTY : 0;
}

static noinline long extras(enum stp_moment moment)
{
	return stp_extra(moment, 0, NULL);
}

static void detach_all(void)
{
	const struct stp_hook *const *h = stp_hooks;

	stp_contexts_block(true);
	while (*h)
		h++;
	while (h > stp_hooks)
		(*--h)->detach();
	extras(STP_AT_DETACHED);
}

/* Everything is attached before anything runs. */
static int attach_all(void)
{
	const struct stp_hook *const *h;
	int rc = extras(STP_AT_ATTACH);

	for (h = stp_hooks; *h && !rc; h++)
		rc = (*h)->attach();
	return rc;
}

int stp_session_start(s32 target, u32 flags)
{
	struct stp_session *s = stp_session_base();
	const struct stp_hook *const *h;
	int rc;

	if (s->state != STP_LOADED)
		return -EALREADY;
	s->target = target;
	s->detached = flags & STP_START_DETACHED;
	stp_transport_unread(s->detached); /* its loader does not read */
	WRITE_ONCE(s->state, STP_STARTING);
	run_kind(STP_BEGIN, true);
	if (!READ_ONCE(s->ending)) {
		rc = attach_all();
		if (rc) {
			detach_all();
			WRITE_ONCE(s->state, STP_OVER);
			return rc;
		}
		for (h = stp_hooks; *h; h++)
			if ((*h)->live)
				(*h)->live();
		stp_contexts_block(false);
		if (READ_ONCE(s->ending)) /* set meanwhile */
			stp_contexts_block(true);
		extras(STP_AT_STARTED);
	}
	WRITE_ONCE(s->state, STP_RUNNING);
	return 0;
}

void stp_session_stop(struct stp_stop_info *info)
{
	struct stp_session *s = stp_session_base();

	if (s->state == STP_RUNNING) {
		WRITE_ONCE(s->state, STP_STOPPING);
		WRITE_ONCE(s->ending, true);
		detach_all();
		run_kind(s->failed ? STP_ERROR : STP_END, false);
		stp_error_summary();
		extras(STP_AT_REPORT);
		if (stp_script.globals_ops)
			stp_script.globals_ops->report();
	}
	WRITE_ONCE(s->state, STP_OVER);
	stp_wake_now();
	info->error = s->failed;
	info->errors = atomic64_read(&s->errors);
	info->skipped = atomic64_read(&s->skipped);
}

void stp_session_abandon(void)
{
	struct stp_session *s = stp_session_base();

	WRITE_ONCE(s->abandoned, true);
	if (s->state == STP_RUNNING)
		detach_all();
	WRITE_ONCE(s->ending, true);
	WRITE_ONCE(s->state, STP_OVER);
}

static void free_all(void)
{
	extras(STP_AT_DRAIN);
	stp_contexts_free();
	if (stp_script.globals_ops)
		stp_script.globals_ops->free();
	stp_transport_free();
	extras(STP_AT_FREE);
	kvfree(stp_probes);
}

static int __init module_begin(void)
{
	const struct stp_script *script = &stp_script;
	struct stp_probe_state *ps;
	u32 i;
	int rc = -ENOMEM;

	OPTIMIZER_HIDE_VAR(script); /* one reference to the symbol */
	if (script->abi != STP_ABI)
		return -EINVAL;
	/* every other allocation of a plain module is by this function, and each name imported costs 130 bytes */
	ps = kvzalloc_node((script->nprobes + 1) * sizeof(*ps), GFP_KERNEL, NUMA_NO_NODE);
	if (!ps)
		return -ENOMEM;
	stp_probes = ps;
	for (i = 0; i < script->nprobes; i++)
		ps[i].p = &script->probes[i];
	rc = stp_transport_create(script->config->buffer_bytes);
	if (!rc)
		rc = stp_contexts_create();
	if (!rc && script->globals_ops)
		rc = script->globals_ops->create();
	if (!rc)
		rc = extras(STP_AT_INIT);
	if (!rc)
		rc = stp_control_create();
	if (rc)
		free_all();
	return rc;
}
module_init(module_begin);

static void __exit module_end(void)
{
	stp_control_remove();
	mutex_lock(&stp_session_lock);
	stp_session_abandon(); /* a detached session still runs */
	mutex_unlock(&stp_session_lock);
	free_all();
}
module_exit(module_end);

/* objtool of 7.2 and later: entered from outside, not to be sealed.  The module does not keep it (translator/elf_shrink.c). */
static const void *const entries[] __used __section(".stap_entries") = { init_module, cleanup_module };

MODULE_LICENSE("GPL");
