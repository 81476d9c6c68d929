/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DWARF location expressions: flow, results, pieces; what computes is in dwarf_loc_stack.c. */
#include "dwarf_loc_machine.h"
#include "../session.h"

#include <dwarf.h>

#define MAX_STEPS 2000
#define MAX_DEPTH 8        /* expressions in expressions, branches in branches */
#define MAX_PIECES 256

static int run_from(struct loc_machine *m, size_t i);

/* ---- results ---- */

static int end_with(struct loc_machine *m, struct loc_piece p)
{
	m->now = p;
	m->ended = true;
	return 1;
}

static int register_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_piece p = { .kind = PIECE_REGISTER };
	uint64_t reg;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		reg = op->number;
	else
		return 0;
	if (reg >= 17 && reg <= 32)
		return end_with(m, (struct loc_piece){ .kind = PIECE_VECTOR, .reg = reg - 17 });
	p.e = loc_register(m->env, MIN(reg, 1000));
	return p.e ? end_with(m, p) : -1;
}

static int pointer_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_piece p = { .kind = PIECE_POINTER, .offset = (int64_t)op->number2 };

	if (!m->ops->attr || dwarf_getlocation_die(m->ops->attr, op, &p.target) != 0)
		return loc_fail(m->env, "its location is damaged: a pointer to nothing");
	return end_with(m, p);
}

static int value_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_piece p = { 0 };
	struct loc_value v;
	Dwarf_Block block;

	switch (op->atom) {
	case DW_OP_stack_value:
		if (loc_pop(m, &v) < 0)
			return -1;
		p.kind = PIECE_VALUE;
		p.e = v.e;
		return end_with(m, p);
	case DW_OP_implicit_value:
		if (!m->ops->attr || dwarf_getlocation_implicit_value(m->ops->attr, op, &block) != 0)
			return loc_fail(m->env, "its location is damaged: no value");
		p.kind = PIECE_BYTES;
		p.bytes = block.data;
		p.nbytes = block.length;
		return end_with(m, p);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return pointer_op(m, op);
	default:
		return register_op(m, op);
	}
}

/* What has been described so far: the end of a piece or of all. */
static struct loc_piece simple_location(struct loc_machine *m)
{
	struct loc_piece p = m->now;
	struct loc_value v;

	if (!m->ended && m->n && loc_pop(m, &v) > 0)
		p = (struct loc_piece){ .kind = PIECE_MEMORY, .e = v.e };
	m->now = (struct loc_piece){ 0 };
	m->ended = false;
	m->n = 0;
	return p;
}

static int piece_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_piece p;

	if (op->atom != DW_OP_piece && op->atom != DW_OP_bit_piece)
		return 0;
	if (m->pieces->len == MAX_PIECES || op->number > 1 << 20)
		return loc_fail(m->env, "its location is too complicated");
	p = simple_location(m);
	p.bits = op->atom == DW_OP_piece ? op->number * 8 : op->number;
	p.bit = op->atom == DW_OP_piece ? 0 : op->number2;
	if (p.bits)
		g_array_append_val(m->pieces, p);
	return 1;
}

/* ---- addresses ---- */

static bool is_tls(const struct loc_ops *ops, size_t i)
{
	return i < ops->n && (ops->op[i].atom == DW_OP_form_tls_address || ops->op[i].atom == DW_OP_GNU_push_tls_address);
}

static int address_op(struct loc_machine *m, size_t i)
{
	const Dwarf_Op *op = &m->ops->op[i];
	Dwarf_Attribute attr;
	struct loc_value v;
	Dwarf_Addr addr = op->number;

	switch (op->atom) {
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (!m->ops->attr || dwarf_getlocation_attr(m->ops->attr, op, &attr) != 0 || dwarf_formaddr(&attr, &addr) != 0)
			return loc_fail(m->env, "its location is damaged: no address");
		/* fall through */
	case DW_OP_addr:
		if (is_tls(m->ops, i + 1))
			return loc_push(m, loc_num(m->env, (int64_t)addr));
		return loc_push(m, m->env->address(m->env, addr));
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		if (loc_pop(m, &v) < 0)
			return -1;
		if (v.e->kind != EX_NUM)
			return loc_fail(m->env, "it is thread-local at an offset that is not constant");
		return loc_push(m, m->env->tls(m->env, (uint64_t)v.e->num));
	default:
		return 0;
	}
}

/* ---- expressions in expressions ---- */

/* The value that something had when the function was entered: known while that is where we are. */
static int entry_value_op(struct loc_machine *m, const Dwarf_Op *op)
{
	struct loc_env *env = m->env;
	Dwarf_Attribute attr;
	struct loc_ops inner = { .attr = &attr };
	struct expr *e;

	if (op->atom != DW_OP_entry_value && op->atom != DW_OP_GNU_entry_value)
		return 0;
	if (env->pc != env->entry)
		return loc_fail(env, "it is known here only as something that was in a register at the function's entry");
	if (!m->ops->attr || dwarf_getlocation_attr(m->ops->attr, op, &attr) != 0 ||
	    dwarf_getlocation(&attr, &inner.op, &inner.n) != 0)
		return loc_fail(env, "its location is damaged: no expression");
	e = loc_run_value(env, &inner);
	return e ? loc_push(m, e) : -1;
}

/* DW_OP_call: the location of another entry, run on this stack. */
static int call_op(struct loc_machine *m, const Dwarf_Op *op)
{
	const struct loc_ops *saved = m->ops;
	Dwarf_Attribute attr;
	struct loc_ops inner = { .attr = &attr };
	Dwarf_Die die;
	int rc;

	if (op->atom != DW_OP_call2 && op->atom != DW_OP_call4 && op->atom != DW_OP_call_ref)
		return 0;
	if (!m->ops->attr || dwarf_getlocation_die(m->ops->attr, op, &die) != 0)
		return loc_fail(m->env, "its location is damaged: a call of nothing");
	if (!dwarf_attr_integrate(&die, DW_AT_location, &attr))
		return 1; /* no location: no effect */
	if (dwarf_getlocation(&attr, &inner.op, &inner.n) != 0)
		return loc_fail(m->env, "its location is damaged: %s", dwarf_errmsg(-1));
	if (++m->env->depth > MAX_DEPTH)
		return loc_fail(m->env, "its location is too complicated");
	m->ops = &inner;
	rc = run_from(m, 0);
	m->ops = saved;
	m->env->depth--;
	return rc < 0 ? -1 : 1;
}

/* ---- flow ---- */

/* Index of the operation that a branch goes to; n is the end. */
static int branch_target(struct loc_machine *m, size_t i, size_t *ret)
{
	const struct loc_ops *ops = m->ops;
	uint64_t want = ops->op[i].offset + 3 + (uint64_t)(int64_t)(int16_t)ops->op[i].number;

	if (want <= ops->op[i].offset)
		return loc_fail(m->env, "finding it takes a loop");
	for (size_t k = i + 1; k < ops->n; k++) {
		if (ops->op[k].offset == want) {
			*ret = k;
			return 0;
		}
	}
	if (want <= ops->op[ops->n - 1].offset)
		return loc_fail(m->env, "its location is damaged: a branch into an operation");
	*ret = ops->n;
	return 0;
}

static struct expr *choice(struct loc_env *env, struct expr *cond, struct expr *yes, struct expr *no)
{
	struct expr *e = expr_new(env->s, EX_COND, env->at);

	e->type = TY_LONG;
	e->a = cond;
	e->b = yes;
	e->c = no;
	return e;
}

/* Both ways are gone to the end; the results must be of one kind. */
static int branch(struct loc_machine *m, size_t i)
{
	struct loc_machine other;
	struct loc_value cond;
	struct loc_piece a, b;
	size_t target;

	if (loc_pop(m, &cond) < 0 || branch_target(m, i, &target) < 0)
		return -1;
	if (m->pieces->len || ++m->env->depth > MAX_DEPTH)
		return loc_fail(m->env, "its location is too complicated");
	other = *m;
	if (run_from(m, i + 1) < 0 || run_from(&other, target) < 0)
		return -1;
	m->env->depth--;
	a = simple_location(&other);
	b = simple_location(m);
	if (m->pieces->len || a.kind != b.kind || (a.kind != PIECE_MEMORY && a.kind != PIECE_VALUE))
		return loc_fail(m->env, "it is in different kinds of places");
	a.e = choice(m->env, cond.e, a.e, b.e);
	m->steps = MAX(m->steps, other.steps);
	if (loc_weight(a.e) > LOC_WEIGHT)
		return loc_fail(m->env, "its location is too complicated");
	return end_with(m, a);
}

/* One operation that does not change the flow. */
static int one_op(struct loc_machine *m, size_t i)
{
	const Dwarf_Op *op = &m->ops->op[i];
	int rc = piece_op(m, op);

	if (rc == 0 && m->ended)
		return loc_fail(m->env, "its location is damaged: operations behind its end");
	if (rc == 0)
		rc = loc_stack_op(m, op);
	if (rc == 0)
		rc = value_op(m, op);
	if (rc == 0)
		rc = address_op(m, i);
	if (rc == 0)
		rc = entry_value_op(m, op);
	if (rc == 0)
		rc = call_op(m, op);
	if (rc == 0 && op->atom != DW_OP_nop)
		return loc_fail(m->env, "finding it takes the DWARF operation 0x%x, which is not supported", op->atom);
	return rc;
}

static int run_from(struct loc_machine *m, size_t i)
{
	while (i < m->ops->n) {
		int atom = m->ops->op[i].atom;

		if (++m->steps > MAX_STEPS)
			return loc_fail(m->env, "its location is too complicated");
		if (atom == DW_OP_bra)
			return branch(m, i);
		if (atom == DW_OP_skip) {
			if (branch_target(m, i, &i) < 0)
				return -1;
			continue;
		}
		if (one_op(m, i) < 0)
			return -1;
		i++;
	}
	return 0;
}

int loc_run(struct loc_env *env, const struct loc_ops *ops, struct location *ret)
{
	struct loc_machine m = { .env = env, .ops = ops, .pieces = g_array_new(FALSE, TRUE, sizeof(struct loc_piece)) };
	struct loc_piece last;
	int depth = env->depth, rc;

	rc = ++env->depth > MAX_DEPTH ? loc_fail(env, "its location is too complicated") : run_from(&m, 0);
	env->depth = depth;
	last = simple_location(&m);
	if (rc == 0 && last.kind != PIECE_NONE)
		g_array_append_val(m.pieces, last);
	ret->npieces = rc == 0 ? m.pieces->len : 0;
	ret->piece = arena_alloc(env->s, sizeof(*ret->piece) * (ret->npieces + 1));
	if (ret->npieces)
		memcpy(ret->piece, m.pieces->data, sizeof(*ret->piece) * ret->npieces);
	g_array_free(m.pieces, TRUE);
	return rc;
}

struct expr *loc_run_value(struct loc_env *env, const struct loc_ops *ops)
{
	struct location loc;

	if (loc_run(env, ops, &loc) < 0)
		return NULL;
	if (loc.npieces == 1 && !loc.piece[0].bits && loc.piece[0].e)
		return loc.piece[0].e;
	loc_fail(env, "its frame is in no single register");
	return NULL;
}
