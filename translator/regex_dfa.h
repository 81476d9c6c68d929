/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extended regular expressions, compiled to a deterministic automaton over bytes.  Knows nothing of the rest
 * of the translator.
 *
 * Understood: . [set] [^set] [[:class:]] ( ) | * + ? {n} {n,} {,m} {n,m} ^ $ and \ before punctuation or one of
 * n t r f v a.  A match may begin anywhere unless ^ says otherwise; ^ and $ are the string's ends.
 */
#ifndef STAP_REGEX_H
#define STAP_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGEX_DEAD, REGEX_MATCH, REGEX_START }; /* states with fixed numbers: fail and match need no more input */

struct regex {
	unsigned nstates, nclasses;
	uint8_t class[256];    /* of a byte */
	uint16_t *next;        /* [state * nclasses + class] */
	bool *end;             /* does the string match when it ends in this state? */
};

/*
 * Compiles `len` bytes; regex_free() later.  NULL when that can not be done: *err is a constant sentence, *where the byte
 * offset in the pattern.
 */
struct regex *regex_compile(const char *pattern, size_t len, const char **err, size_t *where);
void regex_free(struct regex *re);
/* For tests: compared with the C library's answers. */
bool regex_match(const struct regex *re, const char *s, size_t len);

/*
 * The same pattern as an automaton that many threads walk at once, each with tags: places in the string.  It finds where
 * groups matched (runtime/module/regex.c walks it).  Places of state lists are indexes; the two lists behind those of the
 * states are for a match that begins at the string's start, and elsewhere.
 */
enum { REGEX_ACCEPT = 0xffff, REGEX_ACCEPT_AT_END = 0xfffe, REGEX_MAXGROUPS = 32 /* with the whole match */ };
struct regex_move {
	uint16_t to;           /* state, or REGEX_ACCEPT... */
	uint16_t tags;         /* index of a list of tags to set here, ended by 255 */
};
struct regex_tagged {
	unsigned nstates, nclasses, ntags, ngroups, nmoves, ntaglist, set_bytes;
	uint8_t class[256];
	uint8_t *sets;         /* of each state, set_bytes: a bit a class */
	uint16_t *first;       /* nstates + 3 indexes into move: of each list, and the end of the last */
	struct regex_move *move;
	uint8_t *taglist;
	uint8_t order[256];    /* of each tag, in order of weight: 1 less is better, 2 more is better, 0 neither */
	uint8_t group[2 * REGEX_MAXGROUPS]; /* tags of start and end; of the whole match: unused */
};
struct regex_tagged *regex_tag(const char *pattern, size_t len, const char **err, size_t *where);
void regex_tag_free(struct regex_tagged *re);

/* ---- between regex_parse.c, regex_dfa.c and regex_tag.c ---- */

enum rnode_kind { RN_EMPTY, RN_SET, RN_CAT, RN_ALT, RN_REP, RN_BOL, RN_EOL, RN_GROUP };
struct rnode {
	enum rnode_kind kind;
	struct rnode *a, *b;
	int min, max;          /* RN_REP; max -1: no end.  RN_GROUP: min is its number, from 1 */
	uint8_t set[32];       /* RN_SET */
	struct rnode *chain;   /* all nodes, to free them */
};
struct rparse {
	const char *p, *start, *end;
	const char *err;
	struct rnode *all;
	unsigned depth, nnodes, ngroups;
};
struct rnode *regex_parse(struct rparse *ps); /* NULL with ps->err set */
void regex_parse_free(struct rparse *ps);

static inline bool set_has(const uint8_t *set, unsigned ch)
{
	return set[ch >> 3] & 1u << (ch & 7);
}

#endif
