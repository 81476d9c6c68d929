/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* kprobes: any kernel address, and function entries that ftrace can not trace. */
#include "kprobe_hit.h"

struct stp_kprobes {
	u32 n, room;
	struct kprobe_site **sites;
};

int stp_kprobes_add(struct stp_kprobes **set, struct stp_probe_state *ps, const struct stp_site *site)
{
	struct stp_kprobes *s = *set;
	struct kprobe_site *k = kvzalloc(sizeof(*k), GFP_KERNEL);

	if (!s)
		s = *set = kvzalloc(sizeof(*s), GFP_KERNEL);
	if (s && s->n == s->room) {
		u32 room = s->room ? 2 * s->room : 16;
		struct kprobe_site **more = kvmalloc_array(room, sizeof(*more), GFP_KERNEL);

		if (more) {
			__builtin_memmove(more, s->sites, s->n * sizeof(*more));
			kvfree(s->sites);
			s->sites = more;
			s->room = room;
		}
	}
	if (!k || !s || s->n == s->room) {
		kvfree(k);
		return -ENOMEM;
	}
	k->kp.addr = (kprobe_opcode_t *)(uintptr_t)site->addr;
	k->kp.pre_handler = stp_kprobe_fn;
	k->ps = ps;
	k->site = *site;
	s->sites[s->n++] = k;
	return 0;
}

/*
 * A batch is registered as a whole, or, when the kernel refuses that over one of it, one by one.  Switched off: once a kprobe
 * is on, the kernel soon makes a jump of it, and whoever registers others waits for that, each time as long as it takes all
 * tasks to pass a safe point.  So the long part of the work is done before that begins.
 */
static void register_batch(struct kprobe_site **batch, u32 n)
{
	struct kprobe *all[STP_ATTACH_BATCH];
	bool done;
	u32 i;

	for (i = 0; i < n; i++) {
		batch[i]->kp.flags = KPROBE_FLAG_DISABLED;
		all[i] = &batch[i]->kp;
	}
	done = n > 1 && !register_kprobes(all, n);
	for (i = 0; i < n; i++) {
		struct kprobe_site *k = batch[i];
		struct kprobe *one, fresh = { .addr = (kprobe_opcode_t *)(uintptr_t)k->site.addr, .pre_handler = stp_kprobe_fn,
					      .flags = KPROBE_FLAG_DISABLED };
		int rc = 0;

		if (!done) {
			k->kp = fresh; /* a failed try leaves things behind */
			one = &k->kp;
			rc = register_kprobes(&one, 1); /* no other function to import */
		}
		k->on = !rc;
		if (rc)
			stp_hook_refused(k->ps, &k->site, rc);
	}
}

static void enable_one(struct kprobe_site *k)
{
	int rc = k->on ? enable_kprobe(&k->kp) : 0;

	k->ps->attached += k->on && !rc;
	if (rc)
		stp_hook_refused(k->ps, &k->site, rc);
}

int stp_kprobes_attach(struct stp_kprobes *set)
{
	u32 i, n = set ? set->n : 0;

	for (i = 0; i < n; i += STP_ATTACH_BATCH) {
		if (signal_pending(current))
			return -EINTR;
		register_batch(set->sites + i, min_t(u32, STP_ATTACH_BATCH, n - i));
	}
	for (i = 0; i < n; i++) {
		if (signal_pending(current))
			return -EINTR;
		enable_one(set->sites[i]);
	}
	return 0;
}

/* Without memory for a list. */
static void stop_one(struct kprobe *kp)
{
	unregister_kprobes(&kp, 1);
}

void stp_kprobes_detach(struct stp_kprobes **setp)
{
	struct stp_kprobes *set = *setp;
	struct kprobe **all;
	u32 i, n = 0;

	*setp = NULL;
	if (!set)
		return;
	all = kvmalloc_array(set->n, sizeof(*all), GFP_KERNEL);
	for (i = 0; i < set->n; i++) {
		struct kprobe_site *k = set->sites[i];

		if (!k->on)
			continue;
		if (all)
			all[n++] = &k->kp;
		else
			stop_one(&k->kp);
	}
	if (n)
		unregister_kprobes(all, n);
	for (i = 0; i < set->n; i++) {
		atomic64_add(set->sites[i]->kp.nmissed, &set->sites[i]->ps->skips[STP_SKIP_REENTRY]);
		kvfree(set->sites[i]);
	}
	kvfree(all);
	kvfree(set->sites);
	kvfree(set);
}

/* ---- STP_ADDRESS ---- */
static int address_attach_set(struct stp_siteset *set)
{
	struct stp_kprobes **addresses = (struct stp_kprobes **)&set->hook[STP_SET_ADDRESS];
	struct stp_probe_sites *x;
	u32 i;
	int rc = 0;

	stp_for_each_sites(x, set, STP_ADDRESS)
		for (i = 0; i < x->n && !rc; i++)
			rc = stp_kprobes_add(addresses, x->ps, &x->sites[i]);
	if (!rc)
		rc = stp_kprobes_attach(*addresses);
	return rc;
}

static void address_detach_set(struct stp_siteset *set)
{
	stp_kprobes_detach((struct stp_kprobes **)&set->hook[STP_SET_ADDRESS]);
}

static int address_attach(void)
{
	return address_attach_set(stp_kernel_set());
}

static void address_detach(void)
{
	address_detach_set(stp_kernel_set());
}

const struct stp_hook stp_hook_address = {
	address_attach, address_detach, .attach_set = address_attach_set, .detach_set = address_detach_set,
};
