/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small questions about DWARF entries, asked through libdw: attributes behind DW_AT_abstract_origin and
 * DW_AT_specification, type units, split units.  Nothing here allocates; strings belong to the Dwarf.
 */
#ifndef STAP_DWARF_DIE_H
#define STAP_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The name, also of what the entry is an instance of; "" when there is none. */
const char *die_name(Dwarf_Die *die);
bool die_flag(Dwarf_Die *die, unsigned name); /* of this entry alone */
/* A constant attribute of the entry or of its origins; false when there is none. */
bool die_udata(Dwarf_Die *die, unsigned name, uint64_t *ret);
bool die_sdata(Dwarf_Die *die, unsigned name, int64_t *ret);
/* A constant attribute's value.  Forms of a fixed size hold no negative numbers but for those of eight bytes: compilers write
 * 200 as one byte, whatever the sign of its type. */
bool die_number(Dwarf_Attribute *attr, int64_t *ret);
/* The entry that a reference attribute (of the entry or its origins) names; false when there is none. */
bool die_ref(Dwarf_Die *die, unsigned name, Dwarf_Die *ret);
/* The entry itself, or what stands for it in a type unit (DW_AT_signature). */
void die_resolve(Dwarf_Die *die);
/* The abstract instance (DW_AT_abstract_origin, then DW_AT_specification) that it is of, or itself. */
void die_origin(Dwarf_Die *die);
/* The entry of the compilation unit, of a split unit where that holds the rest. */
bool die_unit(Dwarf_Die *die, Dwarf_Die *cu);
/* The address range of the entry holds this address. */
bool die_holds(Dwarf_Die *die, uint64_t pc);
/* Entry address: DW_AT_entry_pc or DW_AT_low_pc or the start of its first range; false when it has none. */
bool die_entry(Dwarf_Die *die, uint64_t *pc);
/* The line of the declaration, or 0. */
int die_line(Dwarf_Die *die);

/* First and next child; loops: for (bool more = die_first(parent, &c); more; more = die_next(&c)). */
bool die_first(Dwarf_Die *parent, Dwarf_Die *child);
bool die_next(Dwarf_Die *die);

/*
 * Every unit that holds entries: compile units, partial and type units, split units in place of their skeletons.
 * Start with *cu zeroed; false at the end.
 */
bool unit_next(Dwarf *dw, Dwarf_CU **cu, Dwarf_Die *die);

/* The .dwo file (DW_AT_dwo_name) of the first unit whose split unit is not found: of the one with code at pc, of any when that is
 * 0.  NULL when there is none. */
const char *unit_missing_split(Dwarf *dw, uint64_t pc);

#endif
