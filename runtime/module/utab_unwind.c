// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of user programs: from a frame to its caller. */
#include "utab.h"
#include "utab_priv.h"

#define REG_BP 6
#define REG_SP 7

const struct stp_utab_rule *stp_utab_rule(const struct stp_utab *t, u64 pc)
{
	struct stp_utab_walk w;
	u64 len, rule;

	if (!stp_utab_seek(t, &t->row, pc, &w))
		return NULL;
	for (; w.left; w.left--) {
		if (!stp_utab_varint(&w, &len) || !stp_utab_varint(&w, &rule))
			return NULL;
		if (w.want - w.addr < len) {
			const struct stp_utab_rule *r = stp_utab_at(t, t->rule);

			return rule < t->nrule && r[rule].cfa != STP_CFA_NONE ? &r[rule] : NULL;
		}
		w.addr += (u32)len;
	}
	return NULL;
}

static bool reg_get(const struct stp_uregs *r, u32 reg, u64 *ret)
{
	if (reg == REG_SP)
		*ret = r->sp;
	else if (reg == REG_BP && r->bp_known)
		*ret = r->bp;
	else if (r->all)
		*ret = r->all[reg];
	else
		return false;
	return true;
}

/* A saved register; false when it cannot be read.  *known: there is a value. */
static bool save_get(u8 how, s32 off, u64 cfa, u64 base, stp_uread_fn read, void *data, u64 *v, bool *known)
{
	switch (how) {
	case STP_SAVE_CFA:
		*known = true;
		return read(data, cfa + off, v);
	case STP_SAVE_REG:
		*known = true;
		return read(data, base + off, v);
	case STP_SAVE_UNDEF:
		*known = false;
	}
	return true;
}

enum stp_step stp_utab_step(const struct stp_utab_rule *rule, u64 pc, struct stp_uregs *r, stp_uread_fn read, void *data, bool *signal)
{
	u64 base, cfa, ip = 0;
	bool known = false;

	if (!rule)
		return STP_STEP_LOST;
	if (rule->cfa == STP_CFA_END || rule->ra == STP_SAVE_UNDEF)
		return STP_STEP_END;
	if (!reg_get(r, rule->cfa == STP_CFA_PLT ? REG_SP : rule->reg, &base))
		return STP_STEP_LOST;
	if (rule->cfa == STP_CFA_PLT)
		cfa = base + 8 + ((s32)(pc & 15) >= rule->cfa_off ? 8 : 0);
	else
		cfa = base + rule->cfa_off;
	if (rule->cfa == STP_CFA_DEREF && !read(data, cfa, &cfa))
		return STP_STEP_LOST;
	if (!save_get(rule->ra, rule->ra_off, cfa, base, read, data, &ip, &known) || !known)
		return STP_STEP_LOST;
	if (!save_get(rule->bp, rule->bp_off, cfa, base, read, data, &r->bp, &r->bp_known))
		return STP_STEP_LOST;
	if (cfa <= r->sp && !rule->signal)
		return STP_STEP_LOST; /* frames only go up: also what ends every loop */
	r->ip = ip;
	r->sp = cfa;
	r->all = NULL;
	*signal = rule->signal;
	return ip ? STP_STEP_OK : STP_STEP_END;
}
