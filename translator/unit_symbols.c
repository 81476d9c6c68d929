/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Global names of a C source, without a compiler: top-level statements are followed, everything in braces is skipped. */
#include "unit_symbols.h"

#include <ctype.h>
#include <string.h>

/* A top-level statement, up to its ';' or the end of its body. */
struct statement {
	bool local;           /* static, extern, typedef: defines nothing for others */
	bool macro;           /* begins with a name in capitals: what is in its parentheses may be defined */
	bool started;
	unsigned parens;
	bool call;            /* behind a ')': a '{' begins a function's body */
	GPtrArray *functions; /* names before '(' */
	GPtrArray *objects;   /* names before '=', '[', ',' and ';' */
	char *last;           /* the last name outside parentheses */
};

struct scan {
	const char *p;
	struct unit_symbols *us;
	struct statement st;
};

static void statement_reset(struct statement *st)
{
	st->local = st->macro = st->started = st->call = false;
	st->parens = 0;
	g_ptr_array_set_size(st->functions, 0);
	g_ptr_array_set_size(st->objects, 0);
	g_clear_pointer(&st->last, g_free);
}

static void names_add(struct scan *s, GPtrArray *names)
{
	for (guint i = 0; i < names->len; i++)
		g_hash_table_add(s->us->names, g_strdup(names->pdata[i]));
}

static void statement_end(struct scan *s, bool body)
{
	if (!s->st.local && body)
		names_add(s, s->st.functions);
	else if (!s->st.local)
		names_add(s, s->st.objects);
	statement_reset(&s->st);
}

static void comment_skip(struct scan *s)
{
	const char *end = strstr(s->p, "*/"), *what = strstr(s->p, "defines:");

	if (!end)
		end = s->p + strlen(s->p);
	if (what && what < end) {
		char *text = g_strndup(what + 8, end - what - 8), **words = g_strsplit_set(text, " \t\n*", -1);

		for (char **w = words; *w; w++)
			if (**w)
				g_ptr_array_add(s->us->prefixes, g_strdup(*w));
		g_strfreev(words);
		g_free(text);
	}
	s->p = *end ? end + 2 : end;
}

static void line_skip(struct scan *s)
{
	while (*s->p && *s->p != '\n') {
		if (s->p[0] == '\\' && s->p[1])
			s->p++;
		s->p++;
	}
}

static void quoted_skip(struct scan *s)
{
	char quote = *s->p++;

	while (*s->p && *s->p != quote && *s->p != '\n') {
		if (s->p[0] == '\\' && s->p[1])
			s->p++;
		s->p++;
	}
	if (*s->p)
		s->p++;
}

/* Comments, preprocessor lines, quoted text: true when there was something to skip. */
static bool skip(struct scan *s, bool line_start)
{
	if (s->p[0] == '/' && s->p[1] == '*') {
		s->p += 2;
		comment_skip(s);
	} else if ((s->p[0] == '/' && s->p[1] == '/') || (line_start && *s->p == '#')) {
		line_skip(s);
	} else if (*s->p == '"' || *s->p == '\'') {
		quoted_skip(s);
	} else {
		return false;
	}
	return true;
}

static void body_skip(struct scan *s)
{
	unsigned depth = 0;
	bool line_start = false;

	while (*s->p) {
		if (skip(s, line_start))
			continue;
		depth += *s->p == '{';
		depth -= *s->p == '}';
		line_start = *s->p == '\n' || (line_start && isspace((unsigned char)*s->p));
		s->p++;
		if (depth == 0)
			return;
	}
}

static bool in_capitals(const char *name)
{
	for (; *name; name++)
		if (islower((unsigned char)*name))
			return false;
	return true;
}

static void word_read(struct scan *s)
{
	const char *start = s->p;
	struct statement *st = &s->st;
	char *word;

	while (isalnum((unsigned char)*s->p) || *s->p == '_')
		s->p++;
	word = g_strndup(start, s->p - start);
	if (!st->started)
		st->macro = in_capitals(word);
	st->started = true;
	if (g_str_equal(word, "static") || g_str_equal(word, "extern") || g_str_equal(word, "typedef"))
		st->local = true;
	if (st->parens && st->macro)
		g_ptr_array_add(st->objects, g_strdup(word));
	if (st->parens) {
		g_free(word);
	} else {
		g_free(st->last);
		st->last = word;
	}
}

static void sign_read(struct scan *s)
{
	struct statement *st = &s->st;
	char c = *s->p++;

	if (!st->parens && st->last && c == '(')
		g_ptr_array_add(st->functions, g_strdup(st->last));
	if (!st->parens && st->last && !st->call && strchr("=[,;", c))
		g_ptr_array_add(st->objects, g_strdup(st->last));
	if (c == '(')
		st->parens++;
	else if (c == ')' && st->parens)
		st->parens--;
	if (c == ')')
		st->call = true;
	else if (c == '=')
		st->call = false;
	if (c == ';' && !st->parens)
		statement_end(s, false);
}

struct unit_symbols *unit_symbols_read(const char *text)
{
	struct unit_symbols *us = g_new0(struct unit_symbols, 1);
	struct scan s = { .p = text, .us = us };
	bool line_start = true;

	us->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	us->prefixes = g_ptr_array_new_with_free_func(g_free);
	s.st.functions = g_ptr_array_new_with_free_func(g_free);
	s.st.objects = g_ptr_array_new_with_free_func(g_free);
	while (*s.p) {
		unsigned char c = *s.p;

		if (skip(&s, line_start))
			continue;
		line_start = c == '\n' || (line_start && isspace(c));
		if (c == '{') {
			bool function = s.st.call;

			body_skip(&s);
			if (function)
				statement_end(&s, true);
		} else if (isalpha(c) || c == '_') {
			word_read(&s);
		} else if (isspace(c)) {
			s.p++;
		} else {
			sign_read(&s);
		}
	}
	statement_reset(&s.st);
	g_ptr_array_free(s.st.functions, TRUE);
	g_ptr_array_free(s.st.objects, TRUE);
	return us;
}

void unit_symbols_free(struct unit_symbols *us)
{
	g_hash_table_destroy(us->names);
	g_ptr_array_free(us->prefixes, TRUE);
	g_free(us);
}

bool unit_symbols_has(const struct unit_symbols *us, const char *name)
{
	if (g_hash_table_contains(us->names, name))
		return true;
	for (guint i = 0; i < us->prefixes->len; i++)
		if (g_str_has_prefix(name, us->prefixes->pdata[i]))
			return true;
	return false;
}
