/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name index of a BTF.  Building it is one pass over the types and a sort of the functions; it is
 * kept as a file beside the BTF, which later runs map and read only a few pages of.
 */
#include "btf.h"
#include "errmsg.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_MAGIC 0x31585442504154ull /* "TAPBTX1" */
#define INDEX_VERSION 1

struct index_header {
	uint64_t magic;
	uint32_t version, ntypes, nheads, nfuncs;
	uint64_t btf_size, btf_sum;  /* which BTF it was made from */
	uint64_t sum;                /* of everything behind the header */
};

static uint64_t mix(uint64_t sum, uint64_t v)
{
	sum = (sum ^ v) * 0x9e3779b97f4a7c15ull;
	return sum ^ sum >> 29;
}

/* Tells one BTF from another; a word of each page is enough for that, damage is not its business. */
static uint64_t btf_sum(const struct btf_data *b)
{
	const char *p = b->blob.data;
	uint64_t sum = b->blob.size, v;

	for (size_t at = 0; at + sizeof(v) <= b->blob.size; at += 4096) {
		memcpy(&v, p + at, sizeof(v));
		sum = mix(sum, v);
	}
	return mix(sum, b->first_id);
}

static uint64_t payload_sum(const struct index_header *h)
{
	size_t n = (size_t)h->ntypes * 2 + h->nheads + h->nfuncs;
	const uint32_t *p = (const uint32_t *)(h + 1);
	uint64_t sum[4] = { 1, 2, 3, 4 };

	/* independent lanes: the multiplications of one wait for each other */
	for (; n >= 4; n -= 4, p += 4)
		for (int i = 0; i < 4; i++)
			sum[i] = (sum[i] ^ p[i]) * 0x9e3779b97f4a7c15ull;
	while (n--)
		sum[0] = mix(sum[0], *p++);
	return mix(mix(mix(mix(h->ntypes, sum[0]), sum[1]), sum[2]), sum[3]);
}

static uint32_t name_hash(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h ^ h >> 15;
}

/* Counts the types and functions and checks that the records fill the section. */
static int scan(const struct btf_data *b, uint32_t *ntypes, uint32_t *nfuncs, char **err)
{
	uint32_t off = 0;

	for (*ntypes = *nfuncs = 0; off < b->type_len; ++*ntypes) {
		const struct btf_type *t = (const struct btf_type *)(b->types + off);
		size_t bytes = b->type_len - off >= sizeof(*t) ? btf_type_bytes(t) : 0;

		if (bytes == 0 && b->type_len - off >= sizeof(*t))
			return errmsg_set(err, "BTF type %u is of kind %u, which is not known here",
					  b->first_id + *ntypes, btf_kind(t));
		if (bytes == 0 || b->type_len - off < bytes)
			return errmsg_set(err, "the types of the BTF are cut off");
		*nfuncs += btf_kind(t) == BTF_KIND_FUNC;
		off += bytes;
	}
	return 0;
}

static void attach(struct btf_data *b, const struct index_header *h)
{
	struct btf_index *x = &b->index;

	x->ntypes = h->ntypes;
	x->nheads = h->nheads;
	x->nfuncs = h->nfuncs;
	x->offset = (const uint32_t *)(h + 1);
	x->next = x->offset + h->ntypes;
	x->head = x->next + h->ntypes;
	x->func = x->head + h->nheads;
}

static int by_name(const void *a, const void *b, void *data)
{
	const struct btf_data *btf = data;
	uint32_t ia = *(const uint32_t *)a, ib = *(const uint32_t *)b;
	int d = strcmp(btf_str(btf, btf_type(btf, ia)->name_off), btf_str(btf, btf_type(btf, ib)->name_off));

	return d ? d : ia < ib ? -1 : ia > ib;
}

/* Fills the arrays; the last type of a name comes first in its chain, so go backwards over them. */
static void fill(struct btf_data *b, struct index_header *h)
{
	uint32_t *offset = (uint32_t *)(h + 1), *next = offset + h->ntypes, *head = next + h->ntypes;
	uint32_t *func = head + h->nheads, off = 0, f = 0;

	for (uint32_t i = 0; i < h->ntypes; i++) {
		const struct btf_type *t = (const struct btf_type *)(b->types + off);

		offset[i] = off;
		off += btf_type_bytes(t);
		if (btf_kind(t) == BTF_KIND_FUNC)
			func[f++] = b->first_id + i;
	}
	for (uint32_t i = h->ntypes; i-- > 0; ) {
		const struct btf_type *t = (const struct btf_type *)(b->types + offset[i]);
		const char *name = btf_str(b, t->name_off);
		uint32_t *slot;

		if (!*name)
			continue;
		slot = &head[name_hash(name) & (h->nheads - 1)];
		next[i] = *slot;
		*slot = i + 1;
	}
}

int btf_index_build(struct btf_data *b, char **err)
{
	struct index_header *h;
	uint32_t ntypes, nfuncs, nheads = 64;
	size_t size;

	if (scan(b, &ntypes, &nfuncs, err) != 0)
		return -1;
	while (nheads < ntypes && nheads < 1u << 20)
		nheads *= 2;
	size = sizeof(*h) + ((size_t)ntypes * 2 + nheads + nfuncs) * sizeof(uint32_t);
	h = g_malloc0(size);
	*h = (struct index_header){ .magic = INDEX_MAGIC, .version = INDEX_VERSION, .ntypes = ntypes,
		.nheads = nheads, .nfuncs = nfuncs, .btf_size = b->blob.size };
	b->index.blob = (struct blob){ .data = h, .size = size };
	fill(b, h);
	attach(b, h);
	g_qsort_with_data((void *)b->index.func, nfuncs, sizeof(uint32_t), by_name, b);
	h->btf_sum = btf_sum(b);
	h->sum = payload_sum(h);
	return 0;
}

int btf_index_load(struct btf_data *b, const char *path)
{
	const struct index_header *h;
	struct blob blob;

	if (blob_open(path, &blob, NULL) != 0)
		return -1;
	h = blob.data;
	if (blob.size < sizeof(*h) || h->magic != INDEX_MAGIC || h->version != INDEX_VERSION ||
	    h->btf_size != b->blob.size || h->nheads == 0 || (h->nheads & (h->nheads - 1)) ||
	    blob.size != sizeof(*h) + ((uint64_t)h->ntypes * 2 + h->nheads + h->nfuncs) * sizeof(uint32_t) ||
	    h->btf_sum != btf_sum(b) || h->sum != payload_sum(h)) {
		blob_close(&blob);
		return -1;
	}
	b->index.blob = blob;
	attach(b, h);
	return 0;
}

int btf_index_save(const struct btf_data *b, const char *path, char **err)
{
	return blob_write(&b->index.blob, path, err);
}

uint32_t btf_index_find(const struct btf_data *b, const char *name, uint32_t *iter)
{
	const struct btf_index *x = &b->index;
	uint32_t i = *iter ? x->next[*iter - 1] : x->head[name_hash(name) & (x->nheads - 1)];

	while (i && i <= x->ntypes) {
		const struct btf_type *t = btf_type(b, b->first_id + i - 1);

		if (t && strcmp(btf_str(b, t->name_off), name) == 0) {
			*iter = i;
			return b->first_id + i - 1;
		}
		i = x->next[i - 1];
	}
	return 0;
}
