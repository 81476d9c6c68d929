/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements: kernel.statement("NAME@FILE:LINE") and the like in modules.  A line's code may be in many pieces and in
 * many functions: it is probed once in each function and in each inlined instance, at its lowest address.
 */
#include "kernel_point.h"
#include "code_boundary.h"

#include <string.h>

struct finder {
	struct wanted *w;
	struct kernel_debug *d;
	GArray *places;
	GHashTable *seen;        /* "scope line" -> index + 1 into places */
	uint32_t nearest, distance; /* .nearest: the line nearest to the one asked for */
};

/* ---- where an address is ---- */

struct scope {
	uint32_t func, inlined;  /* inlined: innermost, or DWARF_NONE */
};

/*
 * The function that a row of the line table belongs to: the first address of an inlined instance may well have the line
 * of its caller.
 */
static bool row_is_of(struct finder *f, const struct dwarf_line *row, uint32_t inlined)
{
	struct dwarf_inlined in;
	struct dwarf_func fn;
	const char *file = dwarf_index_file(f->d->ix, row->file_id);

	if (!dwarf_index_inlined(f->d->ix, inlined, &in) || !dwarf_index_func(f->d->ix, in.func, &fn))
		return false;
	if (fn.file_id != row->file_id || row->line < fn.line)
		return false;
	return row->line != in.call_line || !in.call_file || !file || strcmp(in.call_file, file);
}

/* Where an address is, of a row (or, NULL, as such). */
static struct scope scope_at(struct finder *f, uint32_t func, uint64_t pc, const struct dwarf_line *row)
{
	struct scope sc = { func, DWARF_NONE };
	GArray *chain;

	if (func == DWARF_NONE)
		sc.func = dwarf_index_func_at(f->d->ix, pc);
	chain = dwarf_index_inlined_at(f->d->ix, pc);
	for (guint i = chain->len; i-- > 0 && sc.inlined == DWARF_NONE;) {
		uint32_t id = g_array_index(chain, uint32_t, i);

		if (!row || row_is_of(f, row, id))
			sc.inlined = id;
	}
	g_array_free(chain, TRUE);
	return sc;
}

/* ---- places ---- */

static void add_place(struct finder *f, struct scope sc, uint64_t pc, uint32_t file_id, uint32_t line)
{
	uint64_t scope = sc.inlined != DWARF_NONE ? (uint64_t)sc.inlined << 1 | 1 : (uint64_t)sc.func << 1;
	struct kernel_place pl = { .pc = pc, .attach = ATTACH_ADDRESS };
	char *key;
	gpointer at;

	if (kernel_pc_init(f->d, pc))
		return;
	kernel_place_name(f->d, &pl, sc.func, sc.inlined);
	if (!pl.name || kernel_name_hidden(pl.name))
		return;
	if (line) {
		pl.line = line;
		pl.file = dwarf_index_file(f->d->ix, file_id);
	}
	key = g_strdup_printf("%" G_GINT64_MODIFIER "x %u", scope, pl.line);
	at = g_hash_table_lookup(f->seen, key);
	if (at) {
		struct kernel_place *old = &g_array_index(f->places, struct kernel_place, GPOINTER_TO_UINT(at) - 1);

		if (pc < old->pc)
			*old = pl;
		g_free(key);
		return;
	}
	g_array_append_val(f->places, pl);
	g_hash_table_insert(f->seen, key, GUINT_TO_POINTER(f->places->len));
}

static void add_row(struct finder *f, struct scope sc, const struct dwarf_line *row)
{
	add_place(f, sc, row->addr, row->file_id, row->line);
}

/* Does the scope have the name asked for itself, or only something around it? */
static bool scope_is_named(struct finder *f, struct scope sc)
{
	struct dwarf_inlined in;
	struct dwarf_func fn;

	if (sc.inlined != DWARF_NONE && dwarf_index_inlined(f->d->ix, sc.inlined, &in))
		sc.func = in.func;
	return dwarf_index_func(f->d->ix, sc.func, &fn) &&
		(point_pattern_func(&f->w->pat, fn.name) || point_pattern_func(&f->w->pat, fn.qualified));
}

/* ---- which rows ---- */

/* The first line asked for, from which .nearest counts. */
static uint32_t asked_line(const struct finder *f, uint32_t base)
{
	const struct point_pattern *pat = &f->w->pat;

	if (pat->kind != LINES_ABSOLUTE && pat->kind != LINES_RELATIVE)
		return base;
	return pat->lines[0].first + (pat->kind == LINES_RELATIVE ? base : 0);
}

static void note_nearest(struct finder *f, uint32_t base, uint32_t line)
{
	uint32_t asked = asked_line(f, base), distance = line > asked ? line - asked : asked - line;

	if (!f->nearest || distance < f->distance || (distance == f->distance && line > f->nearest)) {
		f->nearest = line;
		f->distance = distance;
	}
}

/* `only`: just those inside instances of this abstract function; take: 0: the lines asked for, else that line. */
static void scan_func(struct finder *f, uint32_t func, uint32_t base, uint32_t only, uint32_t take)
{
	GArray *rows = dwarf_index_func_lines(f->d->ix, func, f->w->pat.file);

	for (guint i = 0; i < rows->len; i++) {
		const struct dwarf_line *row = &g_array_index(rows, struct dwarf_line, i);
		bool inside = only == DWARF_NONE;
		struct scope sc;
		GArray *chain = inside ? NULL : dwarf_index_inlined_at(f->d->ix, row->addr);

		for (guint k = 0; !inside && k < chain->len; k++) {
			struct dwarf_inlined in;

			inside = dwarf_index_inlined(f->d->ix, g_array_index(chain, uint32_t, k), &in) && in.func == only;
		}
		if (chain)
			g_array_free(chain, TRUE);
		if (!inside)
			continue;
		sc = scope_at(f, func, row->addr, row);
		/* a line by its number may be of what is inlined into the function, others are of itself */
		if (f->w->pat.kind != LINES_ABSOLUTE && !scope_is_named(f, sc))
			continue;
		note_nearest(f, base, row->line);
		if (take ? row->line == take : point_pattern_line(&f->w->pat, base, row->line))
			add_row(f, sc, row);
	}
	g_array_free(rows, TRUE);
}

/* Callers of an abstract function's instances, each once. */
static void scan_instances(struct finder *f, uint32_t func, uint32_t base, uint32_t take)
{
	GArray *instances = dwarf_index_inlined_of(f->d->ix, func);
	GHashTable *done = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < instances->len; i++) {
		struct dwarf_inlined in;

		if (dwarf_index_inlined(f->d->ix, g_array_index(instances, uint32_t, i), &in) &&
		    g_hash_table_add(done, GUINT_TO_POINTER(in.caller + 1)))
			scan_func(f, in.caller, base, func, take);
	}
	g_hash_table_destroy(done);
	g_array_free(instances, TRUE);
}

/* Without lines: where the function begins, and each inlined instance. */
static void add_starts(struct finder *f, uint32_t id, const struct dwarf_func *fn)
{
	GArray *instances;

	if (fn->flags & DWARF_CONCRETE) {
		add_place(f, (struct scope){ id, DWARF_NONE }, fn->entry_pc, DWARF_NONE, 0);
		return;
	}
	instances = dwarf_index_inlined_of(f->d->ix, id);
	for (guint i = 0; i < instances->len; i++) {
		uint32_t k = g_array_index(instances, uint32_t, i);
		struct dwarf_inlined in;

		if (dwarf_index_inlined(f->d->ix, k, &in))
			add_place(f, (struct scope){ id, k }, in.entry_pc, DWARF_NONE, 0);
	}
	g_array_free(instances, TRUE);
}

static unsigned scan_named(struct finder *f, uint32_t take)
{
	GArray *funcs = dwarf_index_funcs(f->d->ix, f->w->pattern, f->w->pat.file, DWARF_WANT_CONCRETE | DWARF_WANT_ABSTRACT);
	unsigned n = 0;

	for (guint i = 0; i < funcs->len; i++) {
		uint32_t id = g_array_index(funcs, uint32_t, i);
		struct dwarf_func fn;

		if (!dwarf_index_func(f->d->ix, id, &fn) || kernel_name_hidden(fn.name))
			continue;
		n++;
		if (f->w->pat.kind == LINES_NONE)
			add_starts(f, id, &fn);
		else if (fn.flags & DWARF_CONCRETE)
			scan_func(f, id, fn.line, DWARF_NONE, take);
		else
			scan_instances(f, id, fn.line, take);
	}
	g_array_free(funcs, TRUE);
	return n;
}

static void add_file_row(struct finder *f, const struct dwarf_line *row)
{
	add_row(f, scope_at(f, DWARF_NONE, row->addr, row), row);
}

/* `*@FILE:LINES`: the file's lines, whatever functions they are in. */
static void scan_file(struct finder *f)
{
	static const struct line_range all = { 1, UINT32_MAX };
	const struct point_pattern *pat = &f->w->pat;
	const struct line_range *ranges = pat->kind == LINES_ALL ? &all : pat->lines;

	for (size_t i = 0; i < (pat->kind == LINES_ALL ? 1 : pat->nlines); i++) {
		GArray *rows = dwarf_index_lines(f->d->ix, pat->file, ranges[i].first, ranges[i].last);

		for (guint k = 0; k < rows->len; k++)
			add_file_row(f, &g_array_index(rows, struct dwarf_line, k));
		g_array_free(rows, TRUE);
	}
}

static bool whole_file(const struct wanted *w)
{
	return !strcmp(w->pattern, "*") && (w->pat.kind == LINES_ABSOLUTE || w->pat.kind == LINES_ALL);
}

/* ---- errors ---- */

static int error_no_code(struct finder *f)
{
	struct wanted *w = f->w;
	const struct point_pattern *pat = &w->pat;
	uint32_t line = asked_line(f, 0), below = 0, above = 0;

	if (pat->kind == LINES_ABSOLUTE && whole_file(w))
		dwarf_index_nearest(f->d->ix, pat->file, line, &below, &above);
	if (pat->kind == LINES_RELATIVE)
		diag_error(w->s, pat->lines_loc, "no-code", "there is no code %u lines behind the beginning of %s", line, w->pattern);
	else
		diag_error(w->s, pat->lines_loc, "no-code", "there is no code%s%s at line %u of %s", whole_file(w) ? "" : " of ",
			   whole_file(w) ? "" : w->pattern, line, pat->file);
	if (below && above)
		diag_help(w->s, "the nearest lines with code are %u and %u; .nearest takes the nearest by itself", below, above);
	else if (below || above)
		diag_help(w->s, "the nearest line with code is %u; .nearest takes it by itself", below ? below : above);
	else if (f->nearest)
		diag_help(w->s, "the nearest line with code in %s is %u; .nearest takes it by itself", w->pattern, f->nearest);
	return -1;
}

static int error_none(struct finder *f, unsigned nfuncs)
{
	struct wanted *w = f->w;
	GArray *files = w->pat.file ? dwarf_index_files(f->d->ix, w->pat.file) : NULL;
	bool no_file = files && !files->len;

	if (files)
		g_array_free(files, TRUE);
	if (no_file)
		return diag_error(w->s, w->pat.file_loc, "unknown-file", "no source file of %s matches '%s'", f->d->f->name, w->pat.file);
	if (!nfuncs && !whole_file(w)) {
		diag_error(w->s, w->pat.func_loc, "unknown-function", "no function of %s matches '%s'%s%s", f->d->f->name,
			   w->pattern, w->pat.file ? " in " : "", w->pat.file ? w->pat.file : "");
		kernel_help_function(w, f->d);
		return -1;
	}
	if (w->pat.kind == LINES_NONE)
		return diag_error(w->s, w->pat.func_loc, "no-code", "'%s' has no code of its own and is inlined nowhere", w->pattern);
	return error_no_code(f);
}

/* ---- addresses ---- */

/* statement(ADDRESS): of the kernel as it was linked, of a module from the start of its .text. */
static int add_address(struct finder *f)
{
	struct wanted *w = f->w;
	uint64_t pc = w->addr;
	struct scope sc;

	if (f->d->module && !dwarf_file_section_address(f->d->f, ".text", pc, &pc))
		sc.func = DWARF_NONE;
	else
		sc = scope_at(f, DWARF_NONE, pc, NULL);
	if (sc.func == DWARF_NONE)
		return diag_error(w->s, w->p->comps[1].loc, "unknown-address", "no function of %s has the address 0x%"
				  G_GINT64_MODIFIER "x", f->d->f->name, w->addr);
	if (code_check_boundary(w->s, w->p->comps[1].arg->loc, f->d->f, pc, w->addr))
		return -1;
	add_place(f, sc, pc, DWARF_NONE, 0);
	return 0;
}

int statement_dwarf(struct wanted *w, struct kernel_debug *d, GPtrArray *out)
{
	struct finder f = { .w = w, .d = d };
	unsigned nfuncs = 0;
	int rc = 0;

	f.places = g_array_new(FALSE, FALSE, sizeof(struct kernel_place));
	f.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (w->has_addr)
		rc = add_address(&f);
	else if (whole_file(w))
		scan_file(&f);
	else
		nfuncs = scan_named(&f, 0);
	if (!rc && !f.places->len && w->nearest) {
		if (!f.nearest)
			nfuncs = scan_named(&f, 0);
		if (f.nearest)
			scan_named(&f, f.nearest);
	}
	if (!rc && !f.places->len)
		rc = error_none(&f, nfuncs);
	g_hash_table_destroy(f.seen);
	if (rc) {
		g_array_free(f.places, TRUE);
		return -1;
	}
	return kernel_places_derive(w, d, f.places, out) < 0 ? -1 : 0;
}
