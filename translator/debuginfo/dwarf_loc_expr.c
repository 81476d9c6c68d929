/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes for locations: constants folded as they are made, registers by DWARF number (dwarf_loc.h). */
#include "dwarf_loc.h"
#include "../target.h"

/* Byte offsets in struct pt_regs of the registers as DWARF numbers them on x86-64 (16: the return address column). */
static const unsigned pt_regs_offset[] = { 80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0, 128 };

struct expr *loc_num(struct loc_env *env, int64_t n)
{
	return lowered_num(env->s, n, env->at);
}

/* What the operators of lowered nodes do; false: not known before run time. */
static bool fold(enum op op, uint64_t a, uint64_t b, int64_t *ret)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_ADD: *ret = (int64_t)(a + b); return true;
	case OP_SUB: *ret = (int64_t)(a - b); return true;
	case OP_MUL: *ret = (int64_t)(a * b); return true;
	case OP_AND: *ret = (int64_t)(a & b); return true;
	case OP_OR: *ret = (int64_t)(a | b); return true;
	case OP_XOR: *ret = (int64_t)(a ^ b); return true;
	case OP_SHL: *ret = (int64_t)(a << (b & 63)); return true;
	case OP_SHR: *ret = sa >> (b & 63); return true;
	case OP_USHR: *ret = (int64_t)(a >> (b & 63)); return true;
	case OP_LT: *ret = sa < sb; return true;
	case OP_GT: *ret = sa > sb; return true;
	case OP_LE: *ret = sa <= sb; return true;
	case OP_GE: *ret = sa >= sb; return true;
	case OP_EQ: *ret = sa == sb; return true;
	case OP_NE: *ret = sa != sb; return true;
	case OP_DIV: *ret = sb == -1 ? (int64_t)(0 - a) : sb ? sa / sb : 0; return sb != 0;
	case OP_MOD: *ret = sb == -1 ? 0 : sb ? sa % sb : 0; return sb != 0;
	default: return false;
	}
}

struct expr *loc_binary(struct loc_env *env, enum op op, struct expr *a, struct expr *b)
{
	int64_t n;

	if (a->kind == EX_NUM && b->kind == EX_NUM && fold(op, (uint64_t)a->num, (uint64_t)b->num, &n))
		return loc_num(env, n);
	if (b->kind == EX_NUM && op == OP_SUB) {
		op = OP_ADD;
		b = loc_num(env, (int64_t)(0 - (uint64_t)b->num));
	}
	if (b->kind == EX_NUM && op == OP_ADD) {
		/* (x + 8) + 8 */
		if (a->kind == EX_BINARY && a->op == OP_ADD && a->b->kind == EX_NUM)
			return loc_binary(env, OP_ADD, a->a, loc_num(env, (int64_t)((uint64_t)a->b->num + (uint64_t)b->num)));
		if (b->num == 0)
			return a;
	}
	return lowered_binary(env->s, op, a, b, env->at);
}

struct expr *loc_register(struct loc_env *env, unsigned reg)
{
	if (reg < G_N_ELEMENTS(pt_regs_offset))
		return lowered_reg(env->s, pt_regs_offset[reg], env->at);
	loc_fail(env, reg >= 17 && reg <= 32 ? "it depends on a vector register" : "it is in register %u, which probes do not keep",
		 reg);
	return NULL;
}

unsigned loc_weight(const struct expr *e)
{
	return e ? 1 + loc_weight(e->a) + loc_weight(e->b) + loc_weight(e->c) : 0;
}
