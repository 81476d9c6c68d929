/* SPDX-License-Identifier: GPL-2.0-or-later */
/* @var("name@file", "module"): a variable that any unit of the kernel, a module or a program defines. */
#include "target_dwarf.h"
#include "debuginfo/dwarf_index.h"
#include "kernel.h"
#include "user_elf.h"
#include "user_site.h"

#include <dwarf.h>
#include <string.h>

#define MAX_LISTED 8 /* files named in a message */

struct atvar {
	struct session *s;
	const struct expr *e;
	const char *name;
	const char *source;        /* file pattern, or NULL */
	struct dwarf_file *file;
	struct dwarf_index *ix;
};

/* "name@file" in two. */
static void split_name(struct atvar *v)
{
	const char *at = strchr(v->e->str, '@');

	v->name = at ? arena_strndup(v->s, v->e->str, at - v->e->str) : v->e->str;
	v->source = at && at[1] ? at + 1 : NULL;
}

/* The program or library that a probe without debug information of its own (a mark, an event of a process) is in; NULL. */
static const char *probe_file(const struct probe *p)
{
	return p && p->nuser && p->user[0].file ? p->user[0].file->path : NULL;
}

/* Where in that file the probe is, when it is at one place alone; 0. */
static uint64_t probe_address(struct session *s, const struct probe *p)
{
	struct user_elf *ue;
	const char *why;
	uint64_t addr;

	if (!probe_file(p) || p->nuser != 1 || p->user[0].nsites != 1 || (p->attach != ATTACH_UPROBE && p->attach != ATTACH_URETURN))
		return 0;
	ue = user_elf_open(s, p->user[0].file->path, &why);
	return ue && user_elf_address(ue, p->user[0].sites[0].offset, &addr) ? addr : 0;
}

/* The file that the third word names, or the probe's own, or the kernel.  NULL with *err when there is none. */
static struct dwarf_file *named_file(struct session *s, const char *module, const struct dwarf_scope *sc, char **err)
{
	if (!module || !*module) {
		if (sc)
			return sc->file;
		module = "kernel";
	}
	if (strchr(module, '/') && !g_str_has_suffix(module, ".ko"))
		return dwarf_user(s, module, err);
	if (!s->kernel) {
		*err = g_strdup("there is no target kernel");
		return NULL;
	}
	if (strcmp(module, "kernel") == 0 || strcmp(module, "vmlinux") == 0)
		return dwarf_kernel(s, err);
	return dwarf_module(s, module, err);
}

/* ---- choosing ---- */

static void help_files(struct atvar *v, GArray *vars)
{
	GString *list = g_string_new(NULL);
	struct dwarf_var var;

	for (guint i = 0; i < vars->len && i < MAX_LISTED; i++)
		if (dwarf_index_var(v->ix, g_array_index(vars, uint32_t, i), &var))
			g_string_append_printf(list, " %s@%s:%u", var.name, var.file ? var.file : "?", var.line);
	if (vars->len > MAX_LISTED)
		g_string_append_printf(list, " and %u more", vars->len - MAX_LISTED);
	diag_help(v->s, "there are:%s", list->str);
	g_string_free(list, TRUE);
}

static int unknown_var(struct atvar *v)
{
	GArray *vars = v->source ? dwarf_index_vars(v->ix, v->name, NULL, true) : NULL;
	char *start = g_strdup_printf("%.2s*", v->name);
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	diag_error(v->s, v->e->loc, "unknown-variable", v->source ? "no variable '%s' in %s of %s" : "no variable '%s'%s in %s",
		   v->name, v->source ? v->source : "", v->file->name);
	if (vars && vars->len) {
		help_files(v, vars);
	} else {
		GArray *similar = dwarf_index_vars(v->ix, start, NULL, true);
		struct dwarf_var var;

		for (guint i = 0; i < similar->len; i++)
			if (dwarf_index_var(v->ix, g_array_index(similar, uint32_t, i), &var))
				g_ptr_array_add(names, (char *)var.name);
		near = diag_nearest(v->name, names);
		if (near)
			diag_help(v->s, "did you mean '%s'?", near);
		g_array_free(similar, TRUE);
	}
	g_ptr_array_free(names, TRUE);
	g_free(start);
	if (vars)
		g_array_free(vars, TRUE);
	return -1;
}

bool dscope_symbol(struct dwarf_index *ix, const char *name, uint64_t *addr)
{
	GArray *list = dwarf_index_symbols(ix, name, false);
	struct dwarf_symbol sym;
	bool found = false;

	for (guint i = 0; i < list->len && !found; i++) {
		found = dwarf_index_symbol(ix, g_array_index(list, uint32_t, i), &sym) && strcmp(sym.name, name) == 0 &&
			sym.bind != STB_LOCAL;
		*addr = sym.addr;
	}
	g_array_free(list, TRUE);
	return found;
}

/* Of a weak definition and the one that replaced it: the one that the symbol stands for. */
static bool choose_by_symbol(struct atvar *v, GArray *vars, struct dwarf_var *ret)
{
	struct dwarf_var var;
	uint64_t want, have;
	Dwarf_Die die;

	if (!dscope_symbol(v->ix, v->name, &want))
		return false;
	for (guint i = 0; i < vars->len; i++) {
		if (dwarf_index_var(v->ix, g_array_index(vars, uint32_t, i), &var) && (var.flags & DWARF_EXTERNAL) &&
		    dwarf_index_die(v->ix, var.cu, var.die_offset, &die) && loc_static_address(&die, &have) && have == want) {
			*ret = var;
			return true;
		}
	}
	return false;
}

/* A declaration of what assembly or the linker defines (jiffies): any unit's will do, or that of the source file which is named. */
static bool find_declaration(struct atvar *v, Dwarf_Die *ret)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die cu;
	uint64_t addr;

	if (!dscope_symbol(v->ix, v->name, &addr))
		return false;
	while (unit_next(dwarf_file_dwarf(v->file), &unit, &cu))
		for (bool more = (!v->source || dwarf_file_pattern_match(v->source, die_name(&cu))) && die_first(&cu, ret); more; more = die_next(ret))
			if (dwarf_tag(ret) == DW_TAG_variable && strcmp(die_name(ret), v->name) == 0)
				return true;
	return false;
}

/* The one that is meant of several: the visible one; else they have to be told apart.  0; 1: there is none; -1 after
 * diag_error. */
static int choose(struct atvar *v, GArray *vars, struct dwarf_var *ret)
{
	struct dwarf_var var;
	unsigned n = 0, visible = 0;

	for (guint i = 0; i < vars->len; i++) {
		if (!dwarf_index_var(v->ix, g_array_index(vars, uint32_t, i), &var))
			continue;
		n++;
		if (var.flags & DWARF_EXTERNAL)
			visible++;
		if (n == 1 || ((var.flags & DWARF_EXTERNAL) && visible == 1))
			*ret = var;
	}
	if (n == 0)
		return 1;
	if (n == 1 || visible == 1 || (visible && choose_by_symbol(v, vars, ret)))
		return 0;
	diag_error(v->s, v->e->loc, "ambiguous-variable", "%u variables are called '%s' in %s: say which one is meant",
		   n, v->name, v->file->name);
	help_files(v, vars);
	return -1;
}

/* In a probe's own program, its unit's variable comes first. */
static bool find_in_scope(struct atvar *v, struct dscope *ds, Dwarf_Die *die)
{
	enum var_where where;

	if (v->source || v->file != ds->sc->file || !ds->cu.addr)
		return false;
	ds->nblocks = 0; /* globals alone */
	where = dscope_find(ds, v->name, die);
	return where == VAR_OF_UNIT || where == VAR_ELSEWHERE;
}

static struct expr *var_value(struct atvar *v, struct probe *p, struct dwarf_scope *sc, bool lvalue)
{
	struct dwarf_scope own = { .file = v->file, .cu = DWARF_NONE, .user = v->file->kind == DWARF_FILE_USER };
	const char *what = arena_printf(v->s, "@var(\"%s\")", v->e->str);
	struct dwarf_var var = { 0 };
	struct dscope ds;
	Dwarf_Die die;
	GArray *vars;
	struct place at;
	int rc;

	if (own.user && probe_file(p) && v->file == dwarf_user(v->s, probe_file(p), NULL))
		own.pc = probe_address(v->s, p);
	if (dscope_open(&ds, v->s, p, sc && sc->file == v->file ? sc : &own, v->e->loc))
		return NULL;
	if (!find_in_scope(v, &ds, &die)) {
		vars = dwarf_index_vars(v->ix, v->name, v->source, true);
		rc = choose(v, vars, &var);
		g_array_free(vars, TRUE);
		if (rc > 0 && !find_declaration(v, &die)) {
			unknown_var(v);
			return NULL;
		}
		if (rc < 0)
			return NULL;
		if (!rc && !dwarf_index_die(v->ix, var.cu, var.die_offset, &die)) {
			diag_error(v->s, v->e->loc, "no-location", "%s cannot be read: its debug information is damaged", what);
			return NULL;
		}
	}
	return dscope_place(&ds, &die, what, v->e->loc, &at) ? NULL : place_apply(v->s, &at, v->e, lvalue);
}

/* ---- without debug information ---- */

/* The same in a program: its symbol, as far from the probed instruction as in the file. */
static bool program_address(struct atvar *v, const struct probe *p, const char *path, struct expr **ret)
{
	struct user_elf *ue;
	const char *why;
	uint64_t addr, size, pc;

	if (!probe_file(p) || strcmp(path, probe_file(p)))
		return false;
	ue = user_elf_open(v->s, path, &why);
	pc = probe_address(v->s, p);
	if (!ue || !pc || !user_elf_object(ue, v->name, &addr, &size))
		return false;
	*ret = lowered_binary(v->s, OP_ADD, lowered_ip(v->s, v->e->loc), expr_num(v->s, (int64_t)(addr - pc), v->e->loc), v->e->loc);
	return true;
}

/* All that a symbol tells is an address. */
static struct expr *symbol_address(struct atvar *v, const struct probe *p, const char *module, const char *why)
{
	bool is_kernel = !module || !*module || strcmp(module, "kernel") == 0 || strcmp(module, "vmlinux") == 0;
	struct expr *here;

	if (v->e->addrof && v->e->ncomps == 0 && v->s->kernel && !v->source && (is_kernel || !strchr(module, '/')))
		return lowered_address(v->s, is_kernel ? NULL : module, v->name, 0,
				       arena_printf(v->s, "variable '%s'", v->name), v->e->loc);
	if (v->e->addrof && v->e->ncomps == 0 && !v->source && !is_kernel && program_address(v, p, module, &here))
		return here;
	diag_error(v->s, v->e->loc, "no-debuginfo", "@var(\"%s\") is not known: %s", v->e->str, why);
	if (!v->source && ((v->s->kernel && (is_kernel || !strchr(module, '/'))) || (!is_kernel && program_address(v, p, module, &here))))
		diag_help(v->s, "its address is known without debug information: @cast(&@var(\"%s\"), \"TYPE\")", v->name);
	return NULL;
}

struct expr *dwarf_atvar(struct session *s, struct probe *p, struct dwarf_scope *sc, struct expr *e, bool lvalue)
{
	const char *module = (!e->module || !*e->module) && !sc && probe_file(p) ? probe_file(p) : e->module;
	struct atvar v = { .s = s, .e = e };
	struct expr *ret;
	char *err = NULL;

	split_name(&v);
	v.file = named_file(s, module, sc, &err);
	if (v.file && dwarf_file_dwarf(v.file))
		v.ix = session_dwarf_index(s, v.file, &err);
	if (v.ix)
		ret = var_value(&v, p, sc, lvalue);
	else
		ret = symbol_address(&v, p, module, err ? err : v.file && v.file->problem ? v.file->problem : "there is no debug information");
	g_free(err);
	return ret;
}
