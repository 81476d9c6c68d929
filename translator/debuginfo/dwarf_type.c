/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Type entries of DWARF as struct ctype (dwarf_type.h). */
#include "dwarf_type.h"

#include <dwarf.h>
#include <string.h>

#define MAX_DEPTH 100 /* of types that name other types; more is damaged data */
#define MAX_DIMS 16
#define TAG_ANNOTATION 0x6000 /* DW_TAG_LLVM_annotation: "btf_type_tag" below a pointer */

static const struct ctype *node_get(struct dw_types *dt, Dwarf_Die *die, int depth);

static const struct ctype *type_of(struct dw_types *dt, Dwarf_Die *die, int depth)
{
	Dwarf_Die type;

	return die_ref(die, DW_AT_type, &type) ? node_get(dt, &type, depth) : &ctype_void;
}

static enum ctype_kind kind_of(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type: return CTYPE_INT;
	case DW_TAG_enumeration_type: return CTYPE_ENUM;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return CTYPE_PTR;
	case DW_TAG_array_type:
	case DW_TAG_string_type: return CTYPE_ARRAY;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type: return CTYPE_STRUCT;
	case DW_TAG_union_type: return CTYPE_UNION;
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
	case DW_TAG_subrange_type: return CTYPE_TYPEDEF;
	case DW_TAG_const_type: return CTYPE_CONST;
	case DW_TAG_volatile_type: return CTYPE_VOLATILE;
	case DW_TAG_restrict_type: return CTYPE_RESTRICT;
	case DW_TAG_atomic_type: return CTYPE_ATOMIC;
	case DW_TAG_subroutine_type: /* Go's values of such a type are pointers, and it says so */
		return dwarf_hasattr(die, DW_AT_byte_size) ? CTYPE_PTR : CTYPE_FUNC;
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine: return CTYPE_FUNC;
	case DW_TAG_ptr_to_member_type: return CTYPE_INT;
	default: return CTYPE_VOID;
	}
}

/* A type that no entry stands for, owned by the source. */
static struct dw_node *dw_node_new(struct dw_types *dt, enum ctype_kind kind, Dwarf_Die *die)
{
	struct dw_node *n = g_new0(struct dw_node, 1);

	n->t.kind = kind;
	n->t.name = "";
	n->t.to = &ctype_void;
	n->t.source = &dt->src;
	if (die) {
		n->die = *die;
		n->t.id = dwarf_dieoffset(die);
	}
	g_ptr_array_add(dt->made, n);
	return n;
}

/* ---- base types ---- */

/* A complex number: an array of two. */
static void fill_complex(struct dw_types *dt, struct ctype *t)
{
	struct dw_node *part = dw_node_new(dt, CTYPE_FLOAT, NULL);

	part->t.size = t->size / 2;
	part->t.name = part->t.size == 4 ? "float" : part->t.size == 8 ? "double" : "long double";
	part->t.complete = true;
	t->kind = CTYPE_ARRAY;
	t->count = 2;
	t->to = &part->t;
}

static void fill_base(struct dw_types *dt, struct ctype *t, Dwarf_Die *die)
{
	uint64_t enc = 0;

	die_udata(die, DW_AT_encoding, &enc);
	switch (enc) {
	case DW_ATE_float:
		t->kind = CTYPE_FLOAT;
		break;
	case DW_ATE_complex_float:
		fill_complex(dt, t);
		break;
	case DW_ATE_decimal_float:
	case DW_ATE_imaginary_float:
		t->kind = CTYPE_FLOAT;
		t->size = 0; /* a number in no format that is known here */
		break;
	case DW_ATE_boolean:
		t->is_bool = true;
		break;
	case DW_ATE_signed_char:
		t->is_signed = true;
		/* fall through */
	case DW_ATE_unsigned_char:
		/* Rust calls i8 and u8 chars, which are numbers there */
		t->is_char = strstr(t->name, "char") != NULL;
		break;
	case DW_ATE_UTF:
		t->is_char = t->size == 1;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_fixed:
		t->is_signed = true;
		break;
	default:
		break;
	}
}

/* A pointer to a member holds an offset; one to a member function two words. */
static void fill_member_pointer(struct dw_types *dt, struct ctype *t, Dwarf_Die *die, int depth)
{
	t->name = "member pointer";
	t->is_signed = true;
	if (!t->size)
		t->size = ctype_strip(type_of(dt, die, depth + 1), NULL)->kind == CTYPE_FUNC ? 16 : 8;
}

/* ---- enums ---- */

static void fill_enum(struct dw_types *dt, struct ctype *t, Dwarf_Die *die, int depth)
{
	const struct ctype *base = ctype_strip(type_of(dt, die, depth + 1), NULL);
	Dwarf_Die c;
	Dwarf_Attribute a;
	Dwarf_Sword v;

	if (!t->size)
		t->size = base->size;
	if (base->kind == CTYPE_INT) {
		t->is_signed = base->is_signed;
		return;
	}
	for (bool more = die_first(die, &c); more && !t->is_signed; more = die_next(&c))
		t->is_signed = dwarf_tag(&c) == DW_TAG_enumerator && dwarf_attr(&c, DW_AT_const_value, &a) &&
			a.form == DW_FORM_sdata && dwarf_formsdata(&a, &v) == 0 && v < 0;
}

/* ---- arrays ---- */

/* Elements of a dimension; 0 when that is open or only known at run time. */
static uint64_t dimension(Dwarf_Die *range)
{
	uint64_t n;
	int64_t upper, lower = 0;

	if (die_udata(range, DW_AT_count, &n))
		return n;
	die_sdata(range, DW_AT_lower_bound, &lower);
	/* 2^32 - 1 is how some say that there is no element */
	if (!die_sdata(range, DW_AT_upper_bound, &upper) || upper < lower || upper == UINT32_MAX)
		return 0;
	return (uint64_t)(upper - lower) + 1;
}

static void array_size(struct ctype *t)
{
	if (__builtin_mul_overflow(t->count, ctype_size(t->to), &t->size))
		t->size = 0;
}

/* Dimensions come in the order they are written: the outermost first. */
static void fill_array(struct dw_types *dt, struct dw_node *n, Dwarf_Die *die, int depth)
{
	uint64_t dims[MAX_DIMS];
	unsigned ndims = 0;
	const struct ctype *to = type_of(dt, die, depth + 1);
	Dwarf_Die c;

	for (bool more = die_first(die, &c); more && ndims < MAX_DIMS; more = die_next(&c))
		if (dwarf_tag(&c) == DW_TAG_subrange_type || dwarf_tag(&c) == DW_TAG_enumeration_type)
			dims[ndims++] = dimension(&c);
	while (ndims > 1) {
		struct dw_node *inner = dw_node_new(dt, CTYPE_ARRAY, NULL);

		inner->t.to = to;
		inner->t.count = dims[--ndims];
		inner->t.complete = true;
		array_size(&inner->t);
		to = &inner->t;
	}
	n->t.to = to;
	n->t.count = ndims ? dims[0] : 0;
	array_size(&n->t);
}

static void fill_string(struct dw_types *dt, struct ctype *t, Dwarf_Die *die)
{
	struct dw_node *c = dw_node_new(dt, CTYPE_INT, NULL);

	c->t.name = "char";
	c->t.size = 1;
	c->t.is_char = c->t.is_signed = c->t.complete = true;
	t->to = &c->t;
	t->count = t->size;
}

/* ---- pointers ---- */

static bool is_user_tag(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *value;

	if (dwarf_tag(die) != TAG_ANNOTATION || strcmp(die_name(die), "btf_type_tag") != 0)
		return false;
	value = dwarf_formstring(dwarf_attr(die, DW_AT_const_value, &a));
	return value && strcmp(value, "user") == 0;
}

static void fill_pointer(struct dw_types *dt, struct ctype *t, Dwarf_Die *die, int depth)
{
	int tag = dwarf_tag(die);
	Dwarf_Die c;

	t->to = type_of(dt, die, depth + 1);
	t->is_reference = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
	if (!t->size)
		t->size = 8;
	for (bool more = die_first(die, &c); more; more = die_next(&c)) {
		struct dw_node *user;

		if (!is_user_tag(&c))
			continue;
		user = dw_node_new(dt, CTYPE_USER, NULL);
		user->t.to = t->to;
		user->t.complete = true;
		t->to = &user->t;
		return;
	}
}

/* ---- nodes ---- */

static void node_fill(struct dw_types *dt, struct dw_node *n, Dwarf_Die *die, int depth)
{
	struct ctype *t = &n->t;

	switch (t->kind) {
	case CTYPE_INT:
		if (dwarf_tag(die) == DW_TAG_base_type)
			fill_base(dt, t, die);
		else
			fill_member_pointer(dt, t, die, depth);
		break;
	case CTYPE_ENUM:
		fill_enum(dt, t, die, depth);
		break;
	case CTYPE_PTR:
		fill_pointer(dt, t, die, depth);
		break;
	case CTYPE_ARRAY:
		if (dwarf_tag(die) == DW_TAG_string_type)
			fill_string(dt, t, die);
		else
			fill_array(dt, n, die, depth);
		break;
	case CTYPE_STRUCT:
	case CTYPE_UNION:
		break;
	default:
		t->size = 0;
		t->to = type_of(dt, die, depth + 1);
	}
	t->complete = t->kind != CTYPE_STRUCT && t->kind != CTYPE_UNION && t->kind != CTYPE_FUNC;
}

/*
 * A declaration becomes CTYPE_FWD, under the name by which its definition is found.  So does one of a type unit that libdw cannot
 * find, as those of files that are not linked: it has no name.
 */
static void node_declare(struct dw_types *dt, struct ctype *t, Dwarf_Die *die)
{
	t->was_union = t->kind == CTYPE_UNION;
	t->kind = CTYPE_FWD;
	t->name = dw_qualified(dt, die);
	t->complete = true;
}

static const struct ctype *node_get(struct dw_types *dt, Dwarf_Die *at, int depth)
{
	Dwarf_Die die = *at;
	enum ctype_kind kind;
	struct dw_node *n;
	uint64_t size;

	die_resolve(&die);
	kind = kind_of(&die);
	if (depth > MAX_DEPTH || kind == CTYPE_VOID)
		return &ctype_void;
	n = g_hash_table_lookup(dt->nodes, die.addr);
	if (n)
		return &n->t;
	n = dw_node_new(dt, kind, &die);
	g_hash_table_insert(dt->nodes, die.addr, n);
	if (kind != CTYPE_FUNC)
		n->t.name = die_name(&die);
	if (die_udata(&die, DW_AT_byte_size, &size))
		n->t.size = size;
	if (kind != CTYPE_FUNC && (die_flag(&die, DW_AT_declaration) || dwarf_hasattr(&die, DW_AT_signature)))
		node_declare(dt, &n->t, &die);
	else
		node_fill(dt, n, &die, depth);
	return &n->t;
}

const struct ctype *dwarf_type(struct type_source *src, Dwarf_Die *type)
{
	return node_get((struct dw_types *)src, type, 0);
}

const struct ctype *dwarf_type_of(struct type_source *src, Dwarf_Die *die)
{
	return type_of((struct dw_types *)src, die, 0);
}

const struct ctype *dwarf_func_type(struct type_source *src, Dwarf_Die *func)
{
	return node_get((struct dw_types *)src, func, 0);
}

bool dwarf_type_die(const struct ctype *t, Dwarf_Die *die)
{
	const struct dw_node *n = (const struct dw_node *)t;

	if (!t->source || t->source->ops != &dw_type_ops || !n->die.addr)
		return false;
	*die = n->die;
	return true;
}

static void node_free(gpointer data)
{
	struct dw_node *n = data;

	g_free(n->t.members);
	g_free(n->t.params);
	g_free(n);
}

struct type_source *dwarf_types_new(Dwarf *dw, struct dwarf_index *ix)
{
	struct dw_types *dt = g_new0(struct dw_types, 1);

	dt->src.ops = &dw_type_ops;
	dt->src.kind = "DWARF";
	dt->dw = dw;
	dt->index = ix;
	dt->nodes = g_hash_table_new(NULL, NULL);
	dt->made = g_ptr_array_new_with_free_func(node_free);
	dt->strings = g_ptr_array_new_with_free_func(g_free);
	return &dt->src;
}
