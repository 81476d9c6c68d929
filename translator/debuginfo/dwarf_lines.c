/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables, decoded a unit at a time when a question needs them. */
#include "dwarf_index_priv.h"
#include "dwarf_build.h"
#include "dwarf_file.h"

#include <gelf.h>
#include <stdlib.h>

/* So many decoded rows are kept (24 bytes each). */
#define MAX_ROWS (1u << 20)

static void index_lines_free(gpointer data)
{
	struct index_lines *l = data;

	g_free(l->rows);
	g_free(l);
}

/* The id of a canonical path, or DWARF_NONE. */
static uint32_t id_of_path(struct dwarf_index *ix, const char *path)
{
	uint32_t n, lo = 0, hi;
	const uint32_t *files = store_table(&ix->st, ST_FILES, &n);

	for (hi = n; lo < hi; ) {
		uint32_t mid = lo + (hi - lo) / 2;
		int d = strcmp(store_string(&ix->st, files[mid]), path);

		if (d == 0)
			return mid;
		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return DWARF_NONE;
}

/* Ids of the line table's own file numbers; made as they are met. */
static uint32_t id_of_number(struct dwarf_index *ix, const char *comp_dir, uint32_t *ids, uint32_t number)
{
	struct dw_lines *l = &ix->scratch;
	char *dir, *path;

	if (number >= l->nfiles || !l->files[number].name)
		return DWARF_NONE;
	if (ids[number] != DWARF_NONE - 1)
		return ids[number];
	if (!*comp_dir && l->version >= 5 && l->ndirs && l->dirs[0])
		comp_dir = l->dirs[0];
	dir = dwarf_canonical_path(comp_dir, l->files[number].dir);
	path = dwarf_canonical_path(dir, l->files[number].name);
	ids[number] = id_of_path(ix, path);
	g_free(path);
	g_free(dir);
	return ids[number];
}

/* Rows from one start to the end-of-sequence row behind it. */
struct sequence { uint32_t first, n; uint64_t addr; };

static int sequence_order(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static bool is_sorted(const struct index_lines *l)
{
	for (uint32_t i = 1; i < l->n; i++)
		if (l->rows[i].addr < l->rows[i - 1].addr)
			return false;
	return true;
}

/* Addresses rise within a sequence, so whole sequences are sorted: of several rows at one address, and at the end, the program's
 * order says which one counts. */
static void rows_sort(struct index_lines *l)
{
	GArray *list;
	struct dwarf_line *sorted;
	uint32_t n = 0, first = 0;

	if (is_sorted(l))
		return;
	list = g_array_new(FALSE, FALSE, sizeof(struct sequence));
	for (uint32_t i = 0; i < l->n; i++)
		if ((l->rows[i].flags & DWARF_LINE_END_SEQUENCE) || i + 1 == l->n) {
			struct sequence s = { first, i + 1 - first, l->rows[first].addr };

			g_array_append_val(list, s);
			first = i + 1;
		}
	g_array_sort(list, sequence_order);
	sorted = g_new(struct dwarf_line, l->n);
	for (guint i = 0; i < list->len; i++) {
		const struct sequence *s = &g_array_index(list, struct sequence, i);

		memcpy(sorted + n, l->rows + s->first, s->n * sizeof(*sorted));
		n += s->n;
	}
	g_array_free(list, TRUE);
	g_free(l->rows);
	l->rows = sorted;
	/* what still is not in order is damaged; searches must find an end all the same */
	n = l->n ? 1 : 0;
	for (uint32_t i = 1; i < l->n; i++)
		if (l->rows[i].addr >= l->rows[n - 1].addr)
			l->rows[n++] = l->rows[i];
	l->n = n;
}

static void decode(struct dwarf_index *ix, uint32_t cu, const struct store_cu *s, struct index_lines *ret)
{
	const char *comp_dir = store_string(&ix->st, s->comp_dir);
	struct dw_lines *l = &ix->scratch;
	struct dw_unit u = { .sec = &ix->sec, .line_sec = &ix->sec, .stmt_list = s->stmt_list, .version = 4, .off_size = 4 };
	uint32_t *ids;

	if (!ix->sec_asked) {
		Dwarf *dw = dwarf_file_dwarf(ix->file);

		ix->sec_asked = true;
		build_sections_of(dw ? dwarf_getelf(dw) : NULL, false, &ix->sec);
	}
	u.addr_size = dwarf_file_elf(ix->file) && gelf_getclass(dwarf_file_elf(ix->file)) == ELFCLASS32 ? 4 : 8;
	u.name = *store_string(&ix->st, s->name) ? store_string(&ix->st, s->name) : NULL;
	if (s->set == STORE_ALT || s->stmt_list == UINT64_MAX || !dw_lines_header(&u, l))
		return;
	dw_lines_run(&u, l);
	ret->rows = g_new(struct dwarf_line, l->nrows + 1);
	ids = g_new(uint32_t, l->nfiles + 1);
	for (size_t i = 0; i < l->nfiles; i++)
		ids[i] = DWARF_NONE - 1;
	for (size_t i = 0; i < l->nrows; i++) {
		const struct dw_row *r = &l->rows[i];

		/* code that the linker threw away */
		if (r->addr < ix->st.head->base)
			continue;
		ret->rows[ret->n++] = (struct dwarf_line){ .addr = r->addr, .line = r->line, .column = r->column, .flags = r->flags,
			.file_id = id_of_number(ix, comp_dir, ids, r->file), .cu = cu };
	}
	g_free(ids);
	rows_sort(ret);
}

/* The rows of a unit (n 0 when it has none); valid until the next call for another unit. */
static const struct index_lines *index_lines(struct dwarf_index *ix, uint32_t cu)
{
	static const struct index_lines none;
	const struct store_cu *s = store_record(&ix->st, ST_CUS, cu);
	struct index_lines *l;

	if (!s)
		return &none;
	if (!ix->lines)
		ix->lines = g_hash_table_new_full(NULL, NULL, NULL, index_lines_free);
	l = g_hash_table_lookup(ix->lines, GUINT_TO_POINTER(cu + 1));
	if (l)
		return l;
	if (ix->nrows > MAX_ROWS) {
		g_hash_table_remove_all(ix->lines);
		ix->nrows = 0;
	}
	l = g_new0(struct index_lines, 1);
	decode(ix, cu, s, l);
	ix->nrows += l->n;
	g_hash_table_insert(ix->lines, GUINT_TO_POINTER(cu + 1), l);
	return l;
}

GArray *dwarf_index_cu_lines(struct dwarf_index *ix, uint32_t cu)
{
	const struct index_lines *l = index_lines(ix, cu);
	GArray *ret = g_array_new(FALSE, FALSE, sizeof(struct dwarf_line));

	if (l->n)
		g_array_append_vals(ret, l->rows, l->n);
	return ret;
}

/* The first row at or behind an address. */
static uint32_t row_from(const struct index_lines *l, uint64_t addr)
{
	uint32_t lo = 0, hi = l->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (l->rows[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool dwarf_index_line_at(struct dwarf_index *ix, uint64_t addr, struct dwarf_line *ret)
{
	uint32_t cu = dwarf_index_cu_at(ix, addr), i;
	const struct index_lines *l = index_lines(ix, cu);

	memset(ret, 0, sizeof(*ret));
	i = row_from(l, addr + 1);
	/* of several rows at one address the last one holds from there on */
	if (cu == DWARF_NONE || i == 0 || (l->rows[i - 1].flags & DWARF_LINE_END_SEQUENCE))
		return false;
	*ret = l->rows[i - 1];
	return true;
}

/* True when a statement of another line than before begins in row i. */
static bool begins(const struct index_lines *l, uint32_t i)
{
	const struct dwarf_line *r = &l->rows[i], *before = i ? r - 1 : NULL;

	if (!(r->flags & DWARF_LINE_STMT) || (r->flags & DWARF_LINE_END_SEQUENCE) || r->line == 0)
		return false;
	return !before || (before->flags & DWARF_LINE_END_SEQUENCE) || before->line != r->line || before->file_id != r->file_id ||
	       !(before->flags & DWARF_LINE_STMT);
}

static gint line_order(gconstpointer a, gconstpointer b)
{
	const struct dwarf_line *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->file_id < y->file_id ? -1 : x->file_id > y->file_id;
}

static void sort_unique(GArray *a)
{
	struct dwarf_line *r = (struct dwarf_line *)a->data;
	guint k = 0;

	g_array_sort(a, line_order);
	for (guint i = 0; i < a->len; i++)
		if (i == 0 || line_order(&r[i], &r[k - 1]) != 0)
			r[k++] = r[i];
	g_array_set_size(a, k);
}

/* Calls fn for every row that begins a statement in a matching file, over all units with code from one. */
static void each_start(struct dwarf_index *ix, const char *file, void (*fn)(void *data, const struct dwarf_line *r), void *data)
{
	GArray *cus = dwarf_index_cus(ix, file, true);
	uint8_t *mask = index_file_mask(ix, file);
	uint32_t nfiles;

	store_table(&ix->st, ST_FILES, &nfiles);
	for (guint k = 0; k < cus->len; k++) {
		const struct index_lines *l = index_lines(ix, g_array_index(cus, uint32_t, k));

		for (uint32_t i = 0; i < l->n; i++)
			if (begins(l, i) && (!mask || (l->rows[i].file_id < nfiles && mask[l->rows[i].file_id])))
				fn(data, &l->rows[i]);
	}
	g_free(mask);
	g_array_free(cus, TRUE);
}

struct wanted_lines {
	uint32_t first, last;
	GArray *out;
};

static void take_line(void *data, const struct dwarf_line *r)
{
	struct wanted_lines *w = data;

	if (r->line >= w->first && r->line <= w->last)
		g_array_append_val(w->out, *r);
}

GArray *dwarf_index_lines(struct dwarf_index *ix, const char *file, uint32_t first, uint32_t last)
{
	struct wanted_lines w = { first, last, g_array_new(FALSE, FALSE, sizeof(struct dwarf_line)) };

	each_start(ix, file, take_line, &w);
	sort_unique(w.out);
	return w.out;
}

GArray *dwarf_index_func_lines(struct dwarf_index *ix, uint32_t func, const char *file)
{
	GArray *ret = g_array_new(FALSE, FALSE, sizeof(struct dwarf_line)), *ranges = dwarf_index_func_ranges(ix, func);
	const struct store_func *f = store_record(&ix->st, ST_FUNCS, func);
	const struct index_lines *l = index_lines(ix, f ? f->cu : DWARF_NONE);
	uint8_t *mask = index_file_mask(ix, file);
	uint32_t nfiles;

	store_table(&ix->st, ST_FILES, &nfiles);
	for (guint k = 0; k < ranges->len; k++) {
		const struct dwarf_range *r = &g_array_index(ranges, struct dwarf_range, k);

		for (uint32_t i = row_from(l, r->low); i < l->n && l->rows[i].addr < r->high; i++)
			if (begins(l, i) && (!mask || (l->rows[i].file_id < nfiles && mask[l->rows[i].file_id])))
				g_array_append_val(ret, l->rows[i]);
	}
	sort_unique(ret);
	g_free(mask);
	g_array_free(ranges, TRUE);
	return ret;
}

struct nearest {
	uint32_t line, below, above;
};

static void take_nearest(void *data, const struct dwarf_line *r)
{
	struct nearest *n = data;

	if (r->line < n->line && r->line > n->below)
		n->below = r->line;
	if (r->line > n->line && (!n->above || r->line < n->above))
		n->above = r->line;
}

void dwarf_index_nearest(struct dwarf_index *ix, const char *file, uint32_t line, uint32_t *below, uint32_t *above)
{
	struct nearest n = { .line = line };

	each_start(ix, file, take_nearest, &n);
	*below = n.below;
	*above = n.above;
}
