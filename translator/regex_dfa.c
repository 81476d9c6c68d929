/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions: from the tree to an automaton with one state at a time.  A tree becomes a graph of
 * simple states; a set of those that can be held at one moment becomes one state of the result.
 */
#include "regex_dfa.h"

#include <stdlib.h>
#include <string.h>

enum { NFA_MAX = 8000, DFA_MAX = 4000 };

enum nstate_kind { NS_SET, NS_SPLIT, NS_BOL, NS_EOL, NS_MATCH };
struct nstate {
	enum nstate_kind kind;
	unsigned out, alt;
	const uint8_t *set;
};

struct dset {                  /* the simple states of one state, ascending */
	unsigned n, *member;
};

struct build {
	struct nstate *nfa;
	unsigned nnfa, start;
	struct dset *dfa;
	unsigned ndfa, room;
	unsigned *stack, *work, nwork; /* closure under construction */
	uint32_t *seen, stamp;
	struct regex *re;
	uint16_t *hash;        /* open addressing: state number or 0 */
	const char *err;
};

#define HASH_SIZE (1u << 14)

/* ---- graph ---- */

static unsigned new_state(struct build *b, enum nstate_kind kind, unsigned out, unsigned alt, const uint8_t *set)
{
	if (b->nnfa == NFA_MAX) {
		b->err = "the expression is too complex";
		return 0;
	}
	b->nfa[b->nnfa] = (struct nstate){ kind, out, alt, set };
	return b->nnfa++;
}

static unsigned make_graph(struct build *b, const struct rnode *n, unsigned next);

static unsigned make_repeat(struct build *b, const struct rnode *n, unsigned next)
{
	unsigned at = next;

	if (n->max < 0) {
		at = new_state(b, NS_SPLIT, 0, next, NULL);
		if (!b->err) {
			unsigned body = make_graph(b, n->a, at);

			b->nfa[at].out = body;
		}
	}
	for (int i = n->min; i < n->max && !b->err; i++)
		at = new_state(b, NS_SPLIT, make_graph(b, n->a, at), next, NULL);
	for (int i = 0; i < n->min && !b->err; i++)
		at = make_graph(b, n->a, at);
	return at;
}

/* The entry of a graph for n that goes on to `next`. */
static unsigned make_graph(struct build *b, const struct rnode *n, unsigned next)
{
	if (b->err)
		return 0;
	switch (n->kind) {
	case RN_SET: return new_state(b, NS_SET, next, 0, n->set);
	case RN_BOL: return new_state(b, NS_BOL, next, 0, NULL);
	case RN_EOL: return new_state(b, NS_EOL, next, 0, NULL);
	case RN_CAT: return make_graph(b, n->a, make_graph(b, n->b, next));
	case RN_ALT: {
		unsigned a = make_graph(b, n->a, next);

		return new_state(b, NS_SPLIT, a, make_graph(b, n->b, next), NULL);
	}
	case RN_REP: return make_repeat(b, n, next);
	case RN_GROUP: return make_graph(b, n->a, next);
	case RN_EMPTY: break;
	}
	return next;
}

/* ---- sets ---- */

static void closure_begin(struct build *b)
{
	b->stamp++;
	b->nwork = 0;
}

/* Adds what can be reached from `from` without input; returns whether a match is among it. */
static bool closure_add(struct build *b, unsigned from, bool at_start, bool at_end)
{
	unsigned depth = 0;
	bool match = false;

	b->stack[depth++] = from;
	while (depth) {
		unsigned i = b->stack[--depth];
		const struct nstate *st = &b->nfa[i];

		if (b->seen[i] == b->stamp)
			continue;
		b->seen[i] = b->stamp;
		switch (st->kind) {
		case NS_SET: b->work[b->nwork++] = i; break;
		case NS_MATCH: match = true; break;
		case NS_SPLIT:
			b->stack[depth++] = st->out;
			b->stack[depth++] = st->alt;
			break;
		case NS_BOL:
			if (at_start)
				b->stack[depth++] = st->out;
			break;
		case NS_EOL:
			if (at_end)
				b->stack[depth++] = st->out;
			else
				b->work[b->nwork++] = i; /* to be asked at the end */
			break;
		}
	}
	return match;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static uint32_t hash_of(const unsigned *v, unsigned n)
{
	uint32_t h = 2166136261u;

	for (unsigned i = 0; i < n; i++)
		h = (h ^ v[i]) * 16777619u;
	return h ^ h >> 15;
}

/* The state of the set in b->work, made when it is new. */
static unsigned find_state(struct build *b)
{
	size_t bytes = b->nwork * sizeof(unsigned);
	uint32_t h;

	qsort(b->work, b->nwork, sizeof(unsigned), by_number);
	for (h = hash_of(b->work, b->nwork) % HASH_SIZE; b->hash[h]; h = (h + 1) % HASH_SIZE) {
		const struct dset *d = &b->dfa[b->hash[h]];

		if (d->n == b->nwork && !memcmp(d->member, b->work, bytes))
			return b->hash[h];
	}
	if (b->ndfa == DFA_MAX) {
		b->err = "the expression is too complex";
		return REGEX_DEAD;
	}
	b->dfa[b->ndfa].member = malloc(bytes + 1);
	if (!b->dfa[b->ndfa].member) {
		b->err = "out of memory";
		return REGEX_DEAD;
	}
	memcpy(b->dfa[b->ndfa].member, b->work, bytes);
	b->dfa[b->ndfa].n = b->nwork;
	b->hash[h] = (uint16_t)b->ndfa;
	return b->ndfa++;
}

/* ---- the automaton ---- */

/* Bytes that no set tells apart are one class. */
static void make_classes(struct build *b)
{
	struct regex *re = b->re;

	re->nclasses = 1;
	for (unsigned i = 0; i < b->nnfa; i++) {
		int moved[256];
		unsigned inside[256] = { 0 }, size[256] = { 0 };

		if (b->nfa[i].kind != NS_SET)
			continue;
		for (unsigned ch = 0; ch < 256; ch++) {
			size[re->class[ch]]++;
			inside[re->class[ch]] += set_has(b->nfa[i].set, ch);
		}
		memset(moved, -1, sizeof(moved));
		for (unsigned ch = 0; ch < 256; ch++) {
			unsigned cl = re->class[ch];

			if (!set_has(b->nfa[i].set, ch) || inside[cl] == size[cl])
				continue;
			if (moved[cl] < 0)
				moved[cl] = (int)re->nclasses++;
			re->class[ch] = (uint8_t)moved[cl];
		}
	}
}

static unsigned step(struct build *b, unsigned from, unsigned ch)
{
	bool match = false;

	closure_begin(b);
	for (unsigned i = 0; i < b->dfa[from].n; i++) {
		const struct nstate *st = &b->nfa[b->dfa[from].member[i]];

		if (st->kind == NS_SET && set_has(st->set, ch))
			match |= closure_add(b, st->out, false, false);
	}
	match |= closure_add(b, b->start, false, false); /* or it begins here */
	if (match)
		return REGEX_MATCH;
	return b->nwork ? find_state(b) : REGEX_DEAD;
}

static bool ends_well(struct build *b, unsigned state)
{
	bool match = false;
	bool at_start = state == REGEX_START; /* an empty string both begins and ends here */

	closure_begin(b);
	for (unsigned i = 0; i < b->dfa[state].n; i++) {
		const struct nstate *st = &b->nfa[b->dfa[state].member[i]];

		if (st->kind == NS_EOL)
			match |= closure_add(b, st->out, at_start, true);
	}
	return match;
}

static void fill(struct build *b)
{
	struct regex *re = b->re;

	for (unsigned s = REGEX_START; s < b->ndfa && !b->err; s++) {
		uint16_t *row;

		re->next = realloc(re->next, (size_t)(s + 1) * re->nclasses * sizeof(*re->next));
		re->end = realloc(re->end, (s + 1) * sizeof(*re->end));
		if (!re->next || !re->end)
			abort();
		row = re->next + (size_t)s * re->nclasses;
		for (unsigned cl = 0; cl < re->nclasses && !b->err; cl++) {
			unsigned ch = 0;

			while (re->class[ch] != cl) /* any byte of a class will do */
				ch++;
			row[cl] = (uint16_t)step(b, s, ch);
		}
		re->end[s] = ends_well(b, s);
	}
	re->nstates = b->ndfa;
}

static void make_automaton(struct build *b)
{
	struct regex *re = b->re;
	bool match;

	make_classes(b);
	re->next = calloc(3u * re->nclasses, sizeof(*re->next));
	re->end = calloc(3, sizeof(*re->end));
	closure_begin(b);
	match = closure_add(b, b->start, true, false);
	b->ndfa = REGEX_START;
	find_state(b);
	memset(b->hash, 0, HASH_SIZE * sizeof(*b->hash)); /* START means "nothing read yet": no way leads back */
	fill(b);
	if (match && !b->err) { /* the empty string does: so does every string */
		re->nstates = 3;
		re->end[REGEX_START] = true;
		for (unsigned cl = 0; cl < re->nclasses; cl++)
			re->next[REGEX_START * re->nclasses + cl] = REGEX_MATCH;
	}
	re->end[REGEX_DEAD] = false;
	re->end[REGEX_MATCH] = true;
}

struct regex *regex_compile(const char *pattern, size_t len, const char **err, size_t *where)
{
	struct rparse ps = { .p = pattern, .start = pattern, .end = pattern + len };
	struct rnode *tree = regex_parse(&ps);
	struct build b = { 0 };

	*where = (size_t)(ps.p - pattern);
	if (tree) {
		b.nfa = calloc(NFA_MAX, sizeof(*b.nfa));
		b.dfa = calloc(DFA_MAX, sizeof(*b.dfa));
		b.stack = calloc(2 * NFA_MAX + 2, sizeof(*b.stack));
		b.work = calloc(NFA_MAX, sizeof(*b.work));
		b.seen = calloc(NFA_MAX, sizeof(*b.seen));
		b.hash = calloc(HASH_SIZE, sizeof(*b.hash));
		b.re = calloc(1, sizeof(*b.re));
		if (!b.nfa || !b.dfa || !b.stack || !b.work || !b.seen || !b.hash || !b.re)
			abort();
		b.start = make_graph(&b, tree, new_state(&b, NS_MATCH, 0, 0, NULL));
		if (!b.err)
			make_automaton(&b);
		for (unsigned i = 0; i < b.ndfa; i++)
			free(b.dfa[i].member);
		if (b.err) {
			*where = 0;
			regex_free(b.re);
			b.re = NULL;
		}
	}
	*err = ps.err ? ps.err : b.err;
	free(b.nfa);
	free(b.dfa);
	free(b.stack);
	free(b.work);
	free(b.seen);
	free(b.hash);
	regex_parse_free(&ps);
	return b.re;
}

void regex_free(struct regex *re)
{
	if (!re)
		return;
	free(re->next);
	free(re->end);
	free(re);
}

bool regex_match(const struct regex *re, const char *s, size_t len)
{
	unsigned state = REGEX_START;

	for (size_t i = 0; i < len && state > REGEX_MATCH; i++)
		state = re->next[state * re->nclasses + re->class[(uint8_t)s[i]]];
	return re->end[state];
}
