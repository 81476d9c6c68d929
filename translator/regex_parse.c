/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expressions: from text to a tree. */
#include "regex_dfa.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, NODES_MAX = 4000, REPEAT_MAX = 255 };

static struct rnode *fail(struct rparse *ps, const char *why)
{
	if (!ps->err)
		ps->err = why;
	return NULL;
}

static struct rnode *node(struct rparse *ps, enum rnode_kind kind, struct rnode *a, struct rnode *b)
{
	struct rnode *n;

	if (++ps->nnodes > NODES_MAX)
		return fail(ps, "the expression is too long");
	n = calloc(1, sizeof(*n));
	if (!n)
		return fail(ps, "out of memory");
	n->kind = kind;
	n->a = a;
	n->b = b;
	n->chain = ps->all;
	ps->all = n;
	return n;
}

static void set_add(uint8_t *set, unsigned ch)
{
	set[ch >> 3] |= (uint8_t)(1u << (ch & 7));
}

static struct rnode *literal(struct rparse *ps, unsigned char ch)
{
	struct rnode *n = node(ps, RN_SET, NULL, NULL);

	if (n)
		set_add(n->set, ch);
	return n;
}

/* ---- bracket expressions ---- */

static const struct {
	const char *name;
	int (*has)(int);
} classes[] = {
	{ "alpha", isalpha }, { "digit", isdigit }, { "alnum", isalnum }, { "upper", isupper }, { "lower", islower },
	{ "space", isspace }, { "blank", isblank }, { "punct", ispunct }, { "print", isprint }, { "graph", isgraph },
	{ "cntrl", iscntrl }, { "xdigit", isxdigit },
};

/* [:name:] at ps->p; false: not one, or the error. */
static bool named_class(struct rparse *ps, uint8_t *set)
{
	const char *name = ps->p + 2, *stop;

	if (ps->end - ps->p < 4 || ps->p[0] != '[' || ps->p[1] != ':')
		return false;
	for (stop = name; stop + 1 < ps->end && !(stop[0] == ':' && stop[1] == ']');)
		stop++;
	for (unsigned i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		if (strlen(classes[i].name) != (size_t)(stop - name) || memcmp(classes[i].name, name, (size_t)(stop - name)))
			continue;
		for (int ch = 0; ch < 128; ch++)
			if (classes[i].has(ch))
				set_add(set, (unsigned)ch);
		ps->p = stop + 2;
		return true;
	}
	fail(ps, "no such character class");
	return false;
}

static struct rnode *bracket(struct rparse *ps)
{
	struct rnode *n = node(ps, RN_SET, NULL, NULL);
	bool negate = false, first = true;

	if (!n)
		return NULL;
	if (ps->p < ps->end && *ps->p == '^') {
		negate = true;
		ps->p++;
	}
	for (; ps->p < ps->end && (first || *ps->p != ']'); first = false) {
		unsigned char from, to;

		if (named_class(ps, n->set))
			continue;
		if (ps->err)
			return NULL;
		from = to = (unsigned char)*ps->p++;
		if (ps->end - ps->p >= 2 && ps->p[0] == '-' && ps->p[1] != ']') {
			to = (unsigned char)ps->p[1];
			ps->p += 2;
		}
		if (to < from)
			return fail(ps, "a range runs backwards");
		for (unsigned ch = from; ch <= to; ch++)
			set_add(n->set, ch);
	}
	if (ps->p == ps->end)
		return fail(ps, "'[' has no ']'");
	ps->p++;
	for (unsigned i = 0; negate && i < sizeof(n->set); i++)
		n->set[i] = (uint8_t)~n->set[i];
	return n;
}

/* ---- atoms, repetition, sequence, choice ---- */

static struct rnode *choice(struct rparse *ps);

static struct rnode *escape(struct rparse *ps)
{
	static const char letters[] = "ntrfva", codes[] = "\n\t\r\f\v\a";
	const char *at;
	char ch;

	if (ps->p == ps->end)
		return fail(ps, "nothing follows '\\'");
	ch = *ps->p++;
	at = ch ? strchr(letters, ch) : NULL;
	if (at)
		return literal(ps, (unsigned char)codes[at - letters]);
	if (isalnum((unsigned char)ch))
		return fail(ps, "unknown escape");
	return literal(ps, (unsigned char)ch);
}

static struct rnode *group(struct rparse *ps)
{
	unsigned number = ++ps->ngroups;
	struct rnode *n;

	if (++ps->depth > DEPTH_MAX)
		return fail(ps, "too many nested groups");
	n = choice(ps);
	ps->depth--;
	if (!n)
		return NULL;
	if (ps->p == ps->end || *ps->p != ')')
		return fail(ps, "'(' has no ')'");
	ps->p++;
	n = node(ps, RN_GROUP, n, NULL);
	if (n)
		n->min = (int)number;
	return n;
}

static struct rnode *atom(struct rparse *ps)
{
	char ch = *ps->p++;
	struct rnode *n;

	switch (ch) {
	case '(': return group(ps);
	case '[': return bracket(ps);
	case '\\': return escape(ps);
	case '^': return node(ps, RN_BOL, NULL, NULL);
	case '$': return node(ps, RN_EOL, NULL, NULL);
	case '.':
		n = node(ps, RN_SET, NULL, NULL);
		if (n)
			memset(n->set, 0xff, sizeof(n->set));
		return n;
	case '*': case '+': case '?':
		ps->p--;
		return fail(ps, "nothing to repeat");
	default:
		return literal(ps, (unsigned char)ch);
	}
}

static bool number(struct rparse *ps, int *ret)
{
	const char *from = ps->p;

	for (*ret = 0; ps->p < ps->end && isdigit((unsigned char)*ps->p); ps->p++)
		if (*ret <= REPEAT_MAX) /* too large is enough to know */
			*ret = *ret * 10 + (*ps->p - '0');
	return ps->p > from;
}

/* {n}, {n,}, {,m} or {n,m}, behind the brace; a brace that begins none of them stands for itself. */
static bool bounds(struct rparse *ps, int *min, int *max)
{
	if (!number(ps, min) && (ps->p == ps->end || *ps->p != ','))
		return false;
	*max = *min;
	if (ps->p < ps->end && *ps->p == ',') {
		ps->p++;
		if (!number(ps, max))
			*max = -1;
	}
	if (ps->p == ps->end || *ps->p != '}')
		return false;
	ps->p++;
	return true;
}

static struct rnode *repeat(struct rparse *ps, struct rnode *a, int min, int max)
{
	struct rnode *n;

	if (min > REPEAT_MAX || max > REPEAT_MAX)
		return fail(ps, "a repetition can be 255 at most");
	if (max >= 0 && max < min)
		return fail(ps, "the bounds of a repetition run backwards");
	n = node(ps, RN_REP, a, NULL);
	if (n) {
		n->min = min;
		n->max = max;
	}
	return n;
}

static struct rnode *piece(struct rparse *ps)
{
	struct rnode *n = atom(ps);
	const char *brace;
	int min, max;

	while (n && ps->p < ps->end) {
		switch (*ps->p) {
		case '*': ps->p++; n = repeat(ps, n, 0, -1); break;
		case '+': ps->p++; n = repeat(ps, n, 1, -1); break;
		case '?': ps->p++; n = repeat(ps, n, 0, 1); break;
		case '{':
			brace = ps->p++;
			if (!bounds(ps, &min, &max)) {
				ps->p = brace;
				return n;
			}
			n = repeat(ps, n, min, max);
			break;
		default:
			return n;
		}
	}
	return n;
}

static struct rnode *sequence(struct rparse *ps)
{
	struct rnode *n = NULL, *next;

	while (ps->p < ps->end && *ps->p != '|' && *ps->p != ')') {
		next = piece(ps);
		if (!next)
			return NULL;
		n = n ? node(ps, RN_CAT, n, next) : next;
		if (!n)
			return NULL;
	}
	return n ? n : node(ps, RN_EMPTY, NULL, NULL);
}

static struct rnode *choice(struct rparse *ps)
{
	struct rnode *n = sequence(ps), *next;

	while (n && ps->p < ps->end && *ps->p == '|') {
		ps->p++;
		next = sequence(ps);
		n = next ? node(ps, RN_ALT, n, next) : NULL;
	}
	return n;
}

struct rnode *regex_parse(struct rparse *ps)
{
	struct rnode *n = choice(ps);

	if (n && ps->p < ps->end)
		return fail(ps, "')' has no '('");
	return n;
}

void regex_parse_free(struct rparse *ps)
{
	while (ps->all) {
		struct rnode *n = ps->all;

		ps->all = n->chain;
		free(n);
	}
}
