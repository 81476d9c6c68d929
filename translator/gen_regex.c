/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expression operators.  Each pattern becomes a table and a small function; state numbers are those of
 * struct regex (regex_dfa.h).  In a script that asks for matched() or ngroups() it becomes a second table, which the runtime
 * walks when the first has matched.
 */
#include "gen.h"
#include "regex_dfa.h"

#include <string.h>

static void put_numbers(GString *out, const char *decl, const void *v, unsigned n, unsigned size)
{
	g_string_append_printf(out, "\tstatic const %s = {", decl);
	for (unsigned i = 0; i < n; i++) {
		unsigned x = size == 2 ? ((const uint16_t *)v)[i] : ((const uint8_t *)v)[i];

		g_string_append_printf(out, "%s%u,", i % 24 ? " " : "\n\t\t", x);
	}
	g_string_append(out, "\n\t};\n");
}

static void put_matcher(struct gen *g, const struct regex *re, unsigned id, const char *pattern)
{
	const char *cell = re->nstates > 255 ? "u16" : "u8";
	GString *out = g->consts;
	struct emit comment = { out, 0 };
	char *decl;

	emit_comment(&comment, pattern);
	g_string_append_printf(out, "static bool regex_%u(struct stp_str s)\n{\n", id);
	put_numbers(out, "u8 class[256]", re->class, 256, 1);
	decl = g_strdup_printf("%s next[]", cell);
	put_numbers(out, decl, re->next, re->nstates * re->nclasses, 2);
	put_numbers(out, "u8 end[]", re->end, re->nstates, 1);
	g_string_append_printf(out, "\tu32 state = %d;\n\n\tfor (size_t i = 0; i < s.len && state > %d; i++)\n"
	                       "\t\tstate = next[state * %u + class[(u8)s.p[i]]];\n\treturn end[state];\n}\n",
	                       REGEX_START, REGEX_MATCH, re->nclasses);
	g_free(decl);
}

/* The number of the pattern's function; 0 after an error. */
static unsigned find_matcher(struct fn *f, struct expr *e)
{
	struct gen *g = f->g;
	char *key = g_strdup_printf("regex %s", e->str);
	unsigned id = GPOINTER_TO_UINT(g_hash_table_lookup(g->interned, key));
	struct regex *re;
	const char *err;
	size_t where;

	if (id) {
		g_free(key);
		return id;
	}
	re = regex_compile(e->str, e->len, &err, &where);
	if (!re) {
		gen_error(f, e->loc, "bad-regex", "regular expression: %s, at character %zu", err, where + 1);
		g_free(key);
		return 0;
	}
	id = ++g->nconst;
	put_matcher(g, re, id, e->str);
	g_hash_table_insert(g->interned, key, GUINT_TO_POINTER(id));
	regex_free(re);
	return id;
}

/* ---- matched() ---- */

bool gen_regex_asks(const struct func *fu)
{
	return fu->runtime && (!strcmp(fu->runtime, "fn_matched") || !strcmp(fu->runtime, "fn_ngroups"));
}

void gen_regex_init(struct gen *g)
{
	for (unsigned i = 0; g->s->funcs && i < g->s->funcs->len; i++)
		g->uses_match |= gen_regex_asks(g_ptr_array_index(g->s->funcs, i));
}

/* "static const TYPE re_ID_NAME[] = { ... };" */
static void put_table(GString *out, unsigned id, const char *type, const char *name, const void *v, unsigned n, unsigned size)
{
	char *decl = g_strdup_printf("%s re_%u_%s[]", type, id, name);

	put_numbers(out, decl, v, n, size);
	g_free(decl);
}

static void put_tagged(GString *out, const struct regex_tagged *re, unsigned id)
{
	put_table(out, id, "u8", "class", re->class, 256, 1);
	put_table(out, id, "u8", "sets", re->sets, MAX(re->nstates * re->set_bytes, 1), 1);
	put_table(out, id, "u16", "first", re->first, re->nstates + 3, 2);
	g_string_append_printf(out, "\tstatic const struct stp_regex_move re_%u_move[] = {", id);
	for (unsigned i = 0; i < re->nmoves; i++)
		g_string_append_printf(out, "%s{ %u, %u },", i % 8 ? " " : "\n\t\t", re->move[i].to, re->move[i].tags);
	g_string_append(out, "\n\t};\n");
	put_table(out, id, "u8", "taglist", re->taglist, re->ntaglist, 1);
	put_table(out, id, "u8", "order", re->order, re->ntags, 1);
	put_table(out, id, "u8", "group", re->group, 2 * re->ngroups + 2, 1);
	g_string_append_printf(out, "static const struct stp_regex re_%u = {\n"
	                       "\t.class = re_%u_class, .sets = re_%u_sets, .first = re_%u_first, .move = re_%u_move, "
	                       ".taglist = re_%u_taglist,\n\t.order = re_%u_order, .group = re_%u_group, "
	                       ".nstates = %u, .ntags = %u, .set_bytes = %u, .ngroups = %u,\n};\n",
	                       id, id, id, id, id, id, id, id, re->nstates, re->ntags, re->set_bytes, re->ngroups);
}

/* The pattern's automaton with groups, re_ID; *need: the scratch memory that it takes. */
static unsigned find_tagged(struct fn *f, struct expr *e, size_t *need)
{
	struct gen *g = f->g;
	char *key = g_strdup_printf("groups %s", e->str), *size = g_strdup_printf("need %s", e->str);
	unsigned id = GPOINTER_TO_UINT(g_hash_table_lookup(g->interned, key));
	struct regex_tagged *re;
	const char *err;
	size_t where;

	*need = GPOINTER_TO_UINT(g_hash_table_lookup(g->interned, size));
	re = id ? NULL : regex_tag(e->str, e->len, &err, &where);
	if (re) {
		id = ++g->nconst;
		*need = re->nstates * (8 * re->ntags + 16) + 16 * re->ntags + 64;
		put_tagged(g->consts, re, id);
		g_hash_table_insert(g->interned, key, GUINT_TO_POINTER(id));
		g_hash_table_insert(g->interned, size, GUINT_TO_POINTER((unsigned)*need));
		regex_tag_free(re);
		return id;
	}
	if (!id)
		gen_error(f, e->loc, "bad-regex", "regular expression: %s", err);
	g_free(key);
	g_free(size);
	return id;
}

static struct val find_groups(struct fn *f, struct expr *e, struct val a, unsigned matcher)
{
	size_t need = 0;
	unsigned id = matcher ? find_tagged(f, e->b, &need) : 0;
	struct val v;

	f->matches = true;
	if (!a.atom)
		a = gen_str_tmp(f, a.c, a.reads);
	/* the automaton without groups is much faster at finding that nothing matches */
	emit_line(&f->o, "bool t%u = regex_%u(%s) && stp_regex_find(c, &re_%u, %s);", ++f->ntmp, matcher, a.c, id, a.c);
	v = val_text(TY_LONG, gen_text(f, "%st%u", e->op == OP_NOMATCH ? "!" : "", f->ntmp));
	v.narrow = v.truth = v.atom = true;
	gen_scratch(f, need);
	gen_check(f, e->loc, expr_what(f, e));
	emit_line(&f->o, "if (!t%u)", f->ntmp);
	emit_line(&f->o, "\tc->match->ngroups = 0;");
	return v;
}

void gen_regex_room(struct fn *f, size_t at)
{
	GString *outer, *text;

	if (!f->matches)
		return;
	f->leaf = false;
	f->max_bytes += f->g->maxstr + 512;
	g_string_append_printf(f->top, "\tstruct stp_match *match = stp_tmp(c, sizeof(*match) + %u);\n", f->g->maxstr);
	outer = emit_capture(&f->o);
	gen_check_cond(f, "!match", f->probe->loc, "string");
	emit_line(&f->o, "match->ngroups = 0;");
	emit_line(&f->o, "c->match = match;");
	text = emit_release(&f->o, outer);
	g_string_insert_len(f->o.text, (gssize)at, text->str, (gssize)text->len);
	g_string_free(text, TRUE);
}

struct val gen_regex(struct fn *f, struct expr *e)
{
	struct val a = gen_expr(f, e->a), v;
	unsigned matcher = find_matcher(f, e->b);

	if (f->g->uses_match)
		return find_groups(f, e, a, matcher);
	v = val_text(TY_LONG, gen_text(f, "%sregex_%u(%s)", e->op == OP_NOMATCH ? "!" : "", matcher, a.c));
	v.narrow = v.truth = true;
	v.reads = a.reads;
	v.call = a.call;
	return v;
}
