/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quick scan of a library file: what it defines, without parsing it.  The words function, global,
 * probe and private are reserved, so one that is not a component or member begins a definition
 * wherever it stands; braces need not be matched, which preprocessor conditions may unbalance.
 */
#include <string.h>
#include "library.h"

struct scan {
	struct session *s;
	const char *p, *end;
	library_found_fn *found;
	void *data;
	char prev; /* last character of the token before, to tell `.function` from `function` */
};

static void skip_until(struct scan *sc, const char *stop)
{
	size_t n = strlen(stop);
	const char *q = memmem(sc->p, sc->end - sc->p, stop, n);

	sc->p = q ? q + n : sc->end;
}

static void skip_string(struct scan *sc)
{
	for (sc->p++; sc->p < sc->end && *sc->p != '"' && *sc->p != '\n'; sc->p++)
		if (*sc->p == '\\' && sc->p + 1 < sc->end)
			sc->p++;
	if (sc->p < sc->end)
		sc->p++;
}

static bool starts(const struct scan *sc, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(sc->end - sc->p) >= n && !memcmp(sc->p, text, n);
}

/* Without the locale, which isalnum() asks. */
static const unsigned char word_class[256] = { ['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1, ['_'] = 1 };

static inline bool is_word(char c)
{
	return word_class[(unsigned char)c];
}

static inline bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(struct scan *sc)
{
	while (sc->p < sc->end) {
		if (is_blank(*sc->p))
			sc->p++;
		else if (is_word(*sc->p))
			return;
		else if (*sc->p == '#' || starts(sc, "//"))
			skip_until(sc, "\n");
		else if (starts(sc, "/*"))
			sc->p += 2, skip_until(sc, "*/");
		else
			return;
	}
}

/* The word at the scan's position, which moves behind it; NULL (and no move) when there is none. */
static const char *take_word(struct scan *sc)
{
	const char *start;

	skip_space(sc);
	start = sc->p;
	while (sc->p < sc->end && is_word(*sc->p))
		sc->p++;
	return sc->p == start ? NULL : arena_strndup(sc->s, start, sc->p - start);
}

/* $1 @1 $# @#: the last two do not begin a comment. */
static void skip_argument(struct scan *sc)
{
	sc->p++;
	if (sc->p < sc->end && *sc->p == '#')
		sc->p++;
	else
		while (sc->p < sc->end && is_word(*sc->p))
			sc->p++;
}

/* Behind the name of a global: type, %, size and value. */
static void skip_declarator(struct scan *sc)
{
	for (skip_space(sc); sc->p < sc->end; skip_space(sc)) {
		if (*sc->p == '[') {
			skip_until(sc, "]");
		} else if (*sc->p == ':') {
			sc->p++;
			take_word(sc);
		} else if (*sc->p == '%') {
			sc->p++;
		} else if (*sc->p == '=') {
			sc->p++;
			skip_space(sc);
			if (sc->p < sc->end && *sc->p == '-')
				sc->p++;
			skip_space(sc);
			if (sc->p < sc->end && *sc->p == '"')
				skip_string(sc);
			else if (sc->p < sc->end && (*sc->p == '@' || *sc->p == '$'))
				skip_argument(sc);
			else
				take_word(sc);
		} else {
			return;
		}
	}
}

static void scan_globals(struct scan *sc)
{
	const char *name;

	while ((name = take_word(sc))) {
		sc->found(sc->data, LIB_GLOBAL, name);
		skip_declarator(sc);
		if (sc->p >= sc->end || *sc->p != ',')
			return;
		sc->p++;
	}
}

/* A component's argument: "(...)" with strings in it. */
static void skip_parens(struct scan *sc)
{
	int depth = 0;

	while (sc->p < sc->end) {
		if (*sc->p == '"') {
			skip_string(sc);
			continue;
		}
		if (*sc->p == '(')
			depth++;
		if (*sc->p++ == ')' && --depth == 0)
			return;
	}
}

/* probe A, B = ..., A += ..., or A = B = ...: what stands before a sign is aliases; a probe without one defines nothing. */
static void scan_probe(struct scan *sc)
{
	GPtrArray *names = g_ptr_array_new();
	GString *name = g_string_new(NULL);

	for (skip_space(sc); sc->p < sc->end; skip_space(sc)) {
		char c = *sc->p;

		if (is_word(c) || c == '.' || c == '*') {
			g_string_append_c(name, c);
			sc->p++;
		} else if (c == '(') {
			skip_parens(sc);
		} else if (c == ',') {
			g_ptr_array_add(names, arena_strdup(sc->s, name->str));
			g_string_truncate(name, 0);
			sc->p++;
		} else if (name->len && (c == '=' || starts(sc, "+="))) {
			g_ptr_array_add(names, arena_strdup(sc->s, name->str));
			for (guint i = 0; i < names->len; i++)
				sc->found(sc->data, LIB_ALIAS, names->pdata[i]);
			g_ptr_array_set_size(names, 0);
			g_string_truncate(name, 0);
			sc->p += c == '=' ? 1 : 2;
		} else {
			break;
		}
	}
	g_string_free(name, TRUE);
	g_ptr_array_free(names, TRUE);
}

static void scan_definition(struct scan *sc, const char *word, size_t len)
{
	const char *name;

	if (len == 8 && !memcmp(word, "function", 8)) {
		name = take_word(sc);
		if (name)
			sc->found(sc->data, LIB_FUNC, name);
	} else if (len == 6 && !memcmp(word, "global", 6)) {
		scan_globals(sc);
	} else if (len == 5 && !memcmp(word, "probe", 5)) {
		scan_probe(sc);
	}
}

void library_scan(struct session *s, const char *text, size_t len, library_found_fn *found, void *data)
{
	struct scan sc = { .s = s, .p = text, .end = text + len, .found = found, .data = data };

	for (skip_space(&sc); sc.p < sc.end; skip_space(&sc)) {
		const char *start = sc.p;

		if (*sc.p == '"') {
			skip_string(&sc);
			sc.prev = '"';
		} else if (starts(&sc, "%{")) {
			skip_until(&sc, "%}");
			sc.prev = '}';
		} else if (starts(&sc, "@define")) {
			const char *name;

			sc.p += 7;
			name = take_word(&sc);
			if (name)
				found(data, LIB_MACRO, name);
			sc.prev = 'm';
		} else if (*sc.p == '$' || *sc.p == '@') {
			skip_argument(&sc);
			sc.prev = 'w';
		} else if (is_word(*sc.p)) {
			char prev = sc.prev;

			while (sc.p < sc.end && is_word(*sc.p))
				sc.p++;
			sc.prev = 'w';
			if (prev != '.' && prev != '>')
				scan_definition(&sc, start, sc.p - start);
		} else {
			/* "a > function" is not to be had, "->function" is */
			sc.prev = *sc.p == '>' && start > text && start[-1] != '-' ? ')' : *sc.p;
			sc.p++;
		}
	}
}
