/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A way of attaching probes.  Hooks are named by generated code (stp_hooks[]), so that a module holds
 * only those it needs.  attach and detach see all their probes at once: most kernel
 * interfaces are much cheaper for many at a time.  Both run in process context, under stp_session_lock;
 * attach warns about what can not be attached and goes on; detach counts the hits that the kernel missed
 * and returns when no handler of the hook can run any more.
 */
#ifndef STP_HOOK_H
#define STP_HOOK_H

#include <linux/slab.h>
#include <linux/mm.h>
#include "session.h"

/* Kernel interfaces that take many at a time get so many, and between them a signal to the loader is obeyed. */
#define STP_ATTACH_BATCH 32

struct stp_siteset;
struct stp_hook {
	int (*attach)(void);            /* 0, -ENOMEM, or -EINTR after a signal */
	void (*detach)(void);
	void (*live)(void);             /* handlers run from now on: hits missed before do not count; or NULL */
	/* Hooks that have sites: the same for those of one module, which may come and go meanwhile; else NULL. */
	int (*attach_set)(struct stp_siteset *set);
	void (*detach_set)(struct stp_siteset *set);
	void (*live_set)(struct stp_siteset *set);
	/* A command of the loader (STP_IOC_*) that is no other's: -ENOTTY when it is not this hook's either; or NULL. */
	long (*command)(unsigned int cmd, void __user *arg);
	void (*started)(void);          /* handlers run: what there is already may be told of; or NULL */
};

/*
 * The sites of one module, or of the kernel itself: what is attached and detached at one time.  Kept by hook.c for the
 * kernel and by modules.c for modules; a hook puts what it makes for them into its own place of hook[].
 */
struct stp_probe_sites {
	struct stp_probe_state *ps;
	const struct stp_site *sites;
	u32 n;
};
enum { STP_SET_ENTRY, STP_SET_RETURN, STP_SET_ADDRESS, STP_SET_HOOKS };
struct stp_siteset {
	struct stp_probe_sites *of;     /* probes with sites here, in script order */
	u32 nprobes;
	void *hook[STP_SET_HOOKS];
};

#define stp_for_each_sites(x, set, kind_) \
	for (x = (set)->of; x < (set)->of + (set)->nprobes; x++) \
		if (x->ps->p->kind == (kind_))

/* The kernel's own sites, made of what STP_IOC_SITES brought; never NULL: without memory an empty one. */
struct stp_siteset *stp_kernel_set(void);

#define stp_for_each_probe(ps, kind_) \
	for (ps = stp_probes; ps < stp_probes + stp_script.nprobes; ps++) \
		if (ps->p->kind == (kind_))

/* A site that can not be attached: a warning, unless the probe is optional. */
void stp_hook_refused(struct stp_probe_state *ps, const struct stp_site *site, int err);

/* hit.c: stp_hit, not inline: for hooks whose own costs are larger. */
void stp_hit_call(const struct stp_probe *p, u64 *regs, u64 ip);

/* hook_kprobe.c: probes an address; used for what ftrace can not do, too. */
struct stp_kprobes;
int stp_kprobes_add(struct stp_kprobes **set, struct stp_probe_state *ps, const struct stp_site *site);
int stp_kprobes_attach(struct stp_kprobes *set);   /* 0, or -EINTR after a signal */
void stp_kprobes_detach(struct stp_kprobes **set); /* frees the set */
#endif
