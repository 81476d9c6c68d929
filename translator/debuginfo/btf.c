/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw BTF: header, type records and strings, each access checked against the data's bounds. */
#include "btf.h"
#include "errmsg.h"

#include <stddef.h>
#include <string.h>

/* The header of version 1 as far as every kernel writes it; newer ones have more fields behind. */
#define HEADER_SIZE (offsetof(struct btf_header, str_len) + sizeof(uint32_t))

static int check_header(const struct blob *blob, char **err)
{
	const struct btf_header *h = blob->data;
	uint64_t room;

	if (blob->size < HEADER_SIZE || h->magic != BTF_MAGIC)
		return errmsg_set(err, "this is not BTF");
	if (h->version != BTF_VERSION)
		return errmsg_set(err, "BTF of version %d is not known", h->version);
	if (h->hdr_len < HEADER_SIZE || h->hdr_len > blob->size)
		return errmsg_set(err, "the BTF header is damaged");
	room = blob->size - h->hdr_len;
	if ((uint64_t)h->type_off + h->type_len > room || (uint64_t)h->str_off + h->str_len > room ||
	    h->type_off % 4 || h->hdr_len % 4)
		return errmsg_set(err, "the BTF is cut off or its header damaged");
	return 0;
}

struct btf_data *btf_open(struct blob *blob, const struct btf_data *base, char **err)
{
	const struct btf_header *h = blob->data;
	struct btf_data *b;

	if (check_header(blob, err) != 0) {
		blob_close(blob);
		return NULL;
	}
	b = g_new0(struct btf_data, 1);
	b->blob = *blob;
	memset(blob, 0, sizeof(*blob));
	b->base = base;
	b->types = (const char *)b->blob.data + h->hdr_len + h->type_off;
	b->type_len = h->type_len;
	b->strs = (const char *)b->blob.data + h->hdr_len + h->str_off;
	b->str_len = h->str_len;
	b->first_id = base ? btf_count(base) : 1;
	b->str_start = base ? base->str_len : 0;
	if (b->str_len && b->strs[b->str_len - 1] != '\0') {
		errmsg_set(err, "the strings of the BTF are cut off");
		btf_close(b);
		return NULL;
	}
	return b;
}

void btf_close(struct btf_data *b)
{
	if (!b)
		return;
	blob_close(&b->index.blob);
	blob_close(&b->blob);
	g_free(b);
}

uint32_t btf_count(const struct btf_data *b)
{
	return b->first_id + b->index.ntypes;
}

size_t btf_type_bytes(const struct btf_type *t)
{
	size_t n = btf_vlen(t), fixed = sizeof(*t);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return fixed + sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return fixed + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return fixed + n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return fixed + n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return fixed + n * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return fixed + sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return fixed + n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return fixed + sizeof(struct btf_decl_tag);
	case BTF_KIND_ENUM64:
		return fixed + n * sizeof(struct btf_enum64);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return fixed;
	default:
		return 0;
	}
}

const struct btf_type *btf_type(const struct btf_data *b, uint32_t id)
{
	const struct btf_type *t;
	uint32_t off;
	size_t bytes;

	if (id < b->first_id)
		return b->base && id ? btf_type(b->base, id) : NULL;
	if (id - b->first_id >= b->index.ntypes)
		return NULL;
	off = b->index.offset[id - b->first_id];
	if (off > b->type_len || b->type_len - off < sizeof(*t))
		return NULL;
	t = (const struct btf_type *)(b->types + off);
	bytes = btf_type_bytes(t);
	return bytes && b->type_len - off >= bytes ? t : NULL;
}

const char *btf_str(const struct btf_data *b, uint32_t off)
{
	if (off < b->str_start)
		return btf_str(b->base, off);
	off -= b->str_start;
	return off < b->str_len ? b->strs + off : "";
}
