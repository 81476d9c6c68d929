/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of functions that Go's own compiler made.  In debug information they are parameters with DW_AT_variable_parameter, in the order
 * of the declaration, those without a name as ~r0, ~r1 ...; where they are when the function returns is told by Go's calling convention
 * alone (the part "Go internal ABI specification" of its sources, ABIInternal; since Go 1.17).  What is in no register is in the caller's
 * frame, at a place that debug information tells.
 */
#include "target_dwarf.h"

#include <dwarf.h>
#include <string.h>

#define MAX_NESTING 16
#define NINTS 9
#define NFLOATS 15
#define MAX_PARTS (NINTS + NFLOATS) /* registers for one value */

/* Offsets in struct pt_regs of ax bx cx di si r8 r9 r10 r11. */
static const unsigned go_regs[NINTS] = { 80, 40, 88, 112, 104, 72, 64, 56, 48 };

/* A stretch of a value in a register of its own. */
struct part {
	uint64_t at, size;         /* bytes */
	bool is_float;
	unsigned reg;
};

struct passing {
	unsigned ints, floats;     /* registers taken so far */
	unsigned limit_ints, limit_floats;
	struct part part[MAX_PARTS];
	unsigned nparts;
};

static const char *producer(struct dscope *ds)
{
	Dwarf_Attribute attr;
	const char *text = NULL;

	if (ds->cu.addr && dwarf_attr_integrate(&ds->cu, DW_AT_producer, &attr))
		text = dwarf_formstring(&attr);
	return text ? text : "";
}

bool dscope_is_go(struct dscope *ds)
{
	return ds->func.addr && g_str_has_prefix(producer(ds), "Go cmd/compile");
}

static bool is_result(Dwarf_Die *var)
{
	return dwarf_tag(var) == DW_TAG_formal_parameter && die_flag(var, DW_AT_variable_parameter);
}

bool dscope_is_go_result(struct dscope *ds, Dwarf_Die *var)
{
	Dwarf_Die origin = *var;

	die_origin(&origin);
	return (is_result(var) || is_result(&origin)) && dscope_is_go(ds);
}

/* Of a struct in several parts Go 1.19 may tell more than once, where it has no name. */
static bool is_repeated(struct dscope *ds, Dwarf_Die *var)
{
	Dwarf_Die c;

	if (*die_name(var) != '~')
		return false;
	for (bool more = die_first(&ds->func, &c); more && c.addr != var->addr; more = die_next(&c))
		if (!strcmp(die_name(&c), die_name(var)))
			return true;
	return false;
}

static bool next_result(struct dscope *ds, Dwarf_Die *var, bool *more)
{
	for (; *more; *more = die_next(var))
		if (dscope_is_go_result(ds, var) && !is_repeated(ds, var))
			return true;
	return false;
}

unsigned dscope_go_results(struct dscope *ds, Dwarf_Die *first)
{
	Dwarf_Die c;
	bool more = dscope_is_go(ds) && die_first(&ds->func, &c);
	unsigned n = 0;

	for (; next_result(ds, &c, &more); more = die_next(&c))
		if (!n++)
			*first = c;
	return n;
}

/* ---- registers ---- */

static bool take(struct passing *w, uint64_t at, uint64_t size, bool is_float)
{
	unsigned *n = is_float ? &w->floats : &w->ints;

	if (*n == (is_float ? w->limit_floats : w->limit_ints) || w->nparts == MAX_PARTS)
		return false;
	w->part[w->nparts++] = (struct part){ at, size, is_float, (*n)++ };
	return true;
}

/* A complex number has become an array of its two. */
static bool is_complex(const struct ctype *t)
{
	Dwarf_Die die;

	return dwarf_type_die(t, &die) && dwarf_tag(&die) == DW_TAG_base_type;
}

/* Gives registers to a value, or to none of it: false, and some may be taken already. */
static bool take_value(struct passing *w, const struct ctype *t, uint64_t at, int depth)
{
	const struct ctype_member *m;
	size_t n;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING)
		return false;
	if (t->kind == CTYPE_ARRAY) {
		if (t->count > 1 && !is_complex(t))
			return false;
		for (uint64_t i = 0; i < t->count; i++)
			if (!take_value(w, t->to, at + i * ctype_size(t->to), depth + 1))
				return false;
		return true;
	}
	if (!ctype_is_aggregate(t))
		return t->size <= 8 && (!t->size || take(w, at, t->size, t->kind == CTYPE_FLOAT));
	m = ctype_members(t, &n);
	for (size_t i = 0; i < n; i++)
		if (!take_value(w, m[i].type, at + m[i].bit_offset / 8, depth + 1))
			return false;
	return true;
}

/* None is taken yet; how many there are. */
static struct passing limits(struct dscope *ds)
{
	bool by_register = strstr(producer(ds), "regabi") != NULL;

	return (struct passing){ .limit_ints = by_register ? NINTS : 0, .limit_floats = by_register ? NFLOATS : 0 };
}

/* Puts the members' pieces, or with `empty` also those that have no place, where the members are.  False: they are others. */
static bool pieces_of_parts(struct session *s, const struct passing *w, uint64_t size, bool empty, struct location *where)
{
	struct loc_piece *piece = arena_alloc(s, sizeof(*piece) * (2 * w->nparts + 1));
	unsigned n = 0, part = 0;
	uint64_t at = 0;

	for (unsigned i = 0; i < where->npieces; i++) {
		if (where->piece[i].kind == PIECE_NONE && !empty)
			continue;
		if (part == w->nparts || where->piece[i].bits != w->part[part].size * 8)
			return false;
		if (at < w->part[part].at)
			piece[n++] = (struct loc_piece){ .kind = PIECE_NONE, .bits = (w->part[part].at - at) * 8 };
		piece[n++] = where->piece[i];
		at = w->part[part].at + w->part[part].size;
		part++;
	}
	if (at < size)
		piece[n++] = (struct loc_piece){ .kind = PIECE_NONE, .bits = (size - at) * 8 };
	if (part < w->nparts)
		return false;
	*where = (struct location){ piece, n };
	return true;
}

bool dscope_go_pieces(struct dscope *ds, const struct ctype *t, struct location *where)
{
	struct passing w = { .limit_ints = MAX_PARTS, .limit_floats = MAX_PARTS };
	uint64_t bits = 0, size = ctype_size(t);

	for (unsigned i = 0; i < where->npieces; i++)
		bits += where->piece[i].bits;
	if (!bits || !dscope_is_go(ds))
		return true;
	return (take_value(&w, t, 0, 0) && (pieces_of_parts(ds->s, &w, size, false, where) || pieces_of_parts(ds->s, &w, size, true, where))) ||
	       bits == size * 8;
}

/* The registers of one result; false: it is in memory. */
static bool registers_of(struct dscope *ds, Dwarf_Die *var, struct passing *w)
{
	bool is_it, more;
	Dwarf_Die c;

	*w = limits(ds);
	for (more = die_first(&ds->func, &c); next_result(ds, &c, &more); more = die_next(&c)) {
		struct passing before = *w;

		w->nparts = 0;
		is_it = c.addr == var->addr;
		if (take_value(w, dwarf_type_of(ds->types, &c), 0, 0)) {
			if (is_it)
				return true;
		} else if (is_it) {
			return false;
		} else {
			*w = before;
		}
	}
	return false;
}

static struct expr *register_of(struct dscope *ds, const struct part *part, struct loc loc)
{
	return part->is_float ? abi_vector(ds->s, part->reg, loc) : abi_result(ds->s, go_regs[part->reg], loc);
}

static void set_registers(struct dscope *ds, const struct passing *w, struct loc loc, struct place *ret)
{
	struct place_piece *piece = arena_alloc(ds->s, sizeof(*piece) * (2 * w->nparts + 2));
	uint64_t at = 0, size = ctype_size(ret->type);
	unsigned n = 0;

	if (w->nparts == 1 && w->part[0].at == 0) {
		ret->word[0] = register_of(ds, &w->part[0], loc);
		ret->nwords = 1;
		return;
	}
	for (unsigned i = 0; i <= w->nparts; i++) {
		uint64_t to = i < w->nparts ? w->part[i].at : size;

		if (at < to)
			piece[n++] = (struct place_piece){ .bits = (to - at) * 8, .why = "there is nothing but padding" };
		if (i == w->nparts)
			break;
		piece[n++] = (struct place_piece){ .bits = w->part[i].size * 8, .word = register_of(ds, &w->part[i], loc) };
		at = to + w->part[i].size;
	}
	ret->piece = piece;
	ret->npieces = n;
}

/* ---- places ---- */

/* Where a parameter or result begins in the caller's frame, from the CFA on; false: it is in registers, or it is none. */
static bool frame_slot(struct dscope *ds, Dwarf_Die *var, bool results, uint64_t *offset)
{
	struct passing w = limits(ds);
	Dwarf_Die c;

	for (bool more = die_first(&ds->func, &c); more; more = die_next(&c)) {
		const struct ctype *t = dwarf_type_of(ds->types, &c);
		uint64_t align = MAX(ctype_align(t), 1);
		struct passing before = w;

		if (dwarf_tag(&c) != DW_TAG_formal_parameter || dscope_is_go_result(ds, &c) != results || is_repeated(ds, &c))
			continue;
		w.nparts = 0;
		if (take_value(&w, t, 0, 0)) {
			if (c.addr == var->addr)
				return false;
			continue;
		}
		w = before;
		*offset = (*offset + align - 1) / align * align;
		if (c.addr == var->addr)
			return true;
		*offset += ctype_size(t);
	}
	return false;
}

static bool param_slot(struct dscope *ds, Dwarf_Die *var, uint64_t *offset)
{
	*offset = 0;
	return frame_slot(ds, var, false, offset);
}

/* Results are behind the parameters, from a multiple of 8 on; optimised code does not always tell where. */
static bool result_slot(struct dscope *ds, Dwarf_Die *var, uint64_t *offset)
{
	param_slot(ds, var, offset);
	*offset = (*offset + 7) / 8 * 8;
	return frame_slot(ds, var, true, offset);
}

int64_t dscope_go_param_shift(struct dscope *ds, Dwarf_Die *var)
{
	uint64_t begin;
	int64_t told;

	if (!dscope_is_go(ds) || ds->sc->pc != ds->entry || !param_slot(ds, var, &begin) || !loc_caller_slot(var, &told))
		return 0;
	return (uint64_t)told > begin && (uint64_t)told - begin < ctype_size(dwarf_type_of(ds->types, var)) ? (int64_t)begin - told : 0;
}

int dscope_go_place(struct dscope *ds, Dwarf_Die *var, const char *what, struct loc loc, struct place *ret)
{
	enum { REG_SP = 152 };
	struct passing w;
	uint64_t behind;
	int64_t offset;

	*ret = (struct place){ .type = dwarf_type_of(ds->types, var), .module = ds->module, .what = what, .user = true };
	if (!ctype_size(ret->type))
		return diag_error(ds->s, loc, "no-value", "%s is empty: its type has no size", what);
	if (registers_of(ds, var, &w)) {
		set_registers(ds, &w, loc, ret);
		return 0;
	}
	if (!loc_caller_slot(var, &offset)) {
		if (!result_slot(ds, var, &behind))
			return diag_error(ds->s, loc, "no-location", "%s cannot be read: its place in the caller's frame is not told", what);
		offset = behind;
	}
	ret->base = abi_result(ds->s, REG_SP, loc);
	ret->offset = 8 + offset; /* from the CFA on, which is behind the return address */
	return 0;
}

struct expr *dscope_go_return(struct dscope *ds, struct expr *e, bool lvalue)
{
	GString *names;
	Dwarf_Die var;
	struct place at;
	bool more;
	unsigned n = dscope_go_results(ds, &var);

	if (n == 1)
		return dscope_go_place(ds, &var, "$return", e->loc, &at) ? NULL : place_apply(ds->s, &at, e, lvalue);
	if (!n) {
		diag_error(ds->s, e->loc, "no-value", "the function returns nothing: there is no $return");
		return NULL;
	}
	diag_error(ds->s, e->loc, "no-value", "the function returns %u values: each has a name of its own, $return is none of them", n);
	names = g_string_new(NULL);
	for (more = die_first(&ds->func, &var); next_result(ds, &var, &more); more = die_next(&var))
		g_string_append_printf(names, " $%s", dscope_go_name(&var));
	diag_help(ds->s, "there are:%s", names->str);
	g_string_free(names, TRUE);
	return NULL;
}

const char *dscope_go_name(Dwarf_Die *var)
{
	const char *name = die_name(var);

	return name + (*name == '~');
}

bool dscope_find_go_result(struct dscope *ds, const char *name, Dwarf_Die *var)
{
	Dwarf_Die c;
	bool more = dscope_is_go(ds) && die_first(&ds->func, &c);

	for (; next_result(ds, &c, &more); more = die_next(&c))
		if (!strcmp(dscope_go_name(&c), name)) {
			*var = c;
			return true;
		}
	return false;
}
