/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters whose place is a slot in the function's own frame, as without optimisation: the function fills it only after a few instructions. At
 * the first one they are still where the calling convention puts them, which debug information does not tell: where the language and the
 * compiler do not let it be known for sure, they are refused.
 */
#include "target_dwarf.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>

#define MAX_PARAMS 64

/* The address behind the prologue of the function around, or 0. */
static uint64_t prologue_end(struct dscope *ds)
{
	Dwarf_Addr *points = NULL, ret = 0;

	if (ds->func.addr && dwarf_entry_breakpoints(&ds->func, &points) > 0)
		ret = points[0];
	free(points);
	return ret;
}

/* ---- parameters that the caller put into its frame, where they stay ---- */

static struct expr *split_address(struct expr *e, int64_t *offset)
{
	bool sum = e->kind == EX_BINARY && e->op == OP_ADD && e->b->kind == EX_NUM;

	*offset = sum ? e->b->num : 0;
	return sum ? e->a : e;
}

/* The place of a parameter behind the prologue is above the function's own frame: bytes from the CFA on. */
static bool caller_slot(struct dscope *ds, Dwarf_Die *var, struct loc loc, int64_t *offset)
{
	struct loc_env env = {
		.s = ds->s, .at = loc, .func = ds->func, .pc = prologue_end(ds), .entry = ds->entry, .user = ds->sc->user,
		.address = dscope_address, .tls = dscope_tls, .data = ds,
		.debug_frame = dwarf_file_debug_frame(ds->sc->file), .eh_frame = dwarf_file_eh_frame(ds->sc->file),
	};
	struct location where;
	struct expr *cfa;
	int64_t from, to;

	if (env.pc <= ds->entry || loc_find(&env, var, &where) || where.npieces != 1 || where.piece[0].kind != PIECE_MEMORY)
		return false;
	cfa = loc_cfa(&env);
	if (!cfa || !lowered_same(split_address(cfa, &from), split_address(where.piece[0].e, &to)))
		return false;
	*offset = to - from;
	return to >= from;
}

/* ---- parameters in registers, or on the stack as the calling convention has it ---- */

/* Of a value whose address is passed instead of it, and of a result in memory. */
static const struct ctype address_type = { .kind = CTYPE_PTR, .name = "", .size = 8, .to = &ctype_void, .complete = true };
static const struct ctype memory_type = { .kind = CTYPE_STRUCT, .name = "", .size = 64, .complete = true };

/* The call as its machine code has it. */
struct call {
	struct dscope *ds;
	struct ctype proto;
	struct ctype_param params[MAX_PARAMS];
	bool by_address[MAX_PARAMS];
	struct arg_loc at[MAX_PARAMS];
	bool rust;                 /* ... and Rust's own convention */
	bool unknown;              /* how a parameter up to the wanted one is passed: Rust's are the compiler's own affair, or its type is only declared */
};

/* Rust's own functions get objects by their address: one that has an object itself in the caller's frame is extern "C". */
static bool is_rust(struct dscope *ds, struct loc loc)
{
	bool ret = dscope_is_rust(ds);
	Dwarf_Die param;
	int64_t offset;

	for (bool more = die_first(&ds->func, &param); more && ret; more = die_next(&param))
		ret = dwarf_tag(&param) != DW_TAG_formal_parameter || !ctype_is_aggregate(ctype_strip(dwarf_type_of(ds->types, &param), NULL)) ||
		      !loc_is_frame_slot(&param, &ds->func) || loc_is_frame_address(&param, &ds->func) ||
		      !caller_slot(ds, &param, loc, &offset);
	return ret;
}

/* A class whose definition is elsewhere, as clang leaves out those of libraries. */
static bool is_declared(const struct ctype *t)
{
	return ctype_strip(t, NULL)->kind == CTYPE_FWD;
}

/* The function's parameters up to the variable, as they are passed; the variable's number, or -1. */
static int collect_params(struct call *c, Dwarf_Die *var)
{
	Dwarf_Die param;
	int n = 0;

	for (bool more = die_first(&c->ds->func, &param); more && n < MAX_PARAMS; more = die_next(&param)) {
		const struct ctype *t = dwarf_type_of(c->ds->types, &param);

		if (dwarf_tag(&param) != DW_TAG_formal_parameter)
			continue;
		c->by_address[n] = loc_is_frame_address(&param, &c->ds->func) || (dscope_is_cplus(c->ds) && cplus_by_address(t)) ||
				   (c->rust && rust_is_in_memory(t));
		c->params[n].type = c->by_address[n] ? &address_type : t;
		c->unknown |= !c->by_address[n] && (is_declared(t) || (c->rust && !rust_passes_as_c(t)));
		if (param.addr == var->addr)
			return n;
		n++;
	}
	return -1;
}

/* A result in memory takes the first register; false: it is not known whether it does. */
static bool set_result(struct call *c)
{
	const struct ctype *t = dwarf_type_of(c->ds->types, &c->ds->func);

	c->proto.to = dscope_is_cplus(c->ds) && cplus_by_address(t) ? &memory_type : t;
	if (!c->rust || rust_passes_as_c(t))
		return !is_declared(t);
	c->proto.to = &memory_type;
	return rust_is_in_memory(t);
}

/* What the caller put on the stack of Rust's functions is told nowhere, nor is a slice half of which is there. */
static bool is_on_rust_stack(const struct call *c, int i)
{
	for (int k = 0; k <= i && c->rust; k++)
		if (c->at[k].kind == ARG_STACK)
			return true;
	return false;
}

static int at_entry(struct dscope *ds, Dwarf_Die *var, struct loc loc, struct place *ret)
{
	enum { REG_SP = 152 };
	struct call c = { .ds = ds, .rust = is_rust(ds, loc), .proto = { .kind = CTYPE_FUNC, .name = "", .complete = true, .params = c.params } };
	struct place address = *ret;
	int i = collect_params(&c, var);
	bool known = set_result(&c) && !c.unknown;
	int64_t offset;

	if (!loc_is_frame_address(var, &ds->func) && caller_slot(ds, var, loc, &offset)) {
		ret->base = lowered_reg(ds->s, REG_SP, loc);
		ret->offset = 8 + offset; /* the CFA is behind the return address */
		return 0;
	}
	if (i < 0)
		return diag_error(ds->s, loc, "no-location", "%s cannot be read at the function's first instruction", ret->what);
	c.proto.nparams = i + 1;
	abi_args(&c.proto, c.at, i + 1);
	if (!known || is_on_rust_stack(&c, i)) {
		diag_error(ds->s, loc, "no-location", c.rust ? "%s cannot be read at the first instruction: how Rust's functions take such types is told "
			   "nowhere" : "%s cannot be read at the first instruction: the function takes or returns a type that is only declared", ret->what);
		return -2;
	}
	if (!c.by_address[i])
		return abi_entry_place(ds->s, &c.at[i], ret, loc);
	address.type = &address_type;
	if (abi_entry_place(ds->s, &c.at[i], &address, loc))
		return -1;
	ret->base = place_address(ds->s, &address, loc);
	return ret->base ? 0 : -1;
}

static void help_later(struct dscope *ds, const char *text)
{
	uint64_t end = prologue_end(ds);

	if (end > ds->entry)
		diag_help(ds->s, text, end);
}

#define LATER "it can be read from .statement(0x%" PRIx64 ") on"

int dscope_slot(struct dscope *ds, Dwarf_Die *var, struct loc loc, struct place *ret)
{
	bool is_param = dwarf_tag(var) == DW_TAG_formal_parameter;
	int rc;

	if (!is_param || !loc_is_frame_slot(var, &ds->func) || ds->nblocks == 0 || dwarf_tag(&ds->blocks[0]) != DW_TAG_subprogram)
		return 0;
	if (ds->sc->pc == ds->entry && (ds->is_clone || ds->is_changed)) {
		diag_error(ds->s, loc, "no-location", ds->is_clone ? "%s cannot be read at the first instruction: this is a copy of the "
			   "function that takes its parameters in a way that is not told" : "%s cannot be read at the first instruction: the optimiser "
			   "has changed which parameters the function takes, and it is not told how", ret->what);
		help_later(ds, LATER);
		return -1;
	}
	if (ds->sc->pc == ds->entry) {
		rc = at_entry(ds, var, loc, ret);
		if (rc == -2)
			help_later(ds, LATER);
		return rc ? -1 : 1;
	}
	if (ds->sc->pc > ds->entry && ds->sc->pc - ds->entry < 256 && ds->sc->pc < prologue_end(ds)) {
		diag_error(ds->s, loc, "no-location", "%s cannot be read in the first instructions of its function", ret->what);
		help_later(ds, "it can be read at the first one, and from 0x%" PRIx64 " on");
		return -1;
	}
	return 0;
}
