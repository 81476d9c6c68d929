/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls inside a function, from the call sites that compilers record (DWARF 5, section 3.4, and GNU's form before). */
#include "dwarf_index_priv.h"

#include <dwarf.h>

static bool is_call_site(int tag)
{
	return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

static bool flag_of(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	bool on = false;

	return dwarf_attr(die, attr, &a) && dwarf_formflag(&a, &on) == 0 && on;
}

/* Names of what is called; through abstract origins and specifications. */
static void callee_names(Dwarf_Die *site, struct dwarf_call *call)
{
	Dwarf_Attribute a;
	Dwarf_Die callee;

	if (!dwarf_attr(site, DW_AT_call_origin, &a) && !dwarf_attr(site, DW_AT_abstract_origin, &a))
		return;
	if (!dwarf_formref_die(&a, &callee))
		return;
	call->callee = dwarf_formstring(dwarf_attr_integrate(&callee, DW_AT_name, &a));
	call->external = dwarf_attr_integrate(&callee, DW_AT_external, &a) != NULL;
	call->linkage = dwarf_formstring(dwarf_attr_integrate(&callee, DW_AT_linkage_name, &a));
}

static void add_call(Dwarf_Die *die, GArray *ret)
{
	struct dwarf_call call = { 0 };
	Dwarf_Attribute a;
	Dwarf_Addr addr;

	if (!(dwarf_attr(die, DW_AT_call_return_pc, &a) || dwarf_attr(die, DW_AT_low_pc, &a) ||
	      dwarf_attr(die, DW_AT_call_pc, &a)) || dwarf_formaddr(&a, &addr) != 0)
		return;
	call.return_pc = addr;
	call.tail = flag_of(die, DW_AT_call_tail_call) || flag_of(die, DW_AT_GNU_tail_call);
	callee_names(die, &call);
	g_array_append_val(ret, call);
}

/* Blocks and inlined instances hold call sites as well. */
static void collect(Dwarf_Die *parent, GArray *ret, unsigned depth)
{
	Dwarf_Die die;

	if (depth > 250 || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (is_call_site(tag))
			add_call(&die, ret);
		else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
			 tag == DW_TAG_catch_block)
			collect(&die, ret, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static gint by_address(gconstpointer a, gconstpointer b)
{
	const struct dwarf_call *x = a, *y = b;

	return x->return_pc < y->return_pc ? -1 : x->return_pc > y->return_pc;
}

GArray *dwarf_index_calls(struct dwarf_index *ix, uint32_t func)
{
	GArray *ret = g_array_new(FALSE, FALSE, sizeof(struct dwarf_call));
	struct dwarf_func f;
	Dwarf_Die die;

	if (dwarf_index_func(ix, func, &f) && dwarf_index_die(ix, f.cu, f.die_offset, &die))
		collect(&die, ret, 0);
	g_array_sort(ret, by_address);
	return ret;
}

void dwarf_index_keep_callable(struct dwarf_index *ix, uint32_t caller, const struct dwarf_call *call, GArray *funcs)
{
	struct dwarf_func from, fn;
	guint kept = 0;

	if (!dwarf_index_func(ix, caller, &from))
		return;
	for (guint i = 0; i < funcs->len; i++)
		if (dwarf_index_func(ix, g_array_index(funcs, uint32_t, i), &fn) &&
		    (call->external ? (fn.flags & (DWARF_EXTERNAL | DWARF_SYMBOL_ONLY)) != 0 : fn.cu == from.cu))
			g_array_index(funcs, uint32_t, kept++) = g_array_index(funcs, uint32_t, i);
	/* units that were linked as one tell less */
	if (kept)
		g_array_set_size(funcs, kept);
}
