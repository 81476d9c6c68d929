// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of a file, from the line tables of its debug information. */
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include "tables.h"

struct reader {
	struct image *im;
	struct lines *l;
	size_t room;
	uint32_t *slot, nslots;   /* hash table of file names: number + 1 */
	uint32_t file_room;
};

static uint32_t hash(const char *s)
{
	uint32_t h = 5381;

	for (; *s; s++)
		h = h * 33 ^ (unsigned char)*s;
	return h;
}

static void files_grow(struct reader *r)
{
	uint32_t i, at;

	if (r->l->nfiles < r->file_room)
		return;
	r->file_room = r->file_room ? r->file_room * 2 : 256;
	r->l->file = mem_resize(r->l->file, r->file_room, sizeof(*r->l->file));
	free(r->slot);
	r->nslots = r->file_room * 2;
	r->slot = mem_zero(r->nslots, sizeof(*r->slot));
	for (i = 0; i < r->l->nfiles; i++) {
		at = hash(r->l->file[i]) % r->nslots;
		while (r->slot[at])
			at = (at + 1) % r->nslots;
		r->slot[at] = i + 1;
	}
}

static uint32_t file_number(struct reader *r, const char *name)
{
	uint32_t at;

	files_grow(r);
	for (at = hash(name) % r->nslots; r->slot[at]; at = (at + 1) % r->nslots)
		if (!strcmp(r->l->file[r->slot[at] - 1], name))
			return r->slot[at] - 1;
	r->l->file[r->l->nfiles] = strdup(name);
	r->slot[at] = r->l->nfiles + 1;
	return r->l->nfiles++;
}

static void line_add(struct reader *r, Dwarf_Addr from, Dwarf_Addr to, const char *file, int line)
{
	struct lines *l = r->l;
	uint32_t a, b;

	if (to <= from || !image_addr(r->im, from, &a) || !image_addr(r->im, to, &b))
		return;
	if (l->n == r->room) {
		r->room = r->room * 2 + 4096;
		l->line = mem_resize(l->line, r->room, sizeof(*l->line));
	}
	l->line[l->n++] = (struct line){ a, b - a, file_number(r, file), line > 0 ? (uint32_t)line : 0 };
}

/* Each row is good until the next one's address; the last of several at one address counts.  Rows come sorted by address, the end of a
 * sequence before others at its address: what follows it there begins the next sequence, if the unit has code there, or is left over. */
static void read_unit(struct reader *r, Dwarf_Die *cu, Dwarf_Addr bias)
{
	Dwarf_Addr ended = ~(Dwarf_Addr)0;
	Dwarf_Lines *rows;
	size_t n, i;

	if (dwarf_getsrclines(cu, &rows, &n))
		return;
	for (i = 0; i + 1 < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i), *next = dwarf_onesrcline(rows, i + 1);
		Dwarf_Addr from, to;
		const char *file = dwarf_linesrc(row, NULL, NULL);
		bool end;
		int line;

		if (dwarf_lineendsequence(row, &end) || dwarf_lineaddr(row, &from) || dwarf_lineaddr(next, &to))
			continue;
		if (end)
			ended = from;
		if (end || dwarf_lineno(row, &line) || !file || (from == ended && !dwarf_haspc(cu, from)))
			continue;
		line_add(r, from + bias, to + bias, file, line);
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sorted, the first of overlapping ones; neighbours of one line become one, and holes lines 0. */
static void tidy(struct lines *l)
{
	struct line *old = l->line;
	size_t n = l->n, i;
	uint32_t end = 0;

	qsort(old, n, sizeof(*old), by_addr);
	l->line = mem_zero(2 * n + 1, sizeof(*l->line));
	l->n = 0;
	for (i = 0; i < n; i++) {
		struct line x = old[i], *last = l->n ? &l->line[l->n - 1] : NULL;

		if (last && x.addr < end) {
			if (x.addr + x.len <= end)
				continue;
			x.len -= end - x.addr;
			x.addr = end;
		}
		if (last && x.addr > end) {
			l->line[l->n++] = (struct line){ end, x.addr - end, 0, 0 };
			last = NULL;
		}
		if (last && last->file == x.file && last->line == x.line)
			last->len += x.len;
		else
			l->line[l->n++] = x;
		end = x.addr + x.len;
	}
	free(old);
}

void lines_read(struct image *im, struct lines *ret)
{
	struct reader r = { .im = im, .l = ret };
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	*ret = (struct lines){ 0 };
	while ((cu = dwfl_module_nextcu(im->mod, cu, &bias)))
		read_unit(&r, cu, bias - im->bias);
	free(r.slot);
	if (ret->n)
		tidy(ret);
}

void lines_free(struct lines *l)
{
	uint32_t i;

	for (i = 0; i < l->nfiles; i++)
		free(l->file[i]);
	free(l->file);
	free(l->line);
	*l = (struct lines){ 0 };
}
