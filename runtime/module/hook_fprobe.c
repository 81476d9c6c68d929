/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function returns by fprobe, the kernel's or our own: one for the many functions of a probe, and one for all the
 * probes with few, when those add up to many.  Registering is one operation, however many functions; a
 * kretprobe for each takes milliseconds apiece.
 */
#include <linux/sched.h>
#include "return_hit.h"
#include "compat/fprobe.h"

#define KRETPROBES_FEW 8        /* more functions than that: fprobe */
#define SHARED_WORDS 32         /* a probe that saves more has kretprobes: each call under way would pay for it */

struct fprobe_hook {
	struct stp_fprobe fp;
	struct stp_probe_state *ps;     /* the only probe, or NULL: */
	struct stp_ip_table table;
	u32 nprobes;
	unsigned long missed;           /* before the session ran */
	bool on;
	struct fprobe_hook *next;
};

/* ---- hits ---- */
static __always_inline struct fprobe_hook *hook_of(struct stp_fprobe *fp)
{
	return container_of(fp, struct fprobe_hook, fp);
}

STP_FPROBE_EXIT(fprobe_exit_fn, fp, ip, regs, data)
{
	return_hit(hook_of(fp)->ps->p, (u64 *)regs, ip, data);
}

STP_FPROBE_ENTRY(fprobe_entry_fn, fp, ip, regs, data)
{
	bool ok = return_entry(hook_of(fp)->ps->p, (u64 *)regs, ip, data);

	STP_FPROBE_ENTRY_RETURN(ok ? 0 : 1);
}

static const struct stp_probe *shared_probe(struct stp_fprobe *fp, unsigned long ip)
{
	struct stp_ip_node *n = *stp_ip_bucket(&hook_of(fp)->table, ip);

	while (n && n->ip != ip)
		n = n->next;
	return n ? n->ps->p : NULL;
}

STP_FPROBE_EXIT(shared_exit_fn, fp, ip, regs, data)
{
	const struct stp_probe *p = shared_probe(fp, ip);

	if (likely(p))
		return_hit(p, (u64 *)regs, ip, data);
}

STP_FPROBE_ENTRY(shared_entry_fn, fp, ip, regs, data)
{
	const struct stp_probe *p = shared_probe(fp, ip);
	bool ok = p && (!p->entry || return_entry(p, (u64 *)regs, ip, data));

	STP_FPROBE_ENTRY_RETURN(ok ? 0 : 1);
}

/* ---- attaching ---- */
static struct fprobe_hook *hook_new(struct return_set *rs, struct stp_probe_state *ps)
{
	struct fprobe_hook *h = kzalloc(sizeof(*h), GFP_KERNEL);

	if (h) {
		h->ps = ps;
		h->next = rs->fprobes;
		rs->fprobes = h;
	}
	return h;
}

static int hook_start(struct fprobe_hook *h, struct stp_siteset *set, struct stp_sitelist *l)
{
	u32 i;
	int rc = 0;

	stp_fprobe_set_active(&h->fp, clamp_t(u32, l->n * 2 * num_possible_cpus(), 1024, 16384));
	if (!stp_fprobe_register(&h->fp, l->ips, l->n)) {
		h->on = true;
		for (i = 0; i < l->n; i++)
			l->owner[i]->attached++;
		return 0;
	}
	for (i = 0; i < l->n && !rc; i++)
		rc = stp_return_site_add(set, l->owner[i], l->sites[i]);
	return rc;
}

/* One bad address would lose all: a filter that is never registered sorts them out. */
static int sift(struct stp_siteset *set, struct stp_sitelist *l)
{
	struct ftrace_ops *sieve = kzalloc(sizeof(*sieve), GFP_KERNEL);
	int rc = sieve ? stp_sitelist_filter(l, set, sieve, stp_return_site_add) : -ENOMEM;

	if (sieve)
		ftrace_free_filter(sieve);
	kfree(sieve);
	return rc;
}

/* All functions of one probe. */
static int attach_own(struct stp_siteset *set, const struct stp_probe_sites *x)
{
	struct fprobe_hook *h = NULL;
	struct stp_sitelist l;
	int rc = stp_sitelist_alloc(&l, x->n);

	if (!rc)
		rc = stp_sitelist_add(&l, set, x, stp_return_site_add);
	if (!rc)
		rc = sift(set, &l);
	if (!rc && l.n) {
		h = hook_new(set->hook[STP_SET_RETURN], x->ps);
		rc = h ? 0 : -ENOMEM;
	}
	if (h) {
		h->fp.exit_handler = fprobe_exit_fn;
		h->fp.entry_handler = x->ps->p->entry ? fprobe_entry_fn : NULL;
		h->fp.entry_data_size = x->ps->p->save_words * sizeof(u64);
		rc = hook_start(h, set, &l);
	}
	stp_sitelist_free(&l);
	return rc;
}

static bool can_share(const struct stp_probe_sites *x)
{
	return x->n <= KRETPROBES_FEW && !x->ps->p->arg && x->ps->p->save_words <= SHARED_WORDS;
}

/* A function's second probe is left to a kretprobe: what the first one saved has a call's whole room. */
static int share_out(struct stp_siteset *set, struct fprobe_hook *h, struct stp_sitelist *l)
{
	u32 i, kept = 0;
	int rc = 0;

	for (i = 0; i < l->n && !rc; i++) {
		if (shared_probe(&h->fp, l->ips[i])) {
			rc = stp_return_site_add(set, l->owner[i], l->sites[i]);
			continue;
		}
		stp_ip_table_add(&h->table, l->owner[i], l->ips[i]);
		l->owner[kept] = l->owner[i];
		l->sites[kept] = l->sites[i];
		l->ips[kept++] = l->ips[i];
	}
	l->n = kept;
	return rc;
}

/* The functions of all probes with few of them. */
static int attach_shared(struct stp_siteset *set, u32 nsites)
{
	struct fprobe_hook *h = hook_new(set->hook[STP_SET_RETURN], NULL);
	struct stp_probe_sites *x;
	struct stp_sitelist l;
	u32 words = 0;
	int rc = stp_sitelist_alloc(&l, nsites);

	if (!rc)
		rc = h ? stp_ip_table_create(&h->table, nsites) : -ENOMEM;
	stp_for_each_sites(x, set, STP_RETURN) {
		if (rc || !can_share(x))
			continue;
		rc = stp_sitelist_add(&l, set, x, stp_return_site_add);
		words = max_t(u32, words, x->ps->p->save_words);
		h->nprobes++;
	}
	if (!rc)
		rc = sift(set, &l);
	if (!rc)
		rc = share_out(set, h, &l);
	if (!rc && l.n) {
		h->fp.exit_handler = shared_exit_fn;
		h->fp.entry_handler = words ? shared_entry_fn : NULL;
		h->fp.entry_data_size = words * sizeof(u64);
		rc = hook_start(h, set, &l);
	}
	stp_sitelist_free(&l);
	return rc;
}

static int add_sites(struct stp_siteset *set, const struct stp_probe_sites *x)
{
	u32 i;
	int rc = 0;

	for (i = 0; i < x->n && !rc; i++)
		rc = stp_return_site_add(set, x->ps, &x->sites[i]);
	return rc;
}

int stp_fprobes_attach(struct stp_siteset *set)
{
	struct stp_probe_sites *x;
	u32 small = 0;
	int rc = 0;

	stp_for_each_sites(x, set, STP_RETURN)
		if (can_share(x))
			small += x->n;
	stp_for_each_sites(x, set, STP_RETURN) {
		if (rc)
			break;
		if (x->n > KRETPROBES_FEW)
			rc = attach_own(set, x);
		else if (small <= KRETPROBES_FEW || !can_share(x))
			rc = add_sites(set, x);
	}
	if (!rc && small > KRETPROBES_FEW)
		rc = attach_shared(set, small);
	return rc;
}

void stp_fprobes_live(struct return_set *rs)
{
	struct fprobe_hook *h;

	for (h = rs->fprobes; h; h = h->next)
		h->missed = stp_fprobe_missed(&h->fp);
}

/*
 * Before unregistering: the kernel's first takes the return hooks away, and then counts every call as missed until the
 * entry is gone, too.
 */
static void count_missed(struct fprobe_hook *h)
{
	u64 missed = stp_fprobe_missed(&h->fp) - h->missed;

	if (h->ps)
		atomic64_add(missed, &h->ps->skips[STP_FPROBE_MISSED]);
	else if (missed)
		stp_warn("skipped %llu hits of %u return probes (%s)", missed, h->nprobes, STP_FPROBE_MISSED == STP_SKIP_TRACING ?
			 "called by the kernel's tracing itself, or too many calls under way" : "too many calls under way, see KRETACTIVE");
	if (STP_FPROBE_MISSED == STP_SKIP_MISSED)
		atomic64_add(missed, &stp_session.skipped);
}

void stp_fprobes_detach(struct return_set *rs)
{
	struct fprobe_hook *h;

	for (h = rs->fprobes; h; h = h->next)
		if (h->on)
			count_missed(h);
	while ((h = rs->fprobes)) {
		rs->fprobes = h->next;
		if (h->on)
			stp_fprobe_unregister(&h->fp);
		stp_ip_table_free(&h->table);
		kfree(h);
	}
}
