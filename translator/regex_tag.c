/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions with groups: the automaton for matched().  Of the ways in which a pattern can match, the one
 * counts that begins first, then the longest, then the one whose parts are longest from left to right.  So parts of a
 * sequence have tags for their ends, in the order in which they are decided: a part's end, what is inside of it,
 * the next part.
 */
#include "regex_dfa.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 4000, TAGS_MAX = 254, MOVES_MAX = 60000, CELLS_MAX = 16000 /* states times tags */ };

enum tkind { TK_SET, TK_SPLIT, TK_BOL, TK_EOL, TK_TAG, TK_MATCH };
struct tnode {
	enum tkind kind;
	unsigned out, alt;
	unsigned tag;
	const uint8_t *set;
	unsigned state;        /* TK_SET: its number */
};

struct tag {
	struct tnode node[NODES_MAX];
	unsigned nnode, start;
	uint8_t seen[NODES_MAX]; /* 1: visited, 2: visited behind `$` */
	uint8_t path[256];
	unsigned npath;
	unsigned move_room, tag_room;
	struct regex_tagged *re;
	const char *err;
};

static unsigned new_node(struct tag *t, enum tkind kind, unsigned out, unsigned alt)
{
	if (t->nnode == NODES_MAX) {
		t->err = "the expression is too complex for matched()";
		return 0;
	}
	t->node[t->nnode] = (struct tnode){ .kind = kind, .out = out, .alt = alt };
	return t->nnode++;
}

static unsigned new_tag(struct tag *t, unsigned order)
{
	if (t->re->ntags == TAGS_MAX) {
		t->err = "the expression has too many parts for matched()";
		return 0;
	}
	t->re->order[t->re->ntags] = (uint8_t)order;
	return t->re->ntags++;
}

static unsigned put_tag(struct tag *t, unsigned tag, unsigned next)
{
	unsigned n = new_node(t, TK_TAG, next, 0);

	t->node[n].tag = tag;
	return n;
}

/* Bytes that n always matches, -1: that varies. */
static int fixed_length(const struct rnode *n)
{
	int a, b;

	switch (n->kind) {
	case RN_SET: return 1;
	case RN_CAT:
		a = fixed_length(n->a);
		b = a < 0 ? -1 : fixed_length(n->b);
		return b < 0 ? -1 : a + b;
	case RN_ALT:
		a = fixed_length(n->a);
		return a == fixed_length(n->b) ? a : -1;
	case RN_REP:
		a = fixed_length(n->a);
		return a >= 0 && a < 4096 && n->min == n->max ? a * n->min : a == 0 ? 0 : -1;
	case RN_GROUP: return fixed_length(n->a);
	default: return 0;
	}
}

/*
 * Tags are numbered by a walk ahead of the graph's, which goes backwards.  The copies of a repeated part share them:
 * so numbers are kept with the tree.
 */
struct plan {
	const struct rnode *node;
	unsigned tag;          /* RN_CAT: end of its left part; RN_GROUP: the end of the group; RN_ALT: the right way */
	unsigned begin;        /* RN_GROUP */
};
struct plans {
	struct plan *plan;
	unsigned n;
};

enum { NO_TAG = 255 };

static unsigned plan_new(struct plans *ps, const struct rnode *n)
{
	ps->plan[ps->n] = (struct plan){ n, NO_TAG, NO_TAG };
	return ps->n++;
}

static void plan_tree(struct tag *t, struct plans *ps, const struct rnode *n);

/* Part of a sequence, and then what is inside of it.  Its end belongs to the node that joins it with what follows. */
static void plan_part(struct tag *t, struct plans *ps, const struct rnode *part, int owner)
{
	if (owner >= 0 && fixed_length(part) < 0)
		ps->plan[owner].tag = new_tag(t, 2);
	plan_tree(t, ps, part);
}

/* Sequences lean to the left: (x y) z. */
static void plan_sequence(struct tag *t, struct plans *ps, const struct rnode *n, int owner)
{
	int own = (int)plan_new(ps, n);

	if (n->a->kind == RN_CAT)
		plan_sequence(t, ps, n->a, own);
	else
		plan_part(t, ps, n->a, own);
	plan_part(t, ps, n->b, owner);
}

static void plan_group(struct tag *t, struct plans *ps, const struct rnode *n)
{
	unsigned i = plan_new(ps, n);

	if (n->min >= REGEX_MAXGROUPS) {
		t->err = "there are more groups than the 31 that matched() knows";
		return;
	}
	ps->plan[i].begin = new_tag(t, 0);
	ps->plan[i].tag = new_tag(t, 2);
	t->re->group[2 * n->min] = (uint8_t)ps->plan[i].begin;
	t->re->group[2 * n->min + 1] = (uint8_t)ps->plan[i].tag;
	plan_tree(t, ps, n->a);
}

/* Of two ways that are equally long the left one counts: its tag is set on the right one. */
static void plan_choice(struct tag *t, struct plans *ps, const struct rnode *n)
{
	unsigned i = plan_new(ps, n), tag = new_tag(t, 1);

	plan_tree(t, ps, n->a);
	plan_tree(t, ps, n->b);
	if (t->re->ntags == tag + 1) /* nothing in them tells them apart */
		t->re->ntags = tag;
	else
		ps->plan[i].tag = tag;
}

static void plan_tree(struct tag *t, struct plans *ps, const struct rnode *n)
{
	if (t->err)
		return;
	switch (n->kind) {
	case RN_CAT:
		plan_sequence(t, ps, n, -1);
		break;
	case RN_ALT:
		plan_choice(t, ps, n);
		break;
	case RN_GROUP:
		plan_group(t, ps, n);
		break;
	case RN_REP:
		plan_tree(t, ps, n->a);
		break;
	default:
		break;
	}
}

static const struct plan *find_plan(const struct plans *ps, const struct rnode *n)
{
	for (unsigned i = 0; i < ps->n; i++)
		if (ps->plan[i].node == n)
			return &ps->plan[i];
	return NULL;
}

/* ---- graph ---- */

static unsigned graph(struct tag *t, const struct plans *ps, const struct rnode *n, unsigned next);

static unsigned graph_repeat(struct tag *t, const struct plans *ps, const struct rnode *n, unsigned next)
{
	unsigned at = next;

	if (n->max < 0) {
		at = new_node(t, TK_SPLIT, 0, next);
		if (!t->err) {
			unsigned body = graph(t, ps, n->a, at);

			t->node[at].out = body;
		}
	}
	for (int i = n->min; i < n->max && !t->err; i++)
		at = new_node(t, TK_SPLIT, graph(t, ps, n->a, at), next);
	for (int i = 0; i < n->min && !t->err; i++)
		at = graph(t, ps, n->a, at);
	return at;
}

static unsigned graph(struct tag *t, const struct plans *ps, const struct rnode *n, unsigned next)
{
	const struct plan *plan;
	unsigned at;

	if (t->err)
		return 0;
	switch (n->kind) {
	case RN_SET:
		at = new_node(t, TK_SET, next, 0);
		t->node[at].set = n->set;
		return at;
	case RN_BOL: return new_node(t, TK_BOL, next, 0);
	case RN_EOL: return new_node(t, TK_EOL, next, 0);
	case RN_CAT:
		at = graph(t, ps, n->b, next);
		plan = find_plan(ps, n);
		if (plan && plan->tag != NO_TAG)
			at = put_tag(t, plan->tag, at);
		return graph(t, ps, n->a, at);
	case RN_ALT:
		at = graph(t, ps, n->a, next);
		next = graph(t, ps, n->b, next);
		plan = find_plan(ps, n);
		if (plan && plan->tag != NO_TAG)
			next = put_tag(t, plan->tag, next);
		return new_node(t, TK_SPLIT, at, next);
	case RN_REP: return graph_repeat(t, ps, n, next);
	case RN_GROUP:
		plan = find_plan(ps, n);
		if (!plan)
			return graph(t, ps, n->a, next);
		return put_tag(t, plan->begin, graph(t, ps, n->a, put_tag(t, plan->tag, next)));
	case RN_EMPTY: break;
	}
	return next;
}

/* ---- moves ---- */

static void *grow(void *p, unsigned n, unsigned *room, size_t size)
{
	if (n < *room)
		return p;
	*room = *room ? 2 * *room : 64;
	p = realloc(p, *room * size);
	if (!p)
		abort();
	return p;
}

static unsigned put_tags(struct tag *t)
{
	struct regex_tagged *re = t->re;
	unsigned from;

	t->path[t->npath] = 255;
	for (from = 0; from + t->npath < re->ntaglist; from++) /* the same list again? */
		if (!memcmp(re->taglist + from, t->path, t->npath + 1))
			return from;
	from = re->ntaglist;
	for (unsigned i = 0; i <= t->npath; i++) {
		re->taglist = grow(re->taglist, re->ntaglist, &t->tag_room, 1);
		re->taglist[re->ntaglist++] = t->path[i];
	}
	return from;
}

static void put_move(struct tag *t, unsigned to)
{
	struct regex_tagged *re = t->re;

	if (re->nmoves == MOVES_MAX || re->ntaglist > MOVES_MAX) {
		t->err = "the expression is too complex for matched()";
		return;
	}
	re->move = grow(re->move, re->nmoves, &t->move_room, sizeof(*re->move));
	re->move[re->nmoves].to = (uint16_t)to;
	re->move[re->nmoves++].tags = (uint16_t)put_tags(t);
}

/* All that can be reached from a node without input, the preferred first. */
static void follow(struct tag *t, unsigned at, bool at_start, bool at_end)
{
	const struct tnode *n = &t->node[at];
	unsigned had = t->npath;

	if (t->err || (t->seen[at] & (at_end ? 2 : 1)))
		return;
	t->seen[at] |= at_end ? 2 : 1;
	switch (n->kind) {
	case TK_SET:
		if (!at_end)
			put_move(t, n->state);
		break;
	case TK_MATCH:
		put_move(t, at_end ? REGEX_ACCEPT_AT_END : REGEX_ACCEPT);
		break;
	case TK_SPLIT:
		follow(t, n->out, at_start, at_end);
		follow(t, n->alt, at_start, at_end);
		break;
	case TK_BOL:
		if (at_start)
			follow(t, n->out, at_start, at_end);
		break;
	case TK_EOL:
		follow(t, n->out, at_start, true);
		break;
	case TK_TAG:
		if (t->npath < sizeof(t->path) - 1)
			t->path[t->npath++] = (uint8_t)n->tag;
		follow(t, n->out, at_start, at_end);
		t->npath = had;
		break;
	}
}

static void put_list(struct tag *t, unsigned index, unsigned from, bool at_start)
{
	t->re->first[index] = (uint16_t)t->re->nmoves;
	memset(t->seen, 0, sizeof(t->seen));
	t->npath = 0;
	follow(t, from, at_start, false);
	t->re->first[index + 1] = (uint16_t)t->re->nmoves;
}

/* ---- the whole ---- */

/* Bytes that no set tells apart are one class. */
static void make_classes(struct tag *t)
{
	struct regex_tagged *re = t->re;

	re->nclasses = 0;
	for (unsigned ch = 0; ch < 256; ch++) {
		unsigned same, i;

		for (same = 0; same < ch; same++) {
			for (i = 0; i < t->nnode; i++)
				if (t->node[i].kind == TK_SET && !set_has(t->node[i].set, ch) != !set_has(t->node[i].set, same))
					break;
			if (i == t->nnode)
				break;
		}
		re->class[ch] = same < ch ? re->class[same] : (uint8_t)re->nclasses++;
	}
}

static void make_states(struct tag *t)
{
	struct regex_tagged *re = t->re;

	make_classes(t);
	re->set_bytes = (re->nclasses + 7) / 8;
	for (unsigned i = 0; i < t->nnode; i++)
		if (t->node[i].kind == TK_SET)
			t->node[i].state = re->nstates++;
	if (re->nstates * re->ntags > CELLS_MAX) {
		t->err = "the expression is too complex for matched()";
		return;
	}
	re->sets = calloc(re->nstates + 1, re->set_bytes);
	re->first = calloc(re->nstates + 3, sizeof(*re->first));
	if (!re->sets || !re->first)
		abort();
	for (unsigned i = 0; i < t->nnode; i++) {
		const struct tnode *n = &t->node[i];

		for (unsigned ch = 0; n->kind == TK_SET && ch < 256; ch++)
			if (set_has(n->set, ch))
				re->sets[n->state * re->set_bytes + re->class[ch] / 8] |= (uint8_t)(1u << re->class[ch] % 8);
	}
	for (unsigned i = 0; i < t->nnode; i++)
		if (t->node[i].kind == TK_SET)
			put_list(t, t->node[i].state, t->node[i].out, false);
	put_list(t, re->nstates, t->start, true);
	put_list(t, re->nstates + 1, t->start, false);
}

struct regex_tagged *regex_tag(const char *pattern, size_t len, const char **err, size_t *where)
{
	struct rparse parse = { .p = pattern, .start = pattern, .end = pattern + len };
	struct rnode *tree = regex_parse(&parse);
	struct tag *t = calloc(1, sizeof(*t));
	struct plans ps = { calloc(parse.nnodes + 1, sizeof(*ps.plan)), 0 };
	struct regex_tagged *re = calloc(1, sizeof(*re));

	if (!t || !ps.plan || !re)
		abort();
	*where = (size_t)(parse.p - pattern);
	t->re = re;
	if (tree) {
		new_tag(t, 1); /* 0: where the match begins */
		re->ngroups = parse.ngroups;
		plan_tree(t, &ps, tree);
		t->start = graph(t, &ps, tree, new_node(t, TK_MATCH, 0, 0));
		if (!t->err)
			make_states(t);
		if (t->err)
			*where = 0;
	}
	*err = parse.err ? parse.err : t->err;
	if (*err) {
		regex_tag_free(re);
		re = NULL;
	}
	free(ps.plan);
	free(t);
	regex_parse_free(&parse);
	return re;
}

void regex_tag_free(struct regex_tagged *re)
{
	if (!re)
		return;
	free(re->sets);
	free(re->first);
	free(re->move);
	free(re->taglist);
	free(re);
}
