/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of source lines of kernel code, from the index of the debug information (doc/debuginfo.md). */
#include "define.h"
#include "kernel_lines.h"
#include "ast.h"
#include "cache.h"
#include "derive.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"
#include "kernel.h"
#include "stp_lines.h"
#include "stp_utab.h"

#include <stdlib.h>
#include <string.h>

/* Entries a block: lines are seldom looked up, so the index may be thin. */
#define STEP STP_UTAB_STEP_MAX

/* A stretch of code that comes from one line; file DWARF_NONE: not known. */
struct stretch {
	uint64_t low, high;
	uint32_t file, line;
};

static gint by_address(gconstpointer a, gconstpointer b)
{
	const struct stretch *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* The rows of all units as stretches, sorted. */
static GArray *all_stretches(struct dwarf_index *ix)
{
	GArray *ret = g_array_new(FALSE, FALSE, sizeof(struct stretch));
	struct dwarf_index_info info;

	dwarf_index_info(ix, &info);
	for (uint32_t cu = 0; cu < info.cus; cu++) {
		GArray *rows = dwarf_index_cu_lines(ix, cu);

		for (guint i = 0; i + 1 < rows->len; i++) {
			const struct dwarf_line *r = &g_array_index(rows, struct dwarf_line, i);
			struct stretch s = { r->addr, r[1].addr, r->file_id, r->line };

			/* of several rows at one address the last counts */
			if (s.high > s.low && r->line && r->file_id != DWARF_NONE && !(r->flags & DWARF_LINE_END_SEQUENCE))
				g_array_append_val(ret, s);
		}
		g_array_free(rows, TRUE);
	}
	g_array_sort(ret, by_address);
	return ret;
}

/* A table being made for one piece of code. */
struct maker {
	uint64_t start;
	GArray *blocks;            /* struct stp_utab_block */
	GByteArray *bytes;
	GHashTable *numbers;       /* file id + 1 to number + 1 */
	GArray *files;             /* ids */
	uint32_t count;
};

static void put_varint(GByteArray *b, uint64_t v)
{
	guint8 byte;

	do {
		byte = (v & 127) | (v > 127 ? 128 : 0);
		g_byte_array_append(b, &byte, 1);
		v >>= 7;
	} while (v);
}

static uint32_t file_number(struct maker *m, uint32_t file)
{
	uint32_t no = GPOINTER_TO_UINT(g_hash_table_lookup(m->numbers, GUINT_TO_POINTER(file + 1)));

	if (no)
		return no - 1;
	g_array_append_val(m->files, file);
	g_hash_table_insert(m->numbers, GUINT_TO_POINTER(file + 1), GUINT_TO_POINTER(m->files->len));
	return m->files->len - 1;
}

static void put_line(struct maker *m, uint64_t low, uint64_t high, uint32_t file, uint32_t line)
{
	if (m->count++ % STEP == 0) {
		struct stp_utab_block block = { low - m->start, m->bytes->len };

		g_array_append_val(m->blocks, block);
	}
	put_varint(m->bytes, high - low);
	put_varint(m->bytes, line ? file_number(m, file) : 0);
	put_varint(m->bytes, line);
}

/* The stretches between two addresses: overlaps cut, neighbours of one line joined, holes as line 0. */
static void put_lines(struct maker *m, const GArray *list, uint64_t low, uint64_t high)
{
	struct stretch now = { low, low, 0, 0 };

	for (guint i = 0; i < list->len; i++) {
		struct stretch s = g_array_index(list, struct stretch, i);

		s.low = MAX(s.low, now.high);
		s.high = MIN(s.high, high);
		if (s.high <= s.low)
			continue;
		if (s.low == now.high && s.file == now.file && s.line == now.line) {
			now.high = s.high;
			continue;
		}
		if (now.high > now.low)
			put_line(m, now.low, now.high, now.file, now.line);
		if (s.low > now.high)
			put_line(m, now.high, s.low, 0, 0);
		now = s;
	}
	if (now.high > now.low)
		put_line(m, now.low, now.high, now.file, now.line);
}

static uint32_t put_aligned(GByteArray *out, const void *data, size_t size)
{
	uint32_t at;

	while (out->len % 8)
		g_byte_array_append(out, (const guint8 *)"", 1);
	at = out->len;
	g_byte_array_append(out, data, size);
	return at;
}

/* struct stp_utab with the lines alone, behind what is in `out`. */
static void put_table(struct maker *m, struct dwarf_index *ix, GByteArray *out)
{
	struct stp_utab head = { .magic = STP_UTAB_MAGIC, .version = STP_UTAB_VERSION };
	GByteArray *t = g_byte_array_new();
	uint32_t at, *names = g_new(uint32_t, m->files->len + 1);

	g_byte_array_append(t, (const guint8 *)&head, sizeof(head));
	head.seg = head.rule = put_aligned(t, "", 1);
	head.line.count = m->count;
	head.line.step = STEP;
	head.line.nblocks = m->blocks->len;
	head.line.index = put_aligned(t, m->blocks->data, m->blocks->len * sizeof(struct stp_utab_block));
	head.line.bytes = put_aligned(t, m->bytes->data, m->bytes->len);
	head.line.nbytes = m->bytes->len;
	head.nfile = m->files->len;
	head.file = put_aligned(t, names, m->files->len * sizeof(*names));
	for (guint i = 0; i < m->files->len; i++) {
		const char *name = dwarf_index_file(ix, g_array_index(m->files, uint32_t, i));

		names[i] = t->len;
		g_byte_array_append(t, (const guint8 *)name, strlen(name) + 1);
	}
	put_aligned(t, "\0\0\0\0\0\0\0\0", 8);
	head.size = t->len;
	at = head.file;
	memcpy(t->data, &head, sizeof(head));
	memcpy(t->data + at, names, m->files->len * sizeof(*names));
	g_byte_array_append(out, t->data, t->len);
	g_byte_array_free(t, TRUE);
	g_free(names);
}

/* One piece of code, from `low` to `high`, that begins at symbol + offset. */
static void put_piece(struct dwarf_index *ix, const GArray *list, struct stp_lines_head *h, uint64_t low, uint64_t high, GByteArray *out)
{
	struct maker m = { .start = low, .blocks = g_array_new(FALSE, FALSE, sizeof(struct stp_utab_block)),
		.bytes = g_byte_array_new(), .numbers = g_hash_table_new(NULL, NULL),
		.files = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
	guint at = out->len;

	put_lines(&m, list, low, high);
	if (m.files->len) {
		h->length = high - low;
		g_byte_array_append(out, (const guint8 *)h, sizeof(*h));
		put_table(&m, ix, out);
		h->table_size = out->len - at - sizeof(*h);
		while (out->len % 8)
			g_byte_array_append(out, (const guint8 *)"", 1);
		h->size = out->len - at;
		memcpy(out->data + at, h, sizeof(*h));
	}
	g_array_free(m.blocks, TRUE);
	g_byte_array_free(m.bytes, TRUE);
	g_hash_table_destroy(m.numbers);
	g_array_free(m.files, TRUE);
}

/* All pieces of a file: the kernel from its first to its last code, a module by sections. */
static GByteArray *make_tables(struct dwarf_file *f, struct dwarf_index *ix, bool check)
{
	GByteArray *out = g_byte_array_new();
	GArray *list = all_stretches(ix);
	guint i = 0;

	while (i < list->len) {
		const struct stretch *s = &g_array_index(list, struct stretch, i);
		struct stp_lines_head h = { .magic = STP_LINES_MAGIC };
		const char *symbol, *other;
		uint64_t offset, from, high = s->high;

		g_strlcpy(h.build_id, check && f->build_id ? f->build_id : "", sizeof(h.build_id));
		g_strlcpy(h.module, f->kind == DWARF_FILE_KERNEL ? "vmlinux" : f->name, sizeof(h.module));
		i++;
		if (!dwarf_file_reference(f, s->low, &symbol, &from))
			continue;
		h.offset = from;
		for (; i < list->len; i++) {
			uint64_t low = g_array_index(list, struct stretch, i).low;

			if (f->kind == DWARF_FILE_MODULE &&
			    (!dwarf_file_reference(f, low, &other, &offset) || strcmp(other, symbol) != 0))
				break;
			high = MAX(high, g_array_index(list, struct stretch, i).high);
		}
		g_strlcpy(h.symbol, symbol, sizeof(h.symbol));
		if (high - s->low < UINT32_MAX)
			put_piece(ix, list, &h, s->low, high, out);
	}
	g_array_free(list, TRUE);
	return out;
}

/* Path of a file's tables in the cache, made when they are not there yet; NULL when there are no lines. */
static const char *tables_path(struct session *s, struct dwarf_file *f, struct dwarf_index *ix)
{
	struct cache *c = session_cache(s);
	bool check = !define_is_given(s, "STP_NO_BUILDID_CHECK");
	char *key = g_strdup_printf("lines %d %s %s %s %d", STP_UTAB_VERSION, f->name, f->build_id ? f->build_id : "", f->debug_path, check);
	char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, key, -1), *name, *path = NULL, *dir = NULL, *made;
	const char *ret;
	GByteArray *out;

	name = g_strdup_printf("index/lines-%.24s", sum);
	if (c && f->build_id)
		path = cache_find(c, name);
	if (!path && c && cache_scratch(c, &dir, NULL) == 0) {
		out = make_tables(f, ix, check);
		made = g_build_filename(f->build_id ? dir : session_tmpdir(s), f->build_id ? "lines" : sum, NULL);
		if (out->len && g_file_set_contents(made, (char *)out->data, out->len, NULL)) {
			/* without a build id nothing says that it will be right next time */
			if (!f->build_id)
				path = g_strdup(made);
			else
				cache_publish(c, made, name, false, &path, NULL);
		}
		g_byte_array_free(out, TRUE);
		g_free(made);
		cache_remove_tree(dir);
		g_free(dir);
	}
	g_free(name);
	g_free(sum);
	g_free(key);
	ret = path ? arena_strdup(s, path) : NULL;
	g_free(path);
	return ret;
}

static void emit_file(struct session *s, GString *out, struct dwarf_file *f)
{
	struct dwarf_index *ix = f && f->debug_path ? session_dwarf_index(s, f, NULL) : NULL;
	const char *path = ix ? tables_path(s, f, ix) : NULL;

	if (path)
		g_string_append_printf(out, "asm(\".pushsection .stap_lines, \\\"\\\", @progbits\\n\\t.balign 8\\n\\t.incbin \\\"%s\\\"\\n"
				       "\\t.popsection\\n\");\n", path);
}

void kernel_lines_emit(struct session *s, GString *out)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
	struct loc nowhere = { 0 };
	char *err = NULL;
	struct dwarf_file *f = dwarf_kernel(s, &err);

	if (!f || !f->debug_path) {
		diag_warning(s, nowhere, "no-lines", "source lines of the kernel are not known, addresses in it stay numbers");
		diag_help(s, "%s", err ? err : f->problem);
	}
	emit_file(s, out, f);
	for (guint i = 0; i < s->probes->len; i++) {
		const struct probe *p = s->probes->pdata[i];

		for (size_t k = 0; k < p->nsites; k++)
			if (p->sites[k].module && strcmp(p->sites[k].module, "vmlinux") != 0 &&
			    g_hash_table_add(seen, (gpointer)p->sites[k].module))
				emit_file(s, out, dwarf_module(s, p->sites[k].module, NULL));
	}
	g_free(err);
	g_hash_table_destroy(seen);
}
