/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* netfilter probes: a hook in every network namespace there is, and there will be while the script runs. */
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "hook.h"

enum { ARG_HOOKNUM, ARG_SKB, ARG_IN, ARG_OUT, ARG_VERDICT, ARG_PF, ARG_STATE, NARGS }; /* stp.h */

static struct nf_hook_ops *all_ops;     /* one a probe; unused ones have no function */
static bool registered;

/* A verdict that the kernel does not know, or knows no longer (NF_REPEAT, NF_STOP), makes it warn: the packet goes on. */
static unsigned int verdict_of(u64 verdict)
{
	return (verdict & NF_VERDICT_MASK) <= NF_QUEUE ? (unsigned int)verdict : NF_ACCEPT;
}

static unsigned int netfilter_fn(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	u64 args[NARGS] = {
		[ARG_HOOKNUM] = state->hook, [ARG_SKB] = (uintptr_t)skb, [ARG_IN] = (uintptr_t)state->in,
		[ARG_OUT] = (uintptr_t)state->out, [ARG_VERDICT] = NF_ACCEPT, [ARG_PF] = state->pf,
		[ARG_STATE] = (uintptr_t)state,
	};

	OPTIMIZER_HIDE_VAR(skb);
	stp_hit(priv, NULL, args, 0);
	barrier_data(args); /* handlers may write the verdict */
	return verdict_of(args[ARG_VERDICT]);
}

/* Families that the kernel was built without: it warns of hooks for them. */
static bool family_is_there(u32 pf)
{
	switch (pf) {
#ifndef CONFIG_NETFILTER_FAMILY_BRIDGE
	case NFPROTO_BRIDGE: return false;
#endif
#ifndef CONFIG_NETFILTER_FAMILY_ARP
	case NFPROTO_ARP: return false;
#endif
	}
	return true;
}

/* Of each namespace: one bit a probe, whose hook it has. */
struct hooked {
	unsigned long *bits;
};
static unsigned int hooked_id;

/* A namespace whose hooks can not be had still comes to life. */
static int hooks_add(struct net *net)
{
	struct hooked *h = net_generic(net, hooked_id);
	u32 i;

	h->bits = kvcalloc(BITS_TO_LONGS(stp_script.nprobes), sizeof(long), GFP_KERNEL);
	if (!h->bits)
		return net == &init_net ? -ENOMEM : 0;
	for (i = 0; i < stp_script.nprobes; i++) {
		int rc;

		if (!all_ops[i].hook)
			continue;
		rc = nf_register_net_hook(net, &all_ops[i]);
		if (!rc) {
			__set_bit(i, h->bits);
			stp_probes[i].attached++;
		} else if (net == &init_net) {
			stp_warn("probe %s could not be attached: the kernel refuses it (error %d)", stp_probes[i].p->point, rc);
			all_ops[i].hook = NULL;
		}
	}
	return 0;
}

static void hooks_remove(struct net *net)
{
	struct hooked *h = net_generic(net, hooked_id);
	u32 i;

	for (i = 0; h->bits && i < stp_script.nprobes; i++)
		if (test_bit(i, h->bits)) /* the kernel warns of hooks that are not there */
			nf_unregister_net_hook(net, &all_ops[i]);
	kvfree(h->bits);
}

static struct pernet_operations in_namespaces = {
	.init = hooks_add, .exit = hooks_remove, .id = &hooked_id, .size = sizeof(struct hooked),
};

static int netfilter_attach(void)
{
	struct stp_probe_state *ps;

	all_ops = kvcalloc(stp_script.nprobes, sizeof(*all_ops), GFP_KERNEL);
	if (!all_ops)
		return -ENOMEM;
	stp_for_each_probe(ps, STP_NETFILTER) {
		struct nf_hook_ops *ops = &all_ops[ps - stp_probes];

		if (family_is_there(ps->p->sub >> 8))
			ops->hook = netfilter_fn;
		else
			stp_warn("probe %s could not be attached: this kernel has no packets of that family", ps->p->point);
		ops->priv = (void *)ps->p;
		ops->hooknum = ps->p->sub & 0xff;
		ops->pf = ps->p->sub >> 8;
		ops->priority = ps->p->arg;
	}
	registered = !register_pernet_subsys(&in_namespaces);
	return registered ? 0 : -ENOMEM;
}

static void netfilter_detach(void)
{
	if (registered)
		unregister_pernet_subsys(&in_namespaces);
	registered = false;
	synchronize_net(); /* packets in the hooks */
	kvfree(all_ops);
	all_ops = NULL;
}

const struct stp_hook stp_hook_netfilter = { netfilter_attach, netfilter_detach };
