/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going over the DIEs of one unit. */
#include "dwarf_build.h"

#include <dwarf.h>

#define MAX_DEPTH 250  /* what is deeper is left out; nobody writes it */

/* Where a DIE is. */
struct place {
	uint32_t func, inlined;    /* index in the unit, or NONE */
	const char *scope;         /* "ns::Class" or NULL */
	bool in_type;
};

static bool walk_children(struct build_worker *w, struct dw_cursor *c, struct place at, unsigned depth);

struct range_sum {
	struct build_worker *w;
	uint32_t first, n;
	uint64_t low;              /* of the first */
};

/* Linkers set the addresses of code they threw away to 0 or 1, or to all ones. */
static bool is_code(const struct build *b, uint64_t lo, uint64_t hi)
{
	return lo >= b->base && lo < hi && hi <= b->limit;
}

static void add_range(void *data, uint64_t lo, uint64_t hi)
{
	struct range_sum *s = data;
	struct build_range *r;

	if (!is_code(s->w->b, lo, hi))
		return;
	if (s->n++ == 0)
		s->low = lo;
	r = build_list_add(&s->w->ranges, sizeof(*r));
	*r = (struct build_range){ lo, hi };
}

/* The code of a DIE; false when it has none. */
static bool die_ranges(struct build_worker *w, const struct build_die *d, struct range_sum *s)
{
	*s = (struct range_sum){ .w = w, .first = w->ranges.n };
	if (d->has_ranges)
		dw_ranges(&w->u, &d->ranges, add_range, s);
	else if (d->has_low && d->has_high)
		add_range(s, d->low, d->high_is_size ? d->low + d->high : d->high);
	return s->n > 0;
}

static uint64_t die_entry(const struct build_die *d, const struct range_sum *s)
{
	if (d->has_entry)
		return d->entry_is_offset ? (d->has_low ? d->low : s->low) + d->entry : d->entry;
	return s->low;
}

/* The range with the entry comes first; *high is its end. */
static void entry_first(struct build_worker *w, struct range_sum *s, uint64_t entry, uint64_t *high)
{
	struct build_range *r = (struct build_range *)w->ranges.data + s->first;

	for (uint32_t i = 0; i < s->n; i++)
		if (entry >= r[i].low && entry < r[i].high) {
			struct build_range first = r[i];

			r[i] = r[0];
			r[0] = first;
			break;
		}
	*high = r[0].high;
}

static const char *scope_in(struct build_worker *w, const char *scope, const char *name)
{
	char *text;
	const char *ret;

	if (!scope)
		return name;
	text = g_strconcat(scope, "::", name, NULL);
	ret = g_string_chunk_insert_const(w->strings, text);
	g_free(text);
	return ret;
}

static bool subprogram(struct build_worker *w, struct dw_cursor *c, const struct dw_abbrev *a, struct build_die *d,
		       struct place at, unsigned depth)
{
	struct range_sum s;
	struct build_func *f;
	uint32_t no = w->funcs.n - w->unit->first_func;
	bool concrete = die_ranges(w, d, &s);
	uint32_t file;

	/* declarations matter only to what specifies them */
	if (d->declaration && !w->scopes && !w->unit->partial)
		return true;
	if (d->is_origin)
		file = build_file_id(w, d->decl_file);
	else
		build_die_inherit(w, d, &file);
	f = build_list_add(&w->funcs, sizeof(*f));
	*f = (struct build_func){ .die = d->offset, .origin = d->origin, .is_origin = d->is_origin, .name = d->name,
		.linkage = d->linkage, .scope = at.scope, .file = file, .line = d->decl_line,
		.unit = w->unit_no, .declaration = d->declaration, .first_inlined = w->inlined.n - w->unit->first_inlined,
		.first_label = w->labels.n - w->unit->first_label, .target = NONE, .symbol = NONE };
	f->flags = (d->external ? DWARF_EXTERNAL : 0) | (d->artificial ? DWARF_ARTIFICIAL : 0) |
		(d->noreturn ? DWARF_NORETURN : 0) | (d->prototyped ? DWARF_PROTOTYPED : 0) |
		(d->inlined == DW_INL_inlined || d->inlined == DW_INL_declared_inlined ? DWARF_INLINE : 0);
	if (concrete) {
		f->flags |= DWARF_CONCRETE;
		f->entry = f->prologue = die_entry(d, &s);
		f->first_range = s.first;
		f->nranges = s.n;
		entry_first(w, &s, f->entry, &f->high);
	}
	if (!a->children)
		return true;
	at.func = no;
	at.inlined = NONE;
	/* functions inside functions are scopes in no language that writes its scopes in front */
	if (!walk_children(w, c, at, depth + 1))
		return false;
	f = (struct build_func *)w->funcs.data + w->unit->first_func + no;
	f->ninlined = w->inlined.n - w->unit->first_inlined - f->first_inlined;
	f->nlabels = w->labels.n - w->unit->first_label - f->first_label;
	return true;
}

static bool inlined(struct build_worker *w, struct dw_cursor *c, const struct dw_abbrev *a, struct build_die *d,
		    struct place at, unsigned depth)
{
	uint32_t mark = w->ranges.n;
	struct range_sum s;
	bool ok = die_ranges(w, d, &s) && at.func != NONE;

	w->ranges.n = mark;        /* only the entry is kept of them */
	if (ok) {
		struct build_inlined *i;
		uint32_t no = w->inlined.n - w->unit->first_inlined;

		i = build_list_add(&w->inlined, sizeof(*i));
		*i = (struct build_inlined){ .die = d->offset, .entry = die_entry(d, &s), .origin = d->origin,
			.caller = at.func, .parent = at.inlined, .file = build_file_id(w, d->call_file), .line = d->call_line };
		at.inlined = no;
	}
	return !a->children || walk_children(w, c, at, depth + 1);
}

static void label(struct build_worker *w, struct build_die *d, struct place at)
{
	struct build_label *l;
	uint32_t file;

	/* abstract ones have no address */
	if (at.func == NONE || !d->has_low || !is_code(w->b, d->low, d->low + 1))
		return;
	build_die_inherit(w, d, &file);
	if (!d->name)
		return;
	l = build_list_add(&w->labels, sizeof(*l));
	*l = (struct build_label){ .die = d->offset, .pc = d->low, .name = d->name, .func = at.func, .inlined = at.inlined,
		.file = file, .line = d->decl_line };
}

static void variable(struct build_worker *w, struct build_die *d, struct place at)
{
	bool local = at.func != NONE, place = d->has_location || d->has_const;
	struct build_var *v;
	uint32_t file;

	/* declarations matter for their scope */
	if (local ? !build_die_is_static(&w->u, d) : !place && !w->scopes)
		return;
	build_die_inherit(w, d, &file);
	if (!d->name)
		return;
	v = build_list_add(&w->vars, sizeof(*v));
	*v = (struct build_var){ .die = d->offset, .origin = d->origin, .name = d->name, .linkage = d->linkage,
		.scope = at.scope, .file = file, .line = d->decl_line, .unit = w->unit_no,
		.func = at.func, .has_place = place };
	v->flags = (d->external ? DWARF_EXTERNAL : 0) | (local ? DWARF_LOCAL : 0) | (d->artificial ? DWARF_ARTIFICIAL : 0);
}

static void type(struct build_worker *w, unsigned tag, const struct build_die *d, struct place at)
{
	struct build_type key = { .name = d->name, .scope = at.scope, .die = d->offset, .unit = w->unit_no, .tag = tag,
		.flags = d->declaration ? DWARF_DECLARATION : 0, .size = d->size > UINT32_MAX ? 0 : d->size,
		.file = build_file_id(w, d->decl_file), .line = d->decl_line }, *have;

	if (!d->name || !*d->name)
		return;
	have = g_hash_table_lookup(w->types, &key);
	if (!have) {
		have = g_new(struct build_type, 1);
		*have = key;
		g_hash_table_add(w->types, have);
	} else if (key.unit < have->unit) {
		have->unit = key.unit;
		have->die = key.die;
		have->name = key.name;
	}
}

static bool is_named_scope(unsigned tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_interface_type || tag == DW_TAG_variant || tag == DW_TAG_variant_part;
}

/* A scope: namespaces always, types where the language puts functions into them. */
static bool scope(struct build_worker *w, struct dw_cursor *c, const struct dw_abbrev *a, const struct build_die *d,
		  struct place at, unsigned depth)
{
	at.in_type = a->tag != DW_TAG_namespace && a->tag != DW_TAG_module;
	if (d->name && *d->name)
		at.scope = scope_in(w, at.scope, d->name);
	else if (a->tag == DW_TAG_namespace)
		at.scope = scope_in(w, at.scope, "(anonymous namespace)");
	return walk_children(w, c, at, depth + 1);
}

static bool is_type(unsigned tag)
{
	switch (tag) {
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type: case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: case DW_TAG_typedef: case DW_TAG_base_type: case DW_TAG_unspecified_type:
		return true;
	}
	return false;
}

static bool is_wanted(const struct build_worker *w, unsigned tag, const struct place *at)
{
	switch (tag) {
	case DW_TAG_subprogram: case DW_TAG_inlined_subroutine: case DW_TAG_label: case DW_TAG_variable:
	case DW_TAG_namespace: case DW_TAG_module:
		return true;
	case DW_TAG_member:
		return at->in_type && w->scopes;
	case DW_TAG_variant: case DW_TAG_variant_part:
		return w->scopes;
	}
	return is_type(tag);
}

/* A type that is declared in a scope and defined outside, as a specification of the declaration. */
static void declared_scope(struct build_worker *w, const struct build_die *d, struct place *at)
{
	const char *scope;

	if (d->declaration && at->scope)
		g_hash_table_insert(w->declared, GSIZE_TO_POINTER(d->offset), (gpointer)at->scope);
	else if (d->origin.set == w->unit->set &&
		 (scope = g_hash_table_lookup(w->declared, GSIZE_TO_POINTER(d->origin.offset))))
		at->scope = scope;
}

static bool one_die(struct build_worker *w, struct dw_cursor *c, const struct dw_abbrev *a, uint64_t offset,
		    struct place at, unsigned depth)
{
	struct dw_cursor start = *c;
	struct build_die d;

	if (a->tag == DW_TAG_lexical_block || a->tag == DW_TAG_try_block || a->tag == DW_TAG_catch_block ||
	    a->tag == DW_TAG_common_block || a->tag == DW_TAG_entry_point) {
		dw_attrs_skip(&w->u, c, a);
		return !a->children || walk_children(w, c, at, depth + 1);
	}
	if (!is_wanted(w, a->tag, &at)) {
		dw_subtree_skip(&w->u, c, a);
		return !c->bad;
	}
	if (!build_die_read(w, c, a, &d))
		return false;
	d.offset = offset;
	if (a->tag == DW_TAG_inlined_subroutine)
		return inlined(w, c, a, &d, at, depth);
	if (a->tag == DW_TAG_subprogram) {
		if (!d.declaration || !a->children)
			return subprogram(w, c, a, &d, at, depth);
		subprogram(w, c, &(struct dw_abbrev){ 0 }, &d, at, depth);
	} else if (a->tag == DW_TAG_label) {
		label(w, &d, at);
	} else if (a->tag == DW_TAG_variable || (a->tag == DW_TAG_member && (d.external || d.declaration))) {
		variable(w, &d, at);
	} else if (is_type(a->tag)) {
		if (w->scopes)
			declared_scope(w, &d, &at);
		type(w, a->tag, &d, at);
	}
	if (a->children && is_named_scope(a->tag) && (w->scopes || a->tag == DW_TAG_namespace || a->tag == DW_TAG_module))
		return scope(w, c, a, &d, at, depth);
	*c = start;
	dw_subtree_skip(&w->u, c, a);
	return !c->bad;
}

static bool walk_children(struct build_worker *w, struct dw_cursor *c, struct place at, unsigned depth)
{
	if (depth > MAX_DEPTH)
		return false;
	while (c->p < c->end) {
		uint64_t offset = w->u.offset + (c->p - w->u.base), code = dw_uleb(c);
		const struct dw_abbrev *a;

		if (code == 0)
			return !c->bad;
		a = dw_abbrev_find(&w->u.abbrevs, code);
		if (!a || !one_die(w, c, a, offset, at, depth))
			return false;
	}
	/* the last terminators may be missing */
	return true;
}

static bool has_scopes(unsigned lang)
{
	switch (lang) {
	case DW_LANG_C: case DW_LANG_C89: case DW_LANG_C99: case DW_LANG_C11: case DW_LANG_Mips_Assembler:
		return false;
	case 0x2c: /* DW_LANG_C17, younger than the header */
		return false;
	}
	return true;
}

/* The last -O of a command line that the compiler has recorded: -1 when there is none. */
static int producer_optimised(const char *producer)
{
	const char *p = producer, *last = NULL;

	while (p && (p = strstr(p, " -O")))
		last = p += 3;
	return last ? *last != '0' : -1;
}

static void unit_ranges(struct build_worker *w, const struct dw_abbrev *a, struct dw_cursor c)
{
	struct build_unit *unit = w->unit;
	struct build_die d;
	struct range_sum s;

	unit->first_range = w->ranges.n;
	if (build_die_read(w, &c, a, &d) && die_ranges(w, &d, &s))
		unit->nranges = s.n;
}

bool build_walk(struct build_worker *w)
{
	struct dw_cursor c = { w->u.dies, w->u.end, false };
	const struct dw_abbrev *a = dw_abbrev_find(&w->u.abbrevs, dw_uleb(&c));
	struct place top = { NONE, NONE, NULL, false };

	if (!a)
		return false;
	w->scopes = has_scopes(w->u.lang);
	g_hash_table_remove_all(w->declared);
	w->unit->partial = a->tag == DW_TAG_partial_unit || a->tag == DW_TAG_type_unit;
	if (producer_optimised(w->u.producer) > 0)
		w->unit->flags |= DWARF_OPTIMISED;
	unit_ranges(w, a, c);
	dw_attrs_skip(&w->u, &c, a);
	if (c.bad)
		return false;
	return !a->children || walk_children(w, &c, top, 0);
}
