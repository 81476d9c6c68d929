/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each statistic has to keep: the operators and the histogram that the script asks it for. */
#include "infer.h"

struct stat_walk {
	struct resolver *r;
	int errors;
};

static bool same_shape(const struct hist_shape *a, const struct hist_shape *b)
{
	return a->kind == b->kind &&
	       (a->kind != HIST_LINEAR || (a->low == b->low && a->high == b->high && a->width == b->width));
}

static void note_hist(struct stat_walk *sw, const struct expr *e, struct var *v)
{
	struct session *s = sw->r->s;

	v->stat_ops |= STAT_HIST;
	if (v->hist.kind == HIST_NONE) {
		v->hist = e->hist;
		if (e->hist.kind == HIST_LINEAR && (e->hist.width <= 0 || e->hist.high <= e->hist.low)) {
			sw->errors++;
			diag_error(s, e->loc, "histogram-shape",
				   "@hist_linear takes LOW, HIGH and WIDTH with LOW < HIGH and WIDTH > 0");
		}
		return;
	}
	if (same_shape(&v->hist, &e->hist))
		return;
	sw->errors++;
	diag_error(s, e->loc, "histogram-conflict", "statistic '%s' is asked for two different histograms", v->name);
	diag_note(s, v->loc, "declared here");
}

static bool note_operator(struct walker *w, struct expr **pe)
{
	struct stat_walk *sw = w->data;
	struct expr *e = *pe;
	struct var *v = e->a ? e->a->var : NULL;

	if (e->kind == EX_STATOP && v) {
		v->stat_ops |= e->stat;
		if (e->stat == STAT_VARIANCE && e->nargs && e->args[0] && e->args[0]->kind == EX_NUM)
			v->bit_shift = e->args[0]->num;
	} else if (e->kind == EX_HIST && v) {
		note_hist(sw, e, v);
	}
	return true;
}

static bool note_sort(struct walker *w, struct stmt **pst)
{
	struct stmt *st = *pst;
	struct foreach *fe = st->foreach;

	if (st->kind != ST_FOREACH || !fe->array->var || fe->array->var->type != TY_STATS)
		return true;
	if (fe->sort_stat)
		fe->array->var->stat_ops |= fe->sort_stat;
	else if (fe->sort_dir && fe->sort_by == 0)
		fe->array->var->stat_ops |= fe->sort_stat = STAT_COUNT;
	return true;
}

int infer_stats(struct resolver *r)
{
	struct stat_walk sw = { .r = r };
	struct walker w = { .expr = note_operator, .stmt = note_sort, .data = &sw };

	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (*u->body)
			walk_stmt(&w, u->body);
	}
	return sw.errors ? -1 : 0;
}
