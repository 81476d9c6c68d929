/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small questions about DWARF entries (dwarf_die.h). */
#include "dwarf_die.h"

#include <dwarf.h>

#define MAX_ORIGINS 16 /* in a chain; more is damaged data */

const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &a));

	return name ? name : "";
}

bool die_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	bool ret = false;

	return dwarf_formflag(dwarf_attr(die, name, &a), &ret) == 0 && ret;
}

bool die_udata(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &a), &w) != 0)
		return false;
	*ret = w;
	return true;
}

bool die_number(Dwarf_Attribute *attr, int64_t *ret)
{
	Dwarf_Sword s;
	Dwarf_Word u;

	if (attr->form == DW_FORM_sdata || attr->form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(attr, &s) != 0)
			return false;
		*ret = s;
		return true;
	}
	if (dwarf_formudata(attr, &u) != 0)
		return false;
	*ret = (int64_t)u;
	return true;
}

bool die_sdata(Dwarf_Die *die, unsigned name, int64_t *ret)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, name, &a) && die_number(&a, ret);
}

bool die_ref(Dwarf_Die *die, unsigned name, Dwarf_Die *ret)
{
	Dwarf_Attribute a;
	Dwarf_Die target;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, name, &a), &target))
		return false;
	*ret = target;
	return true;
}

void die_resolve(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die full;

	if (dwarf_hasattr(die, DW_AT_signature) && dwarf_formref_die(dwarf_attr(die, DW_AT_signature, &a), &full))
		*die = full;
}

void die_origin(Dwarf_Die *die)
{
	static const unsigned links[] = { DW_AT_abstract_origin, DW_AT_specification };

	for (int i = 0; i < MAX_ORIGINS; i++) {
		Dwarf_Attribute a;
		Dwarf_Die next;
		bool found = false;

		for (size_t k = 0; k < G_N_ELEMENTS(links) && !found; k++)
			found = dwarf_formref_die(dwarf_attr(die, links[k], &a), &next) != NULL;
		if (!found)
			return;
		*die = next;
	}
}

bool die_unit(Dwarf_Die *die, Dwarf_Die *cu)
{
	return dwarf_diecu(die, cu, NULL, NULL) != NULL;
}

bool die_holds(Dwarf_Die *die, uint64_t pc)
{
	return dwarf_haspc(die, pc) > 0;
}

bool die_entry(Dwarf_Die *die, uint64_t *pc)
{
	Dwarf_Addr base, start, end, ret = 0;

	if (dwarf_entrypc(die, &ret) == 0) {
		*pc = ret;
		return true;
	}
	/* the first one: what is rarely run comes behind, wherever it lies */
	if (dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return false;
	*pc = start;
	return true;
}

int die_line(Dwarf_Die *die)
{
	int line = 0;

	return dwarf_decl_line(die, &line) == 0 ? line : 0;
}

bool die_first(Dwarf_Die *parent, Dwarf_Die *child)
{
	return dwarf_child(parent, child) == 0;
}

bool die_next(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0)
		return false;
	*die = next;
	return true;
}

bool unit_next(Dwarf *dw, Dwarf_CU **cu, Dwarf_Die *die)
{
	Dwarf_Die unit, sub;
	uint8_t type;

	if (dwarf_get_units(dw, *cu, cu, NULL, &type, &unit, &sub) != 0)
		return false;
	*die = type == DW_UT_skeleton && sub.addr ? sub : unit;
	return true;
}

const char *unit_missing_split(Dwarf *dw, uint64_t pc)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Attribute a;
	Dwarf_Die unit, sub;
	uint8_t type;
	const char *name;

	while (dwarf_get_units(dw, cu, &cu, NULL, &type, &unit, &sub) == 0) {
		if (type != DW_UT_skeleton || sub.addr || (pc && !die_holds(&unit, pc)))
			continue;
		name = dwarf_formstring(dwarf_attr(&unit, DW_AT_dwo_name, &a));
		if (!name)
			name = dwarf_formstring(dwarf_attr(&unit, DW_AT_GNU_dwo_name, &a));
		return name ? name : "a .dwo file";
	}
	return NULL;
}
