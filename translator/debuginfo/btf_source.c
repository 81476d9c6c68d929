/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF as a source of C types and functions (type_source.h). */
#include "btf.h"

#include <string.h>

#define MAX_DEPTH 128 /* of types that name other types; more is damaged data */

struct btf_source {
	struct type_source src;
	struct btf_data *btf;
	struct btf_source *base;
	struct ctype **node;       /* per own type: made already, or NULL */
	GPtrArray *made;
};

static const struct ctype *node_get(struct btf_source *bs, uint32_t id, int depth);

static enum ctype_kind kind_of(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_INT: return CTYPE_INT;
	case BTF_KIND_FLOAT: return CTYPE_FLOAT;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return CTYPE_ENUM;
	case BTF_KIND_PTR: return CTYPE_PTR;
	case BTF_KIND_ARRAY: return CTYPE_ARRAY;
	case BTF_KIND_STRUCT: return CTYPE_STRUCT;
	case BTF_KIND_UNION: return CTYPE_UNION;
	case BTF_KIND_TYPEDEF: return CTYPE_TYPEDEF;
	case BTF_KIND_CONST: return CTYPE_CONST;
	case BTF_KIND_VOLATILE: return CTYPE_VOLATILE;
	case BTF_KIND_RESTRICT: return CTYPE_RESTRICT;
	case BTF_KIND_TYPE_TAG: return CTYPE_USER;
	case BTF_KIND_FUNC_PROTO: return CTYPE_FUNC;
	case BTF_KIND_FWD: return CTYPE_FWD;
	default: return CTYPE_VOID;
	}
}

static void fill_int(struct ctype *n, const struct btf_type *t)
{
	uint32_t info = *(const uint32_t *)(t + 1);
	uint32_t enc = BTF_INT_ENCODING(info);

	n->is_signed = enc & BTF_INT_SIGNED;
	n->is_bool = enc & BTF_INT_BOOL;
	n->is_char = (enc & BTF_INT_CHAR) || (t->size == 1 && strstr(n->name, "char"));
}

static void fill_array(struct btf_source *bs, struct ctype *n, const struct btf_type *t, int depth)
{
	const struct btf_array *a = (const struct btf_array *)(t + 1);

	n->to = node_get(bs, a->type, depth + 1);
	n->count = a->nelems;
	if (__builtin_mul_overflow(n->count, ctype_size(n->to), &n->size))
		n->size = 0;
}

static void node_fill(struct btf_source *bs, struct ctype *n, const struct btf_type *t, int depth)
{
	switch (n->kind) {
	case CTYPE_INT:
		fill_int(n, t);
		/* fall through */
	case CTYPE_FLOAT:
	case CTYPE_STRUCT:
	case CTYPE_UNION:
		n->size = t->size;
		break;
	case CTYPE_ENUM:
		n->size = t->size;
		n->is_signed = btf_kflag(t);
		break;
	case CTYPE_ARRAY:
		fill_array(bs, n, t, depth);
		break;
	case CTYPE_FWD:
		n->was_union = btf_kflag(t);
		break;
	case CTYPE_PTR:
		n->size = 8;
		n->to = node_get(bs, t->type, depth + 1);
		break;
	case CTYPE_VOID:
		break;
	default:
		n->to = node_get(bs, t->type, depth + 1);
	}
	n->complete = n->kind != CTYPE_STRUCT && n->kind != CTYPE_UNION && n->kind != CTYPE_FUNC;
}

static const struct ctype *node_get(struct btf_source *bs, uint32_t id, int depth)
{
	const struct btf_data *b = bs->btf;
	const struct btf_type *t;
	struct ctype *n;

	if (id && id < b->first_id && bs->base)
		return node_get(bs->base, id, depth);
	t = btf_type(b, id);
	if (!t || depth > MAX_DEPTH || kind_of(t) == CTYPE_VOID)
		return &ctype_void;
	/* other tags than __user say nothing about the type */
	if (btf_kind(t) == BTF_KIND_TYPE_TAG && strcmp(btf_str(b, t->name_off), "user") != 0)
		return node_get(bs, t->type, depth + 1);
	if (bs->node[id - b->first_id])
		return bs->node[id - b->first_id];
	n = g_new0(struct ctype, 1);
	n->kind = kind_of(t);
	n->name = btf_str(b, t->name_off);
	n->to = &ctype_void;
	n->source = &bs->src;
	n->id = id;
	bs->node[id - b->first_id] = n;
	g_ptr_array_add(bs->made, n);
	node_fill(bs, n, t, depth);
	return n;
}

static void complete_members(struct btf_source *bs, struct ctype *n, const struct btf_type *t)
{
	const struct btf_member *m = (const struct btf_member *)(t + 1);

	n->nmembers = btf_vlen(t);
	n->members = g_new0(struct ctype_member, n->nmembers);
	for (size_t i = 0; i < n->nmembers; i++) {
		struct ctype_member *c = &n->members[i];

		c->name = btf_str(bs->btf, m[i].name_off);
		c->type = node_get(bs, m[i].type, 0);
		c->bit_offset = btf_kflag(t) ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset;
		c->bit_size = btf_kflag(t) ? BTF_MEMBER_BITFIELD_SIZE(m[i].offset) : 0;
	}
}

static void complete_params(struct btf_source *bs, struct ctype *n, const struct btf_type *t)
{
	const struct btf_param *p = (const struct btf_param *)(t + 1);

	n->nparams = btf_vlen(t);
	/* a last parameter without name and type is "..." */
	if (n->nparams && p[n->nparams - 1].type == 0 && p[n->nparams - 1].name_off == 0) {
		n->variadic = true;
		n->nparams--;
	}
	n->params = g_new0(struct ctype_param, n->nparams);
	for (size_t i = 0; i < n->nparams; i++) {
		n->params[i].name = btf_str(bs->btf, p[i].name_off);
		n->params[i].type = node_get(bs, p[i].type, 0);
	}
}

static void source_complete(struct type_source *src, struct ctype *n)
{
	struct btf_source *bs = (struct btf_source *)src;
	const struct btf_type *t = btf_type(bs->btf, n->id);

	n->complete = true;
	if (n->kind == CTYPE_FUNC)
		complete_params(bs, n, t);
	else
		complete_members(bs, n, t);
}

static const struct ctype *source_find_type(struct type_source *src, enum ctype_kind kind, const char *name, unsigned *ndefs)
{
	struct btf_source *bs = (struct btf_source *)src;
	const struct ctype *ret = NULL;
	uint32_t iter = 0, id;
	unsigned n = 0;

	while ((id = btf_index_find(bs->btf, name, &iter)) != 0) {
		if (kind_of(btf_type(bs->btf, id)) != kind)
			continue;
		n++;
		if (!ret)
			ret = node_get(bs, id, 0);
	}
	if (ndefs)
		*ndefs = n;
	return ret;
}

/*
 * Two prototypes with the same types of which one only marks its parameters as unused: a weak stub of a
 * function that is really there (system calls).  The other one, or 0 when they differ in earnest.
 */
static uint32_t stub_other(const struct btf_data *b, uint32_t id_a, uint32_t id_b)
{
	const struct btf_type *a = btf_type(b, id_a), *c = btf_type(b, id_b);
	const struct btf_param *pa, *pc;
	uint32_t ret = 0;

	if (!a || !c || btf_kind(a) != BTF_KIND_FUNC_PROTO || btf_kind(c) != BTF_KIND_FUNC_PROTO ||
	    btf_vlen(a) != btf_vlen(c) || a->type != c->type)
		return 0;
	pa = (const struct btf_param *)(a + 1);
	pc = (const struct btf_param *)(c + 1);
	for (uint32_t i = 0; i < btf_vlen(a); i++) {
		const char *na = btf_str(b, pa[i].name_off), *nc = btf_str(b, pc[i].name_off);

		if (pa[i].type != pc[i].type)
			return 0;
		if (strcmp(na, nc) == 0)
			continue;
		if (strcmp(na, "__unused") != 0 && strcmp(nc, "__unused") != 0)
			return 0;
		ret = strcmp(na, "__unused") == 0 ? id_b : id_a;
	}
	return ret;
}

static bool source_find_func(struct type_source *src, const char *name, struct cfunc *ret)
{
	struct btf_source *bs = (struct btf_source *)src;
	uint32_t iter = 0, id, proto = 0, other;
	bool found = false;

	memset(ret, 0, sizeof(*ret));
	while ((id = btf_index_find(bs->btf, name, &iter)) != 0) {
		const struct btf_type *t = btf_type(bs->btf, id);

		if (btf_kind(t) != BTF_KIND_FUNC)
			continue;
		found = true;
		ret->name = btf_str(bs->btf, t->name_off);
		other = ret->nprotos == 1 && t->type != proto ? stub_other(bs->btf, proto, t->type) : 0;
		if (!other && t->type != proto)
			ret->nprotos++;
		proto = other ? other : t->type;
	}
	if (ret->nprotos == 1)
		ret->proto = node_get(bs, proto, 0);
	if (ret->proto && ret->proto->kind != CTYPE_FUNC)
		ret->proto = NULL;
	return found;
}

static void source_each_func(struct type_source *src, bool (*match)(void *data, const char *name), cfunc_fn fn, void *data)
{
	struct btf_source *bs = (struct btf_source *)src;
	const char *last = "";

	for (uint32_t i = 0; i < bs->btf->index.nfuncs; i++) {
		const struct btf_type *t = btf_type(bs->btf, bs->btf->index.func[i]);
		const char *name = t ? btf_str(bs->btf, t->name_off) : "";

		if (!*name || strcmp(name, last) == 0)
			continue;
		last = name;
		if (match(data, name))
			fn(data, name);
	}
}

static void source_type_names(struct type_source *src, enum ctype_kind kind, GPtrArray *names)
{
	struct btf_source *bs = (struct btf_source *)src;

	for (uint32_t id = bs->btf->first_id; id < btf_count(bs->btf); id++) {
		const struct btf_type *t = btf_type(bs->btf, id);

		if (t && t->name_off && kind_of(t) == kind)
			g_ptr_array_add(names, (char *)btf_str(bs->btf, t->name_off));
	}
}

/* Enumerator number i of an enum. */
static const char *enumerator(const struct btf_data *b, const struct btf_type *t, uint32_t i, int64_t *value)
{
	const struct btf_enum *e = (const struct btf_enum *)(t + 1);
	const struct btf_enum64 *e64 = (const struct btf_enum64 *)(t + 1);

	if (btf_kind(t) == BTF_KIND_ENUM64) {
		*value = (int64_t)((uint64_t)e64[i].val_hi32 << 32 | e64[i].val_lo32);
		return btf_str(b, e64[i].name_off);
	}
	*value = btf_kflag(t) ? e[i].val : (int64_t)(uint32_t)e[i].val;
	return btf_str(b, e[i].name_off);
}

static bool is_enum(const struct btf_type *t)
{
	return t && (btf_kind(t) == BTF_KIND_ENUM || btf_kind(t) == BTF_KIND_ENUM64);
}

static bool source_find_enumerator(struct type_source *src, const char *name, int64_t *value)
{
	const struct btf_data *b = ((struct btf_source *)src)->btf;

	for (uint32_t id = b->first_id; id < btf_count(b); id++) {
		const struct btf_type *t = btf_type(b, id);

		for (uint32_t i = 0; is_enum(t) && i < btf_vlen(t); i++)
			if (strcmp(enumerator(b, t, i, value), name) == 0)
				return true;
	}
	return false;
}

static void source_each_enumerator(struct type_source *src, const struct ctype *n, enumerator_fn fn, void *data)
{
	const struct btf_data *b = ((struct btf_source *)src)->btf;
	const struct btf_type *t = btf_type(b, n->id);
	int64_t value;

	for (uint32_t i = 0; is_enum(t) && i < btf_vlen(t); i++) {
		const char *name = enumerator(b, t, i, &value);

		fn(data, name, value);
	}
}

static void node_free(gpointer data)
{
	struct ctype *n = data;

	g_free(n->members);
	g_free(n->params);
	g_free(n);
}

static void source_close(struct type_source *src)
{
	struct btf_source *bs = (struct btf_source *)src;

	g_ptr_array_free(bs->made, TRUE);
	g_free(bs->node);
	btf_close(bs->btf);
	g_free(bs);
}

static const struct type_source_ops btf_ops = {
	.complete = source_complete,
	.find_type = source_find_type,
	.find_func = source_find_func,
	.each_func = source_each_func,
	.find_enumerator = source_find_enumerator,
	.each_enumerator = source_each_enumerator,
	.type_names = source_type_names,
	.close = source_close,
};

struct type_source *btf_source_new(struct btf_data *b, struct type_source *base)
{
	struct btf_source *bs = g_new0(struct btf_source, 1);

	bs->src.ops = &btf_ops;
	bs->src.kind = "BTF";
	bs->btf = b;
	bs->base = (struct btf_source *)base;
	bs->node = g_new0(struct ctype *, b->index.ntypes);
	bs->made = g_ptr_array_new_with_free_func(node_free);
	return &bs->src;
}

const struct btf_data *btf_source_data(const struct type_source *src)
{
	return ((const struct btf_source *)src)->btf;
}
