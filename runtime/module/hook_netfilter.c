/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* netfilter probes: a hook in every network namespace there is, and there will be while the script runs. */
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include "hook.h"

enum { ARG_HOOKNUM, ARG_SKB, ARG_IN, ARG_OUT, ARG_VERDICT, ARG_PF, ARG_STATE, NARGS }; /* stp.h */

static struct nf_hook_ops *all_ops;     /* one a probe; unused ones have no function */
static bool registered;

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
	return args[ARG_VERDICT];
}

/* A namespace whose hooks can not be had still comes to life. */
static int hooks_add(struct net *net)
{
	u32 i;

	for (i = 0; i < stp_script.nprobes; i++) {
		int rc;

		if (!all_ops[i].hook)
			continue;
		rc = nf_register_net_hook(net, &all_ops[i]);
		if (!rc)
			stp_probes[i].attached++;
		else if (net == &init_net) {
			stp_warn("probe %s could not be attached: the kernel refuses it (error %d)", stp_probes[i].p->point, rc);
			all_ops[i].hook = NULL;
		}
	}
	return 0;
}

static void hooks_remove(struct net *net)
{
	u32 i;

	for (i = 0; i < stp_script.nprobes; i++)
		if (all_ops[i].hook)
			nf_unregister_net_hook(net, &all_ops[i]);
}

static struct pernet_operations in_namespaces = { .init = hooks_add, .exit = hooks_remove };

static int netfilter_attach(void)
{
	struct stp_probe_state *ps;

	all_ops = kvcalloc(stp_script.nprobes, sizeof(*all_ops), GFP_KERNEL);
	if (!all_ops)
		return -ENOMEM;
	stp_for_each_probe(ps, STP_NETFILTER) {
		struct nf_hook_ops *ops = &all_ops[ps - stp_probes];

		ops->hook = netfilter_fn;
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
