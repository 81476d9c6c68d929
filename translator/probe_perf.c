/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Performance events: perf.type(T).config(C), numbers as in linux/perf_event.h, with .sample(N) or .hz(N), .process or
 * .process("PATH"), and .counter("NAME") behind them, whose value is @perf("NAME").  tapsets/perf.stp has names for events.
 */
#include "probe_util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SAMPLE 1000000

static bool perf_match(const struct point *p)
{
	return point_has(p, 0, "perf") && point_has(p, 1, "type");
}

/* The program as an absolute path without links; NULL after an error. */
static const char *program_path(struct session *s, struct point *p, size_t i)
{
	const char *name = point_string(s, p, i), *ret = NULL;
	char *found, *real;

	if (!name)
		return NULL;
	found = strchr(name, '/') ? g_strdup(name) : g_find_program_in_path(name);
	real = found ? realpath(found, NULL) : NULL;
	if (real)
		ret = arena_strdup(s, real);
	else
		diag_error(s, p->comps[i].loc, "no-program", "there is no program '%s'", name);
	g_free(found);
	free(real);
	return ret;
}

static int read_process(struct session *s, struct point *p, size_t i, struct probe *probe)
{
	probe->attach = ATTACH_PERF_TASK;
	probe->target = p->comps[i].arg ? program_path(s, p, i) : "";
	if (!probe->target)
		return -1;
	if (!*probe->target && !s->opt.cmd && !s->opt.target_pid && s->opt.last_pass == 5)
		return diag_error(s, p->comps[i].loc, "no-target", "'process' alone means the process of -c or -x, and neither is given");
	return 0;
}

static int read_rate(struct session *s, struct point *p, size_t i, struct probe *probe)
{
	bool hz = point_has(p, i, "hz");
	int64_t n;

	if (point_number(s, p, i, &n))
		return -1;
	if (n < 1 || (hz && n > 100000))
		return diag_error(s, p->comps[i].loc, "point-argument", "%s(%" PRId64 ") is out of range", p->comps[i].name, n);
	if (probe->arg2)
		return diag_error(s, p->comps[i].loc, "point-argument", "one of .sample and .hz is enough");
	probe->arg2 = hz ? -n : n;
	return 0;
}

static int read_words(struct session *s, struct point *p, struct probe *probe)
{
	static const char *const known[] = { "sample", "hz", "process", "counter", NULL };
	struct loc counter = p->loc;

	for (size_t i = 3; i < p->ncomps; i++) {
		if (point_has(p, i, "sample") || point_has(p, i, "hz")) {
			if (read_rate(s, p, i, probe))
				return -1;
		} else if (point_has(p, i, "process")) {
			if (read_process(s, p, i, probe))
				return -1;
		} else if (point_has(p, i, "counter")) {
			counter = p->comps[i].loc;
			probe->priv = (void *)point_string(s, p, i);
			if (!probe->priv)
				return -1;
		} else {
			return point_unknown(s, p, i, known);
		}
	}
	if (probe->priv && probe->attach != ATTACH_PERF_TASK)
		return diag_error(s, counter, "point-argument", "a counter belongs to a process: say .process(\"PATH\") or .process, too");
	if (probe->priv && probe->arg2)
		return diag_error(s, counter, "point-argument", "a counter is read by @perf(), and takes no samples");
	if (!probe->priv && !probe->arg2)
		probe->arg2 = DEFAULT_SAMPLE;
	return 0;
}

static int perf_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	struct probe *probe = probe_new(s, &provider_perf, p, ATTACH_PERF);
	int64_t type;

	if (point_no_arg(s, p, 0) || point_number(s, p, 1, &type))
		return -1;
	if (type < 0 || type > UINT32_MAX)
		return diag_error(s, p->comps[1].loc, "point-argument", "type(%" PRId64 ") is out of range", type);
	if (!point_has(p, 2, "config"))
		return p->ncomps > 2 ? point_unknown(s, p, 2, (const char *const[]){ "config", NULL }) :
			diag_error(s, p->loc, "unknown-probe-point", "perf.type(T) needs .config(C) behind it");
	if (point_number(s, p, 2, &probe->arg) || read_words(s, p, probe))
		return -1;
	probe->sub = (uint32_t)type;
	g_ptr_array_add(out, probe);
	return 0;
}

int perf_counter_index(struct session *s, const char *name)
{
	for (guint i = 0; i < s->probes->len; i++) {
		const struct probe *p = s->probes->pdata[i];

		if (p->attach == ATTACH_PERF_TASK && p->priv && strcmp(p->priv, name) == 0)
			return (int)i;
	}
	return -1;
}

static const char *const perf_patterns[] = {
	"perf.type(NUMBER).config(NUMBER){,.hz(NUMBER),.sample(NUMBER)}{,.process,.process(STRING)}",
	"perf.type(NUMBER).config(NUMBER).process{,(STRING)}.counter(STRING)", NULL
};

const struct provider provider_perf = {
	.name = "perf",
	.match = perf_match,
	.derive = perf_derive,
	.patterns = perf_patterns,
};
