/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreach over arrays and histograms.  An array's loop has an iterator that every way out closes: the normal
 * end and break behind the loop, return and next before they jump, errors at the cold label unwind_N.
 */
#include "gen.h"

static void set_var(struct fn *f, struct expr *e, const char *text)
{
	struct var *v = e->var;

	if (v->kind != VAR_GLOBAL && var_dead(f, v))
		return;
	if (var_is_buf(f, v)) {
		emit_line(&f->o, "str_set(%s, %s);", var_text(f, v), text);
		f->g->uses_buf = true;
	} else {
		emit_line(&f->o, "%s = %s;", var_text(f, v), text);
	}
}

/* The loop variables of one element. */
static void put_element(struct fn *f, struct foreach *fe, unsigned id)
{
	for (size_t i = 0; i < fe->nkeys; i++)
		set_var(f, fe->keys[i], gen_text(f, "stp_iter_key_%c(&it_%u, %zu)", fe->keys[i]->var->type == TY_STRING ? 's' : 'l',
		                                 id, i));
	if (!fe->value)
		return;
	switch (fe->array->var->type) {
	case TY_STRING: set_var(f, fe->value, gen_text(f, "stp_buf_get(it_%u.cell)", id)); break;
	case TY_STATS: set_var(f, fe->value, gen_text(f, "it_%u.cell", id)); break;
	default: set_var(f, fe->value, gen_text(f, "*(s64 *)it_%u.cell", id));
	}
}

static const char *sort_stat(const struct foreach *fe)
{
	if (!fe->sort_dir || fe->sort_by || fe->array->var->type != TY_STATS)
		return "0";
	switch (fe->sort_stat) {
	case STAT_SUM: return "STP_SUM";
	case STAT_MIN: return "STP_MIN";
	case STAT_MAX: return "STP_MAX";
	case STAT_AVG: return "STP_AVG";
	default: return "STP_COUNT";
	}
}

/* The specification of the loop; slice keys and the limit are evaluated here. */
static const char *put_spec(struct fn *f, struct foreach *fe)
{
	struct mapkey k = { "", "NULL", 0, NULL };
	struct val limit = val_num(f, -1);
	const char *text, *name;

	if (fe->slice)
		k = gen_key(f, fe->slice, fe->nkeys, fe->limit, fe->array->var, true);
	if (fe->limit) {
		limit = gen_expr(f, fe->limit);
		if (!limit.is_const) { /* a negative limit means no element, not every one */
			gen_keep(f, &limit, fe->limit->loc);
			limit.c = gen_text(f, "%s < 0 ? 0 : %s", limit.c, limit.c);
		} else if (limit.num < 0) {
			limit = val_num(f, 0);
		}
	}
	text = gen_text(f, "{ .dir = %d, .by = %d, .nslice = %zu, .stat = %s, .any = %u, .limit = %s, .slice = %s }",
	                fe->sort_dir, fe->sort_by, fe->slice ? fe->nkeys : 0, sort_stat(fe), k.any, limit.c, k.arg);
	if (!fe->slice && limit.is_const)
		return gen_text(f, "&spec_%u", gen_const(f->g, "struct stp_iterspec spec", text));
	name = gen_text(f, "t%u", ++f->ntmp);
	emit_line(&f->o, "const struct stp_iterspec %s = %s;", name, text);
	return gen_text(f, "&%s", name);
}

/* May a[k] inside the loop mean the current element without a lookup? */
static bool cursor_holds(struct fn *f, struct stmt *st)
{
	struct foreach *fe = st->foreach;

	if (stmt_affects(f->g, st->body, fe->array->var, EFF_SHRINK))
		return false;
	for (size_t i = 0; i < fe->nkeys; i++)
		if (stmt_affects(f->g, st->body, fe->keys[i]->var, EFF_WRITE))
			return false;
	return true;
}

struct saved_state {
	const char *cont, *mark;
	bool *mark_flag;
};

static GString *element_body(struct fn *f, struct stmt *st, unsigned id, bool *mark_used)
{
	struct cursor cur = { f->cursor, st->foreach, id };
	struct saved_state old = { f->cont, f->mark, f->mark_flag };
	GString *outer = emit_capture(&f->o), *body, *text;
	int64_t before = f->cost;

	f->cont = NULL;
	f->mark = gen_text(f, "mark_%u", id);
	f->mark_flag = mark_used;
	if (cursor_holds(f, st))
		f->cursor = &cur;
	f->o.indent++;
	f->loop_depth++;
	put_element(f, st->foreach, id);
	gen_body(f, st->body);
	f->loop_depth--;
	body = emit_release(&f->o, outer);
	outer = emit_capture(&f->o);
	gen_spend(f, f->cost - before + 1, st->loc);
	g_string_append(f->o.text, body->str);
	f->o.indent--;
	text = emit_release(&f->o, outer);
	f->cursor = cur.up;
	f->cont = old.cont;
	f->mark = old.mark;
	f->mark_flag = old.mark_flag;
	g_string_free(body, TRUE);
	return text;
}

static void foreach_array(struct fn *f, struct stmt *st)
{
	struct foreach *fe = st->foreach;
	const char *spec = put_spec(f, fe);
	struct scope *sc;
	bool mark_used = false;
	GString *body;

	f->leaf = false;
	sc = scope_push(f, SCOPE_ITER);
	g_string_append_printf(f->top, "\tstruct stp_iter it_%u;\n", sc->id);
	emit_line(&f->o, "stp_iter_begin(c, &it_%u, g_%s, %s);", sc->id, var_cname(fe->array->var), spec);
	gen_check(f, st->loc, "keyword 'foreach'"); /* a failed iterator is closed like any other */
	body = element_body(f, st, sc->id, &mark_used);
	if (mark_used)
		emit_line(&f->o, "char *mark_%u = c->scratch;", sc->id);
	emit_open(&f->o, "while (stp_iter_next(c, &it_%u))", sc->id);
	g_string_append(f->o.text, body->str);
	emit_close(&f->o);
	emit_line(&f->o, "stp_iter_end(c, &it_%u);", sc->id);
	scope_pop(f);
	f->dirty |= mark_used;
	g_string_free(body, TRUE);
}

/* ---- histograms ---- */

/* Buckets of a histogram, as the runtime has them. */
static size_t bucket_count(const struct var *v)
{
	const struct hist_shape *h = &v->hist;

	return h->kind == HIST_LINEAR ? (size_t)((h->high - h->low) / MAX(h->width, 1)) + 3 : 128;
}

/* The rows of a loop that looks at counts, or NULL for one that does not. */
static const char *put_rows(struct fn *f, struct stmt *st, const char *n)
{
	struct foreach *fe = st->foreach;
	bool by_count = fe->sort_dir && !fe->sort_by, maybe;
	const char *rows;

	if (!fe->value && !by_count)
		return NULL;
	rows = gen_text(f, "t%u", ++f->ntmp);
	emit_line(&f->o, "const struct stp_hist_row *%s = stp_hist_rows(c, %s, %s, %d);", rows,
	          gen_stat_ref(f, fe->array->a, &maybe), n, by_count ? fe->sort_dir : 0);
	gen_scratch(f, bucket_count(stat_var(fe->array)) * 16);
	gen_check_cond(f, gen_text(f, "!%s", rows), st->loc, "keyword 'foreach'");
	return rows;
}

/* The loop variables of bucket number i of the order. */
static void put_bucket(struct fn *f, struct foreach *fe, const char *rows, const char *i, const char *n)
{
	if (fe->sort_dir < 0 && fe->sort_by)
		i = gen_text(f, "%s - 1 - %s", n, i);
	set_var(f, fe->keys[0], rows ? gen_text(f, "%s[%s].index", rows, i) : i);
	if (fe->value)
		set_var(f, fe->value, gen_text(f, "%s[%s].count", rows, i));
}

/* How many buckets the loop goes over. */
static const char *put_limit(struct fn *f, struct foreach *fe, const char *all)
{
	struct val limit;
	const char *n;

	if (!fe->limit)
		return all;
	limit = gen_expr(f, fe->limit);
	gen_keep(f, &limit, fe->limit->loc);
	n = gen_long_tmp(f, all).c;
	emit_line(&f->o, "if (%s > %s)", n, limit.c);
	emit_line(&f->o, "\t%s = %s;", n, limit.c);
	return n;
}

/* foreach (i in @hist_log(x)): i goes over the numbers of the buckets */
static void foreach_hist(struct fn *f, struct stmt *st)
{
	struct foreach *fe = st->foreach;
	struct saved_state old = { f->cont, f->mark, f->mark_flag };
	const char *i, *all, *n, *rows;
	bool mark_used = false;
	GString *outer, *body;
	int64_t before;
	unsigned id;

	all = gen_long_tmp(f, gen_text(f, "stp_hist_buckets(&stat_%u)", gen_statdesc(f->g, stat_var(fe->array)))).c;
	n = put_limit(f, fe, all);
	rows = put_rows(f, st, all);
	id = ++f->ntmp;
	i = gen_text(f, "t%u", id);
	before = f->cost;
	outer = emit_capture(&f->o);
	f->o.indent++;
	f->loop_depth++;
	f->cont = NULL;
	if (rows) { /* the body's statements must not give back the rows' memory */
		f->mark = gen_text(f, "mark_t%u", id);
		f->mark_flag = &mark_used;
	}
	put_bucket(f, fe, rows, i, all);
	gen_body(f, st->body);
	f->loop_depth--;
	f->o.indent--;
	body = emit_release(&f->o, outer);
	if (mark_used)
		emit_line(&f->o, "char *%s = c->scratch;", f->mark);
	emit_open(&f->o, "for (s64 %s = 0; %s < %s; %s++)", i, i, n, i);
	gen_spend(f, f->cost - before + 1, st->loc);
	g_string_append(f->o.text, body->str);
	emit_close(&f->o);
	f->cont = old.cont;
	f->mark = old.mark;
	f->mark_flag = old.mark_flag;
	g_string_free(body, TRUE);
}

void gen_foreach(struct fn *f, struct stmt *st)
{
	if (st->foreach->array->kind == EX_HIST)
		foreach_hist(f, st);
	else
		foreach_array(f, st);
}
