/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel and of modules by name or pattern: kernel.function("NAME") and
 * module("NAME").function("NAME") with .call, .return, .exported and .maxactive(N).  Names, parameters and
 * results come from BTF; what needs source files, lines or inlined instances says so.
 */
#include "probe_util.h"
#include "alias_match.h"
#include "kernel.h"
#include "target.h"
#include "debuginfo/kallsyms.h"
#include "debuginfo/module_pack.h"

#include <string.h>

/* What a point asks for. */
struct wanted {
	struct session *s;
	const struct point *p;
	const char *pattern;       /* of functions */
	bool is_return, exported, wild;
	bool any_module;           /* a pattern of modules: that one is not loaded is no matter */
	int64_t maxactive;
	bool uses_target;
	GHashTable *symvers;       /* exported names, loaded when asked for */
	GPtrArray *names;          /* matches in the module at hand */
};

static bool kernel_match(const struct point *p)
{
	if (point_has(p, 0, "module"))
		return true;
	return point_has(p, 0, "kernel") && !point_has(p, 1, "trace");
}

/* Tracing machinery and padding that no pattern may match. */
static bool is_hidden(const char *name)
{
	static const char *const prefixes[] = { "__pfx_", "__cfi_", "__traceiter_", "__probestub_", "__bpf_trace_",
		"__ftrace_invalid_address__" };

	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_str_has_prefix(name, prefixes[i]))
			return true;
	return false;
}

/* Names in the target's Module.symvers: what is exported, by whatever module. */
static GHashTable *symvers_load(struct session *s, struct loc loc)
{
	char *path = s->kernel && s->kernel->build_dir ? g_build_filename(s->kernel->build_dir, "Module.symvers", NULL) : NULL;
	GHashTable *set = NULL;
	char *text = NULL;

	if (path && g_file_get_contents(path, &text, NULL, NULL)) {
		set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
		for (char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
			char *name = strchr(line, '\t');

			if (name)
				g_hash_table_add(set, g_strndup(name + 1, strcspn(name + 1, "\t\n")));
		}
	} else {
		diag_error(s, loc, "no-symvers", "which functions are exported is not known: "
			   "the kernel's headers with Module.symvers are not installed");
	}
	g_free(text);
	g_free(path);
	return set;
}

static bool name_wanted(void *data, const char *name)
{
	struct wanted *w = data;

	return !is_hidden(name) && name_glob(w->pattern, name) && (!w->exported || g_hash_table_contains(w->symvers, name));
}

static void name_add(void *data, const char *name)
{
	struct wanted *w = data;

	g_ptr_array_add(w->names, (char *)name);
}

/* ---- the point's parts ---- */

static int need_debuginfo(struct session *s, const struct point_comp *c, const char *what)
{
	return diag_error(s, c->loc, "needs-debuginfo", "%s needs debuginfo, which is not supported yet", what);
}

static int read_suffix(struct wanted *w, size_t i)
{
	static const char *const known[] = { "call", "return", "exported", "maxactive", "inline", NULL };
	const struct point *p = w->p;

	if (point_has(p, i, "maxactive")) {
		if (point_number(w->s, p, i, &w->maxactive))
			return -1;
		if (w->maxactive < 1 || w->maxactive > 100000)
			return diag_error(w->s, p->comps[i].loc, "point-argument", "maxactive is out of range (1 to 100000)");
		return 0;
	}
	if (point_has(p, i, "inline"))
		return need_debuginfo(w->s, &p->comps[i], "an inlined function (.inline)");
	if (point_has(p, i, "label") || point_has(p, i, "callee") || point_has(p, i, "callees") || point_has(p, i, "nearest"))
		return need_debuginfo(w->s, &p->comps[i], p->comps[i].name);
	if (point_has(p, i, "return"))
		w->is_return = true;
	else if (point_has(p, i, "exported"))
		w->exported = true;
	else if (!point_has(p, i, "call"))
		return point_unknown(w->s, p, i, known);
	return point_no_arg(w->s, p, i);
}

static int read_point(struct wanted *w)
{
	const struct point_comp *c = &w->p->comps[1];

	if (c->arg && c->arg->kind == EX_NUM)
		return need_debuginfo(w->s, c, "a function by its address");
	w->pattern = point_string(w->s, w->p, 1);
	if (!w->pattern)
		return -1;
	if (strchr(w->pattern, '@'))
		return need_debuginfo(w->s, c, arena_printf(w->s, "a function with its source file (%s)", w->pattern));
	for (size_t i = 2; i < w->p->ncomps; i++)
		if (read_suffix(w, i))
			return -1;
	if (w->maxactive && !w->is_return)
		return diag_error(w->s, w->p->loc, "point-argument", "maxactive has a meaning for .return only");
	w->wild = name_is_glob(w->pattern);
	if (w->exported)
		w->symvers = symvers_load(w->s, w->p->loc);
	return w->exported && !w->symvers ? -1 : 0;
}

/* ---- probes ---- */

static const char *site_point(struct wanted *w, const char *module, const char *func)
{
	struct point p = *w->p;
	struct point_comp *comps = arena_alloc(w->s, sizeof(*comps) * p.ncomps);

	memcpy(comps, p.comps, sizeof(*comps) * p.ncomps);
	comps[1].arg = expr_str(w->s, func, p.loc);
	if (module)
		comps[0].arg = expr_str(w->s, module, p.loc);
	p.comps = comps;
	return point_text(w->s, &p);
}

/* The function and its types, for the handler's variables; only a handler that has some opens the module. */
static void add_context(struct wanted *w, struct probe *probe, const char *module)
{
	struct func_context *fc = arena_alloc(w->s, sizeof(*fc));

	fc->module = types_module(session_types(w->s), module);
	if (!types_func(fc->module, probe->sites[0].symbol, &fc->func))
		fc->func.name = probe->sites[0].symbol;
	probe->priv = fc;
}

static void add_probe(struct wanted *w, const char *module, const char *const *names, size_t n, GPtrArray *out)
{
	struct probe *probe = probe_new(w->s, &provider_kernel, w->p, w->is_return ? ATTACH_RETURN : ATTACH_ENTRY);

	probe->point = site_point(w, module, n == 1 ? names[0] : "\001");
	probe->maxactive = w->maxactive;
	probe->sites = arena_alloc(w->s, sizeof(*probe->sites) * n);
	probe->nsites = n;
	for (size_t i = 0; i < n; i++) {
		probe->sites[i].module = module ? arena_strdup(w->s, module) : NULL;
		probe->sites[i].symbol = arena_strdup(w->s, names[i]);
		probe->sites[i].optional = w->p->optional || w->any_module;
	}
	if (w->uses_target)
		add_context(w, probe, module);
	g_ptr_array_add(out, probe);
}

/* One probe on all of w->names, or one on each when the handler has variables. */
static void add_probes(struct wanted *w, const char *module, GPtrArray *out)
{
	const char *const *names = (const char *const *)w->names->pdata;

	if (!w->uses_target)
		add_probe(w, module, names, w->names->len, out);
	for (guint i = 0; w->uses_target && i < w->names->len; i++)
		add_probe(w, module, &names[i], 1, out);
}

/* ---- names that are not there ---- */

struct near {
	const char *name;
	size_t len;
	GPtrArray *names;
};

/* Cheap enough for a look at every function: about as long, and beginning alike. */
static bool is_near(void *data, const char *name)
{
	const struct near *n = data;
	size_t len = strlen(name);

	return name[0] == n->name[0] && len + 2 >= n->len && len <= n->len + 2 && !is_hidden(name);
}

static void near_add(void *data, const char *name)
{
	g_ptr_array_add(((struct near *)data)->names, (char *)name);
}

static int error_unknown(struct wanted *w, struct types_module *m)
{
	struct session *s = w->s;
	struct near n = { w->pattern, strlen(w->pattern), g_ptr_array_new() };
	struct types_module *kernel = types_module(m->types, NULL);
	const char *near = NULL;
	struct cfunc f;

	diag_error(s, w->p->comps[1].loc, "unknown-function", w->wild ? "no function matches '%s' in %s" :
		   w->exported && types_func(m, w->pattern, &f) ? "function '%s' of %s is not exported" :
		   "no function '%s' in %s", w->pattern, m->name ? arena_printf(s, "module %s", m->name) :
		   arena_printf(s, "kernel %s", s->kernel->release));
	if (!w->wild && !w->exported) {
		types_each_func(m, is_near, near_add, &n);
		near = diag_nearest(w->pattern, n.names);
		if (near)
			diag_help(s, "did you mean '%s'?", near);
		else if (m->name && types_func(kernel, w->pattern, &f))
			diag_help(s, "the kernel itself has it: kernel.function(\"%s\")", w->pattern);
		else if (!m->name)
			diag_help(s, "if it is there without type information, kprobe.function(\"%s\") probes it", w->pattern);
	}
	g_ptr_array_free(n.names, TRUE);
	return -1;
}

static int error_module(struct wanted *w, struct types_module *m)
{
	diag_error(w->s, w->p->comps[0].loc, m->name ? "unknown-module" : "no-types", "%s", m->problem);
	if (m->name && types_module_builtin(m->types, m->name))
		diag_help(w->s, "'%s' is built into this kernel: use kernel.function()", m->name);
	return -1;
}

/* ---- deriving ---- */

/* Functions in one module (or the kernel); 1 when there are none and that has not been reported. */
static int derive_module(struct wanted *w, struct types_module *m, GPtrArray *out)
{
	struct cfunc f;

	if (m->problem)
		return error_module(w, m);
	g_ptr_array_set_size(w->names, 0);
	if (w->wild)
		types_each_func(m, name_wanted, name_add, w);
	else if (types_func(m, w->pattern, &f) && (!w->exported || g_hash_table_contains(w->symvers, f.name)))
		g_ptr_array_add(w->names, (char *)f.name);
	else if (!w->exported && w->s->kernel->is_running && kallsyms_has_function(w->pattern, m->name, NULL))
		g_ptr_array_add(w->names, (char *)w->pattern);
	if (w->names->len == 0)
		return 1;
	add_probes(w, m->name, out);
	return 0;
}

/* Modules of a kernel that does not run here: their functions are listed in one file. */
static void derive_packed(struct wanted *w, struct types *types, const char *module, GPtrArray *out)
{
	struct module_pack *pack = module_pack_open(types);

	g_ptr_array_set_size(w->names, 0);
	if (pack)
		module_pack_each(pack, module, name_wanted, name_add, w);
	if (w->names->len)
		add_probes(w, module, out);
}

static int derive_modules(struct wanted *w, const char *pattern, GPtrArray *out)
{
	struct types *types = session_types(w->s);
	GPtrArray *modules;
	guint before = out->len;

	if (types_module(types, NULL)->problem)
		return error_module(w, types_module(types, NULL));
	w->any_module = true;
	modules = types_module_names(types, pattern);
	for (guint i = 0; i < modules->len; i++) {
		const char *name = modules->pdata[i];

		if (!w->s->kernel->is_running)
			derive_packed(w, types, name, out);
		else if (!types_module(types, name)->problem) /* one without BTF is no reason to leave out the others */
			derive_module(w, types_module(types, name), out);
	}
	g_ptr_array_free(modules, TRUE);
	if (out->len > before)
		return 0;
	return diag_error(w->s, w->p->loc, "unknown-function", "no function matches '%s' in any module that matches '%s'",
			  w->pattern, pattern);
}

static int derive_functions(struct wanted *w, GPtrArray *out)
{
	const char *module = NULL;
	struct types_module *m;
	int rc;

	if (point_has(w->p, 0, "module")) {
		module = point_string(w->s, w->p, 0);
		if (!module)
			return -1;
		if (strchr(module, '/'))
			return need_debuginfo(w->s, &w->p->comps[0], "a module by its path");
		if (name_is_glob(module))
			return derive_modules(w, module, out);
	} else if (point_no_arg(w->s, w->p, 0)) {
		return -1;
	}
	m = types_module(session_types(w->s), module);
	rc = derive_module(w, m, out);
	return rc > 0 ? error_unknown(w, m) : rc;
}

/* kernel.statement(ADDRESS).absolute */
static int derive_statement(struct session *s, struct point *p, GPtrArray *out)
{
	struct probe *probe;
	int64_t addr;

	if (p->ncomps != 3 || !point_has(p, 2, "absolute") || !p->comps[1].arg || p->comps[1].arg->kind != EX_NUM)
		return need_debuginfo(s, &p->comps[1], "a statement by its source line");
	if (point_number(s, p, 1, &addr) || point_no_arg(s, p, 2))
		return -1;
	if (!s->opt.guru)
		return diag_error(s, p->loc, "needs-guru", "a probe on an absolute address needs guru mode (-g)");
	probe = probe_new(s, &provider_kernel, p, ATTACH_ADDRESS);
	probe->sites = arena_alloc(s, sizeof(*probe->sites));
	probe->nsites = 1;
	probe->sites[0].offset = addr;
	probe->sites[0].optional = p->optional;
	g_ptr_array_add(out, probe);
	return 0;
}

static int kernel_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	static const char *const known[] = { "function", "statement", "trace", NULL };
	struct wanted w = { .s = s, .p = p, .uses_target = uses_target };
	int rc = -1;

	if (p->ncomps < 2)
		return diag_error(s, p->loc, "unknown-probe-point", "'%s' is no probe point: say %s.function(\"NAME\")",
				  point_text(s, p), point_text(s, p));
	if (point_has(p, 1, "statement"))
		return derive_statement(s, p, out);
	if (point_has(p, 1, "data"))
		return diag_error(s, p->comps[1].loc, "not-supported", "watching data is not supported yet");
	if (!point_has(p, 1, "function"))
		return point_unknown(s, p, 1, known);
	w.names = g_ptr_array_new();
	if (read_point(&w) == 0)
		rc = derive_functions(&w, out);
	g_ptr_array_free(w.names, TRUE);
	if (w.symvers)
		g_hash_table_destroy(w.symvers);
	return rc;
}

static struct expr *kernel_target_value(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	if (p->priv)
		return func_target(s, p, e, lvalue);
	diag_error(s, e->loc, "no-context", "probe %s has no context variables", p->point);
	return NULL;
}

static void kernel_vars(struct session *s, struct probe *p, GString *out)
{
	if (p->priv)
		func_vars(s, p, out);
}

static const char *const kernel_patterns[] = {
	"kernel.function(STRING)", "kernel.function(STRING).call", "kernel.function(STRING).return",
	"kernel.function(STRING).return.maxactive(NUMBER)", "kernel.function(STRING).exported",
	"kernel.statement(NUMBER).absolute", "module(STRING).function(STRING)", "module(STRING).function(STRING).call",
	"module(STRING).function(STRING).return", "module(STRING).function(STRING).return.maxactive(NUMBER)", NULL
};

const struct provider provider_kernel = {
	.name = "kernel",
	.match = kernel_match,
	.derive = kernel_derive,
	.target = kernel_target_value,
	.vars = kernel_vars,
	.patterns = kernel_patterns,
};
