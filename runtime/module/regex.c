/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions with groups, for matched().  A thread is a state and its tags; of two threads in one state the
 * better one stays, so there are never more threads than states, and a string is gone through once.  Pure: compiles
 * in user space, too.
 */
#include "port.h"

#define ACCEPT 0xffff
#define ACCEPT_AT_END 0xfffe

struct threads {
	u32 n;
	u16 *state;                   /* in order of preference */
	u32 *stamp;                   /* of each state: it is in the list of the step with this number */
	s32 *tag;                     /* of each state, ntags */
};

struct run {
	const struct stp_regex *re;
	struct threads set[2], *now, *next;
	s32 *cand, *best;
	u32 step;
	s32 end;                      /* of the best match, -1: none yet */
};

/* Is a better than b?  Both have come to the same place. */
static bool better(const struct stp_regex *re, const s32 *a, const s32 *b)
{
	u32 i;

	for (i = 0; i < re->ntags; i++)
		if (a[i] != b[i] && re->order[i])
			return re->order[i] == 1 ? a[i] < b[i] : a[i] > b[i];
	return false;
}

static void copy_tags(const struct run *r, s32 *to, const s32 *from)
{
	stp_memcpy(to, from, r->re->ntags * sizeof(*to));
}

static void accept(struct run *r, s32 pos)
{
	if (r->end < 0 || r->cand[0] < r->best[0] ||
	    (r->cand[0] == r->best[0] && (pos > r->end || (pos == r->end && better(r->re, r->cand, r->best))))) {
		copy_tags(r, r->best, r->cand);
		r->end = pos;
	}
}

static void enter(struct run *r, struct threads *t, u32 step, u16 state)
{
	s32 *tag = t->tag + (u32)state * r->re->ntags;

	if (t->stamp[state] != step) {
		t->stamp[state] = step;
		t->state[t->n++] = state;
	} else if (!better(r->re, r->cand, tag)) {
		return;
	}
	copy_tags(r, tag, r->cand);
}

/* Goes the moves of a list, which a thread with these tags comes to at pos. */
static void follow(struct run *r, struct threads *t, u32 step, u32 list, const s32 *tags, s32 pos, bool at_end)
{
	const struct stp_regex *re = r->re;
	u32 i, k;

	for (i = re->first[list]; i < re->first[list + 1]; i++) {
		const struct stp_regex_move *m = &re->move[i];

		copy_tags(r, r->cand, tags);
		for (k = m->tags; re->taglist[k] != 255; k++)
			r->cand[re->taglist[k]] = pos;
		if (m->to == ACCEPT || m->to == ACCEPT_AT_END) {
			if (m->to == ACCEPT || at_end)
				accept(r, pos);
		} else {
			enter(r, t, step, m->to);
		}
	}
}

/* A match may begin here, as long as there is none that begins earlier. */
static void begin(struct run *r, s32 *fresh, s32 pos, bool at_end)
{
	u32 i;

	fresh[0] = pos;
	for (i = 1; i < r->re->ntags; i++)
		fresh[i] = -1;
	follow(r, r->now, r->step, r->re->nstates + (pos != 0), fresh, pos, at_end);
}

static void advance(struct run *r, u8 ch, s32 pos, bool at_end)
{
	const struct stp_regex *re = r->re;
	u32 class = re->class[ch], i;

	r->next->n = 0;
	for (i = 0; i < r->now->n; i++) {
		u32 state = r->now->state[i];
		const s32 *tag = r->now->tag + state * re->ntags;

		if (r->end >= 0 && tag[0] > r->best[0])
			continue;
		if (re->sets[state * re->set_bytes + class / 8] & 1u << class % 8)
			follow(r, r->next, r->step + 1, state, tag, pos, at_end);
	}
}

static void walk(struct run *r, s32 *fresh, struct stp_str s)
{
	struct threads *t;
	s32 pos;

	for (pos = 0;; pos++) {
		bool last = (size_t)pos == s.len;

		if (r->end < 0)
			begin(r, fresh, pos, last);
		if (last || (r->end >= 0 && !r->now->n))
			break;
		advance(r, s.p[pos], pos + 1, (size_t)pos + 1 == s.len);
		t = r->now;
		r->now = r->next;
		r->next = t;
		r->step++;
	}
}

static void note_match(struct stp_match *m, const struct run *r, struct stp_str s)
{
	const struct stp_regex *re = r->re;
	u32 i;

	m->ngroups = re->ngroups + 1;
	m->len = s.len;
	stp_memmove(m->text, s.p, s.len);
	m->pos[0] = r->best[0];
	m->pos[1] = r->end;
	for (i = 1; i <= re->ngroups; i++) {
		s32 from = r->best[re->group[2 * i]], to = r->best[re->group[2 * i + 1]];
		bool whole = from >= 0 && to >= from;

		m->pos[2 * i] = whole ? from : -1;
		m->pos[2 * i + 1] = whole ? to : -1;
	}
}

static bool take_memory(struct stp_ctx *c, struct run *r, s32 **fresh)
{
	u32 n = r->re->nstates, ntags = r->re->ntags, i;

	for (i = 0; i < 2; i++) {
		struct threads *t = &r->set[i];

		t->n = 0;
		t->tag = stp_tmp(c, n * ntags * sizeof(*t->tag));
		t->stamp = stp_tmp(c, n * sizeof(*t->stamp));
		t->state = stp_tmp(c, n * sizeof(*t->state));
		if (!t->tag || !t->stamp || !t->state)
			return false;
		stp_memset(t->stamp, 0, n * sizeof(*t->stamp));
	}
	r->now = &r->set[0];
	r->next = &r->set[1];
	r->cand = stp_tmp(c, 3 * ntags * sizeof(*r->cand));
	if (!r->cand)
		return false;
	r->best = r->cand + ntags;
	*fresh = r->best + ntags;
	r->step = 1;
	r->end = -1;
	return true;
}

bool stp_regex_find(struct stp_ctx *c, const struct stp_regex *re, struct stp_str s)
{
	char *mark = c->scratch;
	struct run r = { .re = re };
	s32 *fresh;
	bool found = false;

	if (take_memory(c, &r, &fresh)) {
		walk(&r, fresh, s);
		found = r.end >= 0;
		if (found)
			note_match(c->match, &r, s);
	}
	c->scratch = mark;
	return found;
}
