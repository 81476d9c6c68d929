/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All variables of a DWARF scope: $$vars $$locals $$parms $$return, and for -L. */
#include "target_dwarf.h"

#include <dwarf.h>
#include <string.h>

struct listing {
	struct dscope *ds;
	struct loc loc;
	bool parms, locals;
	GArray *places;            /* struct place */
	GPtrArray *names;
	GString *out;              /* -L */
};

static void add_place(struct listing *l, const struct place *p, const char *name)
{
	g_array_append_val(l->places, *p);
	g_ptr_array_add(l->names, (char *)name);
}

/* A variable that has no value here is listed without one. */
static void list_variable(void *data, Dwarf_Die *var, bool is_param)
{
	struct listing *l = data;
	struct diag_capture *cap;
	struct place at;
	int rc;

	if (is_param ? !l->parms : !l->locals)
		return;
	if (dscope_is_go_result(l->ds, var))
		return;
	/* at the return a local has gone */
	if (!is_param && dscope_at_return(l->ds))
		return;
	cap = diag_capture_begin(l->ds->s);
	rc = dscope_place(l->ds, var, die_name(var), l->loc, &at);
	diag_capture_end(l->ds->s, cap, false);
	if (rc)
		at = (struct place){ .type = dwarf_type_of(l->ds->types, var), .module = l->ds->module };
	else if (dscope_at_return(l->ds))
		func_save_place(l->ds->s, l->ds->p, &at);
	add_place(l, &at, arena_strdup(l->ds->s, die_name(var)));
}

static void list_go_results(void *data, Dwarf_Die *var, bool is_param)
{
	struct listing *l = data;
	Dwarf_Die first;
	const char *name = dscope_go_results(l->ds, &first) == 1 ? "return" : arena_strdup(l->ds->s, dscope_go_name(var));
	struct diag_capture *cap;
	struct place at;

	if (!dscope_is_go_result(l->ds, var))
		return;
	cap = diag_capture_begin(l->ds->s);
	if (dscope_go_place(l->ds, var, name, l->loc, &at))
		at.base = NULL;
	diag_capture_end(l->ds->s, cap, false);
	add_place(l, &at, name);
}

static void list_return(struct listing *l)
{
	struct dscope *ds = l->ds;
	const struct ctype *type = ds->func.addr ? dwarf_type_of(ds->types, &ds->func) : &ctype_void;
	struct place at = { .type = type, .module = ds->module, .what = "$return", .user = ds->sc->user };
	struct diag_capture *cap;

	if (!dscope_at_return(ds) || ctype_strip(type, NULL)->kind == CTYPE_VOID)
		return;
	cap = diag_capture_begin(ds->s);
	if (dscope_return_place(ds, &at, l->loc))
		at.nwords = 0;
	diag_capture_end(ds->s, cap, false);
	add_place(l, &at, "return");
}

struct expr *dscope_list(struct dscope *ds, struct expr *e)
{
	struct listing l = { .ds = ds, .loc = e->loc, .places = g_array_new(FALSE, FALSE, sizeof(struct place)),
			     .names = g_ptr_array_new() };
	struct expr *ret;

	l.parms = strcmp(e->name, "$$parms") == 0 || strcmp(e->name, "$$vars") == 0;
	l.locals = strcmp(e->name, "$$locals") == 0 || strcmp(e->name, "$$vars") == 0;
	dscope_each(ds, list_variable, &l);
	if (strcmp(e->name, "$$return") == 0 && dscope_is_go(ds) && dscope_at_return(ds))
		dscope_each(ds, list_go_results, &l);
	else if (strcmp(e->name, "$$return") == 0)
		list_return(&l);
	ret = pretty_list(ds->s, (struct place *)(void *)l.places->data, (const char *const *)l.names->pdata, l.names->len, e->loc, e);
	g_array_free(l.places, TRUE);
	g_ptr_array_free(l.names, TRUE);
	return ret;
}

/* -L names what has a value here. */
static void print_variable(void *data, Dwarf_Die *var, bool is_param)
{
	struct listing *l = data;
	struct diag_capture *cap;
	struct place at;
	int rc;

	if (dscope_is_go_result(l->ds, var))
		return;
	cap = diag_capture_begin(l->ds->s);
	rc = dscope_place(l->ds, var, die_name(var), l->loc, &at);
	diag_capture_end(l->ds->s, cap, false);
	if (rc || (!is_param && l->ds->sc->is_return))
		return;
	g_string_append_printf(l->out, " $%s:", die_name(var));
	ctype_print(l->out, at.type);
}

static void print_go_result(void *data, Dwarf_Die *var, bool is_param)
{
	struct listing *l = data;
	Dwarf_Die first;

	if (!dscope_is_go_result(l->ds, var))
		return;
	g_string_append_printf(l->out, " $%s:", dscope_go_results(l->ds, &first) == 1 ? "return" : dscope_go_name(var));
	ctype_print(l->out, dwarf_type_of(l->ds->types, var));
}

void dwarf_vars(struct session *s, struct probe *p, struct dwarf_scope *sc, GString *out)
{
	struct diag_capture *cap = diag_capture_begin(s);
	struct listing l = { .loc = p->loc, .out = out };
	struct dscope ds;
	int rc = dscope_open(&ds, s, p, sc, p->loc);

	diag_capture_end(s, cap, false);
	if (rc)
		return;
	l.ds = &ds;
	if (sc->is_return && dscope_is_go(&ds)) {
		dscope_each(&ds, print_go_result, &l);
	} else if (sc->is_return && ds.func.addr) {
		const struct ctype *type = dwarf_type_of(ds.types, &ds.func);

		if (ctype_strip(type, NULL)->kind != CTYPE_VOID) {
			g_string_append(out, " $return:");
			ctype_print(out, type);
		}
	}
	dscope_each(&ds, print_variable, &l);
}
