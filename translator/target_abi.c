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
#define NVECTORS 8

enum arg_class { CLASS_REGS, CLASS_MEMORY, CLASS_EMPTY };

/* How a type is passed: which of its words are in vector registers. */
struct passing {
	enum arg_class class;
	unsigned nwords;
	bool vector[2];            /* all of the word is floating point */
};

struct layout_walk {
	bool integer[2], vector[2];
	bool memory;               /* a member off its natural place (packed), or in the x87 format */
};

/* What is at which word of a type. */
static void walk_type(const struct ctype *t, uint64_t at, struct layout_walk *w, int depth)
{
	const struct ctype_member *m;
	size_t n;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING || at >= 16) {
		w->memory = true;
	} else if (t->kind == CTYPE_ARRAY) {
		uint64_t size = ctype_size(t->to);

		for (uint64_t i = 0; size && i < t->count && !w->memory; i++)
			walk_type(t->to, at + i * size, w, depth + 1);
	} else if (ctype_is_aggregate(t)) {
		m = ctype_members(t, &n);
		for (size_t i = 0; i < n; i++) {
			if (m[i].bit_size)
				w->integer[m[i].bit_offset / 8 + at >= 8] = true;
			else if (ctype_size(m[i].type))
				walk_type(m[i].type, at + m[i].bit_offset / 8, w, depth + 1);
		}
	} else {
		bool is_float = t->kind == CTYPE_FLOAT;

		w->memory |= t->size > 8 ? is_float || at : t->size && at % t->size;
		(is_float ? w->vector : w->integer)[at / 8] = true;
		if (t->size > 8)
			w->integer[1] = true;
	}
}

static struct passing classify(const struct ctype *t)
{
	struct layout_walk w = { 0 };
	struct passing ret = { .class = CLASS_REGS };

	t = ctype_strip(t, NULL);
	ret.nwords = (t->size + 7) / 8;
	if (t->size == 0) {
		ret.class = CLASS_EMPTY;
		return ret;
	}
	if (t->size <= 16)
		walk_type(t, 0, &w, 0);
	if (t->size > 16 || w.memory)
		ret.class = CLASS_MEMORY;
	for (unsigned i = 0; i < 2; i++)
		ret.vector[i] = w.vector[i] && !w.integer[i];
	return ret;
}

void abi_args(const struct ctype *proto, struct arg_loc *loc, size_t n)
{
	size_t nparams;
	const struct ctype_param *params = ctype_params(proto, &nparams);
	unsigned reg = 0, vec = 0;
	uint64_t stack = 0;
	bool lost = false; /* an alignment attribute, which types do not tell, may have moved what follows */

	/* a big result's address takes the first register */
	if (ctype_is_aggregate(proto->to) && classify(proto->to).class == CLASS_MEMORY)
		reg = 1;
	for (size_t i = 0; i < n && i < nparams; i++) {
		struct passing how = classify(params[i].type);
		unsigned nvec = how.nwords ? how.vector[0] + (how.nwords > 1 && how.vector[1]) : 0, nreg = how.nwords - nvec;

		loc[i] = (struct arg_loc){ .kind = ARG_REGS, .first = reg, .first_vector = vec, .nwords = how.nwords,
					   .vector = { how.vector[0], how.vector[1] } };
		if (how.class == CLASS_EMPTY) {
			loc[i].kind = ARG_EMPTY;
		} else if (how.class == CLASS_REGS && reg + nreg <= NREGS && vec + nvec <= NVECTORS) {
			reg += nreg;
			vec += nvec;
		} else {
			if (ctype_align(params[i].type) > 8)
				stack = (stack + 15) & ~UINT64_C(15);
			lost |= stack % 16 && ctype_is_aggregate(params[i].type) && ctype_size(params[i].type) % 16 == 0;
			loc[i].kind = lost ? ARG_UNKNOWN : ARG_STACK;
			loc[i].why = "its place on the stack depends on an alignment that is not known";
			loc[i].offset = stack;
			stack += (uint64_t)how.nwords * 8;
		}
	}
}

/* The low half of a vector register; the kernel's are none of its functions'.  NULL after diag_error. */
static struct expr *vector_word(struct session *s, const struct place *p, unsigned n, struct loc loc)
{
	if (p->user)
		return abi_vector(s, n, loc);
	diag_error(s, loc, "no-location", "%s cannot be read: floating point in the kernel is not supported", p->what);
	return NULL;
}

struct expr *abi_vector(struct session *s, unsigned n, struct loc loc)
{
	return lowered_named(s, arena_printf(s, "user_xmm%u", n), loc);
}

static int check_arch(struct session *s, struct loc loc)
{
	if (!s->kernel || strcmp(s->kernel->arch, "x86_64") == 0)
		return 0;
	return diag_error(s, loc, "not-supported", "context variables of functions are not supported on %s", s->kernel->arch);
}

int abi_entry_place(struct session *s, const struct arg_loc *at, struct place *p, struct loc loc)
{
	unsigned reg = at->first, vec = at->first_vector;

	if (check_arch(s, loc))
		return -1;
	switch (at->kind) {
	case ARG_REGS:
		p->nwords = at->nwords;
		for (unsigned i = 0; i < at->nwords; i++) {
			p->word[i] = at->vector[i] ? vector_word(s, p, vec++, loc) : lowered_reg(s, arg_regs[reg++], loc);
			if (!p->word[i])
				return -1;
		}
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

struct expr *abi_result(struct session *s, unsigned offset, struct loc loc)
{
	struct expr *e = lowered_reg(s, offset, loc);

	e->ctxval = CTX_RETVAL;
	return e;
}

int abi_return_memory(struct session *s, struct place *p, struct loc loc)
{
	if (check_arch(s, loc))
		return -1;
	p->base = abi_result(s, REG_AX, loc); /* the caller's room for the result, whose address comes back */
	return 0;
}

int abi_return_place(struct session *s, struct place *p, struct loc loc)
{
	struct passing how = classify(p->type);
	unsigned reg = 0, vec = 0;

	if (check_arch(s, loc))
		return -1;
	if (ctype_strip(p->type, NULL)->kind == CTYPE_FWD)
		return diag_error(s, loc, "no-location", "$return cannot be read: its type is only declared in this debug information");
	if (how.class == CLASS_EMPTY)
		return diag_error(s, loc, "no-value", "the function returns nothing: there is no $return");
	if (ctype_strip(p->type, NULL)->kind == CTYPE_FLOAT && how.class == CLASS_MEMORY)
		return diag_error(s, loc, "no-location", "$return cannot be read: it is in a register of the x87 unit");
	if (how.class == CLASS_MEMORY)
		return abi_return_memory(s, p, loc);
	p->nwords = how.nwords;
	for (unsigned i = 0; i < how.nwords; i++) {
		if (how.vector[i])
			p->word[i] = vector_word(s, p, vec++, loc);
		else
			p->word[i] = abi_result(s, reg++ ? REG_DX : REG_AX, loc);
		if (!p->word[i])
			return -1;
	}
	return 0;
}
