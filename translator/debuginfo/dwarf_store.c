/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading and checking the index file; building is in dwarf_build.c. */
#include "dwarf_store.h"

#include <string.h>

#define STORE_MAGIC 0x31585744504154ull /* "TAPDWX1" */
#define STORE_VERSION 4

static const uint8_t record_size[ST_NTABLES] = {
	[ST_STRINGS] = 1, [ST_FILES] = 4, [ST_CUS] = sizeof(struct store_cu), [ST_CU_FILES] = 4,
	[ST_FUNCS] = sizeof(struct store_func), [ST_FUNC_NAMES] = sizeof(struct store_name), [ST_FUNC_REFS] = 4,
	[ST_FUNC_MAP] = sizeof(struct store_map), [ST_CU_MAP] = sizeof(struct store_map),
	[ST_INLINED] = sizeof(struct store_inlined), [ST_INSTANCES] = 4,
	[ST_RANGES] = sizeof(struct store_range), [ST_LABELS] = sizeof(struct store_label),
	[ST_VARS] = sizeof(struct store_var), [ST_VAR_NAMES] = sizeof(struct store_name), [ST_VAR_REFS] = 4,
	[ST_TYPES] = sizeof(struct store_type), [ST_TYPE_NAMES] = sizeof(struct store_name), [ST_TYPE_REFS] = 4,
	[ST_SYMBOLS] = sizeof(struct store_symbol), [ST_SYMBOL_NAMES] = sizeof(struct store_name), [ST_SYMBOL_REFS] = 4,
};

unsigned store_record_size(enum store_table t)
{
	return record_size[t];
}

void store_header_init(struct store_header *h, uint64_t key, uint64_t base)
{
	h->magic = STORE_MAGIC;
	h->version = STORE_VERSION;
	h->ntables = ST_NTABLES;
	h->key = key;
	h->base = base;
}

uint64_t store_sum(const void *data, uint64_t size)
{
	uint64_t sum[4] = { 1, 2, 3, 4 }, v[4], total = size;
	const char *p = data;

	/* independent lanes: the multiplications of one wait for each other */
	for (; size >= sizeof(v); size -= sizeof(v), p += sizeof(v)) {
		memcpy(v, p, sizeof(v));
		for (int i = 0; i < 4; i++)
			sum[i] = (sum[i] ^ v[i]) * 0x9e3779b97f4a7c15ull;
	}
	memset(v, 0, sizeof(v));
	memcpy(v, p, size);
	for (int i = 0; i < 4; i++) {
		total = (total ^ sum[i] ^ v[i]) * 0x9e3779b97f4a7c15ull;
		total ^= total >> 29;
	}
	return total;
}

static int store_check(struct store *st, uint64_t key)
{
	const struct store_header *h = st->blob.data;

	if (st->blob.size < sizeof(*h) || h->magic != STORE_MAGIC || h->version != STORE_VERSION ||
	    h->ntables != ST_NTABLES || h->key != key ||
	    h->sum != store_sum(h, offsetof(struct store_header, sum)))
		return -1;
	for (int t = 0; t < ST_NTABLES; t++) {
		uint64_t off = h->table[t].offset, n = h->table[t].count;

		if (off % 8 || off > st->blob.size || n >= STORE_NONE ||
		    n * record_size[t] > st->blob.size - off)
			return -1;
		st->table[t] = (const char *)st->blob.data + off;
		st->count[t] = n;
	}
	st->head = h;
	return 0;
}

int store_attach(struct store *st, struct blob *blob, uint64_t key)
{
	memset(st, 0, sizeof(*st));
	st->blob = *blob;
	memset(blob, 0, sizeof(*blob));
	if (store_check(st, key) == 0)
		return 0;
	store_close(st);
	return -1;
}

int store_load(struct store *st, const char *path, uint64_t key)
{
	struct blob blob;

	if (blob_open(path, &blob, NULL) != 0)
		return -1;
	return store_attach(st, &blob, key);
}

void store_close(struct store *st)
{
	if (st->blob.data)
		blob_close(&st->blob);
	memset(st, 0, sizeof(*st));
}

const void *store_table(struct store *st, enum store_table t, uint32_t *n)
{
	if (!st->checked[t]) {
		uint64_t size = (uint64_t)st->count[t] * record_size[t];
		const char *p = st->table[t];

		st->checked[t] = true;
		if (st->head->table[t].sum != store_sum(p, size) || (t == ST_STRINGS && (size == 0 || p[size - 1]))) {
			st->damaged = true;
			st->count[t] = 0;
		}
	}
	if (n)
		*n = st->count[t];
	return st->count[t] ? st->table[t] : NULL;
}

bool store_verify(struct store *st)
{
	for (int t = 0; t < ST_NTABLES; t++)
		store_table(st, t, NULL);
	return !st->damaged;
}

const void *store_record(struct store *st, enum store_table t, uint32_t i)
{
	const char *p = store_table(st, t, NULL);

	return i < st->count[t] ? p + (size_t)i * record_size[t] : NULL;
}

const uint32_t *store_slice(struct store *st, enum store_table t, uint32_t first, uint32_t n, uint32_t *ret_n)
{
	const uint32_t *p = store_table(st, t, NULL);

	*ret_n = 0;
	if (first >= st->count[t])
		return NULL;
	*ret_n = n < st->count[t] - first ? n : st->count[t] - first;
	return p + first;
}

const char *store_string(struct store *st, uint32_t offset)
{
	const char *p = store_record(st, ST_STRINGS, offset);

	return p ? p : "";
}
