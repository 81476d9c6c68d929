/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The location of a variable at an address: which of its location expressions holds there (dwarf_loc.h). */
#include "dwarf_loc.h"
#include "../session.h"

#include <dwarf.h>
#include <stdarg.h>

int loc_fail(struct loc_env *env, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	env->why = arena_strdup(env->s, text);
	g_free(text);
	return -1;
}

bool loc_attr(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attr)
{
	if (!dwarf_attr_integrate(die, name, attr))
		return false;
	if ((attr->form == DW_FORM_block1 && *attr->valp < 0x80) || attr->form == DW_FORM_block)
		attr->form = DW_FORM_exprloc;
	return true;
}

static struct loc_piece *one_piece(struct loc_env *env, struct location *ret)
{
	ret->piece = arena_alloc(env->s, sizeof(*ret->piece));
	ret->npieces = 1;
	return ret->piece;
}

/* DW_AT_const_value: a number, a string or bytes. */
static int constant(struct loc_env *env, Dwarf_Attribute *attr, struct location *ret)
{
	struct loc_piece *p = one_piece(env, ret);
	Dwarf_Block block;
	const char *text;
	int64_t n;

	if (dwarf_formblock(attr, &block) == 0) {
		*p = (struct loc_piece){ .kind = PIECE_BYTES, .bytes = block.data, .nbytes = block.length };
		return 0;
	}
	text = dwarf_formstring(attr);
	if (text) {
		*p = (struct loc_piece){ .kind = PIECE_BYTES, .bytes = (const uint8_t *)text, .nbytes = strlen(text) + 1 };
		return 0;
	}
	if (!die_number(attr, &n))
		return loc_fail(env, "its constant value is in a form that is not known");
	*p = (struct loc_piece){ .kind = PIECE_VALUE, .e = loc_num(env, n) };
	return 0;
}

int loc_find(struct loc_env *env, Dwarf_Die *var, struct location *ret)
{
	struct loc_ops ops;
	Dwarf_Attribute attr;
	int n;

	*ret = (struct location){ 0 };
	env->why = NULL;
	if (!loc_attr(var, DW_AT_location, &attr)) {
		if (dwarf_attr_integrate(var, DW_AT_const_value, &attr))
			return constant(env, &attr, ret);
		return 0;
	}
	ops.attr = &attr;
	n = dwarf_getlocation_addr(&attr, env->pc, &ops.op, &ops.n, 1);
	if (n < 0)
		return loc_fail(env, "its location is damaged: %s", dwarf_errmsg(-1));
	if (n == 0 || ops.n == 0)
		return 0;
	return loc_run(env, &ops, ret);
}

/* A value that is known at the function's entry alone is none where it is looked for. */
static bool is_readable(const Dwarf_Op *op, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (op[i].atom == DW_OP_entry_value || op[i].atom == DW_OP_GNU_entry_value)
			return false;
	return n > 0;
}

bool loc_ranges(Dwarf_Die *var, void (*fn)(void *data, uint64_t start, uint64_t end), void *data)
{
	Dwarf_Attribute attr;
	Dwarf_Addr base, start, end;
	uint64_t from = 0, to = 0;
	ptrdiff_t off = 0;
	Dwarf_Op *op;
	size_t n;

	if (!loc_attr(var, DW_AT_location, &attr) || attr.form == DW_FORM_exprloc ||
	    attr.form == DW_FORM_block1 || attr.form == DW_FORM_block2 || attr.form == DW_FORM_block4 ||
	    attr.form == DW_FORM_block)
		return false;
	while ((off = dwarf_getlocations(&attr, off, &base, &start, &end, &op, &n)) > 0)
		if (start < end && is_readable(op, n)) {
			if (start != to) {
				if (from < to)
					fn(data, from, to);
				from = start;
			}
			to = end;
		}
	if (from < to)
		fn(data, from, to);
	return true;
}

static bool single_location(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attr, Dwarf_Op **op, size_t *n)
{
	return dwarf_hasattr(die, name) && loc_attr(die, name, attr) && attr->form != DW_FORM_sec_offset && attr->form != DW_FORM_loclistx &&
	       dwarf_getlocation(attr, op, n) == 0 && *n >= 1;
}

bool loc_is_frame_slot(Dwarf_Die *var, Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op, *base;
	size_t n;

	if (!single_location(var, DW_AT_location, &attr, &op, &n) || op[0].atom != DW_OP_fbreg)
		return false;
	/* from the CFA upwards are the arguments that the caller put on the stack */
	return (int64_t)op[0].number < 0 || !func->addr || !single_location(func, DW_AT_frame_base, &attr, &base, &n) ||
	       base[0].atom != DW_OP_call_frame_cfa;
}

bool loc_is_frame_address(Dwarf_Die *var, Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	return loc_is_frame_slot(var, func) && single_location(var, DW_AT_location, &attr, &op, &n) && n == 2 && op[1].atom == DW_OP_deref;
}

bool loc_caller_slot(Dwarf_Die *var, int64_t *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	Dwarf_Op *op;
	size_t n;

	if (!loc_attr(var, DW_AT_location, &attr))
		return false;
	while ((off = dwarf_getlocations(&attr, off, &base, &start, &end, &op, &n)) > 0) {
		*offset = n == 1 && op[0].atom == DW_OP_fbreg ? (int64_t)op[0].number : 0;
		if (n == 1 && *offset >= 0 && (op[0].atom == DW_OP_fbreg || op[0].atom == DW_OP_call_frame_cfa))
			return true;
	}
	return false;
}

bool loc_static_address(Dwarf_Die *var, uint64_t *addr)
{
	Dwarf_Attribute attr, index;
	Dwarf_Addr a;
	Dwarf_Op *op;
	size_t n;

	if (!loc_attr(var, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &n) != 0 || n != 1)
		return false;
	a = op[0].number;
	if ((op[0].atom == DW_OP_addrx || op[0].atom == DW_OP_GNU_addr_index) &&
	    (dwarf_getlocation_attr(&attr, op, &index) != 0 || dwarf_formaddr(&index, &a) != 0))
		return false;
	*addr = a;
	return op[0].atom == DW_OP_addr || op[0].atom == DW_OP_addrx || op[0].atom == DW_OP_GNU_addr_index;
}
