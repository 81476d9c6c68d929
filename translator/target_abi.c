/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the arguments and the result of a function are, by the x86-64 calling convention: six words in
 * registers, structs of up to two words in registers when all of them fit, the rest on the stack.
 */
#include "target.h"
#include "kernel.h"

#include <string.h>

#define NREGS 6
#define MAX_NESTING 16

/* Offsets in struct pt_regs of di si dx cx r8 r9, and of others. */
static const unsigned arg_regs[NREGS] = { 112, 104, 96, 88, 72, 64 };
enum { REG_AX = 80, REG_DX = 96, REG_SP = 152 };

enum arg_class { CLASS_INTEGER, CLASS_MEMORY, CLASS_SSE, CLASS_EMPTY };

/* True when there is floating point in it; *unaligned: a member off its natural place (packed). */
static bool has_float(const struct ctype *t, uint64_t at, bool *unaligned, int depth)
{
	const struct ctype_member *m;
	size_t n;
	bool ret = false;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING)
		return true;
	if (t->kind == CTYPE_FLOAT)
		return true;
	if (t->kind == CTYPE_ARRAY)
		return has_float(t->to, at, unaligned, depth + 1);
	if (!ctype_is_aggregate(t)) {
		if (t->size && at % t->size)
			*unaligned = true;
		return false;
	}
	m = ctype_members(t, &n);
	for (size_t i = 0; i < n; i++)
		if (!m[i].bit_size)
			ret |= has_float(m[i].type, at + m[i].bit_offset / 8, unaligned, depth + 1);
	return ret;
}

static enum arg_class classify(const struct ctype *t, unsigned *nwords)
{
	bool unaligned = false, flt;

	t = ctype_strip(t, NULL);
	*nwords = (t->size + 7) / 8;
	if (t->size == 0)
		return CLASS_EMPTY;
	flt = has_float(t, 0, &unaligned, 0);
	if (t->size > 16 || unaligned)
		return CLASS_MEMORY;
	return flt ? CLASS_SSE : CLASS_INTEGER;
}

void abi_args(const struct ctype *proto, struct arg_loc *loc, size_t n)
{
	size_t nparams;
	const struct ctype_param *params = ctype_params(proto, &nparams);
	unsigned reg = 0, nwords;
	uint64_t stack = 0;
	bool lost = false; /* an alignment attribute, which types do not tell, may have moved what follows */

	/* a big result's address takes the first register */
	if (ctype_is_aggregate(proto->to) && classify(proto->to, &nwords) == CLASS_MEMORY)
		reg = 1;
	for (size_t i = 0; i < n && i < nparams; i++) {
		enum arg_class class = classify(params[i].type, &nwords);

		loc[i] = (struct arg_loc){ .kind = ARG_REGS, .first = reg, .nwords = nwords };
		if (class == CLASS_EMPTY) {
			loc[i].kind = ARG_EMPTY;
		} else if (class == CLASS_SSE) {
			loc[i].kind = ARG_UNKNOWN;
			loc[i].why = "floating-point arguments are not supported";
		} else if (class == CLASS_INTEGER && reg + nwords <= NREGS) {
			reg += nwords;
		} else {
			if (ctype_align(params[i].type) > 8)
				stack = (stack + 15) & ~UINT64_C(15);
			lost |= stack % 16 && ctype_is_aggregate(params[i].type) && ctype_size(params[i].type) % 16 == 0;
			loc[i].kind = lost ? ARG_UNKNOWN : ARG_STACK;
			loc[i].why = "its place on the stack depends on an alignment that is not known";
			loc[i].offset = stack;
			stack += (uint64_t)nwords * 8;
		}
	}
}

static int check_arch(struct session *s, struct loc loc)
{
	if (!s->kernel || strcmp(s->kernel->arch, "x86_64") == 0)
		return 0;
	return diag_error(s, loc, "not-supported", "context variables of functions are not supported on %s", s->kernel->arch);
}

int abi_entry_place(struct session *s, const struct arg_loc *at, struct place *p, struct loc loc)
{
	if (check_arch(s, loc))
		return -1;
	switch (at->kind) {
	case ARG_REGS:
		p->nwords = at->nwords;
		for (unsigned i = 0; i < at->nwords; i++)
			p->word[i] = lowered_reg(s, arg_regs[at->first + i], loc);
		return 0;
	case ARG_STACK:
		/* behind the return address */
		p->base = lowered_reg(s, REG_SP, loc);
		p->offset = 8 + at->offset;
		return 0;
	case ARG_EMPTY:
		return diag_error(s, loc, "no-value", "%s is empty: its type has no size", p->what);
	case ARG_UNKNOWN:
		break;
	}
	return diag_error(s, loc, "no-location", "%s cannot be read: %s", p->what, at->why);
}

int abi_return_place(struct session *s, struct place *p, struct loc loc)
{
	unsigned nwords;
	struct expr *value = expr_new(s, EX_CTXVAL, loc);

	value->type = TY_LONG;
	value->ctxval = CTX_RETVAL;
	if (check_arch(s, loc))
		return -1;
	switch (classify(p->type, &nwords)) {
	case CLASS_EMPTY:
		return diag_error(s, loc, "no-value", "the function returns nothing: there is no $return");
	case CLASS_SSE:
		return diag_error(s, loc, "no-location", "$return cannot be read: floating-point results are not supported");
	case CLASS_MEMORY:
		p->base = value; /* the caller's room for the result, whose address comes back */
		return 0;
	case CLASS_INTEGER:
		break;
	}
	p->nwords = nwords;
	p->word[0] = value;
	if (nwords > 1)
		p->word[1] = lowered_reg(s, REG_DX, loc);
	return 0;
}
