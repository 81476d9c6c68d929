/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters and results of Rust's functions.  How they are passed is the compiler's own affair (the Rust reference: "the Rust ABI is not stable")
 * and is told nowhere; rustc's code shows that single values, and pairs of words such as slices, come as C's do, and that what is larger than two
 * words is returned in memory, at an address that the function gets as its first argument.  It need not give that back in rax, as C's functions
 * do, so it is kept from the entry.  Others are as no other language has them: the parts of a (u32, bool) have a register each.
 */
#include "target_dwarf.h"

#include <dwarf.h>
#include <string.h>

#define MAX_NESTING 16
#define MANY 3
enum { REG_DI = 112 }; /* in struct pt_regs */

struct value {
	uint64_t at, size;
	enum ctype_kind kind;
	bool discriminant;
};

/* The values that a type is made of, those of an enum's variants that are alike once. */
struct values {
	struct value v[MANY];
	unsigned n;                /* MANY: or more */
	bool wide, vector;         /* one has more than 8 bytes; there is one of several numbers */
};

static void add_value(struct values *vs, struct value v)
{
	vs->wide |= v.size > 8;
	for (unsigned i = 0; i < vs->n; i++) {
		struct value *old = &vs->v[i];

		if (old->at != v.at || old->size != v.size || (old->kind != v.kind && !old->discriminant && !v.discriminant))
			continue;
		if (old->discriminant)
			*old = v;
		return;
	}
	if (v.size && vs->n < MANY)
		vs->v[vs->n++] = v;
}

static void collect(struct values *vs, const struct ctype *t, uint64_t at, bool discriminant, int depth)
{
	const struct ctype_member *m;
	size_t nm;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING || (t->kind == CTYPE_ARRAY && ctype_size(t))) {
		vs->n = MANY;
	} else if (!ctype_is_aggregate(t)) {
		add_value(vs, (struct value){ at, t->size, t->kind, discriminant });
	} else {
		vs->vector |= g_str_has_prefix(t->name, "__m") || g_str_has_prefix(t->name, "Simd<");
		m = ctype_members(t, &nm);
		for (size_t i = 0; i < nm; i++)
			collect(vs, m[i].type, at + m[i].bit_offset / 8, !strcmp(m[i].name, "__discriminant"), depth + 1);
	}
}

bool dscope_is_rust(struct dscope *ds)
{
	return ds->cu.addr && dwarf_srclang(&ds->cu) == DW_LANG_Rust;
}

bool rust_passes_as_c(const struct ctype *t)
{
	struct values vs = { .n = 0 };

	t = ctype_strip(t, NULL);
	if (!ctype_is_aggregate(t) && t->kind != CTYPE_ARRAY)
		return true;
	collect(&vs, t, 0, false, 0);
	if (vs.n == 2)
		return t->size == 16 && vs.v[0].size == 8 && vs.v[1].size == 8 && vs.v[0].at != vs.v[1].at;
	return vs.n < 2 && (!vs.n || t->size == vs.v[0].size);
}

bool rust_is_in_memory(const struct ctype *t)
{
	struct values vs = { .n = 0 };

	collect(&vs, t, 0, false, 0);
	return ctype_size(t) > 16 && !vs.wide && !vs.vector;
}

static int memory_result(struct dscope *ds, struct place *at, struct loc loc)
{
	if (ds->is_changed) {
		diag_error(ds->s, loc, "no-location", "$return cannot be read: the optimiser has changed which parameters the function takes, and "
			   "the address of its result is one of them");
		return -1;
	}
	at->base = func_save(ds->s, ds->p, lowered_reg(ds->s, REG_DI, loc));
	at->base->ctxval = CTX_RETVAL; /* nothing is known where the function jumped to a place that is not */
	return 0;
}

int dscope_return_place(struct dscope *ds, struct place *at, struct loc loc)
{
	if (dscope_is_cplus(ds) && cplus_by_address(at->type))
		return abi_return_memory(ds->s, at, loc);
	if (!dscope_is_rust(ds) || rust_passes_as_c(at->type))
		return abi_return_place(ds->s, at, loc);
	if (rust_is_in_memory(at->type))
		return memory_result(ds, at, loc);
	diag_error(ds->s, loc, "no-location", "$return cannot be read: how Rust's functions return such a type is told nowhere");
	diag_help(ds->s, "register(\"rax\"), register(\"rdx\") may have its parts");
	return -1;
}
