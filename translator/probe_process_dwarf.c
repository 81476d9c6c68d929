/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions, inlined instances, labels and statements of programs with debug information (probe_process_func.c does
 * without).
 */
#include <string.h>

#include "alias_match.h"
#include "name_glob.h"
#include "point_pattern.h"
#include "user_function.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"

#define CALLEES_MAX 4096 /* functions followed for one point */

struct search {
	struct user_point *up;
	const struct user_object *o;
	const struct user_suffix *sx;
	struct point_pattern pat;
	struct dwarf_file *file;
	struct dwarf_index *ix;
	GArray *places;            /* struct user_place */
	bool only_inlined;         /* something matched that has no code of its own */
	bool tail_call;            /* a callee is left out: it is called by a jump */
	GArray *lines_missing;     /* uint32_t: lines asked for where there is no code */
};

struct dwarf_index *user_dwarf_index(struct session *s, const struct user_object *o, struct dwarf_file **file)
{
	char *err = NULL;
	struct dwarf_index *ix;

	*file = dwarf_user(s, o->elf->path, &err);
	if (*file && !(*file)->problem && (ix = session_dwarf_index(s, *file, &err)))
		return ix;
	g_free(err);
	*file = NULL;
	return NULL;
}

/* ---- places ---- */

/* "name@file:line", as points are written. */
static const char *place_name(struct session *s, const char *name, const char *file, uint32_t line)
{
	if (!file)
		return arena_strdup(s, name);
	return line ? arena_printf(s, "%s@%s:%u", name, file, line) : arena_printf(s, "%s@%s", name, file); /* Go before 1.20 has no lines there */
}

static void add_place(struct search *se, const char *name, uint64_t addr, uint32_t cu, uint64_t die)
{
	struct user_place place = { .name = name, .addr = addr, .file = se->file, .cu = cu, .die = die };

	for (guint i = 0; i < se->places->len; i++)
		if (g_array_index(se->places, struct user_place, i).addr == addr)
			return;
	g_array_append_val(se->places, place);
}

/* The DIE of what is at an address: the innermost inlined instance, else the function; its name likewise. */
static bool scope_at(struct dwarf_index *ix, uint64_t addr, uint32_t *cu, uint64_t *die, struct dwarf_func *func)
{
	GArray *in = dwarf_index_inlined_at(ix, addr);
	uint32_t n = dwarf_index_func_at(ix, addr);
	struct dwarf_inlined inl;
	bool ok = dwarf_index_func(ix, n, func);

	*die = ok ? func->die_offset : 0;
	*cu = ok ? func->cu : DWARF_NONE;
	if (in->len && dwarf_index_inlined(ix, g_array_index(in, uint32_t, in->len - 1), &inl)) {
		*die = inl.die_offset;
		*cu = inl.cu;
		ok = dwarf_index_func(ix, inl.func, func);
	}
	g_array_free(in, TRUE);
	return ok;
}

/* ---- functions ---- */

/* A line in function("f@file:LINE") is one of the function's own. */
static bool line_wanted(struct search *se, uint32_t id, const struct dwarf_func *f)
{
	GArray *rows;
	bool ret = false;

	if (se->pat.kind == LINES_NONE || se->pat.kind == LINES_ALL || point_pattern_line(&se->pat, f->line, f->line))
		return true;
	rows = dwarf_index_func_lines(se->ix, id, se->pat.file);
	for (guint i = 0; i < rows->len && !ret; i++)
		ret = point_pattern_line(&se->pat, f->line, g_array_index(rows, struct dwarf_line, i).line);
	g_array_free(rows, TRUE);
	return ret;
}

static void add_labels(struct search *se, uint32_t id)
{
	GArray *labels = dwarf_index_labels(se->ix, id, se->sx->label);

	for (guint i = 0; i < labels->len; i++) {
		struct dwarf_label l;
		struct dwarf_func f;
		struct dwarf_inlined inl;

		if (!dwarf_index_label(se->ix, g_array_index(labels, uint32_t, i), &l) || !dwarf_index_func(se->ix, l.func, &f))
			continue;
		if (dwarf_index_inlined(se->ix, l.inlined, &inl))
			f.die_offset = inl.die_offset, f.cu = inl.cu;
		add_place(se, l.name, l.pc, f.cu, f.die_offset);
	}
	g_array_free(labels, TRUE);
}

/* A function that is called, and where those calls return to. */
struct callee {
	uint32_t func;
	GArray *returns;           /* uint64_t */
};

static void note_call(GArray *callees, uint32_t func, uint64_t return_pc)
{
	struct callee new = { .func = func }, *c = NULL;

	for (guint i = 0; i < callees->len && !c; i++)
		if (g_array_index(callees, struct callee, i).func == func)
			c = &g_array_index(callees, struct callee, i);
	if (!c) {
		new.returns = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		g_array_append_val(callees, new);
		c = &g_array_index(callees, struct callee, callees->len - 1);
	}
	for (guint i = 0; i < c->returns->len; i++)
		if (g_array_index(c->returns, uint64_t, i) == return_pc)
			return;
	g_array_append_val(c->returns, return_pc);
}

static void add_call(struct search *se, uint32_t caller, const struct dwarf_call *call, GArray *callees)
{
	GArray *funcs;

	if (!call->callee || !name_glob(se->sx->callee, call->callee))
		return;
	/* a tail call is a jump: it returns to somebody else */
	if (call->tail) {
		se->tail_call = true;
		return;
	}
	funcs = dwarf_index_funcs(se->ix, call->callee, NULL, DWARF_WANT_CONCRETE | DWARF_WANT_SYMBOLS);
	dwarf_index_keep_callable(se->ix, caller, call, funcs);
	for (guint i = 0; i < funcs->len && callees->len < CALLEES_MAX; i++) {
		uint32_t func = g_array_index(funcs, uint32_t, i);
		struct dwarf_func f;

		if (dwarf_index_func(se->ix, func, &f) && !(f.flags & DWARF_PARTIAL) && !strcmp(f.name, call->callee))
			note_call(callees, func, call->return_pc);
	}
	g_array_free(funcs, TRUE);
}

/* What a function calls itself; instances inlined into it are places at once. */
static void collect_callees(struct search *se, uint32_t id, GArray *callees)
{
	GArray *calls = dwarf_index_calls(se->ix, id), *in = dwarf_index_inlined_in(se->ix, id);

	for (guint i = 0; i < calls->len; i++)
		add_call(se, id, &g_array_index(calls, struct dwarf_call, i), callees);
	for (guint i = 0; i < in->len; i++) {
		struct dwarf_inlined inl;
		struct dwarf_func f;

		if (dwarf_index_inlined(se->ix, g_array_index(in, uint32_t, i), &inl) && dwarf_index_func(se->ix, inl.func, &f) &&
		    name_glob(se->sx->callee, f.name))
			add_place(se, place_name(se->up->s, f.name, f.file, f.line), inl.entry_pc, inl.cu, inl.die_offset);
	}
	g_array_free(calls, TRUE);
	g_array_free(in, TRUE);
}

static void add_callee_place(struct search *se, const struct callee *c)
{
	size_t size = c->returns->len * sizeof(uint64_t);
	uint64_t *callers = arena_alloc(se->up->s, size);
	struct user_place place = { .file = se->file, .callers = callers, .ncallers = c->returns->len };
	struct dwarf_func f;

	if (!dwarf_index_func(se->ix, c->func, &f))
		return;
	memcpy(callers, c->returns->data, size);
	place.name = place_name(se->up->s, f.name, f.file, f.line);
	place.addr = f.entry_pc;
	place.cu = f.cu;
	place.die = f.die_offset;
	g_array_append_val(se->places, place);
}

/* Callees, and with .callees(N) theirs, N deep: each call counts from the function right above it. */
static void add_callees(struct search *se, uint32_t id)
{
	GArray *callees = g_array_new(FALSE, FALSE, sizeof(struct callee));
	guint from = 0;

	collect_callees(se, id, callees);
	for (int64_t depth = 1; depth < se->sx->depth; depth++)
		for (guint to = callees->len; from < to; from++)
			collect_callees(se, g_array_index(callees, struct callee, from).func, callees);
	for (guint i = 0; i < callees->len; i++) {
		const struct callee *c = &g_array_index(callees, struct callee, i);

		add_callee_place(se, c);
		g_array_free(c->returns, TRUE);
	}
	g_array_free(callees, TRUE);
}

static void add_inlined(struct search *se, uint32_t id, const struct dwarf_func *f)
{
	GArray *list = dwarf_index_inlined_of(se->ix, id);

	for (guint i = 0; i < list->len; i++) {
		struct dwarf_inlined inl;

		if (dwarf_index_inlined(se->ix, g_array_index(list, uint32_t, i), &inl))
			add_place(se, place_name(se->up->s, f->name, f->file, f->line), inl.entry_pc, inl.cu,
				  inl.die_offset);
	}
	se->only_inlined |= list->len > 0;
	g_array_free(list, TRUE);
}

/* The pattern is the name of what the function picks when the program starts (an ifunc), not its own; or it is the name of such a one and,
 * for old programs, an old version of this. */
static bool is_picker(struct search *se, const struct dwarf_func *f)
{
	uint32_t no = dwarf_index_symbol_at(se->ix, f->entry_pc);
	bool own = !(f->flags & DWARF_SYMBOL_ONLY) && name_glob(se->pat.func, f->name);
	struct dwarf_symbol sym;

	for (; !own && f->flags & DWARF_CONCRETE && dwarf_index_symbol(se->ix, no, &sym) && sym.addr == f->entry_pc; no++)
		if (sym.type == STT_GNU_IFUNC && name_glob(se->pat.func, sym.name))
			return true;
	return !own && !se->pat.func_glob && user_is_ifunc(se->up->s, se->o, se->pat.func);
}

static void add_function(struct search *se, uint32_t id)
{
	const struct user_suffix *sx = se->sx;
	struct dwarf_func f;

	if (!dwarf_index_func(se->ix, id, &f) || f.flags & DWARF_PARTIAL || name_is_piece(f.name, se->pat.func) || is_picker(se, &f) ||
	    !line_wanted(se, id, &f))
		return;
	if (sx->exported && !(f.flags & DWARF_EXTERNAL) && !(f.flags & DWARF_SYMBOL_ONLY))
		return;
	if (!(f.flags & DWARF_CONCRETE)) {
		GArray *none = NULL;

		if (!sx->is_call && !sx->is_return && !sx->exported && !sx->label && !sx->callee)
			add_inlined(se, id, &f);
		else
			none = dwarf_index_inlined_of(se->ix, id);
		se->only_inlined |= none && none->len;
		if (none)
			g_array_free(none, TRUE);
		return;
	}
	if (sx->label)
		add_labels(se, id);
	else if (sx->callee)
		add_callees(se, id);
	else if (!sx->is_inline)
		add_place(se, place_name(se->up->s, f.name, f.file, f.line), f.entry_pc, f.cu, f.die_offset);
}

static void find_functions(struct search *se)
{
	unsigned want = DWARF_WANT_CONCRETE | DWARF_WANT_ABSTRACT | (se->pat.file ? 0 : DWARF_WANT_SYMBOLS);
	GArray *funcs = dwarf_index_funcs(se->ix, se->pat.func, se->pat.file, want);

	for (guint i = 0; i < funcs->len; i++)
		add_function(se, g_array_index(funcs, uint32_t, i));
	g_array_free(funcs, TRUE);
}

/* ---- statements ---- */

/* One place for each line and function: the first of its instructions. */
static void add_row(struct search *se, const struct dwarf_line *row)
{
	struct dwarf_func f;
	uint64_t die;
	uint32_t cu;
	const char *name;

	if (!scope_at(se->ix, row->addr, &cu, &die, &f) || !point_pattern_func(&se->pat, f.name))
		return;
	name = place_name(se->up->s, f.name, dwarf_index_file(se->ix, row->file_id), row->line);
	for (guint i = 0; i < se->places->len; i++) {
		struct user_place *p = &g_array_index(se->places, struct user_place, i);

		if (p->die != die || strcmp(p->name, name))
			continue;
		if (row->addr < p->addr)
			p->addr = row->addr;
		return;
	}
	add_place(se, name, row->addr, cu, die);
}

static void add_rows(struct search *se, GArray *rows, uint32_t base)
{
	for (guint i = 0; i < rows->len; i++) {
		const struct dwarf_line *row = &g_array_index(rows, struct dwarf_line, i);

		if (se->pat.kind == LINES_ALL || point_pattern_line(&se->pat, base, row->line))
			add_row(se, row);
	}
	g_array_free(rows, TRUE);
}

/* The lines with code of the functions asked for before and behind a line; 0: none. */
static void nearest_lines(struct search *se, uint32_t line, uint32_t *below, uint32_t *above)
{
	GArray *rows = dwarf_index_lines(se->ix, se->pat.file, 1, UINT32_MAX);

	for (guint i = 0; i < rows->len; i++) {
		const struct dwarf_line *row = &g_array_index(rows, struct dwarf_line, i);
		struct dwarf_func f;
		uint64_t die;
		uint32_t cu;

		if (row->line < line ? row->line <= *below : *above && row->line >= *above)
			continue;
		if (scope_at(se->ix, row->addr, &cu, &die, &f) && point_pattern_func(&se->pat, f.name))
			*(row->line < line ? below : above) = row->line;
	}
	g_array_free(rows, TRUE);
}

static void line_nearest(struct search *se, uint32_t line)
{
	struct point_pattern asked = se->pat;
	struct line_range near;
	uint32_t below = 0, above = 0, pick;

	nearest_lines(se, line, &below, &above);
	pick = !below ? above : !above ? below : line - below <= above - line ? below : above;
	if (!pick)
		return;
	near = (struct line_range){ pick, pick };
	se->pat.lines = &near;
	se->pat.nlines = 1;
	add_rows(se, dwarf_index_lines(se->ix, se->pat.file, pick, pick), 0);
	se->pat = asked;
}

static void find_lines(struct search *se)
{
	for (size_t i = 0; i < se->pat.nlines; i++) {
		struct line_range r = se->pat.lines[i];
		guint before = se->places->len;

		add_rows(se, dwarf_index_lines(se->ix, se->pat.file, r.first, r.last), 0);
		if (se->places->len == before && se->sx->nearest)
			line_nearest(se, r.first);
		if (se->places->len == before)
			g_array_append_val(se->lines_missing, r.first);
	}
}

/* Lines of each function that matches: all, or counted from its declaration. */
static void find_function_lines(struct search *se)
{
	GArray *funcs = dwarf_index_funcs(se->ix, se->pat.func, se->pat.file, DWARF_WANT_CONCRETE);

	for (guint i = 0; i < funcs->len; i++) {
		uint32_t id = g_array_index(funcs, uint32_t, i);
		guint before = se->places->len;
		struct dwarf_func f;
		uint32_t line;

		if (!dwarf_index_func(se->ix, id, &f))
			continue;
		add_rows(se, dwarf_index_func_lines(se->ix, id, f.file), f.line);
		if (se->places->len > before || se->pat.kind != LINES_RELATIVE)
			continue;
		line = f.line + se->pat.lines[0].first;
		if (se->sx->nearest)
			line_nearest(se, line);
		if (se->places->len == before)
			g_array_append_val(se->lines_missing, line);
	}
	g_array_free(funcs, TRUE);
}

static void find_statements(struct search *se)
{
	if (se->pat.kind == LINES_NONE)
		find_functions(se);
	else if (se->pat.kind == LINES_ABSOLUTE)
		find_lines(se);
	else
		find_function_lines(se);
}

/* ---- nothing found ---- */

/* ns::Box::are: the nearest plain name that there is in those scopes, in any scope if there is none. */
static const char *near_in_scope(struct search *se, GPtrArray *names)
{
	const char *plain = g_strrstr(se->pat.func, "::") + 2;
	const char *near = diag_nearest(plain, names), *scoped;
	GArray *funcs;

	if (!near)
		return NULL;
	scoped = arena_printf(se->up->s, "%.*s%s", (int)(plain - se->pat.func), se->pat.func, near);
	funcs = dwarf_index_funcs(se->ix, scoped, NULL, DWARF_WANT_CONCRETE | DWARF_WANT_ABSTRACT);
	near = funcs->len ? scoped : near;
	g_array_free(funcs, TRUE);
	return near;
}

static void help_names(struct search *se)
{
	GArray *funcs = dwarf_index_funcs(se->ix, "*", NULL, DWARF_WANT_CONCRETE | DWARF_WANT_ABSTRACT | DWARF_WANT_SYMBOLS);
	GArray *symbols = dwarf_index_symbols(se->ix, NULL, true);
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	for (guint i = 0; i < funcs->len; i++) {
		struct dwarf_func f;

		if (dwarf_index_func(se->ix, g_array_index(funcs, uint32_t, i), &f) && f.name)
			g_ptr_array_add(names, (char *)f.name);
	}
	for (guint i = 0; i < symbols->len; i++) {
		struct dwarf_symbol sym;

		if (dwarf_index_symbol(se->ix, g_array_index(symbols, uint32_t, i), &sym))
			g_ptr_array_add(names, (char *)sym.name);
	}
	near = diag_nearest(se->pat.func, names);
	if (!near && g_strrstr(se->pat.func, "::"))
		near = near_in_scope(se, names);
	if (near && strcmp(near, se->pat.func))
		diag_help(se->up->s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
	g_array_free(symbols, TRUE);
	g_array_free(funcs, TRUE);
}

/* The function is in another file, or at other lines. */
static bool help_elsewhere(struct search *se)
{
	GArray *funcs = dwarf_index_funcs(se->ix, se->pat.func, NULL, DWARF_WANT_CONCRETE | DWARF_WANT_ABSTRACT);
	struct dwarf_func f;
	bool is = se->pat.file && funcs->len && dwarf_index_func(se->ix, g_array_index(funcs, uint32_t, 0), &f);

	if (is)
		diag_help(se->up->s, "there is %s%s", place_name(se->up->s, f.name, f.file, f.line), funcs->len > 1 ? ", and more" : "");
	g_array_free(funcs, TRUE);
	return is;
}

static bool has_file(struct search *se)
{
	GArray *files = se->pat.file ? dwarf_index_files(se->ix, se->pat.file) : NULL;
	bool has = !files || files->len;

	if (files)
		g_array_free(files, TRUE);
	return has;
}

/* Functions of the name have code, but not at that line. */
static bool error_line(struct search *se)
{
	uint32_t line = g_array_index(se->lines_missing, uint32_t, 0), below = 0, above = 0;

	nearest_lines(se, line, &below, &above);
	if (!below && !above)
		return false;
	diag_error(se->up->s, se->sx->comp->arg->loc, "no-line", "no code of '%s' at line %u of %s", se->pat.func, line, se->pat.file);
	if (below && above)
		diag_help(se->up->s, "the nearest lines with code are %u and %u; .nearest takes the nearer one", below, above);
	else
		diag_help(se->up->s, "the nearest line with code is %u; .nearest takes it by itself", below ? below : above);
	return true;
}

static int error_none(struct search *se, bool glob)
{
	const struct user_suffix *sx = se->sx;
	struct session *s = se->up->s;

	if (se->lines_missing->len && error_line(se))
		return -1;
	if (sx->callee) {
		diag_error(s, sx->comp->loc, "no-callee", "no call of '%s' by function '%s' of %s is known", sx->callee, se->pat.func,
			   se->o->elf->path);
		diag_help(s, se->tail_call ? "such a call ends the function as a jump, which leaves no trace of who called: "
			  "-fno-optimize-sibling-calls makes it a call" :
			  "calls are in the debug information of optimised code (gcc -g -O1 and more)");
		return -1;
	}
	if (se->only_inlined && !sx->is_inline) {
		diag_error(s, sx->comp->loc, "only-inlined", "function '%s' of %s is inlined everywhere: it has no code of its own that could "
			   "be called%s", se->pat.func, se->o->elf->path, sx->is_return ? " or return" : "");
		diag_help(s, "function(\"%s\").inline is where it begins", se->pat.func);
		return -1;
	}
	if (sx->label)
		return diag_error(s, sx->comp->loc, "no-label", "no label '%s' in function '%s' of %s", sx->label, se->pat.func, se->o->elf->path);
	if (sx->is_inline)
		return diag_error(s, sx->comp->loc, "not-inlined", "function '%s' of %s is inlined nowhere", se->pat.func, se->o->elf->path);
	diag_error(s, sx->comp->loc, "unknown-function", glob ? "no function matches '%s' in %s%s%s" : "no function '%s' in %s%s%s",
		   se->pat.func, se->o->elf->path, se->pat.file ? "," : "", point_pattern_where(s, &se->pat));
	if (!has_file(se)) {
		diag_help(s, "it has no source file '%s'", se->pat.file);
		if (glob)
			return -1;
	}
	if (!user_help_ifunc(se->up, se->o, se->pat.func) && !user_help_imported(se->up, se->o, se->pat.func) && !help_elsewhere(se) && !glob)
		help_names(se);
	return -1;
}

/* ---- for probe_process_func.c ---- */

int user_derive_dwarf(struct user_point *up, const struct user_object *o, const struct user_suffix *sx, const char *word)
{
	struct search se = { .up = up, .o = o, .sx = sx };
	int n = -1;

	if (point_pattern_read(up->s, sx->comp->arg, &se.pat))
		return -1;
	se.ix = user_dwarf_index(up->s, o, &se.file);
	if (!se.ix)
		return diag_error(up->s, sx->comp->loc, "damaged-debuginfo", "the debug information of %s is damaged", o->elf->path);
	se.places = g_array_new(FALSE, FALSE, sizeof(struct user_place));
	se.lines_missing = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	if (!strcmp(word, "statement"))
		find_statements(&se);
	else
		find_functions(&se);
	if (se.places->len)
		n = user_add_probes(up, o, sx->is_return ? ATTACH_URETURN : ATTACH_UPROBE, (struct user_place *)(void *)se.places->data,
				    se.places->len, sx->label ? arena_printf(up->s, ".function(%s).label(\"\001\")", quote_text(up->s, se.pat.func)) :
				    sx->callee ? arena_printf(up->s, ".function(%s).callee(\"\001\")", quote_text(up->s, se.pat.func)) :
				    arena_printf(up->s, ".%s(\"\001\")%s", word, sx->text), sx->maxactive);
	else
		n = error_none(&se, se.pat.func_glob);
	g_array_free(se.places, TRUE);
	g_array_free(se.lines_missing, TRUE);
	return n;
}

const char *user_dwarf_place(struct user_point *up, const struct user_object *o, struct user_place *place)
{
	struct dwarf_index *ix = user_dwarf_index(up->s, o, &place->file);
	struct dwarf_func f;

	return ix && scope_at(ix, place->addr, &place->cu, &place->die, &f) ? f.name : NULL;
}
