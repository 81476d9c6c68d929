/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations of the stack machine that compute: literals, stack, arithmetic, memory, types (dwarf_loc_machine.h). */
#include "dwarf_loc_machine.h"
#include "../target.h"

#include <dwarf.h>

static int loc_push_value(struct loc_machine *m, struct loc_value v)
{
	if (!v.e)
		return -1;
	if (m->n == LOC_STACK || loc_weight(v.e) > LOC_WEIGHT)
		return loc_fail(m->env, "its location is too complicated");
	m->stack[m->n++] = v;
	return 1;
}

int loc_push(struct loc_machine *m, struct expr *e)
{
	return loc_push_value(m, (struct loc_value){ .e = e });
}

int loc_pop(struct loc_machine *m, struct loc_value *v)
{
	*v = (struct loc_value){ 0 };
	if (m->n == 0)
		return loc_fail(m->env, "its location is damaged: the stack is empty");
	*v = m->stack[--m->n];
	return 1;
}

/* ---- types ---- */

static struct expr *conv(struct loc_env *env, struct expr *e, unsigned size, bool is_signed)
{
	unsigned up = 64 - size * 8;

	if (size == 0 || size >= 8)
		return e;
	if (e->kind == EX_NUM)
		return loc_num(env, is_signed ? (int64_t)((uint64_t)e->num << up) >> up : (int64_t)((uint64_t)e->num << up >> up));
	return lowered_conv(env->s, e, size, is_signed, env->at);
}

/* A number that may have more bits than its type, as a value of that type. */
static struct loc_value typed(struct loc_env *env, struct expr *e, const struct loc_value *like)
{
	struct loc_value v = *like;

	v.e = conv(env, e, v.size, v.is_signed);
	return v;
}

/* The base type that an operand of `op` names. */
static int operand_type(struct loc_machine *m, const Dwarf_Op *op, struct loc_value *ret)
{
	uint64_t size = 0, enc = 0;
	Dwarf_Die type;

	*ret = (struct loc_value){ 0 };
	if (!m->ops->attr || dwarf_getlocation_die(m->ops->attr, op, &type) != 0 || dwarf_tag(&type) != DW_TAG_base_type ||
	    !die_udata(&type, DW_AT_byte_size, &size) || !die_udata(&type, DW_AT_encoding, &enc))
		return loc_fail(m->env, "its location is damaged: no type");
	if (enc == DW_ATE_float || enc == DW_ATE_complex_float || enc == DW_ATE_decimal_float)
		return loc_fail(m->env, "finding it takes floating-point arithmetic");
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return loc_fail(m->env, "finding it takes arithmetic on %u bytes", (unsigned)size);
	ret->size = size;
	ret->is_signed = enc == DW_ATE_signed || enc == DW_ATE_signed_char;
	ret->is_unsigned64 = size == 8 && !ret->is_signed;
	return 1;
}

static int type_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_value type = { 0 }, v;
	Dwarf_Attribute attr;
	Dwarf_Block block;
	uint64_t n = 0;

	switch (op->atom) {
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		if (operand_type(m, op, &type) < 0)
			return -1;
		if (dwarf_getlocation_attr(m->ops->attr, op, &attr) != 0 || dwarf_formblock(&attr, &block) != 0 || block.length > 8)
			return loc_fail(m->env, "its location is damaged: no constant");
		memcpy(&n, block.data, block.length);
		return loc_push_value(m, typed(m->env, loc_num(m->env, (int64_t)n), &type));
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		v.e = loc_register(m->env, op->number);
		if (!v.e || operand_type(m, op, &type) < 0)
			return -1;
		return loc_push_value(m, typed(m->env, v.e, &type));
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		if (loc_pop(m, &v) < 0 || operand_type(m, op, &type) < 0)
			return -1;
		type.e = lowered_load(m->env->s, v.e, type.size, type.is_signed, m->env->user, m->env->at);
		return loc_push_value(m, type);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		if (loc_pop(m, &v) < 0 || (op->number && operand_type(m, op, &type) < 0))
			return -1;
		return loc_push_value(m, typed(m->env, v.e, &type));
	default:
		return 0;
	}
}

/* ---- arithmetic ---- */

/* An order that holds for unsigned 64-bit numbers too: the sign bit turned over. */
static struct expr *ordered(struct loc_env *env, const struct loc_value *v)
{
	return v->is_unsigned64 ? loc_binary(env, OP_XOR, v->e, loc_num(env, INT64_MIN)) : v->e;
}

static int compare(struct loc_machine *m, enum op op)
{
	struct loc_value a, b;

	if (loc_pop(m, &b) < 0 || loc_pop(m, &a) < 0)
		return -1;
	b.is_unsigned64 = a.is_unsigned64;
	return loc_push(m, loc_binary(m->env, op, ordered(m->env, &a), ordered(m->env, &b)));
}

static bool is_positive(const struct expr *e)
{
	return e->kind == EX_NUM && e->num > 0 && e->num < INT64_MAX / 4;
}

/* a mod b of unsigned 64-bit numbers: halves first, then what the last bit adds. */
static struct expr *unsigned_mod(struct loc_env *env, struct expr *a, struct expr *b)
{
	struct expr *half = loc_binary(env, OP_MOD, loc_binary(env, OP_USHR, a, loc_num(env, 1)), b);
	struct expr *last = loc_binary(env, OP_AND, expr_copy(env->s, a), loc_num(env, 1));

	return loc_binary(env, OP_MOD, loc_binary(env, OP_ADD, loc_binary(env, OP_MUL, half, loc_num(env, 2)), last),
			  expr_copy(env->s, b));
}

static int divide(struct loc_machine *m, bool mod)
{
	struct loc_value a, b;
	bool is_signed;

	if (loc_pop(m, &b) < 0 || loc_pop(m, &a) < 0)
		return -1;
	/* of the generic type, quotients are of signed and remainders of unsigned numbers */
	is_signed = a.size ? !a.is_unsigned64 : !mod;
	if (is_signed)
		return loc_push_value(m, typed(m->env, loc_binary(m->env, mod ? OP_MOD : OP_DIV, a.e, b.e), &a));
	if (mod && is_positive(b.e))
		return loc_push_value(m, typed(m->env, unsigned_mod(m->env, a.e, b.e), &a));
	return loc_fail(m->env, "finding it takes a division of unsigned 64-bit numbers");
}

static int shift(struct loc_machine *m, enum op op)
{
	struct loc_value a, b;
	struct expr *e;

	if (loc_pop(m, &b) < 0 || loc_pop(m, &a) < 0)
		return -1;
	e = op == OP_SHL ? a.e : conv(m->env, a.e, a.size, op == OP_SHR);
	if (b.e->kind == EX_NUM && (uint64_t)b.e->num > 63) {
		if (op != OP_SHR)
			return loc_push_value(m, typed(m->env, loc_num(m->env, 0), &a));
		b.e = loc_num(m->env, 63);
	}
	return loc_push_value(m, typed(m->env, loc_binary(m->env, op, e, b.e), &a));
}

static int binary(struct loc_machine *m, enum op op)
{
	struct loc_value a, b;

	if (loc_pop(m, &b) < 0 || loc_pop(m, &a) < 0)
		return -1;
	return loc_push_value(m, typed(m->env, loc_binary(m->env, op, a.e, b.e), &a));
}

static int absolute(struct loc_machine *m, struct loc_value *v)
{
	struct loc_env *env = m->env;
	struct expr *e;

	if (v->e->kind == EX_NUM) {
		v->e = loc_num(env, v->e->num < 0 ? (int64_t)(0 - (uint64_t)v->e->num) : v->e->num);
		return loc_push_value(m, *v);
	}
	e = expr_new(env->s, EX_COND, env->at);
	e->type = TY_LONG;
	e->a = loc_binary(env, OP_LT, v->e, loc_num(env, 0));
	e->b = loc_binary(env, OP_SUB, loc_num(env, 0), expr_copy(env->s, v->e));
	e->c = expr_copy(env->s, v->e);
	return loc_push_value(m, typed(env, e, v));
}

static int unary(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_env *env = m->env;
	struct loc_value v;

	if (loc_pop(m, &v) < 0)
		return -1;
	switch (op->atom) {
	case DW_OP_neg:
		return loc_push_value(m, typed(env, loc_binary(env, OP_SUB, loc_num(env, 0), v.e), &v));
	case DW_OP_not:
		return loc_push_value(m, typed(env, loc_binary(env, OP_XOR, v.e, loc_num(env, -1)), &v));
	case DW_OP_plus_uconst:
		return loc_push_value(m, typed(env, loc_binary(env, OP_ADD, v.e, loc_num(env, (int64_t)op->number)), &v));
	default:
		return absolute(m, &v);
	}
}

static int arithmetic_op(struct loc_machine *m, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_plus: return binary(m, OP_ADD);
	case DW_OP_minus: return binary(m, OP_SUB);
	case DW_OP_mul: return binary(m, OP_MUL);
	case DW_OP_and: return binary(m, OP_AND);
	case DW_OP_or: return binary(m, OP_OR);
	case DW_OP_xor: return binary(m, OP_XOR);
	case DW_OP_div: return divide(m, false);
	case DW_OP_mod: return divide(m, true);
	case DW_OP_shl: return shift(m, OP_SHL);
	case DW_OP_shr: return shift(m, OP_USHR);
	case DW_OP_shra: return shift(m, OP_SHR);
	case DW_OP_lt: return compare(m, OP_LT);
	case DW_OP_gt: return compare(m, OP_GT);
	case DW_OP_le: return compare(m, OP_LE);
	case DW_OP_ge: return compare(m, OP_GE);
	case DW_OP_eq: return compare(m, OP_EQ);
	case DW_OP_ne: return compare(m, OP_NE);
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_abs:
	case DW_OP_plus_uconst: return unary(m, op);
	default: return 0;
	}
}

/* ---- the stack ---- */

static int pick(struct loc_machine *m, uint64_t depth)
{
	struct loc_value v;

	if (depth >= m->n)
		return loc_fail(m->env, "its location is damaged: the stack is empty");
	v = m->stack[m->n - 1 - depth];
	v.e = expr_copy(m->env->s, v.e);
	return loc_push_value(m, v);
}

/* The top n values, the last first. */
static int rotate(struct loc_machine *m, unsigned n)
{
	struct loc_value top;

	if (m->n < n)
		return loc_fail(m->env, "its location is damaged: the stack is empty");
	top = m->stack[m->n - 1];
	for (unsigned i = m->n - 1; i > m->n - n; i--)
		m->stack[i] = m->stack[i - 1];
	m->stack[m->n - n] = top;
	return 1;
}

static int order_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_value v;

	switch (op->atom) {
	case DW_OP_dup: return pick(m, 0);
	case DW_OP_over: return pick(m, 1);
	case DW_OP_pick: return pick(m, op->number);
	case DW_OP_drop: return loc_pop(m, &v);
	case DW_OP_swap: return rotate(m, 2);
	case DW_OP_rot: return rotate(m, 3);
	default: return 0;
	}
}

/* ---- literals, registers as numbers, memory ---- */

static int literal_op(struct loc_machine *m, const Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return loc_push(m, loc_num(m->env, op->atom - DW_OP_lit0));
	switch (op->atom) {
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s: case DW_OP_const4u:
	case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s: case DW_OP_constu: case DW_OP_consts:
		return loc_push(m, loc_num(m->env, (int64_t)op->number));
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		if (!m->ops->attr || dwarf_getlocation_attr(m->ops->attr, op, &attr) != 0 || dwarf_formudata(&attr, &n) != 0)
			return loc_fail(m->env, "its location is damaged: no constant");
		return loc_push(m, loc_num(m->env, (int64_t)n));
	default:
		return 0;
	}
}

/* A register's value plus an offset. */
static int based_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct expr *base;
	uint64_t off = op->number;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		base = loc_register(m->env, op->atom - DW_OP_breg0);
	} else if (op->atom == DW_OP_bregx) {
		base = loc_register(m->env, MIN(op->number, 1000));
		off = op->number2;
	} else if (op->atom == DW_OP_fbreg) {
		base = loc_frame_base(m->env);
	} else if (op->atom == DW_OP_call_frame_cfa) {
		base = loc_cfa(m->env);
		off = 0;
	} else {
		return 0;
	}
	return base ? loc_push(m, loc_binary(m->env, OP_ADD, base, loc_num(m->env, (int64_t)off))) : -1;
}

static int memory_op(struct loc_machine *m, const Dwarf_Op *op)
{
	unsigned size = op->atom == DW_OP_deref ? 8 : op->number;
	struct loc_value v;

	if (op->atom != DW_OP_deref && op->atom != DW_OP_deref_size)
		return 0;
	if (loc_pop(m, &v) < 0)
		return -1;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return loc_fail(m->env, "finding it takes a load of %u bytes", size);
	return loc_push(m, lowered_load(m->env->s, v.e, size, false, m->env->user, m->env->at));
}

int loc_stack_op(struct loc_machine *m, const Dwarf_Op *op)
{
	static int (*const kinds[])(struct loc_machine *m, const Dwarf_Op *op) = {
		literal_op, based_op, order_op, arithmetic_op, memory_op, type_op,
	};
	int rc = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds) && rc == 0; i++)
		rc = kinds[i](m, op);
	return rc;
}
