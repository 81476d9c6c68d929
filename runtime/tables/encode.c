// SPDX-License-Identifier: GPL-2.0-or-later
/* Puts a table together (stp_utab.h). */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "tables.h"

static uint32_t section_begin(struct buf *b, size_t align)
{
	buf_align(b, align);
	return (uint32_t)b->n;
}

/* The index and the bytes of a list, behind what is in `b`. */
static void list_put(struct buf *b, struct stp_utab_list *l, size_t count, uint32_t step, const struct stp_utab_block *block,
		     const struct buf *bytes)
{
	l->count = (uint32_t)count;
	l->step = step;
	l->nblocks = (l->count + step - 1) / step;
	l->index = section_begin(b, 4);
	buf_put(b, block, l->nblocks * sizeof(*block));
	l->bytes = (uint32_t)b->n;
	l->nbytes = (uint32_t)bytes->n;
	buf_put(b, bytes->p, bytes->n);
}

/* Where a symbol ends and how far from there the next one starts; its name. */
static void symbol_put(struct buf *bytes, const struct symbol *s, const struct symbol *next, const unsigned char *code, unsigned len)
{
	uint32_t end = s->addr + s->size;
	bool aligned = !next || next->addr == ((end + 15) & ~15U), few = len && len < 16;

	buf_varint(bytes, (uint64_t)s->size << 5 | (few ? len << 1 : 0) | aligned);
	if (!aligned)
		buf_varint(bytes, next->addr >= end ? (uint64_t)(next->addr - end) << 1 : (uint64_t)(end - next->addr) << 1 | 1);
	if (!few)
		buf_byte(bytes, len);
	buf_put(bytes, code, len);
}

static void symbols_put(struct buf *b, struct stp_utab_list *l, struct symbol *s, size_t n)
{
	struct stp_utab_block *block = mem_zero(n / STP_UTAB_STEP + 1, sizeof(*block));
	unsigned char pair[256][2], *len = mem_zero(n, 1), **code = mem_zero(n, sizeof(*code));
	char **name = mem_zero(n, sizeof(*name));
	struct buf bytes = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		name[i] = s[i].name;
	pairs_make(name, n, pair, code, len);
	for (i = 0; i < n; i++) {
		if (i % STP_UTAB_STEP == 0)
			block[i / STP_UTAB_STEP] = (struct stp_utab_block){ s[i].addr, (uint32_t)bytes.n };
		symbol_put(&bytes, &s[i], i + 1 < n && (i + 1) % STP_UTAB_STEP ? &s[i + 1] : NULL, code[i], len[i]);
		free(code[i]);
	}
	l->pairs = section_begin(b, 4);
	buf_put(b, pair, sizeof(pair));
	list_put(b, l, n, STP_UTAB_STEP, block, &bytes);
	buf_free(&bytes);
	free(block);
	free(len);
	free(code);
	free(name);
}

static void rows_put(struct buf *b, struct stp_utab_list *l, const struct row *r, size_t n)
{
	struct stp_utab_block *block = mem_zero(n / STP_UTAB_ROW_STEP + 1, sizeof(*block));
	struct buf bytes = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		if (i % STP_UTAB_ROW_STEP == 0)
			block[i / STP_UTAB_ROW_STEP] = (struct stp_utab_block){ r[i].addr, (uint32_t)bytes.n };
		buf_varint(&bytes, r[i].len);
		buf_varint(&bytes, r[i].rule);
	}
	list_put(b, l, n, STP_UTAB_ROW_STEP, block, &bytes);
	buf_free(&bytes);
	free(block);
}

static void put_symbols_of(struct image *im, bool data, struct buf *b, struct stp_utab_list *l)
{
	size_t n;
	struct symbol *s = symbols_read(im, data, &n);

	if (n)
		symbols_put(b, l, s, n);
	symbols_free(s, n);
}

static void put_rows_of(struct image *im, struct buf *b, struct stp_utab *head)
{
	struct stp_utab_rule *rule;
	size_t n;
	struct row *r = cfi_rows(im, &n, &rule, &head->nrule);

	head->rule = section_begin(b, 4);
	buf_put(b, rule, head->nrule * sizeof(*rule));
	if (n)
		rows_put(b, &head->row, r, n);
	free(r);
	free(rule);
}

static void lines_put(struct buf *b, struct stp_utab_list *l, const struct lines *ls)
{
	struct stp_utab_block *block = mem_zero(ls->n / STP_UTAB_STEP + 1, sizeof(*block));
	struct buf bytes = { 0 };
	size_t i;

	for (i = 0; i < ls->n; i++) {
		if (i % STP_UTAB_STEP == 0)
			block[i / STP_UTAB_STEP] = (struct stp_utab_block){ ls->line[i].addr, (uint32_t)bytes.n };
		buf_varint(&bytes, ls->line[i].len);
		buf_varint(&bytes, ls->line[i].file);
		buf_varint(&bytes, ls->line[i].line);
	}
	list_put(b, l, ls->n, STP_UTAB_STEP, block, &bytes);
	buf_free(&bytes);
	free(block);
}

static void put_lines_of(struct image *im, struct buf *b, struct stp_utab *head)
{
	struct lines ls;
	uint32_t i, at, *name;

	lines_read(im, &ls);
	if (ls.n) {
		name = mem_zero(ls.nfiles, sizeof(*name));
		lines_put(b, &head->line, &ls);
		head->file = section_begin(b, 4);
		head->nfile = ls.nfiles;
		at = head->file + ls.nfiles * (uint32_t)sizeof(*name);
		for (i = 0; i < ls.nfiles; i++) {
			name[i] = at;
			at += (uint32_t)strlen(ls.file[i]) + 1;
		}
		buf_put(b, name, ls.nfiles * sizeof(*name));
		for (i = 0; i < ls.nfiles; i++)
			buf_put(b, ls.file[i], strlen(ls.file[i]) + 1);
		free(name);
	}
	lines_free(&ls);
}

static void table_begin(struct buf *b, struct stp_utab *head, const struct stp_utab_seg *seg, uint32_t nseg)
{
	*b = (struct buf){ 0 };
	buf_put(b, head, sizeof(*head));
	head->seg = section_begin(b, 8);
	head->nseg = nseg;
	buf_put(b, seg, nseg * sizeof(*seg));
	head->rule = (uint32_t)b->n;
}

static void table_end(struct buf *b, struct stp_utab *head)
{
	buf_byte(b, 0);
	buf_align(b, 8);
	head->size = (uint32_t)b->n;
	memcpy(b->p, head, sizeof(*head));
}

/* Its addresses are those of the running process, and so are "offsets in the file". */
static int table_of_perf_map(int fd, struct buf *ret, const char **err)
{
	struct stp_utab head = { .magic = STP_UTAB_MAGIC, .version = STP_UTAB_VERSION };
	struct stp_utab_seg seg = { .flags = PF_X };
	size_t n;
	struct symbol *s = perf_map_read(fd, &head.base, &n, err);

	*ret = (struct buf){ 0 };
	if (!s)
		return -1;
	seg.offset = head.base;
	seg.filesz = seg.memsz = s[n - 1].addr + s[n - 1].size;
	table_begin(ret, &head, &seg, 1);
	symbols_put(ret, &head.func, s, n);
	table_end(ret, &head);
	symbols_free(s, n);
	return 0;
}

int table_make(int fd, unsigned what, struct buf *ret, const char **err)
{
	struct stp_utab head = { .magic = STP_UTAB_MAGIC, .version = STP_UTAB_VERSION };
	const unsigned char *id;
	GElf_Addr at;
	struct image im;
	int n;

	if (what & STP_TABLE_PERF_MAP)
		return table_of_perf_map(fd, ret, err);
	*ret = (struct buf){ 0 };
	if (image_open(&im, fd, err))
		return -1;
	n = dwfl_module_build_id(im.mod, &id, &at);
	if (n > 0 && n <= STP_UTAB_BUILD_ID) {
		head.id_len = (uint32_t)n;
		memcpy(head.id, id, (size_t)n);
	}
	head.base = im.base;
	table_begin(ret, &head, im.seg, im.nseg);
	if (what & STP_TABLE_FUNC)
		put_symbols_of(&im, false, ret, &head.func);
	if (what & STP_TABLE_DATA)
		put_symbols_of(&im, true, ret, &head.data);
	if (what & STP_TABLE_ROWS && !im.is_32bit)
		put_rows_of(&im, ret, &head);
	if (what & STP_TABLE_LINES)
		put_lines_of(&im, ret, &head);
	table_end(ret, &head);
	image_close(&im);
	return 0;
}

int table_check_size(__u64 size, const char **err)
{
	if (size <= STP_UTAB_BYTES)
		return 0;
	*err = "its table would have more than 256 MB";
	return -1;
}
