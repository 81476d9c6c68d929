/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of Rust's functions.  How they come back is the compiler's own affair (the Rust reference: "the Rust ABI is not stable") and is told
 * nowhere; rustc's code shows that single values, and pairs of words such as slices, come as C's do.  Others do not: the parts of a
 * (u32, bool) have a register each, and of what is returned in memory the address is in none.
 */
#include "target_dwarf.h"

#include <dwarf.h>

#define MAX_NESTING 16
#define MANY 3

/* Values that a type is made of, MANY at most; *words: all have 8 bytes. */
static unsigned count_values(const struct ctype *t, bool *words, int depth)
{
	const struct ctype_member *m;
	unsigned n = 0;
	size_t nm;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING || t->kind == CTYPE_ARRAY)
		return ctype_size(t) ? MANY : 0;
	if (!ctype_is_aggregate(t)) {
		*words &= t->size == 8;
		return t->size ? 1 : 0;
	}
	m = ctype_members(t, &nm);
	for (size_t i = 0; i < nm && n < MANY; i++)
		n += count_values(m[i].type, words, depth + 1);
	return MIN(n, MANY);
}

static bool comes_as_in_c(const struct ctype *t)
{
	bool words = true;
	unsigned n;

	t = ctype_strip(t, NULL);
	if (!ctype_is_aggregate(t) && t->kind != CTYPE_ARRAY)
		return true;
	n = count_values(t, &words, 0);
	return n < 2 || (n == 2 && words);
}

int dscope_return_place(struct dscope *ds, struct place *at, struct loc loc)
{
	if (!ds->cu.addr || dwarf_srclang(&ds->cu) != DW_LANG_Rust || comes_as_in_c(at->type))
		return abi_return_place(ds->s, at, loc);
	diag_error(ds->s, loc, "no-location", "$return cannot be read: how Rust's functions return such a type is told nowhere");
	diag_help(ds->s, "of a large one @entry(pointer_arg(1)) is where it will be; register(\"rax\"), register(\"rdx\") may have the parts of a small one");
	return -1;
}
