/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Associative arrays: keys, elements, membership, deletion. */
#include "gen.h"

#include <string.h>

/* union stp_key tN[] = { ... }; returns its name. */
static const char *key_array(struct fn *f, const struct val *v, struct expr **keys, size_t n)
{
	GString *t = g_string_new(NULL);
	const char *name = gen_text(f, "t%u", ++f->ntmp);

	for (size_t i = 0; i < n; i++) {
		if (!keys[i])
			g_string_append_printf(t, "%s{ .l = 0 }", i ? ", " : "");
		else
			g_string_append_printf(t, "%s{ .%c = %s }", i ? ", " : "", v[i].type == TY_STRING ? 's' : 'l', v[i].c);
	}
	emit_line(&f->o, "const union stp_key %s[] = { %s };", name, t->str);
	g_string_free(t, TRUE);
	return name;
}

/* A view of one of the array's own values must not go when the key makes room for itself. */
static bool reads_var(const struct val *v, const struct var *var)
{
	for (struct reads *r = v->reads; r; r = r->next)
		if (r->var == var)
			return true;
	return false;
}

struct mapkey gen_key(struct fn *f, struct expr **keys, size_t n, struct expr *then, struct var *map, bool array)
{
	struct mapkey k = { "", "", 0, NULL };
	struct val v[MAX_KEYS];

	memset(v, 0, sizeof(v));
	for (size_t i = 0; i < n && i < MAX_KEYS; i++) {
		if (!keys[i]) {
			k.any |= 1u << i;
			continue;
		}
		v[i] = gen_expr(f, keys[i]);
		gen_hold_all(f, &v[i], keys + i + 1, n - i - 1);
		if (then)
			gen_hold(f, &v[i], then);
		if (map->wrap && v[i].type == TY_STRING && reads_var(&v[i], map))
			gen_keep(f, &v[i], keys[i]->loc);
		k.reads = reads_join(f, k.reads, v[i].reads);
	}
	if (n == 1 && !k.any && !array) {
		k.suffix = v[0].type == TY_STRING ? "_s" : "_l";
		k.arg = v[0].c;
	} else {
		k.arg = key_array(f, v, keys, n);
	}
	return k;
}

static const char *cell_type(const struct var *map)
{
	return map->type == TY_STRING ? "struct stp_buf" : map->type == TY_STATS ? "struct stp_stat" : "s64";
}

const char *gen_cursor_cell(struct fn *f, struct expr *e)
{
	for (struct cursor *cur = f->cursor; cur; cur = cur->up) {
		struct foreach *fe = cur->fe;
		size_t i = 0;

		if (fe->array->var != e->var || fe->nkeys != e->nargs)
			continue;
		while (i < e->nargs && e->args[i] && e->args[i]->kind == EX_SYM && e->args[i]->var == fe->keys[i]->var)
			i++;
		if (i == e->nargs)
			return gen_text(f, "((%s *)it_%u.cell)", cell_type(e->var), cur->id);
	}
	return NULL;
}

struct mapkey gen_element_key(struct fn *f, struct expr *at, struct expr *then)
{
	if (gen_cursor_cell(f, at)) /* no lookup, so no key */
		return (struct mapkey){ "", "", 0, NULL };
	return gen_key(f, at->args, at->nargs, then, at->var, false);
}

const char *gen_cell(struct fn *f, struct var *map, struct mapkey *k, struct expr *at)
{
	const char *cell = gen_cursor_cell(f, at);

	if (cell)
		return cell;
	cell = gen_text(f, "t%u", ++f->ntmp);
	emit_line(&f->o, "%s *%s = stp_map_at%s(c, g_%s, %s);", cell_type(map), cell, k->suffix, var_cname(map), k->arg);
	gen_check_leaf(f, gen_text(f, "!%s", cell), at->loc, expr_what(f, at));
	return cell;
}

struct val gen_index(struct fn *f, struct expr *e)
{
	struct var *map = e->var;
	const char *cell = gen_cursor_cell(f, e);
	struct mapkey k;
	struct val v;

	f->leaf &= map->type == TY_LONG;
	if (map->type == TY_STATS) {
		gen_error(f, e->loc, "statistic-value", "a statistic has no value; ask for @count, @sum, @min, @max or @avg");
		return val_num(f, 0);
	}
	if (!cell) {
		k = gen_key(f, e->args, e->nargs, NULL, map, false);
		cell = gen_text(f, "t%u", ++f->ntmp);
		emit_line(&f->o, "const %s *%s = stp_map_peek%s(c, g_%s, %s);", cell_type(map), cell, k.suffix, var_cname(map),
		          k.arg);
		if (map->type == TY_STRING)
			return gen_str_tmp(f, gen_text(f, "%s ? stp_buf_get(%s) : STP_STR(\"\")", cell, cell),
			                   reads_add(f, NULL, map));
		return gen_long_tmp(f, gen_text(f, "%s ? *%s : 0", cell, cell));
	}
	if (map->type != TY_STRING)
		return gen_long_tmp(f, gen_text(f, "*%s", cell));
	v = val_text(TY_STRING, gen_text(f, "stp_buf_get(%s)", cell));
	v.atom = true;
	v.reads = reads_add(f, NULL, map);
	return v;
}

struct val gen_in(struct fn *f, struct expr *e)
{
	struct mapkey k = gen_key(f, e->args, e->nargs, NULL, e->var, false);
	unsigned n = ++f->ntmp;
	struct val v;

	f->leaf &= !k.any;
	if (k.any) {
		emit_line(&f->o, "bool t%u = stp_map_any(c, g_%s, %s, %#x);", n, var_cname(e->var), k.arg, k.any);
	} else {
		emit_line(&f->o, "bool t%u = stp_map_peek%s(c, g_%s, %s) != NULL;", n, k.suffix, var_cname(e->var), k.arg);
	}
	v = val_text(TY_LONG, gen_text(f, "t%u", n));
	v.atom = v.narrow = v.truth = true;
	return v;
}

void gen_delete(struct fn *f, struct expr *e)
{
	struct var *v = e->var;
	struct mapkey k;

	if (e->kind == EX_INDEX) {
		k = gen_key(f, e->args, e->nargs, NULL, v, true);
		emit_line(&f->o, "stp_map_del(c, g_%s, %s, %u);", var_cname(v), k.arg, k.any);
		f->leaf = false;
	} else if (v->arity > 0) {
		emit_line(&f->o, "stp_map_clear(c, g_%s);", var_cname(v));
		f->leaf = false;
	} else if (v->type == TY_STATS) {
		emit_line(&f->o, "stp_stat_clear(c, %s);", var_text(f, v));
		f->leaf = false;
	} else if (var_dead(f, v)) {
		return;
	} else if (v->type != TY_STRING) {
		emit_line(&f->o, "%s = 0;", var_text(f, v));
	} else if (var_is_buf(f, v)) {
		emit_line(&f->o, "%s.len = 0;", gen_text(f, "%s%s", v->kind == VAR_GLOBAL ? "g_" : "f->l_", var_cname(v)));
	} else {
		emit_line(&f->o, "%s = STP_STR(\"\");", var_text(f, v));
	}
}
