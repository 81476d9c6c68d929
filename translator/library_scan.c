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
	GString *name; /* scan_probe()'s: the alias under way, and those before the sign */
	GPtrArray *names;
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

/* What a character is here: part of a word, space, or one that may begin something longer than itself. */
enum { WORD = 1, BLANK, LONG };
static const unsigned char class[256] = {
	['a' ... 'z'] = WORD, ['A' ... 'Z'] = WORD, ['0' ... '9'] = WORD, ['_'] = WORD,
	[' '] = BLANK, ['\t' ... '\r'] = BLANK,
	['#'] = LONG, ['/'] = LONG, ['"'] = LONG, ['%'] = LONG, ['@'] = LONG, ['$'] = LONG,
};

static inline int class_of(char c)
{
	return class[(unsigned char)c];
}

static inline bool is_word(char c)
{
	return class_of(c) == WORD;
}

static void skip_word(struct scan *sc)
{
	const char *p = sc->p, *end = sc->end;

	while (p < end && is_word(*p))
		p++;
	sc->p = p;
}

/* A comment that begins here; false: none does. */
static bool skip_comment(struct scan *sc)
{
	if (*sc->p == '#' || starts(sc, "//"))
		skip_until(sc, "\n");
	else if (starts(sc, "/*"))
		sc->p += 2, skip_until(sc, "*/");
	else
		return false;
	return true;
}

static void skip_space(struct scan *sc)
{
	for (; sc->p < sc->end; ) {
		int class = class_of(*sc->p);

		if (class == BLANK)
			sc->p++;
		else if (class != LONG || !skip_comment(sc))
			return;
	}
}

/* The word at the scan's position, which moves behind it; NULL (and no move) when there is none. */
static const char *take_word(struct scan *sc)
{
	const char *start;

	skip_space(sc);
	start = sc->p;
	skip_word(sc);
	return sc->p == start ? NULL : arena_strndup(sc->s, start, sc->p - start);
}

/* $1 @1 $# @#: the last two do not begin a comment. */
static void skip_argument(struct scan *sc)
{
	sc->p++;
	if (sc->p < sc->end && *sc->p == '#')
		sc->p++;
	else
		skip_word(sc);
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
	GPtrArray *names = sc->names;
	GString *name = sc->name;

	g_ptr_array_set_size(names, 0);
	g_string_truncate(name, 0);
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

/* What begins with a character of class LONG and is no comment. */
static void scan_long(struct scan *sc)
{
	if (*sc->p == '"') {
		skip_string(sc);
		sc->prev = '"';
	} else if (starts(sc, "%{")) {
		skip_until(sc, "%}");
		sc->prev = '}';
	} else if (starts(sc, "@define")) {
		const char *name;

		sc->p += 7;
		name = take_word(sc);
		if (name)
			sc->found(sc->data, LIB_MACRO, name);
		sc->prev = 'm';
	} else if (*sc->p == '$' || *sc->p == '@') {
		skip_argument(sc);
		sc->prev = 'w';
	} else {
		sc->prev = *sc->p++;
	}
}

void library_scan(struct session *s, const char *text, size_t len, library_found_fn *found, void *data)
{
	struct scan sc = { .s = s, .p = text, .end = text + len, .found = found, .data = data, .name = g_string_new(NULL), .names = g_ptr_array_new() };

	while (sc.p < sc.end) {
		const char *start = sc.p;
		char prev = sc.prev;

		switch (class_of(*start)) {
		case BLANK:
			sc.p++;
			break;
		case WORD:
			skip_word(&sc);
			sc.prev = 'w';
			if (prev != '.' && prev != '>')
				scan_definition(&sc, start, sc.p - start);
			break;
		case LONG:
			if (!skip_comment(&sc))
				scan_long(&sc);
			break;
		default:
			/* "a > function" is not to be had, "->function" is */
			sc.prev = *start == '>' && start > text && start[-1] != '-' ? ')' : *start;
			sc.p++;
		}
	}
	g_string_free(sc.name, TRUE);
	g_ptr_array_free(sc.names, TRUE);
}
