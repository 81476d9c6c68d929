/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by symbol alone, with no type information and so no context variables: kprobe.function("NAME"),
 * kprobe.module("NAME").function("NAME"), each with .call, .return and .maxactive(N), and
 * kprobe.statement(ADDRESS).absolute.
 */
#include "probe_util.h"
#include "kernel.h"
#include "debuginfo/kallsyms.h"
#include "debuginfo/types.h"
#include "name_glob.h"

#include <string.h>

static bool kprobe_match(const struct point *p)
{
	return point_has(p, 0, "kprobe");
}

/* For the kernel we run on, a name that is nowhere is an error now rather than at the start. */
static int check_name(struct session *s, const struct point *p, size_t i, const char *name, const char *module)
{
	struct types_module *m;
	struct cfunc f;
	bool readable;

	if (!s->kernel || !s->kernel->is_running)
		return 0;
	m = types_module(session_types(s), module);
	if (types_func(m, name, &f) || kallsyms_has_function(name, module, &readable) || !readable)
		return 0;
	return diag_error(s, p->comps[i].loc, "unknown-function", "no function '%s' in %s%s", name,
			  module ? "module " : "kernel ", module ? module : s->kernel->release);
}

static int read_suffixes(struct session *s, const struct point *p, size_t i, struct probe *probe)
{
	static const char *const known[] = { "call", "return", "maxactive", NULL };

	for (; i < p->ncomps; i++) {
		if (point_once(s, p, i))
			return -1;
		if (point_has(p, i, "maxactive")) {
			if (point_number(s, p, i, &probe->maxactive))
				return -1;
			if (probe->maxactive < 1 || probe->maxactive > 100000)
				return diag_error(s, p->comps[i].loc, "point-argument", "maxactive is out of range (1 to 100000)");
			continue;
		}
		if (point_has(p, i, "return"))
			probe->attach = ATTACH_RETURN;
		else if (!point_has(p, i, "call"))
			return point_unknown(s, p, i, known);
		if (point_no_arg(s, p, i))
			return -1;
	}
	if (probe->maxactive && probe->attach != ATTACH_RETURN)
		return diag_error(s, p->loc, "point-argument", "maxactive has a meaning for .return only");
	return 0;
}

static int derive_function(struct session *s, struct point *p, size_t i, const char *module, GPtrArray *out)
{
	const char *name = point_string(s, p, i);
	struct probe *probe;

	if (!name)
		return -1;
	if (name_is_glob(name))
		return diag_error(s, p->comps[i].loc, "point-argument",
				  "kprobe takes no pattern: kernel.function(\"%s\") does", name);
	probe = probe_new(s, &provider_kprobe, p, ATTACH_ENTRY);
	if (read_suffixes(s, p, i + 1, probe) || check_name(s, p, i, name, module))
		return -1;
	probe->sites = arena_alloc(s, sizeof(*probe->sites));
	probe->nsites = 1;
	probe->sites[0] = (struct site){ .module = module, .symbol = name, .optional = p->optional };
	g_ptr_array_add(out, probe);
	return 0;
}

static int derive_statement(struct session *s, struct point *p, GPtrArray *out)
{
	static const char *const known[] = { "absolute", NULL };
	struct probe *probe;
	int64_t addr;

	if (point_number(s, p, 1, &addr))
		return -1;
	if (p->ncomps != 3 || !point_has(p, 2, "absolute"))
		return p->ncomps > 2 ? point_unknown(s, p, 2, known) :
			diag_error(s, p->loc, "unknown-probe-point", "kprobe.statement(ADDRESS) needs .absolute behind it");
	if (point_no_arg(s, p, 2))
		return -1;
	if (!s->opt.guru)
		return diag_error(s, p->loc, "needs-guru", "a probe on an absolute address needs guru mode (-g)");
	probe = probe_new(s, &provider_kprobe, p, ATTACH_ADDRESS);
	probe->sites = arena_alloc(s, sizeof(*probe->sites));
	probe->nsites = 1;
	probe->sites[0] = (struct site){ .offset = addr, .optional = p->optional };
	g_ptr_array_add(out, probe);
	return 0;
}

static int kprobe_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	static const char *const known[] = { "function", "module", "statement", NULL };
	const char *module;

	if (p->ncomps < 2)
		return diag_error(s, p->loc, "unknown-probe-point", "'kprobe' is no probe point: say kprobe.function(\"NAME\")");
	if (point_no_arg(s, p, 0))
		return -1;
	if (point_has(p, 1, "function"))
		return derive_function(s, p, 1, NULL, out);
	if (point_has(p, 1, "statement"))
		return derive_statement(s, p, out);
	if (!point_has(p, 1, "module"))
		return point_unknown(s, p, 1, known);
	module = point_string(s, p, 1);
	if (!module)
		return -1;
	if (!point_has(p, 2, "function"))
		return p->ncomps > 2 ? point_unknown(s, p, 2, known) :
			diag_error(s, p->loc, "unknown-probe-point", "kprobe.module(\"NAME\") needs .function(\"NAME\") behind it");
	return derive_function(s, p, 2, g_strdelimit(arena_strdup(s, module), "-", '_'), out);
}

static const char *const kprobe_patterns[] = {
	"kprobe.function(STRING)", "kprobe.function(STRING).call", "kprobe.function(STRING).return",
	"kprobe.function(STRING).return.maxactive(NUMBER)", "kprobe.module(STRING).function(STRING)",
	"kprobe.module(STRING).function(STRING).return", "kprobe.statement(NUMBER).absolute", NULL
};

const struct provider provider_kprobe = {
	.name = "kprobe",
	.match = kprobe_match,
	.derive = kprobe_derive,
	.patterns = kprobe_patterns,
};
