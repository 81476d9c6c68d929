/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of regular expressions: by hand, and random patterns without repeated groups against a model that tries
 * everything.
 */
/* link: translator/regex_tag.c translator/regex_parse.c runtime/module/regex.c */
/* cflags: -Itranslator */
#include "unit.h"
#include "rt_env.h"
#include "regex_dfa.h"

static struct stp_match *found;

static bool find(const struct regex_tagged *t, const char *s)
{
	struct stp_regex re = {
		.class = t->class, .sets = t->sets, .first = t->first, .move = (const struct stp_regex_move *)t->move,
		.taglist = t->taglist, .order = t->order, .group = t->group, .nstates = t->nstates, .ntags = t->ntags,
		.set_bytes = t->set_bytes, .ngroups = t->ngroups,
	};
	struct stp_ctx *c = env_ctx(0, STP_REGEX_NEED(t->nstates, t->ntags));
	char *scratch = c->scratch;
	bool ret;

	free(found);
	found = calloc(1, sizeof(*found) + 64);
	c->match = found;
	ret = stp_regex_find(c, &re, (struct stp_str){ s, strlen(s) });
	CHECK(!c->err);
	CHECK(c->scratch == scratch);
	free(scratch);
	free(c);
	return ret;
}

/* "0-3 1-2 -": places of the match and its groups; "no" when there is none, "bad" for a bad pattern. */
static const char *groups(const char *pattern, const char *s)
{
	static char text[400];
	const char *err;
	size_t where, n = 0;
	struct regex_tagged *t = regex_tag(pattern, strlen(pattern), &err, &where);

	if (!t)
		return "bad";
	text[0] = '\0';
	if (!find(t, s))
		strcpy(text, "no");
	else
		for (u32 i = 0; i < found->ngroups; i++) {
			if (found->pos[2 * i] < 0)
				n += (size_t)sprintf(text + n, "%s-", n ? " " : "");
			else
				n += (size_t)sprintf(text + n, "%s%d-%d", n ? " " : "", found->pos[2 * i], found->pos[2 * i + 1]);
		}
	regex_tag_free(t);
	return text;
}

TEST(by_hand)
{
	CHECK_STR(groups("b+", "abbbc"), "1-4");
	CHECK_STR(groups("(a|ab)(c|bcd)(d*)", "abcd"), "0-4 0-2 2-3 3-4");
	CHECK_STR(groups("(.*)([0-9]+)", "abc123"), "0-6 0-5 5-6");
	CHECK_STR(groups(".*([0-9]+)x", "a12x"), "0-4 2-3");
	CHECK_STR(groups("(a)|b", "b"), "0-1 -");
	CHECK_STR(groups("a|(b)", "xb"), "1-2 1-2");
	CHECK_STR(groups("a|ab|abc", "zabcd"), "1-4");
	CHECK_STR(groups("^([^/]*)/(.*)$", "usr/lib/x"), "0-9 0-3 4-9");
	CHECK_STR(groups("([a-z]+)=([0-9]+)", "  key=42;"), "2-8 2-5 6-8");
	CHECK_STR(groups("(a*)(ab)*(b*)", "abb"), "0-3 0-1 - 1-3");
	CHECK_STR(groups("((a)(b))", "ab"), "0-2 0-2 0-1 1-2");
	CHECK_STR(groups("(ab)*", "ababx"), "0-4 2-4");
	CHECK_STR(groups("(a|ab)*c", "aabc"), "0-4 1-3");
	CHECK_STR(groups("^$", ""), "0-0");
	CHECK_STR(groups("x*", "aaa"), "0-0");
	CHECK_STR(groups("(x*)*", "xx"), "0-2 0-2");
	CHECK_STR(groups("a$", "aa"), "1-2");
	CHECK_STR(groups("(a$|a)b?", "ab"), "0-2 0-1");
	CHECK_STR(groups("(^a|b)c", "bcac"), "0-2 0-1");
	CHECK_STR(groups("((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))", "a"), "bad");
	CHECK_STR(groups("((a{200}){200}){200}", "a"), "bad");
}

/* ---- a model: the rule as it is written, by trying everything ---- */

struct part {
	char ch, rep;          /* a letter, '.', and 0 * + ?; or a group */
	struct seq *left, *right; /* of a group; right may be NULL */
	int number;
};
struct seq {
	int n;
	struct part part[3];
};

static struct seq pool[100];
static int npool, ngroups;
static int model_pos[40];

static bool can_seq(const struct seq *q, int from, const char *s, int i, int j);

static bool can_part(const struct part *p, const char *s, int i, int j)
{
	if (p->left)
		return can_seq(p->left, 0, s, i, j) || (p->right && can_seq(p->right, 0, s, i, j));
	if ((!p->rep && j - i != 1) || (p->rep == '+' && j == i) || (p->rep == '?' && j - i > 1))
		return false;
	for (int k = i; k < j; k++)
		if (p->ch != '.' && p->ch != s[k])
			return false;
	return true;
}

static bool can_seq(const struct seq *q, int from, const char *s, int i, int j)
{
	if (from == q->n)
		return i == j;
	for (int k = j; k >= i; k--)
		if (can_part(&q->part[from], s, i, k) && can_seq(q, from + 1, s, k, j))
			return true;
	return false;
}

/* Notes the groups of a sequence that matches i to j: each part as long as can be, from the left. */
static void note_seq(const struct seq *q, const char *s, int i, int j)
{
	for (int n = 0; n < q->n; n++) {
		const struct part *p = &q->part[n];
		int k = j;

		while (!can_part(p, s, i, k) || !can_seq(q, n + 1, s, k, j))
			k--;
		if (p->left) {
			model_pos[2 * p->number] = i;
			model_pos[2 * p->number + 1] = k;
			note_seq(can_seq(p->left, 0, s, i, k) ? p->left : p->right, s, i, k);
		}
		i = k;
	}
}

static bool model(const struct seq *q, const char *s, int len)
{
	for (int i = 0; i < 40; i++)
		model_pos[i] = -1;
	for (int i = 0; i <= len; i++)
		for (int j = len; j >= i; j--)
			if (can_seq(q, 0, s, i, j)) {
				model_pos[0] = i;
				model_pos[1] = j;
				note_seq(q, s, i, j);
				return true;
			}
	return false;
}

static struct seq *random_seq(int depth)
{
	struct seq *q = &pool[npool++];

	q->n = 1 + (int)(env_random() % 3);
	for (int i = 0; i < q->n; i++) {
		struct part *p = &q->part[i];

		*p = (struct part){ .ch = "abc."[env_random() % 4] };
		if (depth && env_random() % 3 == 0) {
			p->number = ++ngroups;
			p->left = random_seq(depth - 1);
			p->right = env_random() % 2 ? random_seq(depth - 1) : NULL;
		} else if (env_random() % 3 == 0) {
			p->rep = "*+?"[env_random() % 3];
		}
	}
	return q;
}

static char *put_seq(char *to, const struct seq *q)
{
	for (int i = 0; i < q->n; i++) {
		const struct part *p = &q->part[i];

		if (p->left) {
			*to++ = '(';
			to = put_seq(to, p->left);
			if (p->right) {
				*to++ = '|';
				to = put_seq(to, p->right);
			}
			*to++ = ')';
			continue;
		}
		*to++ = p->ch;
		if (p->rep)
			*to++ = p->rep;
	}
	*to = '\0';
	return to;
}

static void compare_one(const struct seq *q, const char *pattern, struct regex_tagged *t)
{
	char s[10];

	for (int k = 0; k < 10; k++) {
		int n = (int)(env_random() % 9);
		bool want;

		for (int i = 0; i < n; i++)
			s[i] = "abc"[env_random() % 3];
		s[n] = '\0';
		want = model(q, s, n);
		if (find(t, s) != want)
			UNIT_FAIL("'%s' on '%s'", pattern, s);
		for (u32 g = 0; want && g < found->ngroups; g++)
			if (found->pos[2 * g] != model_pos[2 * g] || found->pos[2 * g + 1] != model_pos[2 * g + 1])
				UNIT_FAIL("'%s' on '%s': group %u is %d-%d, not %d-%d", pattern, s, g, found->pos[2 * g],
					  found->pos[2 * g + 1], model_pos[2 * g], model_pos[2 * g + 1]);
	}
}

TEST(like_model)
{
	for (int round = 0; round < 20000; round++) {
		char pattern[300];
		struct regex_tagged *t;
		const struct seq *q;
		const char *err;
		size_t where;

		npool = ngroups = 0;
		q = random_seq(2);
		if (ngroups > 15)
			continue;
		put_seq(pattern, q);
		t = regex_tag(pattern, strlen(pattern), &err, &where);
		if (!t) {
			UNIT_FAIL("'%s': %s", pattern, err);
			continue;
		}
		compare_one(q, pattern, t);
		regex_tag_free(t);
	}
}

RUN_TESTS()
