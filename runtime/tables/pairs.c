// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Byte pair encoding: the pair of codes that is most frequent in all names becomes a new code, again and again, while
 * codes are free and it saves something.  The counts are kept up as pairs are replaced, so that the whole takes little more
 * than one pass over the names for each new code.
 */
#include <stdlib.h>
#include <string.h>
#include "tables.h"

#define MAX_CODES 255
/* Each new code is a pass over all names: for very many of them there are fewer codes. */
#define MAX_STEPS (1u << 29)
/* A name that is cut when even its codes do not fit; the module decodes no more than that anyhow. */
#define MAX_BYTES STP_UTAB_NAME

struct text {
	unsigned char *p;         /* all names' codes, one behind the other */
	uint32_t *start, *len;    /* of each name */
	size_t n, total;
	int32_t (*count)[256];    /* of each pair; below zero where one was ruled out */
};

static void text_init(struct text *t, char *const *name, size_t n)
{
	size_t i, total = 0;

	*t = (struct text){ .n = n, .start = mem_zero(n, sizeof(uint32_t)), .len = mem_zero(n, sizeof(uint32_t)) };
	t->count = mem_zero(256, sizeof(*t->count));
	for (i = 0; i < n; i++) {
		t->start[i] = (uint32_t)total;
		t->len[i] = (uint32_t)strnlen(name[i], MAX_BYTES);
		total += t->len[i];
	}
	t->total = total;
	t->p = mem_zero(total, 1);
	for (i = 0; i < n; i++) {
		unsigned char *p = t->p + t->start[i];
		uint32_t k;

		memcpy(p, name[i], t->len[i]);
		for (k = 1; k < t->len[i]; k++)
			t->count[p[k - 1]][p[k]]++;
	}
}

static int32_t best_pair(const struct text *t, unsigned *a, unsigned *b)
{
	int32_t best = 0;
	unsigned i, k;

	for (i = 0; i < 256; i++)
		for (k = 0; k < 256; k++)
			if (t->count[i][k] > best) {
				best = t->count[i][k];
				*a = i;
				*b = k;
			}
	return best;
}

/* Every a b becomes `code`; counts of the pairs around it move along. */
static void replace_pair(struct text *t, unsigned a, unsigned b, unsigned code)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		unsigned char *p = t->p + t->start[i];
		uint32_t from, to = 0, n = t->len[i];

		for (from = 0; from < n; from++, to++) {
			if (from + 1 < n && p[from] == a && p[from + 1] == b) {
				if (to) {
					t->count[p[to - 1]][a]--;
					t->count[p[to - 1]][code]++;
				}
				if (from + 2 < n) {
					t->count[b][p[from + 2]]--;
					t->count[code][p[from + 2]]++;
				}
				t->count[a][b]--;
				p[to] = (unsigned char)code;
				from++;
			} else {
				p[to] = p[from];
			}
		}
		t->len[i] = to;
	}
	t->count[a][b] = 0;
}

void pairs_make(char *const *name, size_t n, unsigned char pair[256][2], unsigned char **code, unsigned char *len)
{
	unsigned char depth[256] = { 0 };
	bool used[256] = { false };
	struct text t;
	unsigned i, a = 0, b = 0, passes;
	size_t k;

	text_init(&t, name, n);
	passes = MAX_STEPS / (unsigned)(t.total + 1);
	for (k = 0; k < n; k++)
		for (i = 0; i < t.len[k]; i++)
			used[t.p[t.start[k] + i]] = true;
	for (i = 0; i < 256; i++) {
		pair[i][0] = (unsigned char)i;
		pair[i][1] = 0;
		depth[i] = 1;
	}
	for (i = 0; i < 256; i++) {
		if (used[i])
			continue;
		if (!passes--)
			break;
		while (best_pair(&t, &a, &b) >= 4 && (depth[a] > depth[b] ? depth[a] : depth[b]) + 1 > STP_UTAB_DEPTH)
			t.count[a][b] = 0;
		if (t.count[a][b] < 4)
			break;
		pair[i][0] = (unsigned char)a;
		pair[i][1] = (unsigned char)b;
		depth[i] = (depth[a] > depth[b] ? depth[a] : depth[b]) + 1;
		replace_pair(&t, a, b, i);
	}
	for (k = 0; k < n; k++) {
		len[k] = t.len[k] > MAX_CODES ? MAX_CODES : (unsigned char)t.len[k];
		code[k] = mem_zero(len[k], 1);
		memcpy(code[k], t.p + t.start[k], len[k]);
	}
	free(t.p);
	free(t.start);
	free(t.len);
	free(t.count);
}
