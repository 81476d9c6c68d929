/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The print family and string concatenation.  All arguments are evaluated first; then pieces go to the handler's
 * output, or to a sink in scratch memory.  Neighbouring constant pieces become one.
 */
#include "gen.h"

#include <string.h>

struct printer {
	struct fn *f;
	struct expr *e;
	const char *sink;      /* C text of the struct stp_sink * */
	GString *literal;      /* constant text not written yet */
};

static void flush_literal(struct printer *p)
{
	GString *t;

	if (!p->literal->len)
		return;
	t = g_string_new(NULL);
	emit_c_string(t, p->literal->str, p->literal->len);
	emit_line(&p->f->o, "stp_put(c, %s, %s, %zu);", p->sink, t->str, p->literal->len);
	g_string_free(t, TRUE);
	g_string_truncate(p->literal, 0);
}

static void put_plain(struct printer *p, struct val v)
{
	if (v.is_const && v.type == TY_STRING) {
		g_string_append_len(p->literal, v.lit, (gssize)v.len);
	} else if (v.is_const) {
		g_string_append_printf(p->literal, "%lld", (long long)v.num);
	} else {
		flush_literal(p);
		emit_line(&p->f->o, "stp_put_%s(c, %s, %s);", v.type == TY_STRING ? "str" : "dec", p->sink, v.c);
	}
}

static void put_hist(struct printer *p, struct expr *hist)
{
	const struct hist_shape *h = &hist->hist;
	int64_t n = h->kind == HIST_LINEAR && h->width > 0 ? (h->high - h->low) / h->width + 3 : 130;
	bool maybe;
	const char *ref;

	flush_literal(p);
	ref = gen_stat_ref(p->f, hist->a, &maybe);
	gen_scratch(p->f, (size_t)n * 8);
	if (maybe)
		emit_line(&p->f->o, "if (%s)", ref);
	emit_line(&p->f->o, "%sstp_put_hist(c, %s, %s);", maybe ? "\t" : "", p->sink, ref);
	gen_check(p->f, p->e->loc, expr_what(p->f, p->e));
}

/* ---- formats ---- */

static const char *flags_text(struct fn *f, unsigned flags)
{
	static const char *const names[] = { "STP_FMT_MINUS", "STP_FMT_PLUS", "STP_FMT_SPACE", "STP_FMT_ALT", "STP_FMT_ZERO" };
	const char *t = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		if (flags & 1u << i)
			t = t ? gen_text(f, "%s | %s", t, names[i]) : names[i];
	return t ? t : "0";
}

/* The address of a struct stp_fmt for one conversion; w and prec are the arguments of `*`. */
static const char *format_ref(struct fn *f, const struct fmt_piece *pc, const struct val *w, const struct val *prec)
{
	const char *flags = flags_text(f, pc->flags), *width = gen_text(f, "%d", pc->width), *pr;

	if (!pc->width_arg && !pc->prec_arg)
		return gen_text(f, "&fmt_%u", gen_const(f->g, "struct stp_fmt fmt",
		                gen_text(f, "{ '%c', %s, %d, %d }", pc->conv, flags, pc->width, pc->prec)));
	if (pc->width_arg) { /* a negative width puts the text to the left */
		const char *name = gen_text(f, "t%u", ++f->ntmp);

		emit_line(&f->o, "s32 %s = (s32)%s;", name, paren(f, *w));
		width = gen_text(f, "%s < 0 ? -%s : %s", name, name, name);
		flags = gen_text(f, "%s | (%s < 0 ? STP_FMT_MINUS : 0)", flags, name);
	}
	pr = pc->prec_arg ? gen_text(f, "(s32)%s", paren(f, *prec)) : gen_text(f, "%d", pc->prec);
	emit_line(&f->o, "const struct stp_fmt t%u = { '%c', %s, %s, %s };", ++f->ntmp, pc->conv, flags, width, pr);
	return gen_text(f, "&t%u", f->ntmp);
}

static void put_conversion(struct printer *p, const struct fmt_piece *pc, struct val v, struct val *w, struct val *prec)
{
	struct fn *f = p->f;
	bool plain = !pc->flags && pc->width < 0 && pc->prec < 0 && !pc->width_arg && !pc->prec_arg;
	const char *ref;

	if (plain && ((pc->conv == 'd' && v.type == TY_LONG) || (pc->conv == 's' && v.type == TY_STRING))) {
		put_plain(p, v);
		return;
	}
	flush_literal(p);
	if (plain && pc->conv == 'x') {
		emit_line(&f->o, "stp_put_hex(c, %s, (u64)%s%s);", p->sink, v.narrow ? "(s64)" : "", paren(f, v));
		return;
	}
	ref = format_ref(f, pc, w, prec);
	if (pc->conv == 'm' || pc->conv == 'M') {
		emit_line(&f->o, "stp_put_mem(c, %s, %s, (u64)%s);", p->sink, ref, paren(f, v));
		gen_check(f, p->e->loc, expr_what(f, p->e));
	} else {
		emit_line(&f->o, "stp_put_%s(c, %s, %s, %s);", v.type == TY_STRING ? "fstr" : "long", p->sink, ref, v.c);
	}
}

static void put_format(struct printer *p, const struct print *pr, struct val *v)
{
	size_t n = p->e->nargs, next = 0;

	for (size_t i = 0; i < pr->npiece; i++) {
		const struct fmt_piece *pc = &pr->piece[i];
		struct val *w = NULL, *prec = NULL;

		if (!pc->conv) {
			g_string_append_len(p->literal, pc->text, (gssize)pc->len);
			continue;
		}
		if (pc->width_arg && next < n)
			w = &v[next++];
		if (pc->prec_arg && next < n)
			prec = &v[next++];
		if (next < n)
			put_conversion(p, pc, v[next], w, prec);
		next++;
	}
}

static void put_items(struct printer *p, const struct print *pr, struct val *v)
{
	bool delim = pr->kind == PRINT_PRINTD || pr->kind == PRINT_PRINTDLN;

	for (size_t i = 0; i < p->e->nargs; i++) {
		if (delim && i)
			g_string_append_len(p->literal, pr->delim, (gssize)pr->delim_len);
		if (p->e->args[i]->kind == EX_HIST)
			put_hist(p, p->e->args[i]);
		else
			put_plain(p, v[i]);
	}
	if (pr->kind == PRINT_PRINTLN || pr->kind == PRINT_PRINTDLN)
		g_string_append_c(p->literal, '\n');
}

/* ---- arguments ---- */

/* How many arguments from i on are statistics of one operand, so that they are read at one moment. */
static size_t stat_run(struct expr **e, size_t n)
{
	size_t i = 1;

	if (e[0]->kind != EX_STATOP)
		return 0;
	while (i < n && e[i]->kind == EX_STATOP && expr_same(e[0]->a, e[i]->a))
		i++;
	return i;
}

static void gen_args(struct fn *f, struct expr **e, size_t n, struct val *v)
{
	for (size_t i = 0; i < n;) {
		size_t run = stat_run(e + i, n - i);

		if (run > 1) {
			gen_statops(f, e + i, run, v + i);
			i += run;
			continue;
		}
		if (e[i]->kind != EX_HIST) {
			v[i] = gen_expr(f, e[i]);
			gen_hold_all(f, &v[i], e + i + 1, n - i - 1);
		}
		i++;
	}
}

static const char *sink_begin(struct fn *f)
{
	unsigned n = ++f->ntmp;

	emit_line(&f->o, "struct stp_sink t%u;", n);
	emit_line(&f->o, "stp_sprint_begin(c, &t%u);", n);
	gen_scratch(f, 0);
	return gen_text(f, "&t%u", n);
}

static struct val sink_end(struct fn *f, const char *sink, struct expr *e)
{
	struct val v = gen_str_tmp(f, gen_text(f, "stp_sprint_end(c, %s)", sink), NULL);

	gen_check(f, e->loc, expr_what(f, e));
	return v;
}

struct val gen_print(struct fn *f, struct expr *e)
{
	struct printer p = { f, e, "stp_out(c)", g_string_new(NULL) };
	struct val *v = g_new0(struct val, e->nargs + 1), result = val_num(f, 0);

	f->leaf = false;
	gen_args(f, e->args, e->nargs, v);
	if (e->print->to_string)
		p.sink = sink_begin(f);
	if (e->print->kind == PRINT_PRINTF)
		put_format(&p, e->print, v);
	else
		put_items(&p, e->print, v);
	flush_literal(&p);
	if (e->print->to_string)
		result = sink_end(f, p.sink, e);
	g_string_free(p.literal, TRUE);
	g_free(v);
	return result;
}

/* ---- concatenation ---- */

void concat_parts(struct expr *e, GPtrArray *out)
{
	if (e->kind == EX_BINARY && e->op == OP_CONCAT) {
		concat_parts(e->a, out);
		concat_parts(e->b, out);
	} else {
		g_ptr_array_add(out, e);
	}
}

struct val gen_concat(struct fn *f, struct expr *e)
{
	struct printer p = { f, e, NULL, g_string_new(NULL) };
	GPtrArray *parts = g_ptr_array_new();
	struct val *v, result;

	f->leaf = false;
	concat_parts(e, parts);
	v = g_new0(struct val, parts->len);
	gen_list(f, (struct expr **)parts->pdata, parts->len, v);
	if (parts->len == 2) {
		result = gen_str_tmp(f, gen_text(f, "stp_str_cat(c, %s, %s)", v[0].c, v[1].c), NULL);
		gen_scratch(f, 0);
		gen_check(f, e->loc, expr_what(f, e));
	} else { /* one copy of each instead of one a step */
		p.sink = sink_begin(f);
		for (unsigned i = 0; i < parts->len; i++)
			put_plain(&p, v[i]);
		flush_literal(&p);
		result = sink_end(f, p.sink, e);
	}
	g_string_free(p.literal, TRUE);
	g_ptr_array_free(parts, TRUE);
	g_free(v);
	return result;
}
