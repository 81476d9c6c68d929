/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matching alias names against probe points (alias_match.h). */
#include <fnmatch.h>
#include <string.h>
#include "alias_match.h"
#include "name_glob.h"
#include "session.h"

bool name_is_piece(const char *name, const char *pattern)
{
	static const char *const words[] = { "cold", "part" };

	if (strchr(pattern, '.'))
		return false;
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
		for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
			size_t len = strlen(words[i]);

			if (!strncmp(dot + 1, words[i], len) && (!dot[1 + len] || dot[1 + len] == '.'))
				return true;
		}
	return false;
}

bool point_is_glob(const struct point *p)
{
	for (size_t i = 0; i < p->ncomps; i++)
		if (name_is_glob(p->comps[i].name))
			return true;
	return false;
}

/* The components from number i on, joined by dots, against the rest of an alias name. */
static bool match_deep(const char *rest, const struct point *p, size_t i)
{
	GString *pattern = g_string_new(NULL);
	bool ok;

	for (; i < p->ncomps; i++) {
		if (pattern->len)
			g_string_append_c(pattern, '.');
		g_string_append(pattern, p->comps[i].name);
		if (p->comps[i].arg) {
			g_string_free(pattern, TRUE);
			return false;
		}
	}
	ok = fnmatch(pattern->str, rest, 0) == 0;
	g_string_free(pattern, TRUE);
	return ok;
}

size_t alias_match(const char *dotted, const struct point *p)
{
	size_t i;

	for (i = 0; i < p->ncomps; i++) {
		const struct point_comp *c = &p->comps[i];
		const char *dot = strchr(dotted, '.');
		size_t len = dot ? (size_t)(dot - dotted) : strlen(dotted);

		if (*dotted == '_' && *c->name != '_')
			return 0; /* the library's own business: wildcards do not mean it */
		if (strstr(c->name, "**"))
			return match_deep(dotted, p, i) ? p->ncomps : 0;
		if (c->arg)
			return 0;
		if (name_is_glob(c->name)) {
			char *part = g_strndup(dotted, len);
			bool ok = name_glob(c->name, part);

			g_free(part);
			if (!ok)
				return 0;
		} else if (strncmp(c->name, dotted, len) || c->name[len]) {
			return 0;
		}
		if (!dot)
			return i + 1;
		dotted = dot + 1;
	}
	return 0;
}

/* Does the pattern's word, "function(STRING)" or "return", stand for the component? */
static bool word_matches(const char *word, const struct point_comp *c)
{
	size_t len = strcspn(word, "(");
	char *name = g_strndup(word, len);
	const char *arg = !c->arg ? "" : c->arg->kind == EX_NUM ? "(NUMBER)" : "(STRING)";
	bool ok = name_glob(c->name, name) && !strcmp(word + len, arg);

	g_free(name);
	return ok;
}

/* A word of a pattern as the component makes it: with the argument given there. */
static void put_word(GString *out, const char *word, const struct point_comp *c)
{
	if (out->len)
		g_string_append_c(out, '.');
	if (!c->arg) {
		g_string_append(out, word);
		return;
	}
	g_string_append_len(out, word, strcspn(word, "("));
	g_string_append_c(out, '(');
	print_expr(out, c->arg);
	g_string_append_c(out, ')');
}

const char *pattern_as_listed(struct session *s, const char *pattern, const struct point *p)
{
	char **words = g_strsplit(pattern, ".", -1);
	size_t n = g_strv_length(words), last = p->ncomps - 1;
	bool deep = !strcmp(p->comps[last].name, "**"), argument = false, ok = n == p->ncomps || (deep && n > p->ncomps);
	GString *text = g_string_new(NULL);
	const char *ret;

	for (size_t i = 0; i < n && ok; i++) {
		const struct point_comp *c = &p->comps[MIN(i, last)];
		size_t len = strcspn(words[i], "(");

		put_word(text, words[i], c);
		ok = word_matches(words[i], c);
		if (ok || !words[i][len] || c->arg || !name_is_glob(c->name))
			continue;
		words[i][len] = 0;
		ok = argument = name_glob(c->name, words[i]);
	}
	ret = ok && argument ? arena_strdup(s, text->str) : NULL;
	g_string_free(text, TRUE);
	g_strfreev(words);
	return ret;
}

struct point *point_from_pattern(struct session *s, const char *pattern, const struct point *p)
{
	char **words = g_strsplit(pattern, ".", -1);
	size_t n = g_strv_length(words);
	bool deep = p->ncomps && !strcmp(p->comps[p->ncomps - 1].name, "**");
	struct point *np = NULL;

	if (n == p->ncomps || (deep && n > p->ncomps)) {
		np = arena_alloc(s, sizeof(*np));
		*np = *p;
		np->ncomps = n;
		np->comps = arena_alloc(s, n * sizeof(*np->comps));
		for (size_t i = 0; i < n && np; i++) {
			const struct point_comp *c = &p->comps[MIN(i, p->ncomps - 1)];

			np->comps[i] = *c;
			np->comps[i].name = arena_strndup(s, words[i], strcspn(words[i], "("));
			if (!word_matches(words[i], c))
				np = NULL;
		}
	}
	g_strfreev(words);
	return np;
}
