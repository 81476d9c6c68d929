/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of the kernel and of modules: kernel.function("PATTERN"), kernel.statement("PATTERN"), and
 * module("NAME") before either.  Names, parameters and results of functions come from BTF; source files, lines,
 * inlined instances, labels and what BTF does not know come from debuginfo (probe_function.c, probe_statement.c).
 */
#include "kernel_point.h"
#include "alias_match.h"
#include "kernel.h"
#include "name_glob.h"
#include "syscall_params.h"
#include "debuginfo/kallsyms.h"
#include "debuginfo/module_pack.h"
#include "syscall_alias.h"

#include <string.h>

static bool kernel_match(const struct point *p)
{
	if (point_has(p, 0, "module"))
		return true;
	return point_has(p, 0, "kernel") && !point_has(p, 1, "trace");
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

	return !kernel_name_hidden(name) && !name_is_piece(name, w->pattern) && name_glob(w->pattern, name) && (!w->exported || g_hash_table_contains(w->symvers, name));
}

static void name_add(void *data, const char *name)
{
	struct wanted *w = data;

	g_ptr_array_add(w->names, (char *)name);
}

static void alias_add(void *data, const char *name)
{
	if (name_wanted(data, name))
		name_add(data, name);
}

static void names_matching(struct wanted *w, struct types_module *m)
{
	types_each_func(m, name_wanted, name_add, w);
	syscall_alias_each(w->s, m, w->pattern, alias_add, w);
}

/* ---- the point's parts ---- */

static int read_callees(struct wanted *w, size_t i)
{
	w->depth = 1;
	if (point_has(w->p, i, "callee")) {
		w->callee = point_string(w->s, w->p, i);
		return w->callee ? 0 : -1;
	}
	w->callee = "*";
	if (w->p->comps[i].arg && point_number(w->s, w->p, i, &w->depth))
		return -1;
	if (w->depth < 1 || w->depth > 20)
		return diag_error(w->s, w->p->comps[i].loc, "point-argument", "the depth of callees is out of range (1 to 20)");
	return 0;
}

/* Suffixes with an argument: 1 when this is none. */
static int read_argument(struct wanted *w, size_t i)
{
	const struct point *p = w->p;

	if (point_has(p, i, "maxactive")) {
		if (point_number(w->s, p, i, &w->maxactive))
			return -1;
		if (w->maxactive < 1 || w->maxactive > 100000)
			return diag_error(w->s, p->comps[i].loc, "point-argument", "maxactive is out of range (1 to 100000)");
		return 0;
	}
	if (point_has(p, i, "label")) {
		w->label = point_string(w->s, p, i);
		return w->label ? 0 : -1;
	}
	return point_has(p, i, "callee") || point_has(p, i, "callees") ? read_callees(w, i) : 1;
}

static int read_suffix(struct wanted *w, size_t i)
{
	static const char *const of_functions[] = { "call", "return", "exported", "maxactive", "inline", "label", "callee",
		"callees", NULL };
	static const char *const of_statements[] = { "nearest", "absolute", NULL };
	const struct { const char *name; bool *flag; bool statement; } flags[] = {
		{ "return", &w->is_return, false }, { "exported", &w->exported, false }, { "call", &w->is_call, false },
		{ "inline", &w->is_inline, false }, { "nearest", &w->nearest, true },
	};
	int rc;

	if (point_once(w->s, w->p, i))
		return -1;
	rc = w->is_statement ? 1 : read_argument(w, i);
	if (rc <= 0)
		return rc;
	for (size_t k = 0; k < G_N_ELEMENTS(flags); k++)
		if (flags[k].statement == w->is_statement && point_has(w->p, i, flags[k].name)) {
			*flags[k].flag = true;
			return point_no_arg(w->s, w->p, i);
		}
	return point_unknown(w->s, w->p, i, w->is_statement ? of_statements : of_functions);
}

static int check_suffixes(struct wanted *w)
{
	if (w->maxactive && !w->is_return)
		return diag_error(w->s, w->p->loc, "point-argument", "maxactive has a meaning for .return only");
	if (w->is_return && (w->is_inline || w->label || w->callee))
		return diag_error(w->s, w->p->loc, "point-argument", "%s has no return of its own",
				  w->is_inline ? "an inlined instance" : w->label ? "a label" : "a function as called from another one");
	if (w->is_inline && w->is_call)
		return diag_error(w->s, w->p->loc, "point-argument", ".call and .inline exclude each other");
	return 0;
}

static int read_point(struct wanted *w)
{
	const struct point_comp *c = &w->p->comps[1];

	if (c->arg && c->arg->kind == EX_NUM) {
		w->has_addr = true;
		w->addr = c->arg->num;
	} else {
		if (!point_string(w->s, w->p, 1) || point_pattern_read(w->s, c->arg, &w->pat))
			return -1;
		w->pattern = w->pat.func;
		w->wild = w->pat.func_glob;
	}
	for (size_t i = 2; i < w->p->ncomps; i++)
		if (read_suffix(w, i))
			return -1;
	if (check_suffixes(w))
		return -1;
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
	struct kernel_context *kc = arena_alloc(w->s, sizeof(*kc));
	struct func_context *fc = &kc->fc;

	fc->module = types_module(session_types(w->s), module);
	if (!types_func(fc->module, probe->sites[0].symbol, &fc->func))
		fc->func.name = probe->sites[0].symbol;
	probe->priv = kc;
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
		probe->sites[i].clones = !w->uses_target; /* theirs are other parameters */
		probe->sites[i].of_wildcard = w->wild;
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

	return name[0] == n->name[0] && len + 2 >= n->len && len <= n->len + 2 && !kernel_name_hidden(name);
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
			diag_help(s, strchr(w->pattern, '{') ? "braces stand outside of strings: kernel.{function(\"a\"), function(\"b\")}" :
				  "if it is there without type information, kprobe.function(\"%s\") probes it", w->pattern);
	}
	g_ptr_array_free(n.names, TRUE);
	return -1;
}

/* There is no such module: one that is called nearly so, or how to name what lies elsewhere. */
static void help_module(struct wanted *w, struct types *types, const char *name)
{
	GPtrArray *all = types_module_names(types, "*");
	const char *near = diag_nearest(name, all);

	if (near && strcmp(near, name) != 0)
		diag_help(w->s, "did you mean '%s'?", near);
	else if (!near)
		diag_help(w->s, "one that is not in the modules' directory of that kernel is named by its file: module(\"/path/%s.ko\")", name);
	g_ptr_array_free(all, TRUE);
}

static int error_module(struct wanted *w, struct types_module *m)
{
	diag_error(w->s, w->p->comps[0].loc, m->name ? "unknown-module" : "no-types", "%s", m->problem);
	if (m->name && types_module_builtin(m->types, m->name))
		diag_help(w->s, "'%s' is built into this kernel: use kernel.function()", m->name);
	else if (m->name)
		help_module(w, m->types, m->name);
	return -1;
}

/* ---- deriving ---- */

/* From debuginfo, without a word when there is none: how many probes came, 0, or -1 after diag_error. */
static int try_debuginfo(struct wanted *w, const char *module, GPtrArray *out)
{
	struct kernel_debug d;

	return kernel_debug_open(w, module, NULL, &d) == 0 ? function_dwarf(w, &d, out) : 0;
}

/* Functions in one module (or the kernel); 1 when there are none and that has not been reported. */
static int derive_module(struct wanted *w, struct types_module *m, GPtrArray *out)
{
	struct cfunc f = { 0 };
	int n;

	g_ptr_array_set_size(w->names, 0);
	if (m->problem)
		;
	else if (w->wild)
		names_matching(w, m);
	else if (types_func(m, w->pattern, &f) && (!w->exported || g_hash_table_contains(w->symvers, f.name)))
		g_ptr_array_add(w->names, (char *)f.name);
	/* lists tell files and lines; of several functions of a name debuginfo tells which has which parameters */
	if (!w->names->len || w->s->opt.list || (w->uses_target && f.nprotos > 1) || !types_btf(m)) {
		n = try_debuginfo(w, m->name, out);
		if (n)
			return n < 0 ? -1 : 0;
	}
	if (!w->names->len && !w->wild && !w->exported &&
	    (syscall_alias_is(m, w->pattern) || (w->s->kernel->is_running && kallsyms_has_function(w->pattern, m->name, NULL))))
		g_ptr_array_add(w->names, (char *)w->pattern);
	if (w->names->len == 0)
		return m->problem ? error_module(w, m) : 1;
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
	if (!modules->len) {
		g_ptr_array_free(modules, TRUE);
		return diag_error(w->s, w->p->comps[0].loc, "unknown-module", "kernel %s has no module that matches '%s'",
				  w->s->kernel->release, pattern);
	}
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

/* What of the point needs debuginfo, or NULL. */
static const char *needs_debuginfo(const struct wanted *w)
{
	if (w->is_statement)
		return w->has_addr ? "a statement by its address" : w->pat.kind == LINES_NONE ? "a statement" :
			"a statement by its source line";
	if (w->has_addr)
		return "a function by its address";
	if (w->pat.file)
		return arena_printf(w->s, "a function with its source file (%s@%s)", w->pattern, w->pat.file);
	return w->is_inline ? "an inlined function (.inline)" : w->label ? "a label (.label)" :
		w->callee ? "what a function calls (.callee)" : NULL;
}

static bool is_inlined_only(struct wanted *w, struct kernel_debug *d)
{
	GArray *funcs = dwarf_index_funcs(d->ix, w->pattern, w->pat.file, DWARF_WANT_ABSTRACT);
	bool is = funcs->len;

	g_array_free(funcs, TRUE);
	return is;
}

static int error_unknown_debuginfo(struct wanted *w, struct kernel_debug *d)
{
	const char *what = w->label ? "label" : w->callee ? "called function" : w->is_inline ? "inlined function" : "function";

	diag_error(w->s, w->p->comps[1].loc, "unknown-function", "no %s of %s matches '%s'%s%s%s", what, d->f->name,
		   w->label ? w->label : w->callee ? w->callee : w->pattern, w->label || w->callee ? " in " : "",
		   w->label || w->callee ? w->pattern : "", point_pattern_where(w->s, &w->pat));
	if ((w->is_return || w->is_call) && w->pattern && is_inlined_only(w, d))
		diag_help(w->s, "a function that is inlined everywhere has no %s: .inline probes its instances",
			  w->is_return ? "return" : "call");
	else if (!w->label && !w->callee && w->pattern)
		kernel_help_function(w, d);
	return -1;
}

/* Points that need debuginfo, of the kernel or one module. */
static int derive_debuginfo(struct wanted *w, const char *module, const char *what, GPtrArray *out)
{
	struct kernel_debug d;
	int rc = kernel_debug_open(w, module, what, &d);

	if (rc)
		return rc < 0 ? -1 : kernel_derive_dropped(w, out) < 0 ? -1 : 0;
	if (w->is_statement)
		return statement_dwarf(w, &d, out);
	rc = function_dwarf(w, &d, out);
	return rc < 0 ? -1 : rc > 0 ? 0 : error_unknown_debuginfo(w, &d);
}

/* The same for all modules of a pattern: those without debuginfo, or without a match, are passed over. */
static int derive_debuginfo_modules(struct wanted *w, const char *pattern, const char *what, GPtrArray *out)
{
	GPtrArray *modules = types_module_names(session_types(w->s), pattern);
	guint before = out->len, opened = 0;
	bool nothing = !modules->len;

	w->any_module = true;
	for (guint i = 0; i < modules->len; i++) {
		struct diag_capture *cap = diag_capture_begin(w->s);
		struct kernel_debug d;
		char *module = arena_strdup(w->s, modules->pdata[i]);

		if (kernel_debug_open(w, module, NULL, &d) == 0 && !d.f->problem) {
			opened++;
			if (w->is_statement)
				statement_dwarf(w, &d, out);
			else
				function_dwarf(w, &d, out);
		}
		diag_capture_end(w->s, cap, false);
	}
	g_ptr_array_free(modules, TRUE);
	if (out->len > before)
		return 0;
	if (!opened)
		return diag_error(w->s, w->p->comps[0].loc, "needs-debuginfo", nothing ? "%s needs debuginfo, and the kernel has no module that "
				  "matches '%s'" : "%s needs debuginfo, and no module that matches '%s' has any here", what, pattern);
	return diag_error(w->s, w->p->loc, "unknown-function", "nothing matches '%s' in any module that matches '%s'",
			  w->p->comps[1].arg->kind == EX_STR ? w->p->comps[1].arg->str : "the address", pattern);
}

/* module("/path/x.ko"): the name that the kernel knows it by. */
static const char *module_of_path(struct wanted *w, const char *path)
{
	char *base = g_path_get_basename(path), *dot = strstr(base, ".ko");
	const char *name;

	if (dot)
		*dot = '\0';
	name = arena_strdup(w->s, g_strdelimit(base, "-", '_'));
	g_free(base);
	w->path = path;
	return name;
}

/*
 * Until 4.17 the system call NAME was entered at sys_NAME (SyS_NAME in lists of symbols), and scripts still say so; since then
 * that is __x64_sys_NAME, with its parameters in the registers that its one parameter points to.  A point that may match nothing
 * is left alone: the script then has the new name beside it, and must not count twice.
 */
static void read_syscall_name(struct wanted *w)
{
	static const char *const names[][2] = { { "sys_", "__x64_sys_" }, { "SyS_", "__x64_sys_" },
		{ "compat_sys_", "__ia32_compat_sys_" }, { "compat_SyS_", "__ia32_compat_sys_" } };
	struct types_module *kernel;
	const char *real;
	struct cfunc f;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (!g_str_has_prefix(w->pattern, names[i][0]))
			continue;
		kernel = types_module(session_types(w->s), NULL);
		real = arena_printf(w->s, "%s%s", names[i][1], w->pattern + strlen(names[i][0]));
		if (!types_func(kernel, w->pattern, &f) && (types_func(kernel, real, &f) || syscall_alias_is(kernel, real)))
			w->pattern = w->pat.func = real;
	}
}

static int derive_code(struct wanted *w, GPtrArray *out)
{
	const char *module = NULL, *what;
	struct types_module *m;
	int rc;

	if (!w->has_addr && !w->wild && !w->is_statement && point_has(w->p, 0, "kernel") && !w->p->optional && !w->p->sufficient)
		read_syscall_name(w);
	what = needs_debuginfo(w);
	if (point_has(w->p, 0, "module")) {
		module = point_string(w->s, w->p, 0);
		if (!module)
			return -1;
		if (strchr(module, '/'))
			module = module_of_path(w, module);
		else if (name_is_glob(module))
			return what ? derive_debuginfo_modules(w, module, what, out) : derive_modules(w, module, out);
		else
			module = arena_strdup(w->s, module);
		g_strdelimit((char *)module, "-", '_');
	} else if (point_no_arg(w->s, w->p, 0)) {
		return -1;
	}
	if (what)
		return derive_debuginfo(w, module, what, out);
	if (w->path) {
		rc = try_debuginfo(w, module, out);
		if (rc)
			return rc < 0 ? -1 : 0;
		return derive_debuginfo(w, module, "a module by its path", out);
	}
	m = types_module(session_types(w->s), module);
	rc = derive_module(w, m, out);
	return rc > 0 ? error_unknown(w, m) : rc;
}

/* kernel.statement(ADDRESS).absolute */
static int derive_absolute(struct session *s, const struct point *p, GPtrArray *out)
{
	struct probe *probe;
	int64_t addr;

	if (p->ncomps != 3 || !point_has(p, 0, "kernel"))
		return diag_error(s, p->loc, "unknown-probe-point", "say kernel.statement(ADDRESS).absolute");
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

static bool is_absolute(const struct point *p)
{
	for (size_t i = 2; i < p->ncomps; i++)
		if (point_has(p, i, "absolute"))
			return point_has(p, 1, "statement");
	return false;
}

static int kernel_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	static const char *const known[] = { "function", "statement", "trace", "data", NULL };
	struct wanted w = { .s = s, .p = p, .uses_target = uses_target };
	int rc = -1;

	if (p->ncomps < 2)
		return diag_error(s, p->loc, "unknown-probe-point", "'%s' is no probe point: say %s%s.function(\"NAME\")", point_text(s, p),
				  point_text(s, p), point_has(p, 0, "module") && !p->comps[0].arg ? "(\"NAME\")" : "");
	if (is_absolute(p))
		return derive_absolute(s, p, out);
	w.is_statement = point_has(p, 1, "statement");
	if (!w.is_statement && !point_has(p, 1, "function"))
		return point_unknown(s, p, 1, known);
	w.names = g_ptr_array_new();
	if (read_point(&w) == 0)
		rc = derive_code(&w, out);
	g_ptr_array_free(w.names, TRUE);
	if (w.symvers)
		g_hash_table_destroy(w.symvers);
	return rc;
}

/* A system call's parameter at its entry point: debuginfo has it only in what is inlined there. */
static bool is_syscall_parameter(struct session *s, const struct probe *p, struct kernel_context *kc, const struct expr *e)
{
	struct func_context *fc = &kc->fc;
	int bits;

	if (e->kind != EX_TARGET || p->attach == ATTACH_ADDRESS || !syscall_param(fc->func.name, e->name + 1, &bits))
		return false;
	fc->module = types_module(session_types(s), NULL);
	return fc->func.proto || types_func(fc->module, fc->func.name, &fc->func);
}

static struct expr *kernel_target_value(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	struct kernel_context *kc = p->priv;

	if (kc && kc->sc && is_syscall_parameter(s, p, kc, e))
		return func_target(s, p, e, lvalue);
	if (kc)
		return kc->sc ? dwarf_target(s, p, kc->sc, e, lvalue) : func_target(s, p, e, lvalue);
	diag_error(s, e->loc, "no-context", "probe %s has no context variables", p->point);
	return NULL;
}

static void kernel_vars(struct session *s, struct probe *p, GString *out)
{
	struct kernel_context *kc = p->priv;

	if (kc && kc->sc)
		dwarf_vars(s, p, kc->sc, out);
	else if (kc)
		func_vars(s, p, out);
}

static struct dwarf_scope *kernel_scope(struct probe *p)
{
	struct kernel_context *kc = p->priv;

	return kc ? kc->sc : NULL;
}

static const char *const kernel_patterns[] = {
	"{kernel,module(STRING)}.function(STRING){,.call,.exported,.inline,.return,.return.maxactive(NUMBER),.label(STRING),"
	".callee(STRING),.callees,.callees(NUMBER)}",
	"{kernel,module(STRING)}.function(NUMBER){,.return}", "{kernel,module(STRING)}.statement(STRING){,.nearest}",
	"{kernel,module(STRING)}.statement(NUMBER)", "kernel.statement(NUMBER).absolute", NULL
};

const struct provider provider_kernel = {
	.name = "kernel",
	.match = kernel_match,
	.derive = kernel_derive,
	.target = kernel_target_value,
	.scope = kernel_scope,
	.vars = kernel_vars,
	.patterns = kernel_patterns,
};
