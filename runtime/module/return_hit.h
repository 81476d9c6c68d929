/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between attaching function returns and their hits: what kretprobes (hook_return.c) and fprobes (hook_fprobe.c) share. */
#ifndef STP_RETURN_HIT_H
#define STP_RETURN_HIT_H

#include "sitelist.h"

struct return_site;
struct fprobe_hook;
/* What stands for the returns of a set. */
struct return_set {
	struct return_site **sites;     /* kretprobes */
	u32 nsites, room;
	struct fprobe_hook *fprobes;
};

/* A kretprobe for the site: a stp_site_fallback. */
int stp_return_site_add(struct stp_siteset *set, struct stp_probe_state *ps, const struct stp_site *site);

/* hook_fprobe.c.  Attaches what an fprobe is better for, and adds the rest as kretprobes: 0 or -errno. */
int stp_fprobes_attach(struct stp_siteset *set);
void stp_fprobes_live(struct return_set *rs);
void stp_fprobes_detach(struct return_set *rs);

static __always_inline void return_hit(const struct stp_probe *p, u64 *regs, u64 ip, void *saved)
{
	struct stp_context *x;
	unsigned long flags;

	raw_local_irq_save(flags);
	if (likely(!p->condition || p->condition())) {
		x = stp_claim(p);
		if (likely(x)) {
			x->c.regs = regs;
			x->c.ip = ip;
			x->c.saved = saved;
			stp_run(x, p);
		}
	}
	raw_local_irq_restore(flags);
}

/* Runs the entry handler; false: this call's return is not to be followed. */
static __always_inline bool return_entry(const struct stp_probe *p, u64 *regs, u64 ip, void *saved)
{
	struct stp_context *x;
	unsigned long flags;
	bool ok = false;

	raw_local_irq_save(flags);
	x = stp_claim(p);
	if (likely(x)) {
		x->c.regs = regs;
		x->c.ip = ip;
		x->c.saved = saved;
		ok = stp_run_entry(x, p);
	}
	raw_local_irq_restore(flags);
	return ok;
}
#endif
