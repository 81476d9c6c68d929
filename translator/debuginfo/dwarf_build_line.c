/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source files of one unit under canonical names, which of them it has code from, and where prologues end. */
#include "dwarf_build.h"

#include <stdlib.h>

#define NOT_ASKED (NONE - 1)

uint32_t build_path_id(struct build_worker *w, const char *comp_dir, const char *dir, const char *name)
{
	/* Canonical form takes its time, and the same few directories come again in each unit. */
	GString *key = g_string_new(comp_dir);
	char *path, *joined;
	uint32_t id;

	g_string_append_c(g_string_append(g_string_append_c(key, '\n'), dir ? dir : ""), '\n');
	g_string_append(key, name);
	id = GPOINTER_TO_UINT(g_hash_table_lookup(w->path_cache, key->str));
	if (!id) {
		joined = dwarf_canonical_path(comp_dir, dir);
		path = dwarf_canonical_path(joined, name);
		id = GPOINTER_TO_UINT(g_hash_table_lookup(w->paths, path));
		if (!id) {
			char *own = g_string_chunk_insert(w->strings, path);

			g_ptr_array_add(w->path_list, own);
			id = w->path_list->len;
			g_hash_table_insert(w->paths, own, GUINT_TO_POINTER(id));
		}
		g_hash_table_insert(w->path_cache, g_strdup(key->str), GUINT_TO_POINTER(id));
		g_free(joined);
		g_free(path);
	}
	g_string_free(key, TRUE);
	return id - 1;
}

void build_lines_begin(struct build_worker *w)
{
	if (!dw_lines_header(&w->u, &w->lines))
		w->lines.nfiles = 0;
	w->lines.nrows = 0;
	w->file_ids.n = 0;
	for (size_t i = 0; i < w->lines.nfiles; i++)
		*(uint32_t *)build_list_add(&w->file_ids, sizeof(uint32_t)) = NOT_ASKED;
}

uint32_t build_file_id(struct build_worker *w, uint64_t number)
{
	const struct dw_line_file *f;
	const char *comp_dir = w->u.comp_dir;
	uint32_t *id;

	/* before version 5 numbers begin with 1, and 0 means: not told */
	if (number >= w->lines.nfiles || (number == 0 && w->lines.version < 5))
		return NONE;
	id = (uint32_t *)w->file_ids.data + number;
	if (*id != NOT_ASKED)
		return *id;
	f = &w->lines.files[number];
	if (!comp_dir && w->lines.version >= 5 && w->lines.ndirs)
		comp_dir = w->lines.dirs[0];
	*id = f->name ? build_path_id(w, comp_dir ? comp_dir : "", f->dir, f->name) : NONE;
	return *id;
}

static int row_order(const void *a, const void *b)
{
	const struct dw_row *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sequences are sorted inside; they only need sorting when there are several and not in order.  (Of rows at one address
 * only their flags matter here, so an order among them does not.) */
static void rows_sort(struct dw_lines *l)
{
	for (size_t i = 1; i < l->nrows; i++)
		if (l->rows[i - 1].addr > l->rows[i].addr) {
			qsort(l->rows, l->nrows, sizeof(*l->rows), row_order);
			return;
		}
}

static void files_with_code(struct build_worker *w)
{
	struct build_unit *unit = w->unit;
	uint8_t *seen = g_malloc0(w->lines.nfiles + 1);

	unit->first_file = w->cu_files.n;
	for (size_t i = 0; i < w->lines.nrows; i++) {
		const struct dw_row *r = &w->lines.rows[i];
		uint32_t id;

		if (r->file >= w->lines.nfiles || seen[r->file] || r->line == 0)
			continue;
		seen[r->file] = 1;
		id = build_file_id(w, r->file);
		if (id != NONE)
			*(uint32_t *)build_list_add(&w->cu_files, sizeof(uint32_t)) = id;
	}
	unit->nfiles = w->cu_files.n - unit->first_file;
	g_free(seen);
}

static size_t row_at(const struct dw_lines *l, uint64_t addr)
{
	size_t lo = 0, hi = l->nrows;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (l->rows[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * The compiler marks where the body begins (clang), or else the second place that the line table has for the
 * function is it: gcc begins a new row for the first statement behind the prologue.
 */
static uint64_t prologue_end(const struct dw_lines *l, const struct build_func *f)
{
	size_t first = row_at(l, f->entry);
	uint64_t second = 0;

	if (first == l->nrows || l->rows[first].addr != f->entry)
		return f->entry;
	for (size_t i = first; i < l->nrows && l->rows[i].addr < f->high; i++) {
		const struct dw_row *r = &l->rows[i];

		if (r->flags & DWARF_LINE_END_SEQUENCE)
			continue;
		if (r->flags & DWARF_LINE_PROLOGUE_END)
			return r->addr;
		if (!second && r->addr > f->entry && r->line && (r->flags & DWARF_LINE_STMT))
			second = r->addr;
		if (second && i > first + 32)
			break;
	}
	return second ? second : f->entry;
}

void build_lines_end(struct build_worker *w)
{
	struct build_func *f = w->funcs.data;

	w->unit->first_file = w->cu_files.n;
	if (w->lines.nfiles == 0)
		return;
	dw_lines_run(&w->u, &w->lines);
	files_with_code(w);
	rows_sort(&w->lines);
	for (uint32_t i = w->unit->first_func; i < w->unit->first_func + w->unit->nfuncs; i++)
		if (f[i].flags & DWARF_CONCRETE)
			f[i].prologue = prologue_end(&w->lines, &f[i]);
}
