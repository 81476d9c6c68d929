/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Context variables of probes that rest on DWARF (dwarf_scope.h). */
#include "syscall_params.h"
#include "target_dwarf.h"
#include "debuginfo/dwarf_index.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening a scope ---- */

/* The entry of the scope, in the unit that has code at the probe's address: with split units an offset alone says little. */
static bool scope_die(struct dscope *ds, Dwarf_Die *ret)
{
	struct dwarf_index *ix = session_dwarf_index(ds->s, ds->sc->file, NULL);
	uint32_t unit = ds->sc->cu;
	struct dwarf_func f;

	if (!ds->sc->die)
		return false;
	if (ix && ds->sc->pc && dwarf_index_func(ix, dwarf_index_func_at(ix, ds->sc->pc), &f))
		unit = f.cu;
	if (ix && unit != DWARF_NONE)
		return dwarf_index_die(ix, unit, ds->sc->die, ret);
	return dwarf_offdie(ds->dw, ds->sc->die, ret) != NULL;
}

static bool block_in(Dwarf_Die *parent, uint64_t pc, Dwarf_Die *ret)
{
	for (bool more = die_first(parent, ret); more; more = die_next(ret))
		if (dwarf_tag(ret) == DW_TAG_lexical_block && die_holds(ret, pc))
			return true;
	return false;
}

/* The blocks below the first that hold the probe's address. */
static void open_blocks(struct dscope *ds)
{
	while (ds->nblocks < MAX_SCOPES && block_in(&ds->blocks[ds->nblocks - 1], ds->sc->pc, &ds->blocks[ds->nblocks]))
		ds->nblocks++;
}

/* The function's first instruction, and whether it is a copy whose parameters the compiler may have changed. */
static void open_entry(struct dscope *ds)
{
	struct dwarf_index *ix = session_dwarf_index(ds->s, ds->sc->file, NULL);
	struct dwarf_func f;
	uint64_t how;

	ds->is_changed = die_udata(&ds->func, DW_AT_calling_convention, &how) && how == DW_CC_nocall;
	if (ix && dwarf_index_func(ix, dwarf_index_func_at(ix, ds->sc->pc), &f) && f.die_offset == dwarf_dieoffset(&ds->func)) {
		ds->entry = f.entry_pc;
		ds->is_clone = f.flags & DWARF_CLONE;
	} else if (!die_entry(&ds->func, &ds->entry)) {
		ds->entry = 0;
	}
}

/* The function with code at the probe's address, by the index: libdw would look through all of the unit. */
static bool func_by_address(struct dscope *ds)
{
	struct dwarf_index *ix = session_dwarf_index(ds->s, ds->sc->file, NULL);
	struct dwarf_func f;

	return ix && ds->sc->pc && dwarf_index_func(ix, dwarf_index_func_at(ix, ds->sc->pc), &f) && f.die_offset && f.cu != DWARF_NONE &&
	       dwarf_index_die(ix, f.cu, f.die_offset, &ds->func) && dwarf_tag(&ds->func) == DW_TAG_subprogram &&
	       die_holds(&ds->func, ds->sc->pc);
}

/* The concrete function whose code the probe is in: it has the frame. */
static void open_func(struct dscope *ds)
{
	Dwarf_Die *scopes = NULL;
	int n;

	if (dwarf_tag(&ds->blocks[0]) == DW_TAG_subprogram) {
		ds->func = ds->blocks[0];
	} else if (!func_by_address(ds)) {
		ds->func.addr = NULL;
		n = dwarf_getscopes_die(&ds->blocks[0], &scopes);
		for (int i = 0; i < n && !ds->func.addr; i++)
			if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
				ds->func = scopes[i];
		free(scopes);
	}
	if (ds->func.addr)
		open_entry(ds);
}

int dscope_open(struct dscope *ds, struct session *s, struct probe *p, struct dwarf_scope *sc, struct loc loc)
{
	struct dwarf_file *f = sc->file;

	*ds = (struct dscope){ .s = s, .p = p, .sc = sc, .dw = dwarf_file_dwarf(f) };
	if (!ds->dw)
		return diag_error(s, loc, "no-debuginfo", "variables of %s are not known: %s", f->name,
				  f->problem ? f->problem : "it has no debug information");
	if (f->machine != EM_X86_64)
		return diag_error(s, loc, "not-supported", "variables of %s are not supported: it is no x86-64 program", f->name);
	if (!sc->module)
		sc->module = types_of_file(session_types(s), f);
	ds->module = sc->module;
	ds->types = dwarf_file_types(session_types(s), f);
	if (scope_die(ds, &ds->blocks[0])) {
		ds->nblocks = 1;
		if (!die_unit(&ds->blocks[0], &ds->cu))
			ds->cu.addr = NULL;
		open_blocks(ds);
		open_func(ds);
	}
	return 0;
}

/* ---- variables ---- */

/* "$x is declared in another block" and the like, or what there is. */
static struct expr *unknown_variable(struct dscope *ds, const struct expr *e)
{
	GPtrArray *plain = g_ptr_array_new(), *names = g_ptr_array_new(), *all = g_ptr_array_new();
	const char *near, *split;

	dscope_names(ds, plain, false);
	for (guint i = 0; i < plain->len; i++)
		g_ptr_array_add(names, arena_printf(ds->s, "$%s", (const char *)plain->pdata[i]));
	if (dscope_at_return(ds) && ds->func.addr && ctype_strip(dwarf_type_of(ds->types, &ds->func), NULL)->kind != CTYPE_VOID)
		g_ptr_array_add(names, "$return");
	diag_error(ds->s, e->loc, "unknown-target-variable", "no variable '%s' at %s", e->name, ds->p->point);
	near = diag_nearest(e->name, names);
	if (!near) {
		dscope_names(ds, all, true);
		near = diag_nearest(e->name + 1, all);
		if (near)
			diag_help(ds->s, "did you mean the global '$%s'?", near);
	}
	split = ds->func.addr ? NULL : unit_missing_split(ds->dw, ds->sc->pc);
	if (split)
		diag_help(ds->s, "the debug information of this function is in %s, which is not here", split);
	else
		target_help_names(ds->s, near ? e->name : NULL, names, "there are");
	if (ds->func.addr && syscall_param_list(die_name(&ds->func)))
		diag_help(ds->s, "the system call's parameters are: %s", syscall_param_list(die_name(&ds->func)));
	g_ptr_array_free(plain, TRUE);
	g_ptr_array_free(names, TRUE);
	g_ptr_array_free(all, TRUE);
	return NULL;
}

static struct expr *return_value(struct dscope *ds, struct expr *e, bool lvalue)
{
	struct place at = { .module = ds->module, .what = "$return", .user = ds->sc->user };

	if (!dscope_at_return(ds)) {
		diag_error(ds->s, e->loc, "no-value", ds->sc->at_entry ? "there is no $return yet at the function's entry" :
			   "$return exists in .return probes only");
		return NULL;
	}
	if (!ds->func.addr) {
		diag_error(ds->s, e->loc, "no-value", "$return is not known: the function has no debug information");
		return NULL;
	}
	if (dscope_is_go(ds))
		return dscope_go_return(ds, e, lvalue);
	at.type = dwarf_type_of(ds->types, &ds->func);
	return dscope_return_place(ds, &at, e->loc) ? NULL : place_apply(ds->s, &at, e, lvalue);
}

/* A result of a Go function, by its name. */
static struct expr *go_result(struct dscope *ds, struct expr *e, Dwarf_Die *var, bool lvalue)
{
	struct place at;

	if (!dscope_at_return(ds)) {
		diag_error(ds->s, e->loc, "no-value", ds->sc->at_entry ? "%s is a result: it is not there yet at the function's entry" :
			   "%s is a result: it is known in .return probes", e->name);
		return NULL;
	}
	return dscope_go_place(ds, var, e->name, e->loc, &at) ? NULL : place_apply(ds->s, &at, e, lvalue);
}

static struct expr *variable(struct dscope *ds, struct expr *e, bool lvalue)
{
	Dwarf_Die var;
	struct place at;
	enum var_where where = dscope_find(ds, e->name + 1, &var);

	if (where == VAR_IN_FUNCTION ? (dscope_at_return(ds) || ds->sc->pc == ds->entry) && dscope_is_go_result(ds, &var) :
	    dscope_find_go_result(ds, e->name + 1, &var))
		return go_result(ds, e, &var, lvalue);
	if (where == VAR_NOT_FOUND)
		return unknown_variable(ds, e);
	if (dscope_place(ds, &var, e->name, e->loc, &at)) {
		if (dscope_at_return(ds) && where == VAR_IN_FUNCTION)
			diag_help(ds->s, "a return probe sees variables as they were at the function's entry");
		return NULL;
	}
	if (!dscope_at_return(ds) || where != VAR_IN_FUNCTION)
		return place_apply(ds->s, &at, e, lvalue);
	if (lvalue) {
		diag_error(ds->s, e->loc, "not-assignable", "%s is what it was at the function's entry: it cannot be written to",
			   target_text(ds->s, e));
		return NULL;
	}
	return func_saved_place(ds->s, ds->p, &at, e);
}

static struct expr *entry_value(struct dscope *ds, struct expr *e)
{
	struct expr *value = e->a;
	int rc;

	if (!dscope_at_return(ds)) {
		diag_error(ds->s, e->loc, "misplaced-entry", "@entry() has a meaning in .return probes only");
		return NULL;
	}
	ds->sc->at_entry = true;
	rc = target_lower_expr(ds->s, ds->p, &value);
	ds->sc->at_entry = false;
	return rc ? NULL : func_save(ds->s, ds->p, value);
}

struct expr *dwarf_target(struct session *s, struct probe *p, struct dwarf_scope *sc, struct expr *e, bool lvalue)
{
	struct dscope ds;

	if (dscope_open(&ds, s, p, sc, e->loc))
		return NULL;
	if (e->kind == EX_ENTRY)
		return entry_value(&ds, e);
	if (strcmp(e->name, "$return") == 0)
		return return_value(&ds, e, lvalue);
	if (strcmp(e->name, "$$parms") == 0 || strcmp(e->name, "$$vars") == 0 ||
	    strcmp(e->name, "$$locals") == 0 || strcmp(e->name, "$$return") == 0)
		return dscope_list(&ds, e);
	return variable(&ds, e, lvalue);
}

bool dwarf_params_changed(struct session *s, struct probe *p, struct dwarf_scope *sc)
{
	struct diag_capture *cap = diag_capture_begin(s);
	struct dscope ds;
	bool ret = dscope_open(&ds, s, p, sc, p->loc) == 0 && (ds.is_changed || (ds.is_clone && sc->user)) && ds.sc->pc == ds.entry;

	diag_capture_end(s, cap, false);
	return ret;
}

/* ---- functions by name ---- */

struct dwarf_scope *dwarf_function_scope(struct session *s, const char *module, const char *func, bool is_return)
{
	struct dwarf_file *f = types_dwarf_at_hand(s) ? module ? dwarf_module(s, module, NULL) : dwarf_kernel(s, NULL) : NULL;
	struct dwarf_index *ix = f && dwarf_file_dwarf(f) ? session_dwarf_index(s, f, NULL) : NULL;
	GArray *funcs = ix ? dwarf_index_funcs(ix, func, NULL, DWARF_WANT_CONCRETE) : NULL;
	struct dwarf_scope *sc = NULL;
	struct dwarf_func rec;

	if (funcs && funcs->len == 1 && dwarf_index_func(ix, g_array_index(funcs, uint32_t, 0), &rec) && rec.die_offset) {
		sc = arena_alloc(s, sizeof(*sc));
		*sc = (struct dwarf_scope){ .file = f, .die = rec.die_offset, .cu = rec.cu, .pc = rec.entry_pc, .is_return = is_return };
	}
	if (funcs)
		g_array_free(funcs, TRUE);
	return sc;
}
