/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function returns: a kretprobe for each of a few functions; fprobes for many, where the kernel has them
 * (hook_fprobe.c).  With words to save, an entry handler of the script fills them.
 */
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include "return_hit.h"

struct return_site {
	struct kretprobe rp;
	struct stp_probe_state *ps;
	const struct stp_site *site;
	unsigned long missed, reentered; /* before the session ran */
	bool on;
};

/* ---- hits ---- */
/* NULL: it is being unregistered (kernels without rethook take it away before the last handlers have ended). */
static struct return_site *site_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return likely(rp) ? container_of(rp, struct return_site, rp) : NULL;
}

static int kretprobe_fn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct return_site *s = site_of(ri);

	if (likely(s))
		return_hit(s->ps->p, (u64 *)regs, s->site->addr, ri->data);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_fn);

static int kretprobe_entry_fn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct return_site *s = site_of(ri);

	return likely(s) && return_entry(s->ps->p, (u64 *)regs, s->site->addr, ri->data) ? 0 : 1;
}
NOKPROBE_SYMBOL(kretprobe_entry_fn);

/* ---- kretprobes ---- */
int stp_return_site_add(struct stp_siteset *set, struct stp_probe_state *ps, const struct stp_site *site)
{
	struct return_set *rs = set->hook[STP_SET_RETURN];
	struct return_site *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (s && rs->nsites == rs->room) {
		u32 more_room = rs->room ? 2 * rs->room : 16;
		struct return_site **more = kvmalloc_array(more_room, sizeof(*more), GFP_KERNEL);

		if (more) {
			memcpy(more, rs->sites, rs->nsites * sizeof(*more));
			kvfree(rs->sites);
			rs->sites = more;
			rs->room = more_room;
		}
	}
	if (!s || rs->nsites == rs->room) {
		kfree(s);
		return -ENOMEM;
	}
	s->ps = ps;
	s->site = site;
	rs->sites[rs->nsites++] = s;
	return 0;
}

/* Calls of one function that may be under way at once, by how many functions share the memory. */
static int default_active(u32 nsites)
{
	if (stp_script.config->maxactive)
		return stp_script.config->maxactive;
	return clamp_t(u32, 16384 / max_t(u32, nsites, 1), 16, 1024) + 2 * num_possible_cpus();
}

static void site_prepare(struct return_site *s, u32 nsites)
{
	const struct stp_probe *p = s->ps->p;

	memset(&s->rp, 0, sizeof(s->rp)); /* a failed try leaves things behind */
	s->rp.kp.addr = (kprobe_opcode_t *)(uintptr_t)s->site->addr;
	s->rp.handler = kretprobe_fn;
	s->rp.entry_handler = p->entry ? kretprobe_entry_fn : NULL;
	s->rp.data_size = p->save_words * sizeof(u64);
	s->rp.maxactive = p->arg > 0 ? clamp_t(s64, p->arg, 1, 4096) : default_active(nsites);
}

/* A batch is registered as a whole, or, when the kernel refuses that over one of it, one by one. */
static void attach_batch(struct return_set *rs, struct return_site **batch, u32 n)
{
	struct kretprobe *all[STP_ATTACH_BATCH];
	bool done;
	u32 i;

	for (i = 0; i < n; i++) {
		site_prepare(batch[i], rs->nsites);
		all[i] = &batch[i]->rp;
	}
	done = n > 1 && !register_kretprobes(all, n);
	for (i = 0; i < n; i++) {
		struct return_site *s = batch[i];
		int rc = 0;

		if (!done) {
			site_prepare(s, rs->nsites);
			rc = register_kretprobe(&s->rp);
		}
		s->on = !rc;
		s->ps->attached += !rc;
		if (rc)
			stp_hook_refused(s->ps, s->site, rc);
	}
}

static int kretprobes_attach(struct return_set *rs)
{
	u32 i;

	for (i = 0; i < rs->nsites; i += STP_ATTACH_BATCH) {
		if (signal_pending(current))
			return -EINTR;
		attach_batch(rs, rs->sites + i, min_t(u32, STP_ATTACH_BATCH, rs->nsites - i));
	}
	return 0;
}

static void kretprobes_live(struct return_set *rs)
{
	u32 i;

	for (i = 0; i < rs->nsites; i++) {
		rs->sites[i]->missed = rs->sites[i]->rp.nmissed;
		rs->sites[i]->reentered = rs->sites[i]->rp.kp.nmissed;
	}
}

static void kretprobes_count(struct return_set *rs)
{
	u32 i;

	for (i = 0; i < rs->nsites; i++) {
		struct return_site *s = rs->sites[i];
		u64 missed = s->rp.nmissed - s->missed;

		atomic64_add(missed, &s->ps->skips[STP_SKIP_MISSED]);
		atomic64_add(missed, &stp_session.skipped);
		atomic64_add(s->rp.kp.nmissed - s->reentered, &s->ps->skips[STP_SKIP_REENTRY]);
	}
}

static void kretprobes_detach(struct return_set *rs)
{
	struct kretprobe **all = kvmalloc_array(rs->nsites + 1, sizeof(*all), GFP_KERNEL);
	u32 i, n = 0;

	kretprobes_count(rs);
	for (i = 0; i < rs->nsites; i++) {
		if (!rs->sites[i]->on)
			continue;
		if (all)
			all[n++] = &rs->sites[i]->rp;
		else
			unregister_kretprobe(&rs->sites[i]->rp);
	}
	if (n)
		unregister_kretprobes(all, n);
	for (i = 0; i < rs->nsites; i++)
		kfree(rs->sites[i]);
	kvfree(all);
	kvfree(rs->sites);
}

/* ---- the hook ---- */
static int return_attach_set(struct stp_siteset *set)
{
	struct return_set *rs = kzalloc(sizeof(*rs), GFP_KERNEL);
	int rc;

	set->hook[STP_SET_RETURN] = rs;
	if (!rs)
		return -ENOMEM;
	rc = stp_fprobes_attach(set);
	return rc ?: kretprobes_attach(rs);
}

static void return_detach_set(struct stp_siteset *set)
{
	struct return_set *rs = set->hook[STP_SET_RETURN];

	if (!rs)
		return;
	set->hook[STP_SET_RETURN] = NULL;
	stp_fprobes_detach(rs);
	kretprobes_detach(rs);
	kfree(rs);
}

static int return_attach(void)
{
	return return_attach_set(stp_kernel_set());
}

static void return_detach(void)
{
	return_detach_set(stp_kernel_set());
}

static void return_live_set(struct stp_siteset *set)
{
	struct return_set *rs = set->hook[STP_SET_RETURN];

	if (rs) {
		stp_fprobes_live(rs);
		kretprobes_live(rs);
	}
}

static void return_live(void)
{
	return_live_set(stp_kernel_set());
}

const struct stp_hook stp_hook_return = {
	return_attach, return_detach, return_live, return_attach_set, return_detach_set, return_live_set,
};
