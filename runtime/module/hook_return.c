/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function returns: a kretprobe for each of a few functions; one fprobe for the many functions of a probe,
 * where the kernel has it.  With words to save, an entry handler of the script fills them.
 */
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include "sitelist.h"
#include "compat/ftrace.h"

#define KRETPROBES_FEW 8        /* more functions than that: fprobe */

struct return_site {
	struct kretprobe rp;
	struct stp_probe_state *ps;
	const struct stp_site *site;
	unsigned long missed, reentered; /* before the session ran */
	bool on;
};

static struct return_site **sites;
static u32 nsites, room;

/* ---- hits ---- */
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
	struct stp_ctx *c;
	unsigned long flags;
	bool ok = false;

	raw_local_irq_save(flags);
	x = stp_claim(p);
	if (likely(x)) {
		c = &x->c;
		c->regs = regs;
		c->ip = ip;
		c->saved = saved;
		c->probe = p;
		c->actions = x->maxaction;
		c->scratch = x->scratch_base;
		p->entry(c);
		ok = !c->err;
		if (unlikely(c->err || c->out.p || x->lost))
			stp_finish(x);
		stp_release(x);
	}
	raw_local_irq_restore(flags);
	return ok;
}

static struct return_site *site_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct return_site, rp);
}

static int kretprobe_fn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct return_site *s;

	if (unlikely(!rp)) /* being unregistered */
		return 0;
	s = container_of(rp, struct return_site, rp);
	return_hit(s->ps->p, (u64 *)regs, (u64)rp->kp.addr, ri->data);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_fn);

static int kretprobe_entry_fn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct return_site *s = site_of(ri);

	return return_entry(s->ps->p, (u64 *)regs, (u64)s->rp.kp.addr, ri->data) ? 0 : 1;
}
NOKPROBE_SYMBOL(kretprobe_entry_fn);

/* ---- kretprobes ---- */
static int site_add(struct stp_probe_state *ps, const struct stp_site *site)
{
	struct return_site *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (s && nsites == room) {
		u32 more_room = room ? 2 * room : 16;
		struct return_site **more = kvmalloc_array(more_room, sizeof(*more), GFP_KERNEL);

		if (more) {
			memcpy(more, sites, nsites * sizeof(*more));
			kvfree(sites);
			sites = more;
			room = more_room;
		}
	}
	if (!s || nsites == room) {
		kfree(s);
		return -ENOMEM;
	}
	s->ps = ps;
	s->site = site;
	sites[nsites++] = s;
	return 0;
}

/* Calls of one function that may be under way at once, by how many functions share the memory. */
static int default_active(void)
{
	if (stp_script.config->maxactive)
		return stp_script.config->maxactive;
	return clamp_t(u32, 16384 / max_t(u32, nsites, 1), 16, 1024) + 2 * num_possible_cpus();
}

static void site_prepare(struct return_site *s)
{
	const struct stp_probe *p = s->ps->p;

	memset(&s->rp, 0, sizeof(s->rp)); /* a failed try leaves things behind */
	s->rp.kp.addr = (kprobe_opcode_t *)(uintptr_t)s->site->addr;
	s->rp.handler = kretprobe_fn;
	s->rp.entry_handler = p->entry ? kretprobe_entry_fn : NULL;
	s->rp.data_size = p->save_words * sizeof(u64);
	s->rp.maxactive = p->arg > 0 ? clamp_t(s64, p->arg, 1, 4096) : default_active();
}

/* A batch is registered as a whole, or, when the kernel refuses that over one of it, one by one. */
static void attach_batch(struct return_site **batch, u32 n)
{
	struct kretprobe *all[STP_ATTACH_BATCH];
	bool done;
	u32 i;

	for (i = 0; i < n; i++) {
		site_prepare(batch[i]);
		all[i] = &batch[i]->rp;
	}
	done = n > 1 && !register_kretprobes(all, n);
	for (i = 0; i < n; i++) {
		struct return_site *s = batch[i];
		int rc = 0;

		if (!done) {
			site_prepare(s);
			rc = register_kretprobe(&s->rp);
		}
		s->on = !rc;
		s->ps->attached += !rc;
		if (rc)
			stp_hook_refused(s->ps, s->site, rc);
	}
}

static int kretprobes_attach(void)
{
	u32 i;

	for (i = 0; i < nsites; i += STP_ATTACH_BATCH) {
		if (signal_pending(current))
			return -EINTR;
		attach_batch(sites + i, min_t(u32, STP_ATTACH_BATCH, nsites - i));
	}
	return 0;
}

static void kretprobes_live(void)
{
	u32 i;

	for (i = 0; i < nsites; i++) {
		sites[i]->missed = sites[i]->rp.nmissed;
		sites[i]->reentered = sites[i]->rp.kp.nmissed;
	}
}

static void kretprobes_count(void)
{
	u32 i;

	for (i = 0; i < nsites; i++) {
		struct return_site *s = sites[i];
		u64 missed = s->rp.nmissed - s->missed;

		atomic64_add(missed, &s->ps->skips[STP_SKIP_MISSED]);
		atomic64_add(missed, &stp_session.skipped);
		atomic64_add(s->rp.kp.nmissed - s->reentered, &s->ps->skips[STP_SKIP_REENTRY]);
	}
}

static void kretprobes_detach(void)
{
	struct kretprobe **all = kvmalloc_array(nsites + 1, sizeof(*all), GFP_KERNEL);
	u32 i, n = 0;

	kretprobes_count();
	for (i = 0; i < nsites; i++) {
		if (!sites[i]->on)
			continue;
		if (all)
			all[n++] = &sites[i]->rp;
		else
			unregister_kretprobe(&sites[i]->rp);
	}
	if (n)
		unregister_kretprobes(all, n);
	for (i = 0; i < nsites; i++)
		kfree(sites[i]);
	kvfree(all);
	kvfree(sites);
	sites = NULL;
	nsites = room = 0;
}

/* ---- fprobe ---- */
#ifdef STP_FPROBE
struct fprobe_hook {
	struct fprobe fp;
	const struct stp_probe *p;
	unsigned long missed;
	bool on;
};

STP_FPROBE_EXIT(fprobe_exit_fn, fp, ip, regs, data)
{
	return_hit(container_of(fp, struct fprobe_hook, fp)->p, (u64 *)regs, ip, data);
}

STP_FPROBE_ENTRY(fprobe_entry_fn, fp, ip, regs, data)
{
	bool ok = return_entry(container_of(fp, struct fprobe_hook, fp)->p, (u64 *)regs, ip, data);

	STP_FPROBE_ENTRY_RETURN(ok ? 0 : 1);
}

static int fprobe_start(struct stp_probe_state *ps, struct stp_sitelist *l)
{
	struct fprobe_hook *h = kzalloc(sizeof(*h), GFP_KERNEL);
	u32 i;
	int rc = 0;

	if (!h)
		return -ENOMEM;
	ps->hook = h;
	h->p = ps->p;
	h->fp.exit_handler = fprobe_exit_fn;
	h->fp.entry_handler = ps->p->entry ? fprobe_entry_fn : NULL;
	h->fp.entry_data_size = ps->p->save_words * sizeof(u64);
	stp_fprobe_set_active(&h->fp, clamp_t(u32, l->n * 2 * num_possible_cpus(), 1024, 16384));
	if (!register_fprobe_ips(&h->fp, l->ips, l->n)) {
		h->on = true;
		ps->attached += l->n;
		return 0;
	}
	for (i = 0; i < l->n && !rc; i++)
		rc = site_add(ps, l->sites[i]);
	return rc;
}

/* One bad address would lose all: a filter that is never registered sorts them out. */
static int fprobe_attach(struct stp_probe_state *ps)
{
	struct ftrace_ops *sieve = kzalloc(sizeof(*sieve), GFP_KERNEL);
	struct stp_sitelist l;
	int rc = stp_sitelist_alloc(&l, ps->nsites);

	if (!sieve || rc)
		rc = -ENOMEM;
	else
		rc = stp_sitelist_add(&l, ps, site_add);
	if (!rc) {
		rc = stp_sitelist_filter(&l, sieve, site_add);
		ftrace_free_filter(sieve);
	}
	if (!rc && l.n)
		rc = fprobe_start(ps, &l);
	stp_sitelist_free(&l);
	kfree(sieve);
	return rc;
}

static void fprobes_live(void)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_RETURN) {
		struct fprobe_hook *h = ps->hook;

		if (h)
			h->missed = h->fp.nmissed;
	}
}

/* What the kernel counts here is mostly calls that its own tracing makes. */
static void fprobes_detach(void)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_RETURN) {
		struct fprobe_hook *h = ps->hook;

		if (!h)
			continue;
		if (h->on) {
			atomic64_add(h->fp.nmissed - h->missed, &ps->skips[STP_SKIP_TRACING]);
			unregister_fprobe(&h->fp);
		}
		kfree(h);
		ps->hook = NULL;
	}
}
#else
#define fprobe_attach(ps) (-EOPNOTSUPP)
static void fprobes_live(void)
{
}
static void fprobes_detach(void)
{
}
#endif

/* ---- the hook ---- */
/* A kretprobe for each function. */
static int add_all(struct stp_probe_state *ps)
{
	u32 i;
	int rc = 0;

	for (i = 0; i < ps->nsites && !rc; i++)
		rc = site_add(ps, &ps->sites[i]);
	return rc;
}

static int return_attach(void)
{
	struct stp_probe_state *ps;
	int rc;

	stp_for_each_probe(ps, STP_RETURN) {
		rc = ps->nsites > KRETPROBES_FEW ? fprobe_attach(ps) : -EOPNOTSUPP;
		if (rc == -EOPNOTSUPP)
			rc = add_all(ps);
		if (rc)
			return rc;
	}
	return kretprobes_attach();
}

static void return_detach(void)
{
	fprobes_detach();
	kretprobes_detach();
}

static void return_live(void)
{
	fprobes_live();
	kretprobes_live();
}

const struct stp_hook stp_hook_return = { return_attach, return_detach, return_live };
