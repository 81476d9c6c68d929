/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From places in debuginfo to probes: opening the debuginfo, names of places, and addresses as references that
 * hold in the running kernel: `_stext` plus an offset; in a module a function of the same section.
 */
#include "kernel_point.h"
#include "install_hint.h"
#include "kernel.h"
#include "name_glob.h"

#include <string.h>

#define EACH_MAX 300    /* more places than that share a probe, unless variables tell them apart */

/* ---- debuginfo ---- */

static void find_init(struct kernel_debug *d)
{
	static const char *const names[] = { "_sinittext", "_einittext" };
	uint64_t addr[2];

	d->has_init = !d->module;
	for (int i = 0; i < 2 && d->has_init; i++) {
		GArray *found = dwarf_index_symbols(d->ix, names[i], false);
		struct dwarf_symbol sym;

		d->has_init = found->len && dwarf_index_symbol(d->ix, g_array_index(found, uint32_t, 0), &sym);
		addr[i] = d->has_init ? sym.addr : 0;
		g_array_free(found, TRUE);
	}
	d->init_low = d->has_init ? addr[0] : 0;
	d->init_high = d->has_init ? addr[1] : 0;
}

static void say_missing(struct wanted *w, const char *what, const char *why, struct dwarf_file *f)
{
	char *hint = f ? dwarf_file_hint(f, w->s->kernel) : hint_kernel_debuginfo(w->s->kernel->release);
	bool inside = g_str_has_suffix(why, hint);
	size_t len = strlen(why);

	if (inside) /* it is told below */
		len -= MIN(len, strlen(hint) + strlen(": "));
	diag_error(w->s, w->p->comps[1].loc, "needs-debuginfo", "%s needs debuginfo: %.*s", what, (int)len, why);
	if (f || inside)
		diag_help(w->s, "%s", hint);
	g_free(hint);
}

int kernel_debug_open(struct wanted *w, const char *module, const char *what, struct kernel_debug *d)
{
	char *err = NULL;
	int rc = -1;

	*d = (struct kernel_debug){ .module = module };
	d->f = module ? dwarf_module(w->s, w->path ? w->path : module, &err) : dwarf_kernel(w->s, &err);
	if (d->f && (!d->f->problem || (module && !what)))
		d->ix = session_dwarf_index(w->s, d->f, &err);
	if (d->ix) {
		find_init(d);
		return 0;
	}
	if (!what) {
		g_free(err);
		return -1;
	}
	if (dwarf_names_other_build(err) || (d->f && dwarf_names_other_build(d->f->warning))) {
		diag_warning(w->s, w->p->loc, "other-build", "%s; this probe is left out", err ? err : d->f->warning);
		rc = 1;
	} else {
		say_missing(w, what, err ? err : d->f ? d->f->problem : "there is none", d->f);
	}
	g_free(err);
	return rc;
}

int kernel_derive_dropped(struct wanted *w, GPtrArray *out)
{
	struct probe *probe = probe_new(w->s, &provider_kernel, w->p, ATTACH_NEVER);

	probe->dropped = true;
	g_ptr_array_add(out, probe);
	return 1;
}

/* ---- names ---- */

bool kernel_name_hidden(const char *name)
{
	static const char *const prefixes[] = { "__pfx_", "__cfi_", "__traceiter_", "__probestub_", "__bpf_trace_", "__SCT__",
		"__ftrace_invalid_address__" };

	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_str_has_prefix(name, prefixes[i]))
			return true;
	return false;
}

bool kernel_name_exported(const struct wanted *w, const struct kernel_debug *d, const struct dwarf_func *fn)
{
	const char *name = fn->symbol ? fn->symbol : fn->name;
	bool ret;

	if (!w->exported || !(fn->flags & (DWARF_EXTERNAL | DWARF_SYMBOL_ONLY)))
		return !w->exported;
	ret = g_hash_table_contains(w->symvers, name);
	/* modules that were not built with the kernel are not in its list: they have an entry for what they export */
	if (!ret && d->module) {
		char *entry = g_strconcat("__ksymtab_", name, NULL);
		GArray *found = dwarf_index_symbols(d->ix, entry, false);

		ret = found->len > 0;
		g_array_free(found, TRUE);
		g_free(entry);
	}
	return ret;
}

bool kernel_pc_init(const struct kernel_debug *d, uint64_t pc)
{
	return d->has_init && pc >= d->init_low && pc < d->init_high;
}

void kernel_place_name(struct kernel_debug *d, struct kernel_place *pl, uint32_t func, uint32_t inlined)
{
	struct dwarf_inlined in;
	struct dwarf_func fn;
	struct dwarf_cu cu;

	if (inlined != DWARF_NONE && dwarf_index_inlined(d->ix, inlined, &in)) {
		func = in.func;
		pl->die = in.die_offset;
		pl->cu = in.cu;
	}
	if (!dwarf_index_func(d->ix, func, &fn))
		return;
	if (inlined == DWARF_NONE && !(fn.flags & DWARF_SYMBOL_ONLY)) {
		pl->die = fn.die_offset;
		pl->cu = fn.cu;
	}
	pl->name = fn.name;
	pl->file = fn.file;
	pl->line = fn.line;
	if (dwarf_index_cu(d->ix, inlined != DWARF_NONE ? in.cu : fn.cu, &cu))
		pl->comp_dir = cu.comp_dir;
}

/* "vfs_read@fs/read_write.c:450": from the directory of compilation on, as the kernel's own messages name files. */
static const char *place_text(struct wanted *w, const struct kernel_place *pl)
{
	const char *file = pl->file;
	size_t n = pl->comp_dir ? strlen(pl->comp_dir) : 0;

	if (!file || !pl->line)
		return pl->name;
	if (n > 1 && !strncmp(file, pl->comp_dir, n) && file[n] == '/')
		file += n + 1;
	return arena_printf(w->s, "%s@%s:%u", pl->name, file, pl->line);
}

void kernel_help_function(struct wanted *w, struct kernel_debug *d)
{
	GArray *files = w->pat.file ? dwarf_index_files(d->ix, w->pat.file) : NULL;
	bool no_file = files && !files->len, glob = name_is_glob(w->pattern);
	GArray *funcs = dwarf_index_funcs(d->ix, w->pattern, NULL, DWARF_WANT_CONCRETE | DWARF_WANT_ABSTRACT);
	GPtrArray *names = g_ptr_array_new();
	struct kernel_place pl = { 0 };
	struct dwarf_func fn;
	const char *near;

	if (no_file)
		diag_help(w->s, "no source file of %s matches '%s'", d->f->name, w->pat.file);
	if (no_file && glob) {
		/* its functions are all that there are */
	} else if (w->pat.file && funcs->len && dwarf_index_func(d->ix, g_array_index(funcs, uint32_t, 0), &fn) && fn.file) {
		kernel_place_name(d, &pl, g_array_index(funcs, uint32_t, 0), DWARF_NONE);
		diag_help(w->s, "there is %s%s", place_text(w, &pl), funcs->len > 1 ? ", and more" : "");
	} else if (!glob) {
		g_array_free(funcs, TRUE);
		funcs = dwarf_index_funcs(d->ix, NULL, no_file ? NULL : w->pat.file, DWARF_WANT_CONCRETE | DWARF_WANT_ABSTRACT);
		for (guint i = 0; i < funcs->len; i++)
			if (dwarf_index_func(d->ix, g_array_index(funcs, uint32_t, i), &fn))
				g_ptr_array_add(names, (char *)fn.name);
		near = diag_nearest(w->pattern, names);
		if (near)
			diag_help(w->s, "did you mean '%s'?", near);
	}
	if (files)
		g_array_free(files, TRUE);
	g_ptr_array_free(names, TRUE);
	g_array_free(funcs, TRUE);
}

/* ---- sites ---- */

/* Names of modules' functions may occur more than once: one that does not, in the section. */
static bool anchor(struct kernel_debug *d, uint32_t symbol, const char *section, struct dwarf_symbol *ret)
{
	const char *here;
	uint64_t offset;
	GArray *same;
	bool single;

	if (!dwarf_index_symbol(d->ix, symbol, ret) || !ret->name || !*ret->name || strchr(ret->name, ' ') ||
	    !dwarf_file_reference(d->f, ret->addr, &here, &offset) || strcmp(here, section))
		return false;
	same = dwarf_index_symbols(d->ix, ret->name, true);
	single = same->len == 1;
	g_array_free(same, TRUE);
	return single;
}

static bool module_reference(struct kernel_debug *d, uint64_t pc, struct site *site)
{
	uint32_t at = dwarf_index_symbol_at(d->ix, pc);
	struct dwarf_symbol sym;
	const char *section;
	uint64_t offset;
	GArray *all;
	bool found;

	if (!dwarf_file_reference(d->f, pc, &section, &offset))
		return false;
	found = at != DWARF_NONE && anchor(d, at, section, &sym);
	if (!found) {
		all = dwarf_index_symbols(d->ix, "*", true);
		for (guint i = 0; i < all->len && !found; i++)
			found = anchor(d, g_array_index(all, uint32_t, i), section, &sym);
		g_array_free(all, TRUE);
	}
	site->symbol = sym.name;
	site->offset = pc - sym.addr;
	return found;
}

/*
 * ftrace refuses a whole list for one function that it can not trace, and sorting those out takes time; so does a kprobe at
 * each one that it can.  Where vmlinux does not tell, BTF has most of those that it can (pahole leaves out others).
 */
static bool is_untraceable(struct wanted *w, struct kernel_debug *d, const struct kernel_place *pl)
{
	struct types_module *kernel = types_module(session_types(w->s), NULL);
	struct cfunc f;

	if (!w->wild || pl->attach == ATTACH_ADDRESS)
		return false;
	if (d->traceable.count)
		return !kernel_traceable_has(&d->traceable, pl->pc);
	return types_btf(kernel) && !types_func(kernel, pl->name, &f);
}

static bool place_site(struct wanted *w, struct kernel_debug *d, const struct kernel_place *pl, struct site *site)
{
	*site = (struct site){ .module = d->module, .name = pl->name, .build_id = d->f->build_id,
		.optional = w->p->optional || w->any_module || w->wild };
	if (d->module)
		return module_reference(d, pl->pc, site);
	site->untraceable = is_untraceable(w, d, pl);
	return dwarf_file_reference(d->f, pl->pc, &site->symbol, &site->offset);
}

/* ---- probes ---- */

static gint by_pc(gconstpointer a, gconstpointer b)
{
	const struct kernel_place *x = a, *y = b;

	if (x->attach != y->attach)
		return x->attach < y->attach ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/*
 * The point with what it has found; of a called function kernel.function("CALLER").callee("NAME@FILE:LINE").  Without a
 * place it stands for many: \001 is where the runtime puts the name of the function hit.
 */
static const char *text_of_point(struct wanted *w, struct kernel_debug *d, const struct kernel_place *pl)
{
	const char *arg = pl ? place_text(w, pl) : "\001", *caller = pl ? pl->caller : NULL;
	struct point p = *w->p;
	struct point_comp *comps = arena_alloc(w->s, sizeof(*comps) * p.ncomps);

	memcpy(comps, p.comps, sizeof(*comps) * p.ncomps);
	comps[1].arg = expr_str(w->s, caller ? caller : arg, p.loc);
	for (size_t i = 2; i < p.ncomps; i++) {
		if (caller && (point_has(&p, i, "callee") || point_has(&p, i, "callees"))) {
			comps[i].name = "callee";
			comps[i].arg = expr_str(w->s, arg, p.loc);
		}
		if (pl && pl->label && point_has(&p, i, "label"))
			comps[i].arg = expr_str(w->s, pl->label, p.loc);
	}
	if (d->module)
		comps[0].arg = expr_str(w->s, d->module, p.loc);
	p.comps = comps;
	return point_text(w->s, &p);
}

static void add_context(struct wanted *w, struct kernel_debug *d, struct probe *probe, const struct kernel_place *pl)
{
	struct kernel_context *kc = arena_alloc(w->s, sizeof(*kc));

	kc->fc.func.name = pl->name;
	if (pl->die) {
		kc->sc = arena_alloc(w->s, sizeof(*kc->sc));
		kc->sc->file = d->f;
		kc->sc->die = pl->die;
		kc->sc->cu = pl->cu;
		kc->sc->pc = pl->pc;
		kc->sc->is_return = pl->attach == ATTACH_RETURN;
	} else { /* a symbol without debuginfo: what BTF tells of it */
		kc->fc.module = types_module(session_types(w->s), d->module);
		if (pl->attach == ATTACH_ADDRESS || !types_func(kc->fc.module, pl->name, &kc->fc.func))
			kc->fc.func.name = pl->name;
	}
	probe->priv = kc;
}

/* n places from number `from` on, all attached alike, as one probe. */
static int add_probe(struct wanted *w, struct kernel_debug *d, GArray *places, guint from, guint n, GPtrArray *out)
{
	const struct kernel_place *pl = &g_array_index(places, struct kernel_place, from);
	struct probe *probe = probe_new(w->s, &provider_kernel, w->p, pl->attach);

	probe->point = text_of_point(w, d, n == 1 ? pl : NULL);
	probe->maxactive = w->maxactive;
	probe->wild = w->wild && !w->any_module && !w->p->optional;
	probe->condition = pl->condition;
	probe->sites = arena_alloc(w->s, sizeof(*probe->sites) * n);
	for (guint i = 0; i < n; i++)
		if (place_site(w, d, &pl[i], &probe->sites[probe->nsites]))
			probe->nsites++;
	if (!probe->nsites)
		return diag_error(w->s, w->p->loc, "no-reference", "address 0x%" G_GINT64_MODIFIER "x of %s is in none of its sections",
				  pl->pc, d->f->name);
	if (w->uses_target)
		add_context(w, d, probe, pl);
	g_ptr_array_add(out, probe);
	return 0;
}

static void drop_doubles(GArray *places)
{
	guint kept = 0;

	g_array_sort(places, by_pc);
	for (guint i = 0; i < places->len; i++) {
		struct kernel_place *pl = &g_array_index(places, struct kernel_place, i);

		if (kept && by_pc(pl, pl - (i - kept) - 1) == 0)
			continue;
		g_array_index(places, struct kernel_place, kept++) = *pl;
	}
	g_array_set_size(places, kept);
}

int kernel_places_derive(struct wanted *w, struct kernel_debug *d, GArray *places, GPtrArray *out)
{
	bool each;
	int rc = 0, n;

	drop_doubles(places);
	n = places->len;
	if (w->wild && !d->module)
		kernel_traceable_open(&d->traceable, d->f, d->ix);
	each = w->uses_target || w->callee || n <= EACH_MAX;
	for (guint i = 0, run; i < places->len && rc == 0; i += run) {
		struct kernel_place *pl = &g_array_index(places, struct kernel_place, i);

		for (run = 1; !each && i + run < places->len && pl[run].attach == pl->attach; run++)
			;
		rc = add_probe(w, d, places, i, run, out);
	}
	kernel_traceable_close(&d->traceable);
	g_array_free(places, TRUE);
	return rc ? -1 : n;
}
