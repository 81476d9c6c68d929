/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Contexts: their memory, and the time that handlers take.
 *
 * Time is sampled: one hit of STP_SAMPLE_EVERY on each CPU is timed with the cycle counter and stands
 * for the others.  When the handlers' share of a CPU exceeds the limit over an interval, the session ends.
 */
#include <linux/sched/task_stack.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <asm/tsc.h>
#include <asm/msr.h>
#include "session.h"
#include "transport.h"

DEFINE_PER_CPU(struct stp_context *, stp_context_ptr);
DEFINE_PER_CPU(struct stp_context *, stp_context_nmi);
struct stp_context *stp_context_process;
static struct stp_context *contexts;    /* all of them */

/* cpu -1: process context; slot as in stp.h */
static struct stp_context *context_alloc(int cpu, u32 slot)
{
	const struct stp_config *cfg = stp_script.config;
	size_t scratch = max_t(size_t, cfg->scratch_size, 4 * (size_t)cfg->maxstringlen);
	size_t size = ALIGN(sizeof(struct stp_context), 64);
	int node = cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu);
	struct stp_context *x = kvzalloc_node(size + scratch + cfg->maxstringlen, GFP_KERNEL, node);

	if (!x)
		return NULL;
	x->cpu = cpu;
	x->blocked = 1;
	x->sample = STP_SAMPLE_EVERY;
	x->maxaction = cfg->maxaction > 0 && !cfg->suppress_time_limits ? cfg->maxaction : S64_MAX;
	x->scratch_base = (char *)x + size;
	x->c.scratch = x->scratch_base;
	x->c.scratch_end = x->scratch_base + scratch;
	x->token = x->c.scratch_end;
	x->c.slot = slot;
	x->c.stack_mask = THREAD_SIZE - 1;
	x->ring = stp_transport_ring(cpu);
	x->next = contexts;
	contexts = x;
	return x;
}

/*
 * A task's own stack is aligned to its size, so the address tells what is left.  Interrupts, exceptions and NMIs have
 * stacks of which nothing can be asked; a handler there may use as much as must be left of the others.
 */
bool stp_stack_used_up(const struct stp_ctx *c)
{
	u64 sp = (u64)__builtin_frame_address(0), base = (u64)task_stack_page(current);

	if (sp - base < THREAD_SIZE)
		return sp - base < STP_STACK_LEFT;
	return c->stack_start - sp > STP_STACK_LEFT;
}

int stp_contexts_create(void)
{
	const struct stp_config *cfg = stp_script.config;
	struct stp_context *x, *nmi;
	int cpu, n = nr_cpu_ids;

	for (cpu = 0; cpu < n; cpu++) { /* smaller than for_each_possible_cpu() */
		if (!cpu_possible(cpu))
			continue;
		x = context_alloc(cpu, cpu);
		nmi = context_alloc(cpu, n + cpu);
		if (!x || !nmi)
			return -ENOMEM;
		nmi->nmi = 1;
		per_cpu(stp_context_ptr, cpu) = x;
		per_cpu(stp_context_nmi, cpu) = nmi;
	}
	stp_context_process = context_alloc(-1, 2 * n);
	if (!stp_context_process)
		return -ENOMEM;
	stp_context_process->process = 1;
	stp_context_process->maxaction = cfg->maxaction_interruptible > 0 && !cfg->suppress_time_limits ?
					 cfg->maxaction_interruptible : S64_MAX;
	return 0;
}

void stp_contexts_free(void)
{
	struct stp_context *x, *next;

	for (x = contexts; x; x = next) {
		next = x->next;
		kvfree(x);
	}
}

void stp_contexts_block(bool blocked)
{
	struct stp_context *x;

	for (x = contexts; x; x = x->next)
		WRITE_ONCE(x->blocked, blocked);
}

/* The interval is over: is the handlers' share of it over the limit? */
static stp_cold void check_overload(struct stp_context *x, u64 now)
{
	u64 span = now - x->span_start, permille = div64_u64(x->span_used * 1000, span);

	x->span_start = now;
	x->span_used = 0;
	if (permille <= stp_script.config->overload_threshold || x->process)
		return;
	if (atomic_inc_return(&stp_session.overloads) == 1)
		stp_session_fail(x, "probe overhead exceeded threshold: handlers took %llu.%llu%% of CPU %d's time over the last "
				 "%llu ms (limit %u.%u%%, see -D STP_OVERLOAD_THRESHOLD, or -t)", permille / 10,
				 permille % 10, x->cpu, div64_u64(span, tsc_khz),
				 stp_script.config->overload_threshold / 10, stp_script.config->overload_threshold % 10);
}

/*
 * A run stands for those that are not timed, but one that took far longer than they usually do (a virtual CPU
 * that was stopped, say) stands for itself alone.
 */
static void add_sample(struct stp_context *x, u64 took)
{
	u64 fair;

	if (!x->usual)
		x->usual = took;
	fair = min(took, 16 * x->usual);
	x->usual = (15 * x->usual + fair) / 16 + 1;
	x->span_used += took + (STP_SAMPLE_EVERY - 1) * fair;
}

void stp_run_sampled(struct stp_context *x, const struct stp_probe *p)
{
	const struct stp_config *cfg = stp_script.config;
	u64 start = rdtsc(), now;

	x->sample = STP_SAMPLE_EVERY;
	p->handler(&x->c);
	if (!cfg->overload_threshold || cfg->suppress_time_limits)
		return;
	now = rdtsc();
	if (!x->span_start) {
		x->span_start = start;
		return;
	}
	add_sample(x, now - start);
	if (now - x->span_start < (u64)tsc_khz * (cfg->overload_interval_ms ?: 1000))
		return;
	check_overload(x, now);
	if (x->c.err) /* leaf handlers' errors are looked for by nobody else */
		stp_finish(x);
}
