/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps from place to place through structs, pointers and arrays, and places as expressions. */
#include "target.h"

#include <string.h>

struct place place_value(const struct ctype *type, struct types_module *m, const char *what, struct expr *word)
{
	return (struct place){ .type = type, .module = m, .what = what, .word = { word }, .nwords = 1 };
}

struct place place_memory(const struct ctype *type, struct types_module *m, const char *what, struct expr *addr)
{
	struct place p = { .type = type, .module = m, .what = what, .base = addr };

	ctype_strip(type, &p.user);
	return p;
}

static const char *type_text(struct session *s, const struct ctype *t)
{
	GString *g = g_string_new(NULL);
	const char *ret;

	ctype_print(g, t);
	ret = arena_strdup(s, g->str);
	g_string_free(g, TRUE);
	return ret;
}

static struct expr *memory_address(struct session *s, const struct place *p, struct loc loc)
{
	if (p->offset == 0)
		return p->base;
	return lowered_binary(s, OP_ADD, p->base, lowered_num(s, p->offset, loc), loc);
}

static struct expr *memory_scalar(struct session *s, const struct place *p, const struct ctype *t, struct loc loc)
{
	struct place at = *p;
	unsigned size = t->size, bit = p->bit_offset;
	struct expr *e;

	if (p->bit_size) {
		/* read whole units of the declared type where the field lies in one, else eight bytes */
		int64_t unit = size;
		uint64_t start = (uint64_t)p->offset * 8 + bit;

		if (start % (unit * 8) + p->bit_size > (uint64_t)unit * 8) {
			size = 8;
		} else {
			at.offset = start / (unit * 8) * unit;
			bit = start % (unit * 8);
		}
	}
	e = lowered_load(s, memory_address(s, &at, loc), size, t->is_signed, p->user, loc);
	if (p->bit_size) {
		e->load.bit_offset = bit;
		e->load.bit_size = p->bit_size;
	}
	return e;
}

/* NULL after diag_error. */
static struct expr *scalar(struct session *s, const struct place *p, const struct ctype *t, struct loc loc)
{
	if (p->pointee) {
		diag_error(s, loc, "no-location", "%s has no value here: what it points to is optimised out of memory", p->what);
		diag_help(s, "only what it points to can be read");
		return NULL;
	}
	if (place_in_words(p))
		return place_bits(s, p, p->bit_size ? p->bit_size : t->size * 8, t->is_signed, loc);
	return memory_scalar(s, p, t, loc);
}

struct expr *place_address(struct session *s, const struct place *p, struct loc loc)
{
	const struct ctype *t = ctype_strip(p->type, NULL);

	if (t->kind == CTYPE_ARRAY || t->kind == CTYPE_FUNC || ctype_is_aggregate(t))
		return memory_address(s, p, loc);
	return scalar(s, p, t, loc);
}

/* Follows a pointer into something that is in no memory. */
static void deref_pointee(struct place *p, const struct ctype *t)
{
	struct place to = *p->pointee;

	to.type = t->to;
	to.what = p->what;
	to.bit_size = 0;
	if (place_in_words(&to))
		to.bit += p->pointee_offset * 8;
	else
		to.offset += p->pointee_offset;
	*p = to;
}

/* Follows a pointer (or an array to its first element); -1 after diag_error. */
static int deref(struct session *s, struct place *p, const struct ctype *t, struct loc loc)
{
	struct place to = { .type = t->to, .module = p->module, .what = p->what, .user = p->user, .late = p->late };

	if (p->pointee) {
		deref_pointee(p, t);
		return 0;
	}
	to.base = place_address(s, p, loc);
	ctype_strip(t->to, &to.user);
	*p = to;
	return to.base ? 0 : -1;
}

/* The definition of a struct that this source only declares, or the type itself. */
static const struct ctype *defined_type(const struct place *p, const struct ctype *t)
{
	const struct ctype *full = NULL;

	if (t->kind == CTYPE_FWD && p->module)
		full = types_find(p->module, t->was_union ? CTYPE_UNION : CTYPE_STRUCT, t->name, NULL);
	return full ? full : t;
}

static int step_unknown(struct session *s, const struct place *p, const struct ctype *t, const struct comp *c)
{
	GPtrArray *names = g_ptr_array_new();

	diag_error(s, c->loc, "unknown-member", "%s has no member '%s'", type_text(s, t), c->name);
	ctype_member_names(t, names);
	target_help_names(s, c->name, names, "its members are");
	g_ptr_array_free(names, TRUE);
	return -1;
}

static int step_member(struct session *s, struct place *p, const struct comp *c)
{
	const struct ctype *t = ctype_strip(p->type, NULL), *m;
	uint64_t bit_offset;
	uint32_t bit_size;

	if ((t->kind == CTYPE_PTR || (t->kind == CTYPE_ARRAY && !place_in_words(p))) && deref(s, p, t, c->loc))
		return -1;
	/* a member of what a C++ reference refers to */
	t = ctype_strip(p->type, NULL);
	if (t->kind == CTYPE_PTR && t->is_reference && deref(s, p, t, c->loc))
		return -1;
	t = defined_type(p, ctype_strip(p->type, NULL));
	if (t->kind == CTYPE_FWD && !*t->name)
		return diag_error(s, c->loc, "incomplete-type", "the members of what %s is are in a type unit (-fdebug-types-section), "
				  "and those of files that are not linked, as modules, are not read", p->what);
	if (t->kind == CTYPE_FWD)
		return diag_error(s, c->loc, "incomplete-type", "%s is only declared here: its members are not known",
				  type_text(s, t));
	if (!ctype_is_aggregate(t))
		return diag_error(s, c->loc, "not-a-struct", "%s is of type '%s', which has no members",
				  p->what, type_text(s, p->type));
	m = ctype_find_member(t, c->name, &bit_offset, &bit_size);
	if (!m)
		return step_unknown(s, p, t, c);
	p->type = m;
	p->bit_size = bit_size;
	if (place_in_words(p)) {
		p->bit += bit_offset;
	} else {
		p->offset += bit_offset / 8;
		p->bit_offset = bit_offset % 8;
	}
	return 0;
}

/* An element of what a pointer to something in no memory points to. */
static int step_words(struct session *s, struct place *p, const struct comp *c, uint64_t size)
{
	if (c->index->kind != EX_NUM || c->index->num < 0 || c->index->num > 1 << 16)
		return diag_error(s, c->loc, "bad-index", "what %s points to is in registers, which needs a constant index", p->what);
	p->bit += c->index->num * size * 8;
	return 0;
}

static int step_index(struct session *s, struct place *p, const struct comp *c)
{
	const struct ctype *t = ctype_strip(p->type, NULL);
	struct expr *off;
	uint64_t size;

	if (t->kind != CTYPE_PTR && t->kind != CTYPE_ARRAY)
		return diag_error(s, c->loc, "not-an-array", "%s is of type '%s', which cannot be indexed",
				  p->what, type_text(s, p->type));
	size = ctype_size(t->to);
	if (size == 0 && ctype_strip(t->to, NULL)->kind == CTYPE_FWD)
		size = ctype_size(defined_type(p, ctype_strip(t->to, NULL)));
	if (size == 0)
		return diag_error(s, c->loc, "not-an-array", "%s cannot be indexed: the size of '%s' is not known",
				  p->what, type_text(s, t->to));
	if (place_in_words(p) && t->kind == CTYPE_ARRAY) {
		if (c->index->kind != EX_NUM || c->index->num < 0 || (uint64_t)c->index->num >= t->count)
			return diag_error(s, c->loc, "bad-index", "an array in registers needs a constant index below %"
					  G_GUINT64_FORMAT, t->count);
		p->bit += c->index->num * size * 8;
		p->type = t->to;
		return 0;
	}
	if (t->kind == CTYPE_PTR && deref(s, p, t, c->loc))
		return -1;
	p->type = t->to;
	if (place_in_words(p))
		return step_words(s, p, c, size);
	if (c->index->kind == EX_NUM) {
		p->offset += c->index->num * (int64_t)size;
		return 0;
	}
	off = size == 1 ? c->index : lowered_binary(s, OP_MUL, c->index, lowered_num(s, size, c->loc), c->loc);
	p->base = lowered_binary(s, OP_ADD, memory_address(s, p, c->loc), off, c->loc);
	p->offset = 0;
	return 0;
}

/* One step (COMP_MEMBER or COMP_INDEX); 0, or -1 after diag_error. */
static int place_step(struct session *s, struct place *p, const struct comp *c)
{
	/* a bit field has no members and cannot be indexed: its type says so */
	if (c->kind == COMP_MEMBER) {
		if (step_member(s, p, c))
			return -1;
		p->what = arena_printf(s, "%s->%s", p->what, c->name);
	} else {
		if (step_index(s, p, c))
			return -1;
		p->what = arena_printf(s, "%s[...]", p->what);
	}
	return 0;
}

static struct expr *refuse(struct session *s, const struct place *p, struct loc loc, const char *tag, const char *why)
{
	diag_error(s, loc, tag, "%s is of type '%s'%s", p->what, type_text(s, p->type), why);
	return NULL;
}

static struct expr *address_expr(struct session *s, const struct place *p, struct loc loc)
{
	struct expr *e;

	if (place_in_words(p) || p->pointee) {
		diag_error(s, loc, "no-address", "%s has no address: it is in a register", p->what);
		return NULL;
	}
	if (p->bit_size) {
		diag_error(s, loc, "no-address", "%s has no address: it is a bit field", p->what);
		return NULL;
	}
	e = memory_address(s, p, loc);
	if (e->ctype || e == p->base) /* a shared node keeps its own type */
		e = expr_copy(s, e);
	e->ctype = types_pointer_to(session_types(s), p->type);
	return e;
}

static struct expr *aggregate_error(struct session *s, const struct place *p, const struct ctype *t, struct loc loc)
{
	GPtrArray *names;

	diag_error(s, loc, "struct-value", "%s is a whole %s, which is no number", p->what, type_text(s, t));
	diag_help(s, "name one of its members, or take its address with &%s", p->what);
	names = g_ptr_array_new();
	ctype_member_names(t, names);
	target_help_names(s, NULL, names, "its members are");
	g_ptr_array_free(names, TRUE);
	return NULL;
}

/* The script's own expression in a node that can have a C type of its own. */
static struct expr *typed_node(struct session *s, struct expr *a, struct loc loc)
{
	struct expr *e = expr_new(s, EX_CONV, loc);

	e->type = TY_LONG;
	e->a = a;
	e->load.size = 8;
	return e;
}

/* Floating point as the bits of a double. */
static struct expr *float_expr(struct session *s, const struct place *p, const struct ctype *t, struct loc loc, bool lvalue)
{
	struct expr *e, *wide;

	if (t->size != 4 && t->size != 8)
		return refuse(s, p, loc, "floating-point", ": of floating-point types, float and double can be read");
	if (lvalue && t->size == 4)
		return refuse(s, p, loc, "not-assignable", ", which cannot be assigned to");
	e = scalar(s, p, t, loc);
	if (!e)
		return NULL;
	if (t->size == 8) {
		e = e == p->word[0] && e->kind != EX_CTXVAL && e->kind != EX_SAVED ? typed_node(s, e, loc) : e;
		return e;
	}
	wide = typed_node(s, e, loc);
	wide->load.is_float = true;
	return wide;
}

struct expr *place_expr(struct session *s, const struct place *p, struct loc loc, bool addrof, bool lvalue)
{
	const struct ctype *t = ctype_strip(p->type, NULL);
	struct expr *e;

	if (lvalue && !s->opt.guru) {
		diag_error(s, loc, "needs-guru", "%s cannot be written to: that needs guru mode (-g)", p->what);
		return NULL;
	}
	if (addrof)
		return address_expr(s, p, loc);
	switch (t->kind) {
	case CTYPE_INT:
	case CTYPE_ENUM:
	case CTYPE_PTR:
		if (t->size > 8 || t->size == 0 || (t->size & (t->size - 1)))
			return refuse(s, p, loc, "wide-integer", ", which does not fit in 64 bits");
		e = scalar(s, p, t, loc);
		if (!e)
			return NULL;
		if (e == p->word[0] && e->kind != EX_CTXVAL && e->kind != EX_SAVED)
			e = typed_node(s, e, loc);
		else if (e->ctype && e->ctype != p->type)
			e = expr_copy(s, e);
		e->ctype = p->type;
		return e;
	case CTYPE_ARRAY:
	case CTYPE_FUNC:
		if (lvalue)
			return refuse(s, p, loc, "not-assignable", ", which cannot be assigned to");
		e = address_expr(s, p, loc);
		if (e && t->kind == CTYPE_ARRAY)
			e->ctype = p->type;
		return e;
	case CTYPE_STRUCT:
	case CTYPE_UNION:
		return aggregate_error(s, p, t, loc);
	case CTYPE_FLOAT:
		return float_expr(s, p, t, loc, lvalue);
	default:
		return refuse(s, p, loc, "incomplete-type", ", which has no value");
	}
}

struct expr *place_apply(struct session *s, struct place *p, const struct expr *e, bool lvalue)
{
	for (size_t i = 0; i < e->ncomps; i++) {
		const struct comp *c = &e->comps[i];

		if (c->kind == COMP_MEMBER || c->kind == COMP_INDEX) {
			if (place_step(s, p, c))
				return NULL;
			continue;
		}
		if (i + 1 < e->ncomps || e->addrof || lvalue) {
			diag_error(s, c->loc, "misplaced-pretty", "the printing suffix '%s' can only end a variable that is read",
				   c->kind == COMP_PRETTY ? "$" : "$$");
			return NULL;
		}
		return pretty_expr(s, p, e->loc, c->kind == COMP_PRETTY_DEEP);
	}
	return place_expr(s, p, e->loc, e->addrof, lvalue);
}
