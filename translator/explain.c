/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pass 2 chose, and why (explain.h). */
#include <stdio.h>
#include <string.h>
#include "explain.h"
#include "provider.h"
#include "source.h"
#include "user_site.h"

#define MOST_PROBES 100 /* wildcards make thousands of one kind */

static const char *mechanism(const struct probe *p)
{
	switch (p->attach) {
	case ATTACH_BEGIN: return "run by the loader when the session begins";
	case ATTACH_END:
	case ATTACH_ERROR: return "run by the loader when the session ends";
	case ATTACH_NEVER: return "never run";
	case ATTACH_TIMER: return "a timer";
	case ATTACH_PROFILE: return "a timer on each processor";
	case ATTACH_ENTRY: return "the function's entry, by ftrace where it can be traced, else by a kprobe";
	case ATTACH_RETURN: return p->nsaved ? "the function's return, with values kept from its entry" : "the function's return";
	case ATTACH_TRACEPOINT: return "a tracepoint of the kernel";
	case ATTACH_ADDRESS: return "a kprobe at the instruction";
	case ATTACH_PROCFS: return "a file of /proc/systemtap";
	case ATTACH_INPUT: return "the standard input of staprun";
	case ATTACH_NETFILTER: return "a netfilter hook";
	case ATTACH_PERF:
	case ATTACH_PERF_TASK: return "a perf event";
	case ATTACH_DATA: return "a debug register of the processor";
	case ATTACH_UDATA: return "a debug register, in each thread of the program";
	case ATTACH_UPROBE: return "a uprobe at the instruction";
	case ATTACH_URETURN: return p->at_returns ? "uprobes at the return instructions, and at the start for what is kept" :
		"a uprobe at the function's return";
	case ATTACH_TASK: return "events of the process";
	default: return NULL;
	}
}

static const char *basis(const struct probe *p)
{
	if (!p->nsites)
		return "";
	return p->sites[0].build_id ? ", placed by debug information" : p->sites[0].symbol ? ", found by name when loaded" : "";
}

static const char *locking(const struct probe *p)
{
	return p->lock_excl ? "; has its globals to itself" : p->lock_shared ? "; its updates of globals run beside others'" : "; takes no lock";
}

static size_t places(const struct probe *p)
{
	size_t n = p->nsites;

	for (size_t i = 0; i < p->nuser; i++)
		n += p->user[i].nsites;
	return n;
}

static void explain_probe(const struct probe *p)
{
	const char *how = mechanism(p);
	char *name = g_strdelimit(g_strdup(p->point), "\001", '*');

	fprintf(stderr, "probe %s: ", name);
	if (places(p) > 1)
		fprintf(stderr, "%zu places, ", places(p));
	fprintf(stderr, "%s%s%s\n", how ? how : p->provider ? p->provider->name : "", basis(p), locking(p));
	g_free(name);
}

static void explain_global(const struct var *v)
{
	const char *type = v->type == TY_STATS ? "statistic" : type_name(v->type);

	fprintf(stderr, "global %s: %s%s", v->name, v->arity > 0 ? "an array of type " : "", type);
	if (v->type_loc.src)
		fprintf(stderr, ", because of %s:%u:%u", v->type_loc.src->name, v->type_loc.line, v->type_loc.col);
	fputs(v->lock < 0 ? "; no lock\n" : "\n", stderr);
}

void explain_choices(const struct session *s)
{
	for (guint i = 0; i < s->globals->len; i++)
		explain_global(s->globals->pdata[i]);
	for (guint i = 0; i < s->probes->len && i < MOST_PROBES; i++)
		explain_probe(s->probes->pdata[i]);
	if (s->probes->len > MOST_PROBES)
		fprintf(stderr, "... and %u more probes\n", s->probes->len - MOST_PROBES);
}
