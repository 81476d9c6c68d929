/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets at the hooks of netfilter: netfilter.hook("HOOK").pf("FAMILY").priority("N"), in any order behind the first
 * word.  Names and numbers are those of the kernel's uapi headers linux/netfilter*.h, which never change.
 */
#include "probe_util.h"
#include "kernel.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

struct word {
	const char *name;
	int value;
};

static const struct word families[] = {
	{ "NFPROTO_INET", 1 }, { "NFPROTO_IPV4", 2 }, { "PF_INET", 2 }, { "NFPROTO_ARP", 3 }, { "NFPROTO_BRIDGE", 7 },
	{ "PF_BRIDGE", 7 }, { "NFPROTO_IPV6", 10 }, { "PF_INET6", 10 }, { NULL, 0 }
};

static const struct word hooks[] = {
	{ "NF_INET_PRE_ROUTING", 0 }, { "NF_INET_LOCAL_IN", 1 }, { "NF_INET_FORWARD", 2 }, { "NF_INET_LOCAL_OUT", 3 },
	{ "NF_INET_POST_ROUTING", 4 },
	{ "NF_IP_PRE_ROUTING", 0 }, { "NF_IP_LOCAL_IN", 1 }, { "NF_IP_FORWARD", 2 }, { "NF_IP_LOCAL_OUT", 3 },
	{ "NF_IP_POST_ROUTING", 4 },
	{ "NF_IP6_PRE_ROUTING", 0 }, { "NF_IP6_LOCAL_IN", 1 }, { "NF_IP6_FORWARD", 2 }, { "NF_IP6_LOCAL_OUT", 3 },
	{ "NF_IP6_POST_ROUTING", 4 },
	{ "NF_ARP_IN", 0 }, { "NF_ARP_OUT", 1 }, { "NF_ARP_FORWARD", 2 },
	{ "NF_BR_PRE_ROUTING", 0 }, { "NF_BR_LOCAL_IN", 1 }, { "NF_BR_FORWARD", 2 }, { "NF_BR_LOCAL_OUT", 3 },
	{ "NF_BR_POST_ROUTING", 4 }, { "NF_BR_BROUTING", 5 }, { NULL, 0 }
};

/* How many hooks a family has. */
static const struct word hook_counts[] = { { "", 0 }, { "", 5 }, { "", 5 }, { "", 3 }, { "", 0 }, { "", 0 }, { "", 0 },
	{ "", 6 }, { "", 0 }, { "", 0 }, { "", 5 } };

static const struct word priorities[] = {
	{ "NF_IP_PRI_FIRST", INT32_MIN }, { "NF_IP_PRI_RAW_BEFORE_DEFRAG", -450 }, { "NF_IP_PRI_CONNTRACK_DEFRAG", -400 },
	{ "NF_IP_PRI_RAW", -300 }, { "NF_IP_PRI_SELINUX_FIRST", -225 }, { "NF_IP_PRI_CONNTRACK", -200 },
	{ "NF_IP_PRI_MANGLE", -150 }, { "NF_IP_PRI_NAT_DST", -100 }, { "NF_IP_PRI_FILTER", 0 }, { "NF_IP_PRI_SECURITY", 50 },
	{ "NF_IP_PRI_NAT_SRC", 100 }, { "NF_IP_PRI_SELINUX_LAST", 225 }, { "NF_IP_PRI_CONNTRACK_HELPER", 300 },
	{ "NF_IP_PRI_CONNTRACK_CONFIRM", INT32_MAX }, { "NF_IP_PRI_LAST", INT32_MAX },
	{ "NF_IP6_PRI_FIRST", INT32_MIN }, { "NF_IP6_PRI_RAW_BEFORE_DEFRAG", -450 }, { "NF_IP6_PRI_CONNTRACK_DEFRAG", -400 },
	{ "NF_IP6_PRI_RAW", -300 }, { "NF_IP6_PRI_SELINUX_FIRST", -225 }, { "NF_IP6_PRI_CONNTRACK", -200 },
	{ "NF_IP6_PRI_MANGLE", -150 }, { "NF_IP6_PRI_NAT_DST", -100 }, { "NF_IP6_PRI_FILTER", 0 },
	{ "NF_IP6_PRI_SECURITY", 50 }, { "NF_IP6_PRI_NAT_SRC", 100 }, { "NF_IP6_PRI_SELINUX_LAST", 225 },
	{ "NF_IP6_PRI_CONNTRACK_HELPER", 300 }, { "NF_IP6_PRI_LAST", INT32_MAX },
	{ "NF_BR_PRI_FIRST", INT32_MIN }, { "NF_BR_PRI_NAT_DST_BRIDGED", -300 }, { "NF_BR_PRI_FILTER_BRIDGED", -200 },
	{ "NF_BR_PRI_BRNF", 0 }, { "NF_BR_PRI_NAT_DST_OTHER", 100 }, { "NF_BR_PRI_FILTER_OTHER", 200 },
	{ "NF_BR_PRI_NAT_SRC", 300 }, { "NF_BR_PRI_LAST", INT32_MAX }, { NULL, 0 }
};

static bool netfilter_match(const struct point *p)
{
	return point_has(p, 0, "netfilter");
}

/* A word of the list, or a number as text. */
static int read_word(struct session *s, struct point *p, size_t i, const struct word *list, const char *what, int64_t *ret)
{
	const char *text = point_string(s, p, i), *near;
	GPtrArray *names;
	char *end;

	if (!text)
		return -1;
	*ret = strtoll(text, &end, 0);
	if (*text && !*end && *ret >= INT32_MIN && *ret <= INT32_MAX)
		return 0;
	names = g_ptr_array_new();
	for (const struct word *w = list; w->name; w++) {
		if (strcmp(w->name, text) == 0) {
			*ret = w->value;
			g_ptr_array_free(names, TRUE);
			return 0;
		}
		g_ptr_array_add(names, (char *)w->name);
	}
	near = diag_nearest(text, names);
	diag_error(s, p->comps[i].loc, "unknown-netfilter", "'%s' is no %s of netfilter", text, what);
	if (near)
		diag_help(s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
	return -1;
}

struct hook_spec {
	int64_t hook, family, priority;
	bool has_hook, has_family;
};

static int read_words(struct session *s, struct point *p, struct hook_spec *spec)
{
	static const char *const known[] = { "hook", "pf", "priority", NULL };

	for (size_t i = 1; i < p->ncomps; i++) {
		if (point_has(p, i, "hook")) {
			spec->has_hook = true;
			if (read_word(s, p, i, hooks, "hook", &spec->hook))
				return -1;
		} else if (point_has(p, i, "pf")) {
			spec->has_family = true;
			if (read_word(s, p, i, families, "protocol family", &spec->family))
				return -1;
		} else if (point_has(p, i, "priority")) {
			if (read_word(s, p, i, priorities, "priority", &spec->priority))
				return -1;
		} else {
			return point_unknown(s, p, i, known);
		}
	}
	if (!spec->has_hook || !spec->has_family)
		return diag_error(s, p->loc, "unknown-probe-point", "a netfilter probe needs a hook and a protocol family: "
				  "netfilter.hook(\"NF_INET_LOCAL_IN\").pf(\"NFPROTO_IPV4\")");
	return 0;
}

static int netfilter_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	struct hook_spec spec = { 0 };
	struct probe *probe;
	int count;

	if (point_no_arg(s, p, 0) || read_words(s, p, &spec))
		return -1;
	count = spec.family >= 0 && spec.family < (int64_t)G_N_ELEMENTS(hook_counts) ? hook_counts[spec.family].value : 0;
	if (!count)
		return diag_error(s, p->loc, "unknown-netfilter", "protocol family %" G_GINT64_FORMAT " has no hooks", spec.family);
	if (spec.hook < 0 || spec.hook >= count)
		return diag_error(s, p->loc, "unknown-netfilter", "protocol family %" G_GINT64_FORMAT " has no hook %" G_GINT64_FORMAT
				  ", only 0 to %d", spec.family, spec.hook, count - 1);
	probe = probe_new(s, &provider_netfilter, p, ATTACH_NETFILTER);
	probe->arg = spec.priority;
	probe->sub = (uint32_t)(spec.family << 8 | spec.hook);
	g_ptr_array_add(out, probe);
	return 0;
}

/* ---- context variables ---- */

/* In the order of the words of c->args (stp.h). */
static const struct variable {
	const char *name, *type;
	bool writable;
} variables[] = {
	{ "$hooknum", "unsigned int", false }, { "$skb", "struct sk_buff *", false }, { "$in", "struct net_device *", false },
	{ "$out", "struct net_device *", false }, { "$verdict", "int", true }, { "$pf", "unsigned int", false },
	{ "$nf_hook_state", "struct nf_hook_state *", false },
};

static struct expr *variable_value(struct session *s, const struct variable *v, struct expr *e, bool lvalue)
{
	struct types_module *kernel = types_module(session_types(s), NULL);
	const struct ctype *type = kernel->problem ? NULL : types_named(kernel, v->type);
	struct expr *word = lowered_arg(s, (unsigned)(v - variables), e->loc);
	struct place at;

	if (lvalue && e->ncomps == 0) {
		if (v->writable && s->opt.guru)
			return word;
		diag_error(s, e->loc, v->writable ? "needs-guru" : "not-assignable", v->writable ?
			   "%s cannot be written to: that needs guru mode (-g)" : "%s cannot be written to: only $verdict can", e->name);
		return NULL;
	}
	if (!type && e->ncomps == 0 && !e->addrof)
		return word;
	if (!type) {
		diag_error(s, e->loc, "no-types", "the members of %s are not known: %s", e->name, kernel->problem ? kernel->problem :
			   "its type is not among the kernel's");
		return NULL;
	}
	at = place_value(type, kernel, e->name, word);
	return place_apply(s, &at, e, lvalue);
}

static struct expr *netfilter_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	GPtrArray *names;

	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
		if (e->name && strcmp(variables[i].name, e->name) == 0)
			return variable_value(s, &variables[i], e, lvalue);
	names = g_ptr_array_new();
	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
		g_ptr_array_add(names, (char *)variables[i].name);
	target_unknown(s, e, "a netfilter probe has no variable", names);
	g_ptr_array_free(names, TRUE);
	return NULL;
}

static void netfilter_vars(struct session *s, struct probe *p, GString *out)
{
	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
		g_string_append_printf(out, " %s:%s", variables[i].name, variables[i].type);
}

static const char *const netfilter_patterns[] = {
	"netfilter.{hook(STRING).pf(STRING),pf(STRING).hook(STRING)}{,.priority(STRING)}", NULL
};

const struct provider provider_netfilter = {
	.name = "netfilter",
	.match = netfilter_match,
	.derive = netfilter_derive,
	.target = netfilter_target,
	.vars = netfilter_vars,
	.patterns = netfilter_patterns,
};
