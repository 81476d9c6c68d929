/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe's context and memory: registers, tracepoint arguments, loads, stores, C strings. */
#include "gen.h"
#include "probe_util.h"

enum { /* byte offsets in struct pt_regs */
	REGS_R9 = 64, REGS_R8 = 72, REGS_AX = 80, REGS_CX = 88, REGS_DX = 96, REGS_SI = 104, REGS_DI = 112,
};

/* What a cheap hook has at hand: the arguments' registers and the return value's. */
static bool is_cheap_register(int64_t off)
{
	return off >= REGS_R9 && off <= REGS_DI;
}

void gen_hook(struct gen *g, const char *name)
{
	if (!g_ptr_array_find_with_equal_func(g->hooks, name, g_str_equal, NULL))
		g_ptr_array_add(g->hooks, (char *)name);
}

/* Behind a function that may go on in another, which is not followed: then no result is known. */
static bool at_jump(struct fn *f)
{
	if (!f->probe || !f->probe->jumps_out)
		return false;
	gen_declare(f->g, "s64 stp_user_result(struct stp_ctx *c);");
	return true;
}

void gen_result_known(struct fn *f, struct expr *e)
{
	if (!at_jump(f))
		return;
	emit_line(&f->o, "stp_user_result(c);");
	gen_check(f, e->loc, expr_what(f, e));
}

struct val gen_ctxval(struct fn *f, struct expr *e)
{
	struct val v;

	switch (e->ctxval) {
	case CTX_RETVAL:
		gen_result_known(f, e);
		/* fall through */
	case CTX_REG:
		f->regs |= !is_cheap_register(e->num);
		return val_text(TY_LONG, gen_text(f, "(s64)c->regs[%lld]", (long long)e->num / 8));
	case CTX_ARG:
		return val_text(TY_LONG, gen_text(f, "(s64)c->args[%lld]", (long long)e->num));
	case CTX_IP:
		return val_text(TY_LONG, "(s64)c->ip");
	case CTX_ADDRESS:
		v = gen_long_tmp(f, gen_text(f, "stp_address(c, %lld)", (long long)e->num));
		gen_check_leaf(f, "c->err", e->loc, expr_what(f, e));
		return v;
	case CTX_USER_FILE:
		gen_declare(f->g, "s64 stp_user_file_start(struct stp_ctx *c, u32 file);");
		gen_hook(f->g, "umap");
		v = gen_long_tmp(f, gen_text(f, "stp_user_file_start(c, %lld)", (long long)e->num));
		gen_check(f, e->loc, expr_what(f, e));
		return v;
	case CTX_NAMED:
		if (at_jump(f) && g_str_has_prefix(e->name, "user_xmm")) { /* a result that is a floating-point number */
			emit_line(&f->o, "stp_user_result(c);");
			gen_check(f, e->loc, expr_what(f, e));
		}
		break;
	}
	gen_declare(f->g, gen_text(f, "%s stp_%s(struct stp_ctx *c);", e->type == TY_STRING ? "struct stp_str" : "s64",
	                           e->name));
	if (e->type == TY_STRING) {
		v = gen_str_tmp(f, gen_text(f, "stp_%s(c)", e->name), NULL);
		gen_scratch(f, 0);
	} else {
		v = gen_long_tmp(f, gen_text(f, "stp_%s(c)", e->name));
	}
	gen_check(f, e->loc, expr_what(f, e));
	return v;
}

/* The low `bits` bits above `shift` of a word in a temporary. */
static const char *bits_of(struct fn *f, const char *word, const struct load *l)
{
	unsigned up = 64u - l->bit_offset - l->bit_size, down = 64u - l->bit_size;

	return gen_text(f, l->is_signed ? "(s64)((u64)%s << %u) >> %u" : "(s64)((u64)%s << %u >> %u)", word, up, down);
}

struct val gen_load_at(struct fn *f, struct expr *e, struct val addr)
{
	const struct load *l = &e->load;
	const char *conv = "", *call;
	struct val v;

	if (l->is_signed && !l->bit_size && l->size < 8)
		conv = gen_text(f, "(s%u)", l->size * 8u);
	call = gen_text(f, "%sstp_%sload(c, (u64)%s, %u)", conv, l->user ? "u" : "", paren(f, addr), l->size);
	v = gen_long_tmp(f, call);
	gen_check_leaf(f, "c->err", e->loc, expr_what(f, e));
	if (l->bit_size)
		v = val_text(TY_LONG, bits_of(f, v.c, l));
	return v;
}

static struct val convert(struct fn *f, struct expr *e, struct val a)
{
	const struct load *l = &e->load;
	struct val v = a;

	if (l->is_float) {
		v.c = gen_text(f, "stp_double_bits((u64)%s)", paren(f, a));
	} else if (l->bit_size) {
		v.c = bits_of(f, paren(f, a), l);
	} else if (l->size < 8) {
		v.c = gen_text(f, "(s64)(%c%u)%s", l->is_signed ? 's' : 'u', l->size * 8u, paren(f, a));
	} else {
		return a;
	}
	v.atom = v.narrow = v.truth = v.is_const = false;
	return v;
}

struct val gen_load(struct fn *f, struct expr *e)
{
	struct val a = gen_expr(f, e->a);

	return e->kind == EX_CONV ? convert(f, e, a) : gen_load_at(f, e, a);
}

void gen_store(struct fn *f, struct expr *lval, struct val addr, struct val v)
{
	const struct load *l = &lval->load;
	const char *u = l->user ? "u" : "", *word = gen_text(f, "(u64)%s", paren(f, v));

	if (l->bit_size) {
		uint64_t mask = (l->bit_size < 64 ? (1ull << l->bit_size) - 1 : ~0ull) << l->bit_offset;
		struct val old = gen_long_tmp(f, gen_text(f, "stp_%sload(c, (u64)%s, %u)", u, paren(f, addr), l->size));

		gen_check(f, lval->loc, expr_what(f, lval));
		word = gen_text(f, "((u64)%s & ~0x%llxull) | (((u64)%s << %u) & 0x%llxull)", old.c, (unsigned long long)mask,
		                paren(f, v), l->bit_offset, (unsigned long long)mask);
	}
	emit_line(&f->o, "stp_%sstore(c, (u64)%s, %u, %s);", u, paren(f, addr), l->size, word);
	gen_check(f, lval->loc, expr_what(f, lval));
}

struct val gen_cstring(struct fn *f, struct expr *e)
{
	struct val a = gen_expr(f, e->a), v;

	v = gen_str_tmp(f, gen_text(f, "stp_%scstr(c, (u64)%s, %lld)", e->load.user ? "u" : "", paren(f, a),
	                            (long long)MIN(e->num, (int64_t)f->g->maxstr - 1)), NULL);
	gen_scratch(f, 0);
	gen_check(f, e->loc, expr_what(f, e));
	return v;
}

struct val gen_perf(struct fn *f, struct expr *e)
{
	int index = perf_counter_index(f->g->s, e->str); /* there is one: infer_expr.c */

	gen_declare(f->g, "s64 stp_perf_counter(struct stp_ctx *c, s64 probe);");
	return gen_long_tmp(f, gen_text(f, "stp_perf_counter(c, %d)", index));
}
