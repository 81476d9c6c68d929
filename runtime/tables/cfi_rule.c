// SPDX-License-Identifier: GPL-2.0-or-later
/* One state of the frame table as a rule for the module. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "cfi.h"

#define REG_BP 6
#define REG_SP 7

static bool fits(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

/* "register + offset": one DW_OP_breg; what follows is left in *c. */
static bool breg(struct dw_cursor *c, unsigned *reg, int64_t *off)
{
	unsigned op = (unsigned)dw_fixed(c, 1);

	if (c->bad || op < DW_OP_breg0 || op > DW_OP_breg16)
		return false;
	*reg = op - DW_OP_breg0;
	*off = dw_sleb(c);
	if (c->p < c->end && *c->p == DW_OP_plus_uconst) {
		c->p++;
		*off += (int64_t)dw_uleb(c);
	}
	return !c->bad && fits(*off);
}

static bool starts(const struct dw_cursor *c, const uint8_t *bytes, size_t n)
{
	return (size_t)(c->end - c->p) >= n && !memcmp(c->p, bytes, n);
}

/*
 * What linkers write for a slot of .plt: rsp + 8 + ((rip & 15) >= N ? 8 : 0), as
 * breg7 8; breg16 0; lit15; and; litN; ge; lit3; shl; plus
 */
static bool plt_rule(struct dw_cursor c, struct stp_utab_rule *r)
{
	static const uint8_t head[] = { DW_OP_breg0 + REG_SP, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t tail[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };

	if (!starts(&c, head, sizeof(head)))
		return false;
	c.p += sizeof(head);
	if (c.p == c.end || *c.p < DW_OP_lit0 || *c.p > DW_OP_lit15)
		return false;
	r->cfa = STP_CFA_PLT;
	r->reg = REG_SP;
	r->cfa_off = *c.p++ - DW_OP_lit0;
	return starts(&c, tail, sizeof(tail)) && c.end - c.p == sizeof(tail);
}

/* The CFA by an expression: register + offset, or what lies there, or a slot of .plt. */
static bool cfa_expression(struct dw_cursor c, struct stp_utab_rule *r)
{
	unsigned reg;
	int64_t off;

	if (plt_rule(c, r))
		return true;
	if (!breg(&c, &reg, &off) || reg > 15)
		return false;
	r->cfa = STP_CFA_REG;
	if (c.p < c.end && *c.p == DW_OP_deref) {
		r->cfa = STP_CFA_DEREF;
		c.p++;
	}
	r->reg = (uint8_t)reg;
	r->cfa_off = (int32_t)off;
	return c.p == c.end;
}

/* A saved register; false: not to be followed. */
static bool save_rule(const struct saved *s, const struct stp_utab_rule *r, uint8_t *how, int32_t *where)
{
	struct dw_cursor c = s->expr;
	unsigned reg;
	int64_t off;

	switch (s->where) {
	case WHERE_SAME: *how = STP_SAVE_SAME; return true;
	case WHERE_UNDEF: *how = STP_SAVE_UNDEF; return true;
	case WHERE_OFFSET:
		*how = STP_SAVE_CFA;
		*where = (int32_t)s->off;
		return fits(s->off);
	case WHERE_EXPR:
		if (!breg(&c, &reg, &off) || c.p != c.end || reg != r->reg || r->cfa == STP_CFA_PLT)
			return false;
		*how = STP_SAVE_REG;
		*where = (int32_t)off;
		return true;
	default:
		return false;
	}
}

struct stp_utab_rule cfi_rule(const struct cfi_table *t, bool signal)
{
	const struct stp_utab_rule none = { .cfa = STP_CFA_NONE };
	struct stp_utab_rule r = none;

	r.signal = signal;
	if (t->reg[CFI_RA].where == WHERE_UNDEF) {
		r.cfa = STP_CFA_END;
		r.signal = 0;
		return r;
	}
	if (t->cfa_expr) {
		if (!cfa_expression(t->cfa, &r))
			return none;
	} else {
		if (t->cfa_reg > 15 || !fits(t->cfa_off))
			return none;
		r.cfa = STP_CFA_REG;
		r.reg = (uint8_t)t->cfa_reg;
		r.cfa_off = (int32_t)t->cfa_off;
	}
	if (!save_rule(&t->reg[CFI_RA], &r, &r.ra, &r.ra_off) || r.ra == STP_SAVE_SAME)
		return none;
	if (!save_rule(&t->reg[REG_BP], &r, &r.bp, &r.bp_off)) {
		r.bp = STP_SAVE_UNDEF;
		r.bp_off = 0;
	}
	return r;
}

static uint32_t rule_hash(const struct stp_utab_rule *r)
{
	uint32_t h = (uint32_t)r->cfa << 24 ^ (uint32_t)r->reg << 16 ^ (uint32_t)r->ra << 8 ^ r->bp ^ (uint32_t)r->signal << 4;

	h = (h ^ (uint32_t)r->cfa_off) * 0x9e3779b1;
	h = (h ^ (uint32_t)r->ra_off) * 0x85ebca6b;
	return (h ^ (uint32_t)r->bp_off) * 0xc2b2ae35;
}

/* Room for one more rule, and a hash table that is at most half full. */
static void rules_grow(struct rows *rs)
{
	uint32_t i, at;

	if (rs->nrules < rs->rule_room)
		return;
	rs->rule_room = rs->rule_room ? rs->rule_room * 2 : 512;
	rs->rule = mem_resize(rs->rule, rs->rule_room, sizeof(*rs->rule));
	free(rs->slot);
	rs->slot = mem_zero(rs->rule_room * 2, sizeof(*rs->slot));
	for (i = 0; i < rs->nrules; i++) {
		at = rule_hash(&rs->rule[i]) % (rs->rule_room * 2);
		while (rs->slot[at])
			at = (at + 1) % (rs->rule_room * 2);
		rs->slot[at] = i + 1;
	}
}

uint32_t rule_number(struct rows *rs, const struct stp_utab_rule *rule)
{
	uint32_t at;

	rules_grow(rs);
	at = rule_hash(rule) % (rs->rule_room * 2);
	for (; rs->slot[at]; at = (at + 1) % (rs->rule_room * 2))
		if (!memcmp(&rs->rule[rs->slot[at] - 1], rule, sizeof(*rule)))
			return rs->slot[at] - 1;
	rs->rule[rs->nrules] = *rule;
	rs->slot[at] = rs->nrules + 1;
	return rs->nrules++;
}
