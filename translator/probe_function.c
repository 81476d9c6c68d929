/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel and of modules as debuginfo has them: by source file and line, clones, inlined instances,
 * labels, and functions as called from another one.
 */
#include "alias_match.h"
#include "kernel_point.h"

#include <string.h>

#define CALLEES_MAX 4096 /* call sites followed for one point */

struct finder {
	struct wanted *w;
	struct kernel_debug *d;
	GArray *places;
	const char *caller;      /* whose callees are being looked for, or NULL */
	const char *label;       /* the label at hand, or NULL */
};

static void add_place(struct finder *f, uint64_t pc, enum attach_kind attach, uint32_t func, uint32_t inlined)
{
	struct kernel_place pl = { .pc = pc, .attach = attach, .caller = f->caller, .label = f->label };

	if (kernel_pc_init(f->d, pc))
		return;
	kernel_place_name(f->d, &pl, func, inlined);
	if (pl.name)
		g_array_append_val(f->places, pl);
}

/* ---- by line ---- */

/* Does the function's code cover one of the lines asked for? */
static bool covers_lines(struct finder *f, uint32_t func, const struct dwarf_func *fn)
{
	const struct point_pattern *pat = &f->w->pat;
	uint32_t base = fn->line, last = fn->line;
	GArray *rows;

	if (pat->kind == LINES_NONE || pat->kind == LINES_ALL)
		return true;
	rows = dwarf_index_func_lines(f->d->ix, func, pat->file);
	for (guint i = 0; i < rows->len; i++)
		last = MAX(last, g_array_index(rows, struct dwarf_line, i).line);
	g_array_free(rows, TRUE);
	for (size_t i = 0; i < pat->nlines; i++) {
		uint32_t from = pat->lines[i].first, to = pat->lines[i].last;

		if (pat->kind == LINES_RELATIVE) {
			from += base;
			to += base;
		}
		if (from <= last && to >= base)
			return true;
	}
	return false;
}

/* ---- entries ---- */

static void add_concrete(struct finder *f, uint32_t func, const struct dwarf_func *fn)
{
	struct wanted *w = f->w;
	struct dwarf_cu cu;
	bool plain;

	if (w->is_return) {
		add_place(f, fn->entry_pc, ATTACH_RETURN, func, DWARF_NONE);
		return;
	}
	/* without optimisation parameters are in memory, and there only behind the prologue */
	plain = w->uses_target && fn->prologue_pc > fn->entry_pc && dwarf_index_cu(f->d->ix, fn->cu, &cu) &&
		!(cu.flags & DWARF_OPTIMISED);
	add_place(f, plain ? fn->prologue_pc : fn->entry_pc, plain ? ATTACH_ADDRESS : ATTACH_ENTRY, func, DWARF_NONE);
}

static void add_instances(struct finder *f, uint32_t func)
{
	GArray *instances = dwarf_index_inlined_of(f->d->ix, func);

	for (guint i = 0; i < instances->len; i++) {
		uint32_t id = g_array_index(instances, uint32_t, i);
		struct dwarf_inlined in;

		if (dwarf_index_inlined(f->d->ix, id, &in))
			add_place(f, in.entry_pc, ATTACH_ADDRESS, func, id);
	}
	g_array_free(instances, TRUE);
}

/* ---- labels ---- */

static void add_labels_in(struct finder *f, uint32_t concrete, uint32_t inlined_func)
{
	GArray *labels = dwarf_index_labels(f->d->ix, concrete, f->w->label);

	for (guint i = 0; i < labels->len; i++) {
		struct dwarf_label label;
		struct dwarf_inlined in = { .func = DWARF_NONE };

		if (!dwarf_index_label(f->d->ix, g_array_index(labels, uint32_t, i), &label))
			continue;
		if (label.inlined != DWARF_NONE)
			dwarf_index_inlined(f->d->ix, label.inlined, &in);
		f->label = label.name;
		if (in.func == inlined_func)
			add_place(f, label.pc, ATTACH_ADDRESS, concrete, label.inlined);
	}
	g_array_free(labels, TRUE);
}

static void add_labels(struct finder *f, uint32_t func, const struct dwarf_func *fn)
{
	GArray *instances;

	if (fn->flags & DWARF_CONCRETE) {
		add_labels_in(f, func, DWARF_NONE);
		return;
	}
	instances = dwarf_index_inlined_of(f->d->ix, func);
	for (guint i = 0; i < instances->len; i++) {
		struct dwarf_inlined in;

		if (dwarf_index_inlined(f->d->ix, g_array_index(instances, uint32_t, i), &in))
			add_labels_in(f, in.caller, func);
	}
	g_array_free(instances, TRUE);
}

/* ---- callees ---- */

/* "the return address is the one behind this call": relative to the entry, so that it holds wherever the kernel is. */
static struct expr *called_from(struct wanted *w, uint64_t entry, uint64_t return_pc)
{
	struct loc loc = w->p->loc;
	struct expr *ip = expr_new(w->s, EX_CTXVAL, loc), *back, *distance;

	ip->type = TY_LONG;
	ip->ctxval = CTX_NAMED;
	ip->name = "fn_addr";
	back = lowered_load(w->s, lowered_reg(w->s, 152 /* sp in struct pt_regs */, loc), 8, false, false, loc);
	distance = lowered_num(w->s, (int64_t)(return_pc - entry), loc);
	return lowered_binary(w->s, OP_EQ, lowered_binary(w->s, OP_SUB, back, ip, loc), distance, loc);
}

static void add_condition(struct wanted *w, struct kernel_place *pl, struct expr *cond)
{
	struct expr *both;

	if (!pl->condition) {
		pl->condition = cond;
		return;
	}
	both = expr_new(w->s, EX_LOGOR, cond->loc);
	both->type = TY_LONG;
	both->a = pl->condition;
	both->b = cond;
	pl->condition = both;
}

static struct kernel_place *find_place(struct finder *f, uint64_t pc)
{
	for (guint i = 0; i < f->places->len; i++)
		if (g_array_index(f->places, struct kernel_place, i).pc == pc)
			return &g_array_index(f->places, struct kernel_place, i);
	return NULL;
}

/* One call: the function called, where it is entered, when it is from there. */
static void add_call(struct finder *f, const struct dwarf_call *call, uint32_t caller, GHashTable *next)
{
	GArray *funcs;

	if (!call->callee || call->tail || kernel_name_hidden(call->callee))
		return;
	funcs = dwarf_index_funcs(f->d->ix, call->callee, NULL, DWARF_WANT_CONCRETE);
	dwarf_index_keep_callable(f->d->ix, caller, call, funcs);
	for (guint i = 0; i < funcs->len && f->places->len < CALLEES_MAX; i++) {
		uint32_t id = g_array_index(funcs, uint32_t, i);
		struct kernel_place *pl;
		struct dwarf_func fn;

		if (!dwarf_index_func(f->d->ix, id, &fn))
			continue;
		g_hash_table_add(next, GUINT_TO_POINTER(id + 1));
		if (!find_place(f, fn.entry_pc))
			add_place(f, fn.entry_pc, ATTACH_ADDRESS, id, DWARF_NONE);
		pl = find_place(f, fn.entry_pc);
		if (pl)
			add_condition(f->w, pl, called_from(f->w, fn.entry_pc, call->return_pc));
	}
	g_array_free(funcs, TRUE);
}

static bool callee_wanted(struct finder *f, const char *name)
{
	struct point_pattern pat = { .func = f->w->callee, .func_glob = true };

	return name && point_pattern_func(&pat, name);
}

/* What a concrete function calls, and what was inlined into it. */
static void add_callees(struct finder *f, uint32_t func, GHashTable *next)
{
	GArray *calls = dwarf_index_calls(f->d->ix, func), *instances = dwarf_index_inlined_in(f->d->ix, func);
	struct dwarf_func caller;

	if (dwarf_index_func(f->d->ix, func, &caller))
		f->caller = caller.name;

	for (guint i = 0; i < calls->len; i++) {
		const struct dwarf_call *call = &g_array_index(calls, struct dwarf_call, i);

		if (callee_wanted(f, call->callee))
			add_call(f, call, func, next);
	}
	for (guint i = 0; i < instances->len; i++) {
		uint32_t id = g_array_index(instances, uint32_t, i);
		struct dwarf_inlined in;
		struct dwarf_func fn;

		if (dwarf_index_inlined(f->d->ix, id, &in) && in.parent == DWARF_NONE &&
		    dwarf_index_func(f->d->ix, in.func, &fn) && callee_wanted(f, fn.name))
			add_place(f, in.entry_pc, ATTACH_ADDRESS, in.func, id);
	}
	g_array_free(instances, TRUE);
	g_array_free(calls, TRUE);
}

static void add_callees_deep(struct finder *f, uint32_t func)
{
	GHashTable *level = g_hash_table_new(NULL, NULL), *next;
	GHashTableIter it;
	gpointer key;

	g_hash_table_add(level, GUINT_TO_POINTER(func + 1));
	for (int64_t depth = 0; depth < f->w->depth && g_hash_table_size(level) && f->places->len < CALLEES_MAX; depth++) {
		next = g_hash_table_new(NULL, NULL);
		g_hash_table_iter_init(&it, level);
		while (g_hash_table_iter_next(&it, &key, NULL))
			add_callees(f, GPOINTER_TO_UINT(key) - 1, next);
		g_hash_table_destroy(level);
		level = next;
	}
	g_hash_table_destroy(level);
}

/* ---- which functions ---- */

static void add_function(struct finder *f, uint32_t id, const struct dwarf_func *fn)
{
	if (f->w->label)
		add_labels(f, id, fn);
	else if (f->w->callee && (fn->flags & DWARF_CONCRETE))
		add_callees_deep(f, id);
	else if (f->w->callee)
		return;
	else if (fn->flags & DWARF_CONCRETE)
		add_concrete(f, id, fn);
	else
		add_instances(f, id);
}

static unsigned wanted_kinds(const struct wanted *w)
{
	unsigned want = w->is_inline ? 0 : DWARF_WANT_CONCRETE;

	if (!w->is_call && !w->is_return && !w->exported && !w->callee)
		want |= DWARF_WANT_ABSTRACT;
	if (!w->pat.file && !w->is_inline && !w->label && !w->callee)
		want |= DWARF_WANT_SYMBOLS;
	return want;
}

/* "foo.isra.0", "foo.cold": known by their symbols alone. */
static void add_by_symbol(struct finder *f)
{
	GArray *symbols = dwarf_index_symbols(f->d->ix, f->w->pattern, true);

	for (guint i = 0; i < symbols->len; i++) {
		struct dwarf_symbol sym;
		struct dwarf_func fn;
		uint32_t func;

		if (!dwarf_index_symbol(f->d->ix, g_array_index(symbols, uint32_t, i), &sym) || kernel_name_hidden(sym.name) ||
		    name_is_piece(sym.name, f->w->pattern))
			continue;
		func = dwarf_index_func_at(f->d->ix, sym.addr);
		if (func != DWARF_NONE && dwarf_index_func(f->d->ix, func, &fn))
			add_place(f, sym.addr, f->w->is_return ? ATTACH_RETURN : ATTACH_ENTRY, func, DWARF_NONE);
	}
	g_array_free(symbols, TRUE);
}

/* The code of a weak function in whose place the linker took another one: nothing calls it, and its symbol is that of the other. */
static bool is_overridden(struct finder *f, const struct dwarf_func *fn)
{
	GArray *symbols;
	bool ret;

	if ((fn->flags & (DWARF_CONCRETE | DWARF_EXTERNAL)) != (DWARF_CONCRETE | DWARF_EXTERNAL) || fn->symbol)
		return false;
	symbols = dwarf_index_symbols(f->d->ix, fn->linkage ? fn->linkage : fn->name, true);
	ret = symbols->len > 0;
	g_array_free(symbols, TRUE);
	return ret;
}

static void find_by_name(struct finder *f)
{
	struct wanted *w = f->w;
	GArray *funcs = dwarf_index_funcs(f->d->ix, w->pattern, w->pat.file, wanted_kinds(w));

	for (guint i = 0; i < funcs->len; i++) {
		uint32_t id = g_array_index(funcs, uint32_t, i);
		struct dwarf_func fn;

		if (!dwarf_index_func(f->d->ix, id, &fn) || kernel_name_hidden(fn.name) || name_is_piece(fn.name, w->pattern) ||
		    (fn.symbol && kernel_name_hidden(fn.symbol)) || !kernel_name_exported(w, f->d, &fn) || is_overridden(f, &fn))
			continue;
		if (covers_lines(f, id, &fn))
			add_function(f, id, &fn);
	}
	g_array_free(funcs, TRUE);
	if (!f->places->len && !w->pat.file && strchr(w->pattern, '.') && !w->is_inline && !w->label && !w->callee)
		add_by_symbol(f);
}

/* function(ADDRESS): the function that has it in its code. */
static int find_by_address(struct finder *f)
{
	uint64_t addr = f->w->addr;
	struct dwarf_func fn;
	uint32_t func;

	if (f->d->module && !dwarf_file_section_address(f->d->f, ".text", addr, &addr))
		func = DWARF_NONE;
	else
		func = dwarf_index_func_at(f->d->ix, addr);
	if (func == DWARF_NONE || !dwarf_index_func(f->d->ix, func, &fn))
		return diag_error(f->w->s, f->w->p->comps[1].loc, "unknown-address", "no function of %s has the address 0x%"
				  G_GINT64_MODIFIER "x", f->d->f->name, f->w->addr);
	add_function(f, func, &fn);
	return 0;
}

int function_dwarf(struct wanted *w, struct kernel_debug *d, GPtrArray *out)
{
	struct finder f = { .w = w, .d = d, .places = g_array_new(FALSE, FALSE, sizeof(struct kernel_place)) };

	if (w->has_addr && find_by_address(&f)) {
		g_array_free(f.places, TRUE);
		return -1;
	}
	if (!w->has_addr)
		find_by_name(&f);
	return kernel_places_derive(w, d, f.places, out);
}
