/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints, of modules as well: kernel.trace("NAME") and kernel.trace("SYSTEM:NAME"), wildcards in either half;
 * kernel.tracepoint("NAME") is the same.  Names and arguments come from the __traceiter_NAME functions in BTF.
 */
#include "probe_util.h"
#include "install_hint.h"
#include "kernel.h"
#include "target.h"
#include "trace_systems.h"
#include "debuginfo/module_pack.h"
#include "name_glob.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "__traceiter_"
#define REG_ARGS 5  /* argument words in registers, behind the probe's data pointer */
#define MAX_WORDS 12 /* STP_MAXARGS: what the runtime takes over */

struct trace_context {
	const char *name, *system; /* system: "" when not known */
	struct types_module *module;
	struct cfunc iter;         /* its first parameter is not the tracepoint's */
};

static bool trace_match(const struct point *p)
{
	return point_has(p, 0, "kernel") && (point_has(p, 1, "trace") || point_has(p, 1, "tracepoint"));
}

static bool is_iter(void *data, const char *name)
{
	return strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0;
}

static void name_add(void *data, const char *name)
{
	g_ptr_array_add(data, (char *)name + sizeof(PREFIX) - 1);
}

/* All tracepoints of the kernel, sorted.  Free with TRUE. */
static GPtrArray *trace_names(struct types_module *kernel)
{
	GPtrArray *names = g_ptr_array_new();

	types_each_func(kernel, is_iter, name_add, names);
	return names;
}

/* A tracepoint of a module. */
struct module_trace {
	const char *module, *name;
};

struct module_search {
	struct session *s;
	const char *module, *pattern;
	GHashTable *known;         /* the kernel's own, and what was found */
	GArray *found;
};

static bool module_iter_wanted(void *data, const char *func)
{
	struct module_search *ms = data;

	return is_iter(NULL, func) && name_glob(ms->pattern, func + sizeof(PREFIX) - 1);
}

static void module_iter_add(void *data, const char *func)
{
	struct module_search *ms = data;
	struct module_trace t = { ms->module, arena_strdup(ms->s, func + sizeof(PREFIX) - 1) };

	if (g_hash_table_add(ms->known, (gpointer)t.name))
		g_array_append_val(ms->found, t);
}

/* Tracepoints of modules: of those that are loaded where the kernel runs here, else of all it has. */
static GArray *module_traces(struct session *s, GPtrArray *kernel_names, const char *pattern)
{
	struct types *types = session_types(s);
	GPtrArray *modules = types_module_names(types, "*");
	struct module_pack *pack = s->kernel->is_running ? NULL : module_pack_open(types);
	struct module_search ms = { .s = s, .pattern = pattern, .known = g_hash_table_new(g_str_hash, g_str_equal),
		.found = g_array_new(FALSE, FALSE, sizeof(struct module_trace)) };

	for (guint i = 0; i < kernel_names->len; i++)
		g_hash_table_add(ms.known, kernel_names->pdata[i]);
	for (guint i = 0; i < modules->len; i++) {
		ms.module = arena_strdup(s, modules->pdata[i]);
		if (pack)
			module_pack_each(pack, ms.module, module_iter_wanted, module_iter_add, &ms);
		else if (s->kernel->is_running)
			types_each_func(types_module(types, ms.module), module_iter_wanted, module_iter_add, &ms);
	}
	g_hash_table_destroy(ms.known);
	g_ptr_array_free(modules, TRUE);
	return ms.found;
}

static GHashTable *systems_of(struct session *s, GPtrArray *names)
{
	GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
	GHashTable *systems = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (guint i = 0; i < names->len; i++)
		g_hash_table_add(set, names->pdata[i]);
	trace_systems_load(s->kernel, set, systems);
	g_hash_table_destroy(set);
	return systems;
}

/* Places of the arguments; entry 0 is the data pointer.  Returns the number of argument words. */
static unsigned argument_places(struct session *s, const struct trace_context *tc, struct place *places, size_t n, struct loc loc)
{
	size_t nparams;
	const struct ctype_param *params = ctype_params(tc->iter.proto, &nparams);
	struct arg_loc *at = g_new0(struct arg_loc, n);
	unsigned words = 0;

	abi_args(tc->iter.proto, at, n);
	for (size_t i = 1; i < n; i++) {
		unsigned first, count = (ctype_size(params[i].type) + 7) / 8;
		struct place *p = &places[i];

		if ((at[i].kind != ARG_REGS && at[i].kind != ARG_STACK) || at[i].vector[0] || at[i].vector[1])
			continue;
		first = at[i].kind == ARG_REGS ? at[i].first - 1 : REG_ARGS + at[i].offset / 8;
		words = MAX(words, first + count);
		*p = (struct place){ .type = params[i].type, .module = tc->module,
			.what = arena_printf(s, "$%s", params[i].name) };
		if (count > 2 || first + count > MAX_WORDS)
			continue; /* stays without a place */
		p->nwords = count;
		for (unsigned w = 0; w < count; w++)
			p->word[w] = lowered_arg(s, first + w, loc);
	}
	g_free(at);
	return MIN(words, MAX_WORDS);
}

static void add_probe(struct session *s, struct point *p, struct types_module *m, const char *name,
		      const char *system, GPtrArray *out)
{
	struct probe *probe = probe_new(s, &provider_trace, p, ATTACH_TRACEPOINT);
	struct trace_context *tc = arena_alloc(s, sizeof(*tc));
	size_t n;

	tc->name = probe->target = arena_strdup(s, name);
	tc->system = arena_strdup(s, system ? system : "");
	tc->module = m;
	types_func(m, arena_printf(s, PREFIX "%s", name), &tc->iter);
	if (tc->iter.proto) {
		struct place *places;

		ctype_params(tc->iter.proto, &n);
		places = g_new0(struct place, n);
		probe->ntpargs = argument_places(s, tc, places, n, p->loc);
		g_free(places);
	}
	probe->point = arena_printf(s, "kernel.%s(\"%s%s%s\")", p->comps[1].name, tc->system, *tc->system ? ":" : "", name);
	probe->priv = tc;
	g_ptr_array_add(out, probe);
}

/*
 * Modules are looked at where the kernel has nothing of that name, and for lists; a wildcard takes in those that are
 * loaded.  Without their sources nobody knows the subsystem: any will do for a name, and for a wildcard the name of the module.
 */
static void derive_modules(struct session *s, struct point *p, const char *system, const char *name, bool found, GPtrArray *names,
			   GPtrArray *out)
{
	GArray *traces;
	GHashTable *systems;
	GPtrArray *only;

	if (found && !s->opt.list && !(name_is_glob(name) && s->kernel->is_running))
		return;
	traces = module_traces(s, names, name);
	only = g_ptr_array_new();
	for (guint i = 0; i < traces->len; i++)
		g_ptr_array_add(only, (char *)g_array_index(traces, struct module_trace, i).name);
	systems = systems_of(s, only);
	for (guint i = 0; i < traces->len; i++) {
		const struct module_trace *t = &g_array_index(traces, struct module_trace, i);
		const char *of = g_hash_table_lookup(systems, t->name);

		if (system && !of && name_is_glob(name)) /* a guess at many would be wrong for most */
			of = t->module;
		if (system && of && !name_glob(system, of))
			continue;
		add_probe(s, p, types_module(session_types(s), t->module), t->name, g_hash_table_lookup(systems, t->name), out);
	}
	g_hash_table_destroy(systems);
	g_ptr_array_free(only, TRUE);
	g_array_free(traces, TRUE);
}

static int error_no_systems(struct session *s, struct point *p, const char *system, const char *name)
{
	char *hint = hint_kernel_headers(s->kernel->release);

	diag_error(s, p->comps[1].loc, "no-headers", "which subsystem a tracepoint belongs to is known from the kernel's headers only, and those of"
		   " kernel %s are not here", s->kernel->release);
	diag_help(s, "leave '%s:' out: kernel.trace(\"%s\")", system, name);
	diag_help(s, "the headers: %s", hint);
	g_free(hint);
	return -1;
}

static int error_unknown(struct session *s, struct point *p, const char *system, const char *name, GPtrArray *names,
			 GHashTable *systems)
{
	const char *near = name_is_glob(name) ? NULL : diag_nearest(name, names), *real;

	if (system && g_hash_table_size(systems) == 0)
		return error_no_systems(s, p, system, name);
	diag_error(s, p->comps[1].loc, "unknown-tracepoint", "no tracepoint %s '%s%s%s' in kernel %s",
		   name_is_glob(name) ? "matches" : "is called", system ? system : "", system ? ":" : "", name, s->kernel->release);
	real = system ? g_hash_table_lookup(systems, name) : NULL;
	if (real)
		diag_help(s, "'%s' belongs to '%s'", name, real);
	else if (near && strcmp(near, name) != 0)
		diag_help(s, "did you mean '%s'?", near);
	return -1;
}

static int trace_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	struct types_module *kernel = types_module(session_types(s), NULL);
	const char *spec, *name, *system = NULL, *colon;
	GHashTable *systems;
	GPtrArray *names;
	guint before = out->len;
	int rc = 0;

	if (p->ncomps > 2)
		return point_unknown(s, p, 2, NULL);
	if (point_no_arg(s, p, 0))
		return -1;
	spec = name = point_string(s, p, 1);
	if (!spec)
		return -1;
	if (kernel->problem)
		return diag_error(s, p->loc, "no-types", "%s", kernel->problem);
	colon = strchr(spec, ':');
	if (colon) {
		system = arena_strndup(s, spec, colon - spec);
		name = colon + 1;
	}
	names = trace_names(kernel);
	systems = systems_of(s, names);
	for (guint i = 0; i < names->len; i++) {
		const char *of = g_hash_table_lookup(systems, names->pdata[i]);

		if (name_glob(name, names->pdata[i]) && (!system || name_glob(system, of ? of : "")))
			add_probe(s, p, kernel, names->pdata[i], of, out);
	}
	if (!system || name_glob(system, ""))
		derive_modules(s, p, system, name, out->len > before, names, out);
	else if (out->len == before)
		derive_modules(s, p, system, name, false, names, out);
	if (out->len == before)
		rc = error_unknown(s, p, system, name, names, systems);
	g_hash_table_destroy(systems);
	g_ptr_array_free(names, TRUE);
	return rc;
}

/* ---- context variables ---- */

static struct expr *unknown_argument(struct session *s, const struct trace_context *tc, struct expr *e,
				     const struct ctype_param *params, size_t n)
{
	GPtrArray *names = g_ptr_array_new();

	for (size_t i = 1; i < n; i++)
		g_ptr_array_add(names, arena_printf(s, "$%s", params[i].name));
	g_ptr_array_add(names, "$$name");
	target_unknown(s, e, arena_printf(s, "tracepoint '%s' has no argument", tc->name), names);
	g_ptr_array_free(names, TRUE);
	return NULL;
}

/* $arg1, $arg2 ...: by position; 0: no such thing. */
static size_t positional(const char *name, size_t n)
{
	char *end;
	unsigned long number;

	if (strncmp(name, "$arg", 4) || !g_ascii_isdigit(name[4]))
		return 0;
	number = strtoul(name + 4, &end, 10);
	return !*end && number > 0 && number < n ? number : 0;
}

static struct expr *argument(struct session *s, struct place *p, struct expr *e, bool lvalue)
{
	if (!p->nwords) {
		diag_error(s, e->loc, "no-location", "%s cannot be read: it is not passed in the first %d words", e->name, MAX_WORDS);
		return NULL;
	}
	if (lvalue && e->ncomps == 0) {
		diag_error(s, e->loc, "not-assignable", "an argument of a tracepoint cannot be written to");
		return NULL;
	}
	return place_apply(s, p, e, lvalue);
}

static struct expr *trace_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	const struct trace_context *tc = p->priv;
	const struct ctype_param *params;
	struct expr *ret = NULL;
	struct place *places;
	const char **names;
	bool all;
	size_t n, i;

	if (e->kind == EX_ENTRY) {
		diag_error(s, e->loc, "misplaced-entry", "@entry() has a meaning in .return probes only");
		return NULL;
	}
	if (strcmp(e->name, "$$name") == 0 || strcmp(e->name, "$$system") == 0)
		return expr_str(s, e->name[2] == 'n' ? tc->name : tc->system, e->loc);
	if (!tc->iter.proto) {
		diag_error(s, e->loc, "no-prototype", "the arguments of tracepoint '%s' are not known", tc->name);
		return NULL;
	}
	all = strcmp(e->name, "$$vars") == 0 || strcmp(e->name, "$$parms") == 0;
	params = ctype_params(tc->iter.proto, &n);
	places = g_new0(struct place, n + 1);
	names = g_new0(const char *, n + 1);
	argument_places(s, tc, places, n, e->loc);
	for (i = 1; i < n; i++) {
		names[i] = params[i].name;
		if (!all && strcmp(params[i].name, e->name + 1) == 0)
			break;
	}
	if (!all && i == n && positional(e->name, n))
		i = positional(e->name, n);
	if (all)
		ret = pretty_list(s, places + 1, names + 1, n - 1, e->loc, e);
	else if (i < n)
		ret = argument(s, &places[i], e, lvalue);
	else
		ret = unknown_argument(s, tc, e, params, n);
	g_free(places);
	g_free(names);
	return ret;
}

static void trace_vars(struct session *s, struct probe *p, GString *out)
{
	const struct trace_context *tc = p->priv;
	const struct ctype_param *params;
	size_t n;

	if (!tc->iter.proto)
		return;
	params = ctype_params(tc->iter.proto, &n);
	for (size_t i = 1; i < n; i++) {
		g_string_append_printf(out, " $%s:", params[i].name);
		ctype_print(out, params[i].type);
	}
}

static const char *const trace_patterns[] = { "kernel.trace(STRING)", "kernel.tracepoint(STRING)", NULL };

const struct provider provider_trace = {
	.name = "trace",
	.match = trace_match,
	.derive = trace_derive,
	.target = trace_target,
	.vars = trace_vars,
	.patterns = trace_patterns,
};
