/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw BTF: checked access to types and strings by number, and the index that finds them by name.
 * Split BTF (modules) counts its types and strings on from its base.
 */
#ifndef STAP_BTF_H
#define STAP_BTF_H

#include <linux/btf.h>
#include "blob.h"
#include "type_source.h"

/* Name index: a chained hash over the types of one BTF, and its functions in order of their names. */
struct btf_index {
	uint32_t ntypes, nheads, nfuncs;   /* nheads: a power of two */
	const uint32_t *offset;            /* of type first_id + i in the type section */
	const uint32_t *head;              /* per hash: 1 + i of the first type, 0 none */
	const uint32_t *next;              /* per type: 1 + i of the next with that hash */
	const uint32_t *func;              /* ids of BTF_KIND_FUNC */
	struct blob blob;                  /* what the arrays lie in */
};

struct btf_data {
	struct blob blob;
	const struct btf_data *base;       /* NULL: not split */
	const char *types, *strs;
	uint32_t type_len, str_len;
	uint32_t first_id, str_start;      /* numbers of the first own type, of the first own string byte */
	struct btf_index index;
};

/* Takes over `blob`; checks the header.  Without an index yet.  NULL with *err (blob is closed). */
struct btf_data *btf_open(struct blob *blob, const struct btf_data *base, char **err);
void btf_close(struct btf_data *b);

/* The record of a type, own or the base's; NULL when there is no such type or it is cut off. */
const struct btf_type *btf_type(const struct btf_data *b, uint32_t id);
/* "" when out of range. */
const char *btf_str(const struct btf_data *b, uint32_t off);
uint32_t btf_count(const struct btf_data *b);      /* one more than the last id */
/* Bytes of a record with what follows it; 0 for a kind that is not known. */
size_t btf_type_bytes(const struct btf_type *t);

static inline uint32_t btf_kind(const struct btf_type *t) { return BTF_INFO_KIND(t->info); }
static inline uint32_t btf_vlen(const struct btf_type *t) { return BTF_INFO_VLEN(t->info); }
static inline bool btf_kflag(const struct btf_type *t) { return BTF_INFO_KFLAG(t->info); }

/* btf_index.c */
/* Builds the index in memory; -1 with *err when the types are damaged. */
int btf_index_build(struct btf_data *b, char **err);
/* Maps an index file; -1 (silently: build it anew) unless it is whole and made from this BTF. */
int btf_index_load(struct btf_data *b, const char *path);
int btf_index_save(const struct btf_data *b, const char *path, char **err);
/* Ids of own types with that name: start with *iter = 0; 0 at the end. */
uint32_t btf_index_find(const struct btf_data *b, const char *name, uint32_t *iter);

/* btf_source.c: takes over `b`; `base` (NULL, or a BTF source) makes the types below b->first_id. */
struct type_source *btf_source_new(struct btf_data *b, struct type_source *base);
const struct btf_data *btf_source_data(const struct type_source *src);

#endif
