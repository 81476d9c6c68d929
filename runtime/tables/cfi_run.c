// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs the instructions of call frame information (DWARF 5, section 6.4.2). */
#include <dwarf.h>
#include "cfi.h"

void cfi_state_init(struct cfi_state *st, const Dwarf_CIE *cie, uint64_t start, uint64_t end, bool signal)
{
	unsigned i;

	*st = (struct cfi_state){ .code_align = cie->code_alignment_factor, .data_align = cie->data_alignment_factor,
		.pc = start, .end = end, .signal = signal };
	for (i = 0; i < CFI_REGS; i++)
		st->now.reg[i].where = WHERE_SAME;
	if (cie->return_address_register != CFI_RA)
		st->now.reg[CFI_RA].where = WHERE_OTHER;
}

void cfi_state_save_initial(struct cfi_state *st)
{
	st->initial = st->now;
}

void cfi_emit(struct cfi_state *st, uint64_t to, row_fn emit, struct rows *rs)
{
	if (to > st->end)
		to = st->end;
	if (emit && to > st->pc) {
		struct stp_utab_rule rule = cfi_rule(&st->now, st->signal);

		emit(rs, st->pc, to, &rule);
	}
	if (to > st->pc)
		st->pc = to;
}

static void set_saved(struct cfi_state *st, uint64_t reg, enum where where, int64_t off, struct dw_cursor expr)
{
	if (reg < CFI_REGS)
		st->now.reg[reg] = (struct saved){ where, off, expr };
}

static struct dw_cursor take_block(struct dw_cursor *c)
{
	uint64_t n = dw_uleb(c);
	struct dw_cursor ret = { c->p, c->p, false };

	if (n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		c->p = c->end;
		return ret;
	}
	c->p += n;
	ret.end = c->p;
	return ret;
}

static void set_cfa(struct cfi_state *st, uint64_t reg, int64_t off)
{
	st->now.cfa_expr = false;
	st->now.cfa_reg = reg;
	st->now.cfa_off = off;
}

/* Instructions about the CFA; false: not one of them. */
static bool run_cfa(struct cfi_state *st, unsigned op, struct dw_cursor *c)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = dw_uleb(c);
		set_cfa(st, reg, (int64_t)dw_uleb(c));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = dw_uleb(c);
		set_cfa(st, reg, dw_sleb(c) * st->data_align);
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(st, dw_uleb(c), st->now.cfa_off);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(st, st->now.cfa_reg, (int64_t)dw_uleb(c));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(st, st->now.cfa_reg, dw_sleb(c) * st->data_align);
		return true;
	case DW_CFA_def_cfa_expression:
		st->now.cfa_expr = true;
		st->now.cfa = take_block(c);
		return true;
	}
	return false;
}

/* Instructions about saved registers; false: not one of them. */
static bool run_saved(struct cfi_state *st, unsigned op, struct dw_cursor *c)
{
	const struct dw_cursor none = { NULL, NULL, false };
	uint64_t reg;

	switch (op) {
	case DW_CFA_offset_extended:
		reg = dw_uleb(c);
		set_saved(st, reg, WHERE_OFFSET, (int64_t)dw_uleb(c) * st->data_align, none);
		return true;
	case DW_CFA_offset_extended_sf:
		reg = dw_uleb(c);
		set_saved(st, reg, WHERE_OFFSET, dw_sleb(c) * st->data_align, none);
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = dw_uleb(c);
		set_saved(st, reg, WHERE_OFFSET, -(int64_t)dw_uleb(c) * st->data_align, none);
		return true;
	case DW_CFA_restore_extended:
		reg = dw_uleb(c);
		if (reg < CFI_REGS)
			st->now.reg[reg] = st->initial.reg[reg];
		return true;
	case DW_CFA_undefined:
		set_saved(st, dw_uleb(c), WHERE_UNDEF, 0, none);
		return true;
	case DW_CFA_same_value:
		set_saved(st, dw_uleb(c), WHERE_SAME, 0, none);
		return true;
	case DW_CFA_expression:
		reg = dw_uleb(c);
		set_saved(st, reg, WHERE_EXPR, 0, take_block(c));
		return true;
	case DW_CFA_register: case DW_CFA_val_offset: case DW_CFA_val_offset_sf:
		reg = dw_uleb(c);
		dw_uleb(c);
		set_saved(st, reg, WHERE_OTHER, 0, none);
		return true;
	case DW_CFA_val_expression:
		reg = dw_uleb(c);
		take_block(c);
		set_saved(st, reg, WHERE_OTHER, 0, none);
		return true;
	}
	return false;
}

/* Instructions that move on or keep the state; false: not one of them, or no room. */
static bool run_other(struct cfi_state *st, unsigned op, struct dw_cursor *c, row_fn emit, struct rows *rs)
{
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		cfi_emit(st, st->pc + dw_fixed(c, 1) * st->code_align, emit, rs);
		return true;
	case DW_CFA_advance_loc2:
		cfi_emit(st, st->pc + dw_fixed(c, 2) * st->code_align, emit, rs);
		return true;
	case DW_CFA_advance_loc4:
		cfi_emit(st, st->pc + dw_fixed(c, 4) * st->code_align, emit, rs);
		return true;
	case DW_CFA_remember_state:
		if (st->depth == CFI_DEPTH)
			return false;
		st->stack[st->depth++] = st->now;
		return true;
	case DW_CFA_restore_state:
		if (!st->depth)
			return false;
		st->now = st->stack[--st->depth];
		return true;
	case DW_CFA_GNU_args_size:
		dw_uleb(c);
		return true;
	}
	return false; /* also DW_CFA_set_loc, which no compiler for this machine emits */
}

bool cfi_run(struct cfi_state *st, struct dw_cursor c, row_fn emit, struct rows *rs)
{
	const struct dw_cursor none = { NULL, NULL, false };

	while (c.p < c.end) {
		unsigned op = *c.p++, low = op & 0x3f;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			cfi_emit(st, st->pc + low * st->code_align, emit, rs);
			break;
		case DW_CFA_offset:
			set_saved(st, low, WHERE_OFFSET, (int64_t)dw_uleb(&c) * st->data_align, none);
			break;
		case DW_CFA_restore:
			if (low < CFI_REGS)
				st->now.reg[low] = st->initial.reg[low];
			break;
		default:
			if (!run_cfa(st, op, &c) && !run_saved(st, op, &c) && !run_other(st, op, &c, emit, rs))
				return false;
		}
		if (c.bad)
			return false;
	}
	return true;
}
