/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end probe that prints globals which the script never reads (display.h). */
#include <string.h>
#include "display.h"

GPtrArray *display_globals(struct resolver *r)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < r->globals->len; i++) {
		struct var *v = r->globals->pdata[i];

		if (!r->s->opt.no_global_display && !v->from_library && v->nwritten && !v->nread)
			g_ptr_array_add(list, v);
	}
	return list;
}

/* A printf under construction. */
struct printer {
	struct session *s;
	struct loc loc;
	GArray *pieces;   /* struct fmt_piece */
	GPtrArray *args;  /* struct expr */
};

static void put_text(struct printer *p, const char *text)
{
	struct fmt_piece piece = { .width = -1, .prec = -1, .text = arena_strdup(p->s, text), .len = strlen(text) };

	g_array_append_val(p->pieces, piece);
}

static void put_value(struct printer *p, struct expr *e, char conv, unsigned flags)
{
	struct fmt_piece piece = { .conv = conv, .flags = flags, .width = -1, .prec = -1 };

	g_array_append_val(p->pieces, piece);
	g_ptr_array_add(p->args, e);
}

/* A value in the form that a script could hold it in: numbers in hex, strings in quotes. */
static void put_element(struct printer *p, struct expr *e, enum type t)
{
	if (t != TY_STRING) {
		put_value(p, e, 'x', FMT_ALT);
		return;
	}
	put_text(p, "\"");
	put_value(p, e, 's', FMT_ALT);
	put_text(p, "\"");
}

static struct stmt *finish(struct printer *p)
{
	struct expr *e = expr_new(p->s, EX_PRINT, p->loc);
	struct stmt *st = stmt_new(p->s, ST_EXPR, p->loc);

	e->print = arena_alloc(p->s, sizeof(*e->print));
	e->print->kind = PRINT_PRINTF;
	e->print->npiece = p->pieces->len;
	e->print->piece = arena_alloc(p->s, p->pieces->len * sizeof(struct fmt_piece));
	memcpy(e->print->piece, p->pieces->data, p->pieces->len * sizeof(struct fmt_piece));
	e->args = (struct expr **)arena_take(p->s, p->args, &e->nargs);
	e->type = TY_LONG;
	g_array_free(p->pieces, TRUE);
	st->expr = e;
	return st;
}

static struct printer begin(struct session *s, struct loc loc)
{
	return (struct printer){ s, loc, g_array_new(FALSE, FALSE, sizeof(struct fmt_piece)), g_ptr_array_new() };
}

static struct expr *var_ref(struct session *s, struct var *v, struct expr **keys, size_t n)
{
	struct expr *e = expr_new(s, n ? EX_INDEX : EX_SYM, v->loc);

	e->name = v->name;
	e->var = v;
	e->type = v->type;
	e->args = keys;
	e->nargs = n;
	return e;
}

static struct expr *stat_ref(struct session *s, struct var *v, enum stat_op op, struct expr **keys, size_t n)
{
	struct expr *e = expr_new(s, EX_STATOP, v->loc);

	e->stat = op;
	e->a = var_ref(s, v, keys, n);
	e->type = TY_LONG;
	return e;
}

/* " @count=... @avg=..." of a statistic or an element of an array of them. */
static void put_stat(struct printer *p, struct var *v, struct expr **keys, size_t n)
{
	static const struct {
		enum stat_op op;
		const char *text;
	} ops[] = {
		{ STAT_COUNT, " @count=" }, { STAT_MIN, " @min=" }, { STAT_MAX, " @max=" }, { STAT_SUM, " @sum=" },
		{ STAT_AVG, " @avg=" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
		put_text(p, ops[i].text);
		put_value(p, stat_ref(p->s, v, ops[i].op, keys, n), 'x', FMT_ALT);
	}
}

/* An empty statistic has a count and nothing else. */
static struct stmt *show_stat(struct session *s, struct var *v)
{
	struct stmt *st = stmt_new(s, ST_IF, v->loc);
	struct printer p = begin(s, v->loc);

	st->expr = stat_ref(s, v, STAT_COUNT, NULL, 0);
	put_text(&p, v->name);
	put_stat(&p, v, NULL, 0);
	put_text(&p, "\n");
	st->body = finish(&p);
	p = begin(s, v->loc);
	put_text(&p, v->name);
	put_text(&p, " @count=0x0\n");
	st->other = finish(&p);
	return st;
}

static struct stmt *show_scalar(struct session *s, struct var *v)
{
	struct printer p = begin(s, v->loc);

	if (v->type == TY_STATS) {
		g_array_free(p.pieces, TRUE);
		g_ptr_array_free(p.args, TRUE);
		return show_stat(s, v);
	}
	put_text(&p, v->name);
	put_text(&p, "=");
	put_element(&p, var_ref(s, v, NULL, 0), v->type);
	put_text(&p, "\n");
	return finish(&p);
}

static struct expr *local_ref(struct resolver *r, struct unit *u, const char *name, enum type t, struct loc loc)
{
	struct var *l = arena_alloc(r->s, sizeof(*l));

	l->kind = VAR_LOCAL;
	l->name = l->cname = name;
	l->loc = l->type_loc = loc;
	l->type = t;
	l->lock = -1;
	l->nread = l->nwritten = 1;
	g_ptr_array_add(u->locals, l);
	return var_ref(r->s, l, NULL, 0);
}

/* foreach ([k...] in v-) printf("v[...]=...") */
static struct stmt *show_array(struct resolver *r, struct unit *u, struct var *v)
{
	struct session *s = r->s;
	struct stmt *st = stmt_new(s, ST_FOREACH, v->loc);
	struct foreach *fe = st->foreach = arena_alloc(s, sizeof(*fe));
	struct printer p = begin(s, v->loc);

	fe->array = var_ref(s, v, NULL, 0);
	fe->sort_dir = -1;
	fe->nkeys = v->arity;
	fe->keys = arena_alloc(s, v->arity * sizeof(*fe->keys));
	put_text(&p, v->name);
	put_text(&p, "[");
	for (int i = 0; i < v->arity; i++) {
		if (i)
			put_text(&p, ",");
		fe->keys[i] = local_ref(r, u, arena_printf(s, "%s_key%d", v->name, i + 1), v->key[i], v->loc);
		if (v->key[i] == TY_STRING)
			put_element(&p, fe->keys[i], TY_STRING);
		else
			put_value(&p, fe->keys[i], 'd', 0);
	}
	put_text(&p, "]");
	if (v->type == TY_STATS) {
		put_stat(&p, v, fe->keys, fe->nkeys);
	} else {
		put_text(&p, "=");
		fe->value = local_ref(r, u, arena_printf(s, "%s_value", v->name), v->type, v->loc);
		put_element(&p, fe->value, v->type);
	}
	put_text(&p, "\n");
	st->body = finish(&p);
	return st;
}

void display_add_probe(struct resolver *r, const GPtrArray *globals)
{
	struct session *s = r->s;
	struct point_comp end = { .name = "end" };
	struct point point = { .comps = &end, .ncomps = 1 };
	const struct provider *pr = provider_find(&point);
	GPtrArray *made = g_ptr_array_new(), *list = g_ptr_array_new();
	struct probe *p;
	struct unit *u;

	if (!globals->len || !pr || pr->derive(s, NULL, &point, false, made) || !made->len) {
		g_ptr_array_free(made, TRUE);
		g_ptr_array_free(list, TRUE);
		return;
	}
	p = made->pdata[0];
	p->provider = pr;
	p->pattern = p->point;
	p->loc = ((struct var *)globals->pdata[0])->loc;
	p->arg = INT64_MAX; /* after the script's own */
	p->body = stmt_new(s, ST_BLOCK, p->loc);
	u = unit_for_probe(r, p);
	for (guint i = 0; i < globals->len; i++) {
		struct var *v = globals->pdata[i];

		g_ptr_array_add(list, v->arity > 0 ? show_array(r, u, v) : show_scalar(s, v));
	}
	p->body->list = (struct stmt **)arena_take(s, list, &p->body->nlist);
	g_ptr_array_add(s->probes, p);
	g_ptr_array_free(made, TRUE);
}
