/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * The script's globals: making maps and statistics, keeping their pools filled.
 *
 * The code of maps and statistics is linked only into scripts that use them; it is referred to weakly here, behind
 * checks of what the script declares.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include "map.h"
#include "session.h"

extern typeof(stp_map_create) stp_map_create __weak;
extern typeof(stp_map_destroy) stp_map_destroy __weak;
extern typeof(stp_map_needs_refill) stp_map_needs_refill __weak;
extern typeof(stp_map_refill) stp_map_refill __weak;
extern typeof(stp_map_stat_lost) stp_map_stat_lost __weak;
extern typeof(stp_stat_create) stp_stat_create __weak;
extern typeof(stp_stat_destroy) stp_stat_destroy __weak;
extern typeof(stp_stat_lost) stp_stat_lost __weak;

#define BUDGET_MAX (256ull << 20)

static struct stp_budget budget;

#define for_each_global(g) \
	for (g = stp_script.globals; g < stp_script.globals + stp_script.nglobals; g++)

static struct stp_map *map_of(const struct stp_global *g)
{
	return g->kind == STP_G_MAP ? *(struct stp_map **)g->var : NULL;
}

/* ---- refilling ---- */
static void refill_fn(struct work_struct *w)
{
	const struct stp_global *g;

	for_each_global(g)
		if (map_of(g) && stp_map_needs_refill(map_of(g)))
			stp_map_refill(map_of(g));
}
static DECLARE_WORK(refill_work, refill_fn);

/* Work can not be queued from a probe, but from an interrupt of our own. */
static void refill_irq_fn(struct irq_work *w)
{
	queue_work(system_highpri_wq, &refill_work);
}
static struct irq_work refill_irq_work = IRQ_WORK_INIT(refill_irq_fn);

void stp_refill_kick(void)
{
	irq_work_queue(&refill_irq_work);
}

bool stp_may_sleep(const struct stp_ctx *c)
{
	return ((const struct stp_context *)c)->process;
}

/* ---- life ---- */
/* Default: a tenth of the memory, at most a quarter of a gigabyte. */
static u64 default_budget(void)
{
	return min_t(u64, ((u64)totalram_pages() << PAGE_SHIFT) / 10, BUDGET_MAX);
}

static bool global_create(const struct stp_global *g)
{
	if (g->kind == STP_G_MAP)
		return stp_map_create && (*(struct stp_map **)g->var =
					  stp_map_create(g, stp_script.config, nr_cpu_ids, &budget));
	if (g->kind == STP_G_STATS)
		return stp_stat_create && (*(struct stp_stat **)g->var = stp_stat_create(g->stat, nr_cpu_ids, &budget));
	return true;
}

static int globals_create(void)
{
	const struct stp_global *g;

	budget.limit = stp_script.config->maxmemory ?: default_budget();
	for_each_global(g)
		if (!global_create(g)) {
			pr_err("%s: no memory for the script's global %s (see -D STP_MAXMEMORY)\n", THIS_MODULE->name, g->name);
			return -ENOMEM;
		}
	return 0;
}

static void globals_free(void)
{
	const struct stp_global *g;

	irq_work_sync(&refill_irq_work);
	cancel_work_sync(&refill_work);
	for_each_global(g) {
		if (map_of(g))
			stp_map_destroy(map_of(g));
		if (g->kind == STP_G_STATS && *(struct stp_stat **)g->var)
			stp_stat_destroy(*(struct stp_stat **)g->var);
	}
}

static void globals_report(void)
{
	const struct stp_global *g;
	u64 n;

	for_each_global(g) {
		n = 0;
		if (map_of(g))
			n = stp_map_stat_lost(map_of(g));
		else if (g->kind == STP_G_STATS)
			n = stp_stat_lost(*(struct stp_stat **)g->var);
		if (n)
			stp_warn("%llu updates of the statistics in %s lost: out of memory (see -D STP_MAXMEMORY)", n, g->name);
	}
}

const struct stp_globals_ops stp_globals_ops = {
	.create = globals_create,
	.free = globals_free,
	.report = globals_report,
};
