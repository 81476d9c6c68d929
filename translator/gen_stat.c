/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics: <<<, the @ operators, histograms. */
#include "gen.h"

static const struct {
	enum stat_op op;
	const char *flag, *field;
} fields[] = {
	{ STAT_COUNT, "STP_COUNT", "count" }, { STAT_SUM, "STP_SUM", "sum" }, { STAT_MIN, "STP_MIN", "min" },
	{ STAT_MAX, "STP_MAX", "max" }, { STAT_AVG, "STP_AVG", "avg" }, { STAT_VARIANCE, "STP_VARIANCE", "variance" },
	{ STAT_HIST, "STP_HIST", "nbucket" },
};

struct var *stat_var(const struct expr *e)
{
	while (e && (e->kind == EX_HIST || e->kind == EX_BUCKET))
		e = e->a;
	return e ? e->var : NULL;
}

static const char *ops_text(struct fn *f, unsigned ops)
{
	const char *t = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++)
		if (ops & fields[i].op)
			t = t ? gen_text(f, "%s | %s", t, fields[i].flag) : fields[i].flag;
	return t ? t : "0";
}

unsigned gen_statdesc(struct gen *g, const struct var *v)
{
	static const char *const kinds[] = { "STP_HIST_NONE", "STP_HIST_LOG", "STP_HIST_LINEAR" };

	return gen_const(g, "struct stp_statdesc stat",
	                 arena_printf(g->s, "{ %#x, %s, %lld, %lld, %lld, %lld, %u }", v->stat_ops, kinds[v->hist.kind],
	                              (long long)v->hist.low, (long long)v->hist.high, (long long)v->hist.width,
	                              (long long)v->bit_shift, v->hist.kind == HIST_NONE ? 0 : g->elision));
}

const char *gen_stat_ref(struct fn *f, struct expr *e, bool *maybe)
{
	const char *ref;
	struct mapkey k;

	f->leaf = false;
	*maybe = false;
	if (e->kind == EX_SYM) {
		if (e->var->kind != VAR_GLOBAL)
			gen_local(f, e->var)->read_out = true;
		return var_text(f, e->var);
	}
	ref = gen_cursor_cell(f, e);
	if (ref)
		return ref;
	*maybe = true;
	k = gen_key(f, e->args, e->nargs, NULL, e->var, false);
	ref = gen_text(f, "t%u", ++f->ntmp);
	emit_line(&f->o, "const struct stp_stat *%s = stp_map_peek%s(c, g_%s, %s);", ref, k.suffix, var_cname(e->var), k.arg);
	return ref;
}

static const char *get_agg(struct fn *f, struct expr *e, unsigned ops)
{
	bool maybe;
	const char *ref = gen_stat_ref(f, e->a, &maybe), *agg = gen_text(f, "t%u", ++f->ntmp);

	emit_line(&f->o, "struct stp_agg %s;", agg);
	emit_line(&f->o, "%s(c, %s, %s, &%s);", maybe ? "stat_get" : "stp_stat_get", ref, ops_text(f, ops), agg);
	f->g->uses_stat_get |= maybe;
	if (ops & ~(unsigned)(STAT_COUNT | STAT_SUM))
		gen_check(f, e->loc, expr_what(f, e));
	return agg;
}

static struct val agg_field(struct fn *f, const char *agg, enum stat_op op)
{
	struct val v;

	for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
		if (fields[i].op == op) {
			v = val_text(TY_LONG, gen_text(f, "%s.%s", agg, fields[i].field));
			v.atom = true;
			return v;
		}
	}
	return val_num(f, 0);
}

struct val gen_statop(struct fn *f, struct expr *e)
{
	return agg_field(f, get_agg(f, e, e->stat), e->stat);
}

void gen_statops(struct fn *f, struct expr **e, size_t n, struct val *out)
{
	unsigned ops = 0;
	const char *agg;

	for (size_t i = 0; i < n; i++)
		ops |= e[i]->stat;
	agg = get_agg(f, e[0], ops);
	for (size_t i = 0; i < n; i++)
		out[i] = agg_field(f, agg, e[i]->stat);
}

void gen_stat_add(struct fn *f, struct expr *e)
{
	struct expr *lval = e->a;
	const char *ref;
	struct mapkey k;
	struct val v;

	if (lval->kind == EX_SYM) {
		ref = var_text(f, lval->var);
		v = gen_expr(f, e->b);
	} else {
		k = gen_element_key(f, lval, e->b);
		v = gen_expr(f, e->b);
		ref = gen_cell(f, lval->var, &k, lval);
	}
	if (lval->var->kind == VAR_GLOBAL)
		emit_line(&f->o, "stp_stat_update(c, %s, %s, &stat_%u);", ref, v.c, gen_statdesc(f->g, lval->var));
	else
		emit_line(&f->o, "stp_stat_add(c, %s, %s);", ref, v.c);
}

/* @hist(x)[i]: how many values lie in bucket number i */
struct val gen_bucket(struct fn *f, struct expr *e)
{
	bool maybe;
	const char *ref = gen_stat_ref(f, e->a->a, &maybe);
	struct val i = gen_expr(f, e->args[0]), v;

	v = gen_long_tmp(f, gen_text(f, maybe ? "%s ? stp_hist_count(c, %s, %s) : 0" : "%sstp_hist_count(c, %s, %s)",
	                             maybe ? ref : "", ref, i.c));
	gen_check(f, e->loc, expr_what(f, e));
	return v;
}
