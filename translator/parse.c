/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file: declarations one after the other. */
#include "parse_priv.h"
#include "arena.h"

static void free_list(void *list)
{
	g_ptr_array_free(list, TRUE);
}

static GPtrArray *new_list(struct session *s)
{
	GPtrArray *list = g_ptr_array_new();

	arena_defer(s, free_list, list);
	return list;
}

static struct file *file_new(struct session *s, struct source *src, bool library, bool guru)
{
	struct file *f = arena_alloc(s, sizeof(*f));

	f->src = src;
	f->library = library;
	f->guru = guru;
	f->probes = new_list(s);
	f->aliases = new_list(s);
	f->globals = new_list(s);
	f->funcs = new_list(s);
	f->embeds = new_list(s);
	return f;
}

static int parse_embed_top(struct parser *p)
{
	struct stmt *st = stmt_new(p->s, ST_EMBEDDED, p->cur.loc);

	st->code = parse_embedded(p);
	if (!st->code) {
		parser_next(p);
		return 0; /* reported; what follows can be parsed all the same */
	}
	g_ptr_array_add(p->file->embeds, st);
	return 0;
}

static void unknown_decl(struct parser *p)
{
	static const char *const words[] = { "probe", "global", "private", "function" };
	GPtrArray *names = g_ptr_array_new();
	const char *near = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		g_ptr_array_add(names, (char *)words[i]);
	if (p->cur.kind == T_IDENT)
		near = diag_nearest(parser_name(p, &p->cur), names);
	g_ptr_array_free(names, TRUE);
	parser_expected(p, "'probe', 'global', 'private', 'function' or '%{'");
	if (near)
		parser_help(p, "did you mean '%s'?", near);
	parser_next(p);
	sync_top(p);
}

static int parse_decl(struct parser *p)
{
	switch (p->cur.kind) {
	case T_PROBE: return parse_probe(p);
	case T_GLOBAL: return parse_global(p, false);
	case T_FUNCTION: return parse_function(p, false);
	case T_EMBED: return parse_embed_top(p);
	case T_SEMI:
		parser_next(p);
		return 0;
	case T_PRIVATE:
		parser_next(p);
		if (p->cur.kind == T_GLOBAL)
			return parse_global(p, true);
		if (p->cur.kind == T_FUNCTION)
			return parse_function(p, true);
		return parser_expected(p, "'global' or 'function' after 'private'");
	default:
		unknown_decl(p);
		return 0;
	}
}

/* After an error: behind the body of the declaration it was in, or at the next keyword. */
static void sync_decl(struct parser *p)
{
	if (p->prev.kind == T_RBRACE || at_top_keyword(p))
		p->parens = p->loops = p->depth = 0;
	else
		sync_top(p);
}

struct file *parse_source(struct session *s, struct source *src, bool library, bool guru)
{
	struct parser p = { .s = s };
	int pass = s->pass;
	bool failed;

	s->pass = 1; /* library files are read while other passes run */
	p.file = file_new(s, src, library, guru);
	pp_init(&p.pp, s, src, library, guru);
	parser_next(&p);
	while (p.cur.kind != T_EOF)
		if (parse_decl(&p))
			sync_decl(&p);
	failed = p.nerrors || p.pp.nerrors;
	pp_free(&p.pp);
	s->pass = pass;
	return failed ? NULL : p.file;
}
