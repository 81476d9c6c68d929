/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions, addresses and linkage stubs of programs by the ELF tables alone. */
#include <fnmatch.h>
#include <string.h>

#include "alias_match.h"
#include "code_boundary.h"
#include "debuginfo/dwarf_file.h"
#include "install_hint.h"
#include "name_glob.h"
#include "probe_process.h"
#include "user_function.h"
#include "user_path.h"

/* ---- suffixes ---- */

static int read_suffix(struct user_point *up, size_t i, struct user_suffix *sx)
{
	static const char *const known[] = { "call", "return", "instruction", "exported", "maxactive", "inline", "callee", "callees", "label", "nearest",
		NULL };
	const struct point *p = up->p;

	if (point_once(up->s, p, i))
		return -1;
	if (point_has(p, i, "maxactive")) {
		if (point_number(up->s, p, i, &sx->maxactive))
			return -1;
		if (sx->maxactive < 1 || sx->maxactive > 100000)
			return diag_error(up->s, p->comps[i].loc, "point-argument", "maxactive is out of range (1 to 100000)");
		return 0;
	}
	if (point_has(p, i, "label") || point_has(p, i, "callee")) {
		sx->label = point_has(p, i, "label") ? point_string(up->s, p, i) : sx->label;
		sx->callee = point_has(p, i, "callee") ? point_string(up->s, p, i) : sx->callee;
		return sx->label || sx->callee ? 0 : -1;
	}
	if (point_has(p, i, "callees")) {
		sx->callee = "*";
		sx->depth = 1;
		if (p->comps[i].arg && point_number(up->s, p, i, &sx->depth))
			return -1;
		if (sx->depth < 1 || sx->depth > 20)
			return diag_error(up->s, p->comps[i].loc, "point-argument", "the depth of callees is out of range (1 to 20)");
		return 0;
	}
	if (point_has(p, i, "return"))
		sx->is_return = true;
	else if (point_has(p, i, "instruction") && sx->is_return)
		sx->at_returns = up->at_returns = true;
	else if (point_has(p, i, "exported"))
		sx->exported = true;
	else if (point_has(p, i, "inline"))
		sx->is_inline = true;
	else if (point_has(p, i, "nearest"))
		sx->nearest = true;
	else if (point_has(p, i, "call"))
		sx->is_call = true;
	else
		return point_unknown(up->s, p, i, known);
	return point_no_arg(up->s, p, i);
}

static int read_suffixes(struct user_point *up, struct user_suffix *sx)
{
	GString *text = g_string_new(NULL);
	const struct point *p = up->p;

	*sx = (struct user_suffix){ .comp = &p->comps[up->at] };
	for (size_t i = up->at + 1; i < p->ncomps; i++) {
		if (read_suffix(up, i, sx)) {
			g_string_free(text, TRUE);
			return -1;
		}
		g_string_append_printf(text, ".%s", p->comps[i].name);
		if (p->comps[i].arg && p->comps[i].arg->kind == EX_STR)
			g_string_append_printf(text, "(%s)", quote_text(up->s, p->comps[i].arg->str));
		else if (p->comps[i].arg)
			g_string_append_printf(text, "(%lld)", (long long)p->comps[i].arg->num);
	}
	sx->text = arena_strdup(up->s, text->str);
	g_string_free(text, TRUE);
	if (sx->maxactive && !sx->is_return)
		return diag_error(up->s, p->loc, "point-argument", "maxactive has a meaning for .return only");
	if (sx->is_return && (sx->is_inline || sx->label || sx->callee))
		return diag_error(up->s, p->loc, "no-return", "%s has no .return: its end is no return from a function",
				  sx->label ? "a label" : sx->is_inline ? "an inlined instance" : "a callee's call site");
	return 0;
}

/* ---- by name ---- */

static bool is_wanted(const struct user_suffix *sx, const char *pattern, const struct user_func *f)
{
	return (!sx->exported || f->global) && !f->is_ifunc && name_glob(pattern, f->name) && !name_is_piece(f->name, pattern);
}

bool user_is_ifunc(struct session *s, const struct user_object *o, const char *name)
{
	const GArray *funcs = user_elf_funcs(s, o->elf);

	for (guint i = 0; i < funcs->len; i++) {
		const struct user_func *f = &g_array_index(funcs, struct user_func, i);

		if (f->is_ifunc && !strcmp(f->name, name))
			return true;
	}
	return false;
}

/* Functions by name, each address once.  Of a name that picks a function when the program starts, what else is called so is an
 * old version for old programs: none. */
static GArray *match_functions(struct user_point *up, const struct user_object *o, const struct user_suffix *sx, const char *pattern)
{
	const GArray *funcs = user_elf_funcs(up->s, o->elf);
	GArray *places = g_array_new(FALSE, FALSE, sizeof(struct user_place));
	bool is_ifunc = user_is_ifunc(up->s, o, pattern);

	for (guint i = 0; !is_ifunc && i < funcs->len; i++) {
		const struct user_func *f = &g_array_index(funcs, struct user_func, i);
		struct user_place place = { .name = f->name, .addr = f->addr };

		if (!is_wanted(sx, pattern, f))
			continue;
		if (places->len && g_array_index(places, struct user_place, places->len - 1).addr == f->addr)
			continue;
		g_array_append_val(places, place);
	}
	return places;
}

bool user_help_ifunc(struct user_point *up, const struct user_object *o, const char *name)
{
	const GArray *funcs = user_elf_funcs(up->s, o->elf);
	const char *picked = arena_printf(up->s, "__%s_*", name);
	bool is_ifunc = user_is_ifunc(up->s, o, name), has_picked = false;

	for (guint i = 0; is_ifunc && i < funcs->len; i++) {
		const struct user_func *f = &g_array_index(funcs, struct user_func, i);

		has_picked |= !f->is_ifunc && name_glob(picked, f->name);
	}
	if (is_ifunc)
		diag_help(up->s, "'%s' picks one of several functions for this processor when the program starts%s", name, has_picked ?
			  arena_printf(up->s, "; function(\"%s\") may match those", picked) : ", perhaps in another file or the vdso");
	return is_ifunc;
}

bool user_help_imported(struct user_point *up, const struct user_object *o, const char *name)
{
	const GArray *plts = user_elf_plts(up->s, o->elf);

	for (guint i = 0; i < plts->len; i++) {
		if (strcmp(g_array_index(plts, struct user_plt, i).name, name))
			continue;
		diag_help(up->s, "it is a library's, which the program calls: .library(\"*\").function(\"%s\") is the function, .plt(\"%s\") those calls",
			  name, name);
		return true;
	}
	return false;
}

/* A stripped file's names are those that the dynamic linker needs; what to do for the rest. */
static void help_stripped(struct user_point *up, const struct user_object *o, guint names)
{
	struct dwarf_file *file;
	char *err = NULL;

	if (user_elf_has_symtab(o->elf))
		return;
	file = dwarf_user(up->s, o->elf->path, &err);
	g_free(err);
	if (names)
		diag_help(up->s, "it is stripped: there are the %u functions that other files can call%s", names,
			  file && file->problem ? "" : "; function(ADDRESS) works without names");
	if (file && file->problem)
		diag_help(up->s, "%s; function(ADDRESS) works without names", file->problem);
}

static int error_unknown(struct user_point *up, const struct user_object *o, const struct user_suffix *sx, const char *pattern)
{
	const GArray *funcs = user_elf_funcs(up->s, o->elf);
	GPtrArray *names = g_ptr_array_new();
	const char *near = NULL;

	if (!funcs->len) {
		diag_error(up->s, sx->comp->loc, "no-symbols", "no function '%s' in %s: it is stripped of all symbols", pattern, o->elf->path);
		help_stripped(up, o, 0);
	} else {
		diag_error(up->s, sx->comp->loc, "unknown-function", name_is_glob(pattern) ? "no function matches '%s' in %s" :
			   "no function '%s' in %s", pattern, o->elf->path);
		for (guint i = 0; i < funcs->len && !name_is_glob(pattern); i++)
			g_ptr_array_add(names, (char *)g_array_index(funcs, struct user_func, i).name);
		near = user_help_ifunc(up, o, pattern) || user_help_imported(up, o, pattern) ? pattern : diag_nearest(pattern, names);
		if (near && strcmp(near, pattern))
			diag_help(up->s, "did you mean '%s'?", near);
		if (!near)
			help_stripped(up, o, funcs->len);
	}
	g_ptr_array_free(names, TRUE);
	return -1;
}

static int need_debuginfo(struct user_point *up, const struct user_object *o, const struct user_suffix *sx, const char *what)
{
	char *err = NULL, *hint;
	struct dwarf_file *f = dwarf_user(up->s, o->elf->path, &err);
	const char *why = !f ? err : f->warning ? f->warning : f->unfetched;
	struct probe *p;

	if (f && dwarf_names_other_build(f->warning)) {
		diag_warning(up->s, up->p->loc, "other-build", "%s; this probe is left out", f->warning);
		p = user_probe_new(up, o, ATTACH_NEVER, sx->text);
		p->dropped = true;
		g_ptr_array_add(up->out, p);
		return 1;
	}
	diag_error(up->s, sx->comp->loc, "needs-debuginfo", "%s needs debug information, and %s has none%s%s%s", what, o->elf->path,
		   why ? " (" : "", why ? why : "", why ? ")" : "");
	hint = hint_user_debuginfo(o->elf->path);
	diag_help(up->s, "%s", hint);
	g_free(hint);
	g_free(err);
	return -1;
}

static int derive_by_name(struct user_point *up, const struct user_object *o, const struct user_suffix *sx)
{
	const char *pattern = sx->comp->arg->str;
	struct dwarf_file *file;
	GArray *places;
	int n;

	if (user_dwarf_index(up->s, o, &file))
		return user_derive_dwarf(up, o, sx, "function");
	if (strchr(pattern, '@'))
		return need_debuginfo(up, o, sx, arena_printf(up->s, "a function with its source file (%s)", pattern));
	if (sx->is_inline || sx->label || sx->callee || sx->nearest)
		return need_debuginfo(up, o, sx, arena_printf(up->s, "'%s'", sx->text + 1));
	places = match_functions(up, o, sx, pattern);
	if (places->len)
		n = user_add_probes(up, o, sx->is_return ? ATTACH_URETURN : ATTACH_UPROBE, (struct user_place *)(void *)places->data,
				    places->len, arena_printf(up->s, ".function(\"\001\")%s", sx->text), sx->maxactive);
	else
		n = error_unknown(up, o, sx, pattern);
	g_array_free(places, TRUE);
	return n;
}

/* ---- by address ---- */

/* The function around it, for pp(). */
static const char *address_name(struct user_point *up, const struct user_object *o, uint64_t addr)
{
	const GArray *funcs = user_elf_funcs(up->s, o->elf);

	for (guint i = 0; i < funcs->len; i++) {
		const struct user_func *f = &g_array_index(funcs, struct user_func, i);

		if (addr >= f->addr && (addr == f->addr || addr - f->addr < f->size))
			return addr == f->addr ? f->name : arena_printf(up->s, "%s+0x%llx", f->name,
									   (unsigned long long)(addr - f->addr));
	}
	return arena_printf(up->s, "0x%llx", (unsigned long long)addr);
}

static int derive_address(struct user_point *up, const struct user_object *o, const struct user_suffix *sx, const char *word)
{
	struct user_place place = { .addr = (uint64_t)sx->comp->arg->num };
	struct dwarf_file *file;
	char *err = NULL;
	uint64_t offset;

	if (!user_elf_offset(o->elf, place.addr, true, &offset))
		return diag_error(up->s, sx->comp->arg->loc, "bad-address", "address 0x%llx is not in the code of %s",
				  (unsigned long long)place.addr, o->elf->path);
	file = dwarf_user(up->s, o->elf->path, &err);
	g_free(err);
	if (file && code_check_boundary(up->s, sx->comp->arg->loc, file, place.addr, place.addr))
		return -1;
	user_dwarf_place(up, o, &place);
	place.name = address_name(up, o, place.addr);
	return user_add_probes(up, o, sx->is_return ? ATTACH_URETURN : ATTACH_UPROBE, &place, 1,
			       arena_printf(up->s, ".%s(0x%llx)%s", word, (unsigned long long)place.addr, sx->text), sx->maxactive);
}

/* An address of the running process: a place in the file that is mapped there, in that process alone. */
static int derive_absolute(struct user_point *up, const struct user_object *o, struct user_suffix *sx)
{
	struct user_object there = { .pid = o->pid };
	struct user_place place = { 0 };
	const struct expr *arg = sx->comp->arg;

	if (arg->kind != EX_NUM || !o->pid)
		return diag_error(up->s, up->p->loc, "point-argument", ".absolute goes with the number of a process and an address in it: "
				  "process(PID).statement(ADDRESS).absolute");
	there.elf = user_mapped_file(up->s, o->pid, (uint64_t)arg->num, &place.addr, arg->loc);
	if (!there.elf)
		return -1;
	user_dwarf_place(up, &there, &place);
	place.name = address_name(up, &there, place.addr);
	return user_add_probes(up, &there, ATTACH_UPROBE, &place, 1,
			       arena_printf(up->s, ".statement(0x%llx).absolute", (unsigned long long)arg->num), 0);
}

int user_derive_function(struct user_point *up, const struct user_object *o)
{
	struct user_suffix sx;

	if (read_suffixes(up, &sx))
		return -1;
	if (!sx.comp->arg)
		return point_string(up->s, up->p, up->at) ? 0 : -1;
	if (sx.comp->arg->kind == EX_NUM)
		return derive_address(up, o, &sx, "function");
	return derive_by_name(up, o, &sx);
}

int user_derive_statement(struct user_point *up, const struct user_object *o)
{
	struct user_suffix sx = { .comp = &up->p->comps[up->at], .text = "" };
	bool absolute = false;

	for (size_t i = up->at + 1; i < up->p->ncomps; i++) {
		static const char *const known[] = { "nearest", "absolute", NULL };

		if (point_no_arg(up->s, up->p, i))
			return -1;
		if (point_has(up->p, i, "nearest"))
			sx.nearest = true;
		else if (point_has(up->p, i, "absolute"))
			absolute = true;
		else
			return point_unknown(up->s, up->p, i, known);
	}
	if (!sx.comp->arg)
		return point_string(up->s, up->p, up->at) ? 0 : -1;
	if (absolute)
		return derive_absolute(up, o, &sx);
	if (sx.comp->arg->kind == EX_NUM)
		return derive_address(up, o, &sx, "statement");
	if (user_dwarf_index(up->s, o, &(struct dwarf_file *){ NULL }))
		return user_derive_dwarf(up, o, &sx, "statement");
	return need_debuginfo(up, o, &sx, arena_printf(up->s, "a statement by its source line (%s)", sx.comp->arg->str));
}

/* ---- linkage stubs ---- */

static int error_no_stub(struct user_point *up, const struct user_object *o, const char *pattern, const GArray *plts)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	diag_error(up->s, up->p->comps[up->at].loc, "no-plt", plts->len ? "%s calls no library function '%s' through its linkage table" :
		   "%s has no linkage table (asked for '%s')", o->elf->path, pattern);
	for (guint i = 0; i < plts->len; i++)
		g_ptr_array_add(names, (char *)g_array_index(plts, struct user_plt, i).name);
	near = diag_nearest(pattern, names);
	if (near)
		diag_help(up->s, "did you mean '%s'?", near);
	g_ptr_array_free(names, TRUE);
	return -1;
}

int user_derive_plt(struct user_point *up, const struct user_object *o)
{
	const struct point *p = up->p;
	const struct point_comp *c = &p->comps[up->at];
	const char *pattern = c->arg ? point_string(up->s, p, up->at) : "*";
	const GArray *plts = user_elf_plts(up->s, o->elf);
	bool is_return = point_has(p, up->at + 1, "return");
	static const char *const known[] = { "return", NULL };
	GArray *places;
	guint first = up->out->len;
	int n;

	if (!pattern)
		return -1;
	if (up->at + 1 + is_return < p->ncomps)
		return point_unknown(up->s, p, up->at + 1 + is_return, known);
	places = g_array_new(FALSE, FALSE, sizeof(struct user_place));
	for (guint i = 0; i < plts->len; i++) {
		const struct user_plt *plt = &g_array_index(plts, struct user_plt, i);
		struct user_place place = { .name = plt->name, .addr = plt->addr };

		if (name_glob(pattern, plt->name))
			g_array_append_val(places, place);
	}
	n = places->len ? user_add_probes(up, o, is_return ? ATTACH_URETURN : ATTACH_UPROBE, (struct user_place *)(void *)places->data,
					  places->len, arena_printf(up->s, ".plt(\"\001\")%s", is_return ? ".return" : ""), 0) :
			  error_no_stub(up, o, pattern, plts);
	for (guint i = first; i < up->out->len; i++)
		((struct user_context *)((struct probe *)up->out->pdata[i])->priv)->plt = true;
	g_array_free(places, TRUE);
	return n;
}
