/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which values of C++ are passed and returned by their address, whatever their size: those of classes that are "non-trivial for the purposes of
 * calls" (Itanium C++ ABI, 3.1.2.3 and 3.1.3.1): with a destructor, copy or move constructor of their own, or in a base or member, or with virtual
 * functions or bases.  clang says it of each class (DW_AT_calling_convention), GCC does not.
 */
#include "target_dwarf.h"

#include <dwarf.h>
#include <string.h>

#define MAX_NESTING 16

enum { LANG_C_PLUS_PLUS_17 = 0x2b, LANG_C_PLUS_PLUS_20 = 0x2c }; /* dwarfstd.org, language names; libdw has them lately */

bool dscope_is_cplus(struct dscope *ds)
{
	switch (ds->cu.addr ? dwarf_srclang(&ds->cu) : 0) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_C_PLUS_PLUS_17:
	case LANG_C_PLUS_PLUS_20:
		return true;
	default:
		return false;
	}
}

/* Made by the compiler: such are trivial unless what they are made for is not, which members and bases tell. */
static bool is_implicit(Dwarf_Die *func)
{
	uint64_t how;

	return die_flag(func, DW_AT_artificial) || die_flag(func, DW_AT_deleted) ||
	       (die_udata(func, DW_AT_defaulted, &how) && how == DW_DEFAULTED_in_class);
}

static bool strip_qualifiers(Dwarf_Die *type)
{
	for (int i = 0; i < MAX_NESTING; i++) {
		int tag = dwarf_tag(type);

		if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_typedef)
			return true;
		if (!die_ref(type, DW_AT_type, type))
			return false;
	}
	return false;
}

/* X(const X &) or X(X &&): the second parameter, behind `this`, is a reference to the class, and there is none behind it. */
static bool copies_or_moves(Dwarf_Die *func, Dwarf_Die *class)
{
	Dwarf_Die c, second, type;
	unsigned n = 0;

	for (bool more = die_first(func, &c); more; more = die_next(&c))
		if (dwarf_tag(&c) == DW_TAG_formal_parameter && ++n == 2)
			second = c;
	if (n != 2 || !die_ref(&second, DW_AT_type, &type))
		return false;
	if (dwarf_tag(&type) != DW_TAG_reference_type && dwarf_tag(&type) != DW_TAG_rvalue_reference_type)
		return false;
	return die_ref(&type, DW_AT_type, &type) && strip_qualifiers(&type) && type.addr == class->addr;
}

static bool is_by_address(Dwarf_Die *type, int depth);

static bool child_is_not_trivial(Dwarf_Die *child, Dwarf_Die *class, int depth)
{
	const char *name = die_name(child);
	size_t len = strcspn(die_name(class), "<");
	uint64_t virtuality;
	Dwarf_Die type;

	switch (dwarf_tag(child)) {
	case DW_TAG_subprogram:
		if (die_udata(child, DW_AT_virtuality, &virtuality) && virtuality != DW_VIRTUALITY_none)
			return true;
		if (is_implicit(child))
			return false;
		return *name == '~' || (len && !strncmp(name, die_name(class), len) && (!name[len] || name[len] == '<') &&
					copies_or_moves(child, class));
	case DW_TAG_inheritance:
		if (die_udata(child, DW_AT_virtuality, &virtuality) && virtuality != DW_VIRTUALITY_none)
			return true;
		return die_ref(child, DW_AT_type, &type) && is_by_address(&type, depth + 1);
	case DW_TAG_member:
		return !die_flag(child, DW_AT_external) && !die_flag(child, DW_AT_declaration) && die_ref(child, DW_AT_type, &type) &&
		       is_by_address(&type, depth + 1);
	default:
		return false;
	}
}

static bool is_by_address(Dwarf_Die *type, int depth)
{
	Dwarf_Die die = *type, c;
	uint64_t how;
	int tag;

	if (depth > MAX_NESTING)
		return false;
	while (strip_qualifiers(&die) && dwarf_tag(&die) == DW_TAG_array_type)
		if (!die_ref(&die, DW_AT_type, &die))
			return false;
	die_resolve(&die);
	tag = dwarf_tag(&die);
	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
		return false;
	if (die_udata(&die, DW_AT_calling_convention, &how) && (how == DW_CC_pass_by_reference || how == DW_CC_pass_by_value))
		return how == DW_CC_pass_by_reference;
	for (bool more = die_first(&die, &c); more; more = die_next(&c))
		if (child_is_not_trivial(&c, &die, depth))
			return true;
	return false;
}

bool cplus_by_address(const struct ctype *t)
{
	Dwarf_Die die;

	t = ctype_strip(t, NULL);
	return ctype_is_aggregate(t) && dwarf_type_die(t, &die) && is_by_address(&die, 0);
}
