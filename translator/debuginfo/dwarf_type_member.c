/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of structs and parameters of functions, from DWARF (dwarf_type.h). */
#include "dwarf_type.h"

#include <dwarf.h>

struct members {
	struct dw_types *dt;
	GArray *list;              /* struct ctype_member */
	int depth;
};

#define MAX_DEPTH 16 /* of variants in variants; more is damaged data */

/* Bytes from the start of the struct; false when it is only known at run time (a virtual base class). */
static bool member_offset(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	*ret = 0;
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &a))
		return true;
	if (dwarf_formudata(&a, ret) == 0)
		return true;
	/* the DWARF 2 form: an expression that adds to the struct's address */
	if (dwarf_getlocation(&a, &ops, &n) != 0 || n != 1 || ops[0].atom != DW_OP_plus_uconst)
		return false;
	*ret = ops[0].number;
	return true;
}

/* Where a bit field is; both ways to say it. */
static bool member_place(Dwarf_Die *die, struct ctype_member *m)
{
	uint64_t bits, at, storage, byte;
	int64_t back; /* may be negative in packed structs */

	if (!member_offset(die, &byte))
		return false;
	m->bit_offset = byte * 8;
	if (!die_udata(die, DW_AT_bit_size, &bits))
		return true;
	m->bit_size = bits;
	if (die_udata(die, DW_AT_data_bit_offset, &at)) {
		m->bit_offset += at;
	} else if (die_sdata(die, DW_AT_bit_offset, &back)) {
		/* counted from the most significant bit of the storage unit, whose first byte is the lowest here */
		if (!die_udata(die, DW_AT_byte_size, &storage))
			storage = ctype_size(m->type);
		m->bit_offset += storage * 8 - (uint64_t)back - bits;
	}
	return true;
}

static void add_member(struct members *ms, Dwarf_Die *die, const char *name)
{
	struct ctype_member m = { .name = name, .type = dwarf_type_of(&ms->dt->src, die) };

	if (member_place(die, &m))
		g_array_append_val(ms->list, m);
}

static void add_children(struct members *ms, Dwarf_Die *die);

/* The variants of a Rust enum lie on top of each other; the discriminant, if it has a place, is a member too. */
static void add_variants(struct members *ms, Dwarf_Die *part)
{
	Dwarf_Die c, discr;

	if (++ms->depth > MAX_DEPTH)
		return;
	if (die_ref(part, DW_AT_discr, &discr))
		add_member(ms, &discr, *die_name(&discr) ? die_name(&discr) : "__discriminant");
	for (bool more = die_first(part, &c); more; more = die_next(&c))
		if (dwarf_tag(&c) == DW_TAG_variant)
			add_children(ms, &c);
	ms->depth--;
}

static void add_children(struct members *ms, Dwarf_Die *die)
{
	Dwarf_Die c;

	for (bool more = die_first(die, &c); more; more = die_next(&c)) {
		switch (dwarf_tag(&c)) {
		case DW_TAG_member:
			/* static members are variables */
			if (!die_flag(&c, DW_AT_external) && !die_flag(&c, DW_AT_declaration))
				add_member(ms, &c, die_name(&c));
			break;
		case DW_TAG_inheritance:
			add_member(ms, &c, "");
			break;
		case DW_TAG_variant_part:
			add_variants(ms, &c);
			break;
		default:
			break;
		}
	}
}

static void complete_struct(struct dw_types *dt, struct ctype *t, Dwarf_Die *die)
{
	struct members ms = { .dt = dt, .list = g_array_new(FALSE, TRUE, sizeof(struct ctype_member)) };

	add_children(&ms, die);
	t->nmembers = ms.list->len;
	t->members = (struct ctype_member *)(void *)g_array_free(ms.list, FALSE);
}

static void complete_func(struct dw_types *dt, struct ctype *t, Dwarf_Die *die)
{
	GArray *list = g_array_new(FALSE, TRUE, sizeof(struct ctype_param));
	Dwarf_Die c;

	for (bool more = die_first(die, &c); more; more = die_next(&c)) {
		struct ctype_param p;

		if (dwarf_tag(&c) == DW_TAG_unspecified_parameters)
			t->variadic = true;
		if (dwarf_tag(&c) != DW_TAG_formal_parameter)
			continue;
		p = (struct ctype_param){ .name = die_name(&c), .type = dwarf_type_of(&dt->src, &c) };
		g_array_append_val(list, p);
	}
	t->nparams = list->len;
	t->params = (struct ctype_param *)(void *)g_array_free(list, FALSE);
}

void dw_complete(struct type_source *src, struct ctype *t)
{
	struct dw_types *dt = (struct dw_types *)src;
	Dwarf_Die die = ((struct dw_node *)t)->die;

	t->complete = true;
	if (!die.addr)
		return;
	if (t->kind == CTYPE_FUNC)
		complete_func(dt, t, &die);
	else
		complete_struct(dt, t, &die);
}
