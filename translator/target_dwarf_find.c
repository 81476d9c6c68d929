/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables by name in a DWARF scope: blocks from the inside out, then the unit, then other units. */
#include "target_dwarf.h"
#include "debuginfo/dwarf_index.h"

#include <dwarf.h>
#include <string.h>

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant;
}

static bool find_child(Dwarf_Die *parent, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die c;

	for (bool more = die_first(parent, &c); more; more = die_next(&c)) {
		if (is_variable(&c) && strcmp(die_name(&c), name) == 0) {
			*ret = c;
			return true;
		}
	}
	return false;
}

/* In an inlined or copied function, variables that lost all their locations are left in the abstract one alone. */
static bool find_in_origin(struct dscope *ds, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die origin = ds->blocks[0];

	die_origin(&origin);
	return origin.addr != ds->blocks[0].addr && find_child(&origin, name, ret);
}

static bool find_in_blocks(struct dscope *ds, const char *name, Dwarf_Die *ret)
{
	for (unsigned i = ds->nblocks; i-- > 0; )
		if (find_child(&ds->blocks[i], name, ret))
			return true;
	return ds->nblocks && find_in_origin(ds, name, ret);
}

/* ---- globals ---- */

/* A global in a unit's own scope and namespaces: true with its definition; else *ret is set to a declaration if there is one. */
static bool find_in_unit(Dwarf_Die *parent, const char *name, Dwarf_Die *ret, int depth)
{
	Dwarf_Die c;

	for (bool more = depth < MAX_SCOPES && die_first(parent, &c); more; more = die_next(&c)) {
		if (dwarf_tag(&c) == DW_TAG_namespace && find_in_unit(&c, name, ret, depth + 1))
			return true;
		if (dwarf_tag(&c) != DW_TAG_variable || strcmp(die_name(&c), name) != 0)
			continue;
		*ret = c;
		/* a declaration may be completed further down */
		if (dwarf_hasattr(&c, DW_AT_location) || dwarf_hasattr(&c, DW_AT_const_value))
			return true;
	}
	return false;
}

/* A global that another unit defines. */
static bool find_elsewhere(struct dscope *ds, const char *name, Dwarf_Die *ret)
{
	struct dwarf_index *ix = session_dwarf_index(ds->s, ds->sc->file, NULL);
	GArray *vars = ix ? dwarf_index_vars(ix, name, NULL, false) : NULL;
	struct dwarf_var v;
	bool found = false;

	for (guint i = 0; vars && i < vars->len && !found; i++)
		found = dwarf_index_var(ix, g_array_index(vars, uint32_t, i), &v) && (v.flags & DWARF_EXTERNAL) &&
			dwarf_index_die(ix, v.cu, v.die_offset, ret);
	if (vars)
		g_array_free(vars, TRUE);
	return found;
}

enum var_where dscope_find(struct dscope *ds, const char *name, Dwarf_Die *var)
{
	Dwarf_Die origin, cu, declared;

	if (find_in_blocks(ds, name, var))
		return VAR_IN_FUNCTION;
	declared.addr = NULL;
	if (ds->cu.addr && find_in_unit(&ds->cu, name, &declared, 0)) {
		*var = declared;
		return VAR_OF_UNIT;
	}
	/* what was inlined from another unit sees that unit's globals */
	if (ds->nblocks) {
		origin = ds->blocks[0];
		die_origin(&origin);
		if (die_unit(&origin, &cu) && cu.addr != ds->cu.addr && find_in_unit(&cu, name, &declared, 0)) {
			*var = declared;
			return VAR_OF_UNIT;
		}
	}
	if (find_elsewhere(ds, name, var))
		return VAR_ELSEWHERE;
	*var = declared; /* its symbol may tell, or it is optimised out */
	return declared.addr ? VAR_OF_UNIT : VAR_NOT_FOUND;
}

/* ---- lists ---- */

static bool is_listed(const GPtrArray *names, const char *name)
{
	for (guint i = 0; i < names->len; i++)
		if (strcmp(names->pdata[i], name) == 0)
			return true;
	return false;
}

struct each {
	GPtrArray *seen;
	void (*fn)(void *data, Dwarf_Die *var, bool is_param);
	void *data;
};

/* `at`: where an abstract function's variables have their places, or NULL. */
static void each_child(struct each *e, Dwarf_Die *parent, Dwarf_Die *at, bool params)
{
	Dwarf_Die c, concrete;

	for (bool more = die_first(parent, &c); more; more = die_next(&c)) {
		const char *name = die_name(&c);
		bool is_param = dwarf_tag(&c) == DW_TAG_formal_parameter;

		if (!is_variable(&c) || !*name || is_param != params || is_listed(e->seen, name))
			continue;
		g_ptr_array_add(e->seen, (char *)name);
		e->fn(e->data, at && find_child(at, name, &concrete) ? &concrete : &c, is_param);
	}
}

static void note_children(GPtrArray *names, Dwarf_Die *parent)
{
	Dwarf_Die c;

	for (bool more = die_first(parent, &c); more; more = die_next(&c))
		if (is_variable(&c) && *die_name(&c) && !is_listed(names, die_name(&c)))
			g_ptr_array_add(names, (char *)die_name(&c));
}

void dscope_each(struct dscope *ds, void (*fn)(void *data, Dwarf_Die *var, bool is_param), void *data)
{
	struct each e = { .seen = g_ptr_array_new(), .fn = fn, .data = data };
	GPtrArray *inner = g_ptr_array_new();
	Dwarf_Die origin;

	if (ds->nblocks) {
		/* parameters come first, but for those that a block's variable hides */
		for (unsigned i = 1; i < ds->nblocks; i++)
			note_children(inner, &ds->blocks[i]);
		g_ptr_array_extend(e.seen, inner, NULL, NULL);
		origin = ds->blocks[0];
		die_origin(&origin);
		/* compilers mix up the order in which instances have their parameters */
		if (origin.addr != ds->blocks[0].addr)
			each_child(&e, &origin, &ds->blocks[0], true);
		each_child(&e, &ds->blocks[0], NULL, true);
		g_ptr_array_remove_range(e.seen, 0, inner->len);
		for (unsigned i = ds->nblocks; i-- > 0; )
			each_child(&e, &ds->blocks[i], NULL, false);
		each_child(&e, &origin, NULL, false);
	}
	g_ptr_array_free(inner, TRUE);
	g_ptr_array_free(e.seen, TRUE);
}

void dscope_names(struct dscope *ds, GPtrArray *names, bool unit)
{
	Dwarf_Die origin;

	for (unsigned i = ds->nblocks; i-- > 0; )
		note_children(names, &ds->blocks[i]);
	if (ds->nblocks) {
		origin = ds->blocks[0];
		die_origin(&origin);
		note_children(names, &origin);
	}
	if (unit && ds->cu.addr)
		note_children(names, &ds->cu);
}
