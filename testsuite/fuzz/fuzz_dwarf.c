/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target for debug information: the bytes are an ELF file, or (when they begin with "INDEX") changes to a
 * good index, whose sums are made right again so that the readers behind them meet the changes.  What libdw does with single DIEs is
 * not asked: it is not ours.
 */
#include "debuginfo/dwarf_build.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"
#include "debuginfo/dwarf_index_priv.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dwarf_file *good;
static struct blob index_blob;

static void list_free(GArray *a)
{
	g_array_free(a, TRUE);
}

static void ask_function(struct dwarf_index *ix, uint32_t no)
{
	struct dwarf_inlined in;
	struct dwarf_label label;
	struct dwarf_line line;
	struct dwarf_func f;
	GArray *a;

	dwarf_index_func(ix, no, &f);
	list_free(dwarf_index_func_lines(ix, no, "*.c"));
	list_free(dwarf_index_func_ranges(ix, no));
	list_free(dwarf_index_inlined_in(ix, no));
	a = dwarf_index_labels(ix, no, "*");
	for (guint i = 0; i < a->len; i++)
		dwarf_index_label(ix, g_array_index(a, uint32_t, i), &label);
	list_free(a);
	a = dwarf_index_inlined_of(ix, no);
	for (guint i = 0; i < a->len; i++)
		dwarf_index_inlined(ix, g_array_index(a, uint32_t, i), &in);
	list_free(a);
	dwarf_index_line_at(ix, f.entry_pc + 1, &line);
	dwarf_index_func_at(ix, f.high_pc - 1);
	dwarf_index_symbol_at(ix, f.entry_pc);
}

static void name(void *data, const char *text)
{
	*(size_t *)data += strlen(text);
}

static void ask(struct dwarf_index *ix)
{
	static const char *const names[] = { NULL, "walk", "*a*", "Box::*", "_Z*", "f(int)" };
	struct dwarf_index_info info;
	struct dwarf_symbol sym;
	struct dwarf_type t;
	struct dwarf_var v;
	uint32_t below, above;
	size_t sum = 0;

	for (size_t k = 0; k < G_N_ELEMENTS(names); k++) {
		GArray *a = dwarf_index_funcs(ix, names[k], k % 2 ? "*.c" : NULL, ~0u);

		for (guint i = 0; i < a->len && i < 30; i++)
			ask_function(ix, g_array_index(a, uint32_t, i));
		list_free(a);
		list_free(dwarf_index_vars(ix, names[k], NULL, true));
		list_free(dwarf_index_symbols(ix, names[k], false));
		list_free(dwarf_index_types(ix, 0, names[k] ? names[k] : "int"));
	}
	dwarf_index_info(ix, &info);
	for (uint32_t i = 0; i < 50; i++) {
		dwarf_index_var(ix, i, &v);
		dwarf_index_type(ix, i, &t);
		dwarf_index_symbol(ix, i, &sym);
		list_free(dwarf_index_cu_lines(ix, i));
	}
	dwarf_index_type_names(ix, 0, name, &sum);
	list_free(dwarf_index_lines(ix, "dwarf_one.c", 0, UINT32_MAX));
	dwarf_index_nearest(ix, "*.h", 8, &below, &above);
}

static void try_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct dwarf_search search = { .no_debuginfod = true };
	char *path = g_strdup_printf("/proc/self/fd/%d", fd), *err = NULL;
	struct dwarf_index *ix = NULL;
	struct dwarf_file *f = NULL;

	if (write(fd, data, size) == (ssize_t)size &&
	    dwarf_file_open(size % 2 ? DWARF_FILE_USER : DWARF_FILE_MODULE, path, path, NULL, &search, &f, &err) == 0 &&
	    dwarf_index_open(f, NULL, &ix, &err) == 0)
		ask(ix);
	/* an error has a text */
	if (!ix && !err)
		abort();
	dwarf_index_close(ix);
	dwarf_file_close(f);
	g_free(err);
	g_free(path);
	close(fd);
}

/* The index of this very program would be big: that of the first ELF input serves. */
static void try_index(const uint8_t *data, size_t size)
{
	struct blob blob = { .data = malloc(index_blob.size), .size = index_blob.size };
	struct store_header *h = (struct store_header *)blob.data;
	struct dwarf_index ix = { .file = good };

	memcpy(h, index_blob.data, blob.size);
	for (; size >= 6; data += 6, size -= 6) {
		uint32_t at;
		uint16_t v;

		memcpy(&at, data, 4);
		memcpy(&v, data + 4, 2);
		memcpy((char *)h + (at % (blob.size / 2)) * 2, &v, 2);
	}
	store_header_init(h, 1, h->base);
	for (int t = 0; t < ST_NTABLES; t++)
		if (h->table[t].offset <= blob.size && h->table[t].count < blob.size &&
		    h->table[t].count * store_record_size(t) <= blob.size - h->table[t].offset)
			h->table[t].sum = store_sum((char *)h + h->table[t].offset, h->table[t].count * store_record_size(t));
	h->sum = store_sum(h, offsetof(struct store_header, sum));
	if (store_attach(&ix.st, &blob, 1) == 0) {
		ask(&ix);
		if (ix.lines)
			g_hash_table_destroy(ix.lines);
		dw_lines_free(&ix.scratch);
		store_close(&ix.st);
	} else if (blob.data) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *sample = getenv("STAP_FUZZ_SAMPLE");

	if (!good && sample && dwarf_file_open(DWARF_FILE_USER, sample, sample, NULL, NULL, &good, NULL) == 0)
		dwarf_build(good, 1, &index_blob, NULL);
	if (size > 5 && memcmp(data, "INDEX", 5) == 0 && index_blob.data)
		try_index(data + 5, size - 5);
	else
		try_file(data, size);
	return 0;
}
