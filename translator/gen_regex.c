/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expression operators.  Each pattern becomes a table and a small function; state numbers are those of
 * struct regex (regex_dfa.h).
 */
#include "gen.h"
#include "regex_dfa.h"

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

struct val gen_regex(struct fn *f, struct expr *e)
{
	struct val a = gen_expr(f, e->a), v;

	v = val_text(TY_LONG, gen_text(f, "%sregex_%u(%s)", e->op == OP_NOMATCH ? "!" : "", find_matcher(f, e->b), a.c));
	v.narrow = v.truth = true;
	v.reads = a.reads;
	v.call = a.call;
	return v;
}
