/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diagnostics: collecting, counting, deduplicating.  How they look is in diag_print.c.  Notes and
 * help lines follow the error they belong to, and vanish with it when it is a repetition.
 */
#include "diag_state.h"
#include "diag_print.h"
#include "session.h"
#include <stdarg.h>
#include <string.h>

#define TEXT_MAX 1000 /* bytes of a message */

struct diag_capture {
	struct diag_capture *outer;
	GPtrArray *items;      /* struct diag_item, in order */
	unsigned nerrors;
};

struct diag_state {
	GHashTable *seen;      /* text of what was printed */
	struct diag_capture *capture;
	bool last_dropped;     /* the last error or warning was: so are its notes */
};

struct diag_state *diag_state_new(void)
{
	struct diag_state *d = g_new0(struct diag_state, 1);

	d->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return d;
}

static void item_free(void *p)
{
	struct diag_item *it = p;

	g_free(it->text);
	g_free(it);
}

static void capture_free(struct diag_capture *cap)
{
	g_ptr_array_free(cap->items, TRUE);
	g_free(cap);
}

void diag_state_free(struct diag_state *d)
{
	if (!d)
		return;
	while (d->capture) {
		struct diag_capture *outer = d->capture->outer;

		capture_free(d->capture);
		d->capture = outer;
	}
	g_hash_table_destroy(d->seen);
	g_free(d);
}

/* True when this very message at this very place was printed before. */
static bool already_seen(struct diag_state *d, const struct diag_item *it)
{
	char *key = g_strdup_printf("%d %p %u %u %s", it->kind, (void *)it->loc.src, it->loc.line,
				    it->loc.col, it->text);

	return !g_hash_table_add(d->seen, key);
}

static void count_and_print(struct session *s, const struct diag_item *it)
{
	struct diag_state *d = s->diag;

	if (it->kind == ITEM_ERROR || it->kind == ITEM_WARNING) {
		d->last_dropped = (it->kind == ITEM_WARNING && s->opt.suppress_warnings &&
				   !s->opt.warnings_as_errors) || already_seen(d, it);
		if (!d->last_dropped && it->kind == ITEM_ERROR)
			s->nerrors++;
		if (!d->last_dropped && it->kind == ITEM_WARNING) {
			s->nwarnings++;
			if (s->opt.warnings_as_errors)
				s->nerrors++;
		}
	}
	if (!d->last_dropped)
		diag_item_print(s, it);
}

/* A message that quotes something endless is cut in the middle. */
static void shorten(char *text)
{
	size_t len = strlen(text), half = TEXT_MAX / 2;

	if (len <= TEXT_MAX)
		return;
	memcpy(text + half, " ... ", 5);
	memmove(text + half + 5, text + len - half + 5, half - 4);
}

/* Takes over `text`. */
static void put_item(struct session *s, enum diag_item_kind kind, struct loc loc, const char *tag, char *text)
{
	struct diag_state *d = s->diag;
	struct diag_item *it = g_new0(struct diag_item, 1);

	it->kind = kind;
	it->pass = s->pass;
	it->loc = loc;
	it->tag = tag;
	shorten(text);
	it->text = text;
	if (d->capture) {
		g_ptr_array_add(d->capture->items, it);
		d->capture->nerrors += kind == ITEM_ERROR;
		return;
	}
	count_and_print(s, it);
	item_free(it);
}

#define PUT(kind, loc, tag) \
	do { \
		va_list ap; \
		va_start(ap, fmt); \
		put_item(s, kind, loc, tag, g_strdup_vprintf(fmt, ap)); \
		va_end(ap); \
	} while (0)

int diag_error(struct session *s, struct loc loc, const char *tag, const char *fmt, ...)
{
	PUT(ITEM_ERROR, loc, tag);
	return -1;
}

void diag_warning(struct session *s, struct loc loc, const char *tag, const char *fmt, ...)
{
	PUT(ITEM_WARNING, loc, tag);
}

void diag_note(struct session *s, struct loc loc, const char *fmt, ...)
{
	PUT(ITEM_NOTE, loc, NULL);
}

void diag_help(struct session *s, const char *fmt, ...)
{
	PUT(ITEM_HELP, (struct loc){ 0 }, NULL);
}

struct diag_capture *diag_capture_begin(struct session *s)
{
	struct diag_capture *cap = g_new0(struct diag_capture, 1);

	cap->items = g_ptr_array_new_with_free_func(item_free);
	cap->outer = s->diag->capture;
	s->diag->capture = cap;
	return cap;
}

static void replay_item(struct session *s, struct diag_item *it)
{
	struct diag_capture *cap = s->diag->capture;

	if (!cap) {
		count_and_print(s, it);
		item_free(it);
		return;
	}
	g_ptr_array_add(cap->items, it);
	cap->nerrors += it->kind == ITEM_ERROR;
}

unsigned diag_capture_end(struct session *s, struct diag_capture *cap, bool keep)
{
	unsigned nerrors = cap->nerrors;

	s->diag->capture = cap->outer;
	if (keep) {
		g_ptr_array_set_free_func(cap->items, NULL);
		for (unsigned i = 0; i < cap->items->len; i++)
			replay_item(s, cap->items->pdata[i]);
	}
	capture_free(cap);
	return nerrors;
}

const char *diag_capture_first(const struct diag_capture *cap)
{
	for (unsigned i = 0; i < cap->items->len; i++) {
		const struct diag_item *it = cap->items->pdata[i];

		if (it->kind == ITEM_ERROR)
			return it->text;
	}
	return NULL;
}

/* Edit distance with transpositions, or `max` + 1 when larger. */
static unsigned edit_distance(const char *a, size_t la, const char *b, size_t lb, unsigned max)
{
	unsigned row[3][65], *prev2 = row[0], *prev = row[1], *cur = row[2];

	for (size_t j = 0; j <= lb; j++)
		prev[j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *tmp, best = cur[0] = i;

		for (size_t j = 1; j <= lb; j++) {
			unsigned d = prev[j - 1] + (a[i - 1] != b[j - 1]);

			d = MIN(d, MIN(prev[j], cur[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = MIN(d, prev2[j - 2] + 1);
			cur[j] = d;
			best = MIN(best, d);
		}
		if (best > max)
			return max + 1;
		tmp = prev2;
		prev2 = prev;
		prev = cur;
		cur = tmp;
	}
	return prev[lb];
}

const char *diag_nearest(const char *name, const GPtrArray *names)
{
	size_t len = strlen(name);
	unsigned max = len <= 2 ? 1 : len <= 5 ? 2 : 3;
	const char *best = NULL;

	if (len < 2 || len > 64 || !names)
		return NULL;
	for (unsigned i = 0; i < names->len; i++) {
		const char *cand = names->pdata[i];
		size_t clen = strlen(cand);
		unsigned d;

		if (clen > 64 || clen + max < len || len + max < clen)
			continue;
		d = edit_distance(name, len, cand, clen, max);
		if (d > max || d >= len || d >= clen)
			continue;
		if (d == 0)
			return cand;
		best = cand;
		max = d - 1;
		if (max == 0) /* only the same name could be nearer */
			break;
	}
	return best;
}
