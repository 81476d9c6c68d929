/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe POINTS { ... } and the aliases probe NAME = POINTS { ... }, probe NAME += POINTS { ... }. */
#include "parse_priv.h"
#include <string.h>

/* May the points before `=` be the names of an alias? */
static int check_alias_names(struct parser *p, GPtrArray *names, unsigned from)
{
	for (unsigned i = from; i < names->len; i++) {
		const struct point *pt = names->pdata[i];

		if (pt->optional || pt->sufficient || pt->condition)
			return parser_error_at(p, pt->loc, "alias-name", "the name of an alias can not have '?', '!' or a condition");
		for (size_t j = 0; j < pt->ncomps; j++) {
			if (strchr(pt->comps[j].name, '*'))
				return parser_error_at(p, pt->comps[j].loc, "alias-name", "the name of an alias can not have a wildcard");
			if (pt->comps[j].arg)
				return parser_error_at(p, pt->comps[j].loc, "alias-name", "the name of an alias can not have arguments");
		}
	}
	return 0;
}

/* Everything up to the body. */
static int parse_probe_points(struct parser *p, struct probe_decl *d, GPtrArray *names, GPtrArray *points)
{
	bool name_ok = true;

	for (;;) {
		unsigned from = points->len;

		if (parse_points(p, points))
			return -1;
		if (name_ok && (p->cur.kind == T_ASSIGN || p->cur.kind == T_ADD_SET)) {
			if (check_alias_names(p, points, from))
				return -1;
			if (p->cur.kind == T_ADD_SET)
				d->epilogue = true;
			parser_next(p);
			for (unsigned i = 0; i < points->len; i++)
				g_ptr_array_add(names, points->pdata[i]);
			g_ptr_array_set_size(points, 0);
			continue;
		}
		name_ok = false;
		if (parser_accept(p, T_COMMA))
			continue;
		if (p->cur.kind == T_LBRACE)
			return 0;
		return parser_expected(p, names->len ? "',' or '{' and the body of the alias" : "',', '=' or '{' after a probe point");
	}
}

/* After an error in the points: is there a body to look through for more errors? */
static void skip_to_body(struct parser *p)
{
	int level = 0;

	while (p->cur.kind != T_EOF && !at_top_keyword(p)) {
		if (p->cur.kind == T_LBRACE && p->prev.kind != T_DOT && p->prev.kind != T_COMMA && level == 0)
			break;
		level += (p->cur.kind == T_LBRACE) - (p->cur.kind == T_RBRACE);
		level = MAX(level, 0);
		parser_next(p);
	}
	p->parens = 0;
	p->depth = 0;
}

int parse_probe(struct parser *p)
{
	struct probe_decl *d = arena_alloc(p->s, sizeof(*d));
	GPtrArray *names = g_ptr_array_new(), *points = g_ptr_array_new();

	d->loc = p->cur.loc;
	d->from_library = p->file->library;
	p->in_function = false;
	p->loops = 0;
	parser_next(p);
	if (parse_probe_points(p, d, names, points)) {
		skip_to_body(p);
		g_ptr_array_set_size(points, 0);
	}
	if (p->cur.kind == T_LBRACE)
		d->body = parse_block(p);
	d->names = (struct point **)arena_take(p->s, names, &d->nnames);
	d->points = (struct point **)arena_take(p->s, points, &d->npoints);
	if (!d->body || !d->npoints)
		return -1;
	parser_accept(p, T_SEMI);
	g_ptr_array_add(d->nnames ? p->file->aliases : p->file->probes, d);
	return 0;
}
