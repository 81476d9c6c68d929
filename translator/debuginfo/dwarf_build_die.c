/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attributes of one DIE that the index is made of. */
#include "dwarf_build.h"

#include <dwarf.h>

static void take_ref(struct build_worker *w, struct build_die *d, const struct dw_value *v, bool is_origin)
{
	const struct build_set *set = &w->b->sets[w->unit->set];

	if (v->class == DW_REF)
		d->origin = (struct build_ref){ w->unit->set, v->num };
	else if (v->class == DW_REF_ALT && set->alt >= 0)
		d->origin = (struct build_ref){ set->alt, v->num };
	else
		return;
	d->is_origin = is_origin;
}

static void take_address(struct build_die *d, unsigned attr, const struct dw_value *v)
{
	switch (attr) {
	case DW_AT_low_pc:
		d->low = v->num;
		d->has_low = v->class == DW_ADDRESS;
		break;
	case DW_AT_high_pc:
		d->high = v->num;
		d->has_high = v->class != DW_NONE;
		d->high_is_size = v->class != DW_ADDRESS;
		break;
	case DW_AT_entry_pc:
		d->entry = v->num;
		d->has_entry = v->class == DW_ADDRESS || v->class == DW_NUM;
		d->entry_is_offset = v->class == DW_NUM;
		break;
	case DW_AT_ranges:
		d->ranges = *v;
		d->has_ranges = true;
		break;
	}
}

static void take(struct build_worker *w, struct build_die *d, unsigned attr, const struct dw_value *v)
{
	switch (attr) {
	case DW_AT_name: d->name = v->str; break;
	case DW_AT_linkage_name: case DW_AT_MIPS_linkage_name: d->linkage = v->str; break;
	case DW_AT_decl_file: d->decl_file = v->num; break;
	case DW_AT_decl_line: d->decl_line = v->num; break;
	case DW_AT_call_file: d->call_file = v->num; break;
	case DW_AT_call_line: d->call_line = v->num; break;
	case DW_AT_byte_size: d->size = v->class == DW_NUM || v->class == DW_SNUM ? v->num : 0; break;
	case DW_AT_inline: d->inlined = v->num; break;
	case DW_AT_declaration: d->declaration = v->num != 0; break;
	case DW_AT_external: d->external = v->num != 0; break;
	case DW_AT_artificial: d->artificial = v->num != 0; break;
	case DW_AT_noreturn: d->noreturn = v->num != 0; break;
	case DW_AT_prototyped: d->prototyped = v->num != 0; break;
	case DW_AT_const_value: d->has_const = true; break;
	case DW_AT_abstract_origin: take_ref(w, d, v, true); break;
	case DW_AT_specification: take_ref(w, d, v, false); break;
	case DW_AT_location:
		d->location = *v;
		d->has_location = true;
		if (v->class == DW_SECOFF || v->class == DW_LISTX)
			w->unit->flags |= DWARF_OPTIMISED;
		break;
	default: take_address(d, attr, v);
	}
}

bool build_die_read(struct build_worker *w, struct dw_cursor *c, const struct dw_abbrev *a, struct build_die *d)
{
	memset(d, 0, sizeof(*d));
	d->origin.set = -1;
	d->decl_file = d->call_file = UINT64_MAX;
	for (uint32_t i = 0; i < a->nspecs; i++) {
		const struct dw_spec *spec = &w->u.abbrevs.specs[a->first + i];
		struct dw_value v;

		if (!dw_form_read(&w->u, c, spec, &v))
			return false;
		take(w, d, spec->attr, &v);
	}
	return true;
}

bool build_die_is_static(const struct dw_unit *u, const struct build_die *d)
{
	const uint8_t *p = d->location.block;
	uint64_t n = d->location.num;

	if (!d->has_location || (d->location.class != DW_EXPR && d->location.class != DW_BLOCK) || n == 0)
		return false;
	/* an address, or an offset that the last operation takes for one in thread-local storage */
	return p[0] == DW_OP_addr || p[0] == DW_OP_addrx || p[0] == DW_OP_GNU_addr_index ||
	       p[n - 1] == DW_OP_GNU_push_tls_address || p[n - 1] == DW_OP_form_tls_address;
}

uint32_t build_unit_of_ref(const struct build *b, struct build_ref ref)
{
	uint32_t lo = 0, hi = b->nunits;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		const struct build_unit *unit = &b->units[mid];

		if (unit->set < ref.set || (unit->set == ref.set && unit->next <= ref.offset))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == b->nunits || b->units[lo].set != ref.set || ref.offset < b->units[lo].offset)
		return NONE;
	return lo;
}

/* The unit that a reference leads into; NULL when there is none. */
static const struct dw_unit *unit_of_ref(struct build_worker *w, struct build_ref ref)
{
	struct build *b = w->b;
	uint64_t next;
	uint32_t no;

	if (ref.set == w->unit->set && ref.offset >= w->unit->offset && ref.offset < w->unit->next)
		return &w->u;
	no = build_unit_of_ref(b, ref);
	if (no == NONE)
		return NULL;
	if (w->peek_no != no) {
		const struct build_set *set = &b->sets[ref.set];

		w->peek_no = NONE;
		if (!dw_unit_header(&set->sec, set->types, b->units[no].offset, &w->peek, &next) || !dw_unit_root(&w->peek))
			return NULL;
		w->peek_no = no;
	}
	return &w->peek;
}

/* Reads the DIE of a reference into *d, with d->origin the next reference; NULL when it is not to be had. */
static const struct dw_unit *ref_read(struct build_worker *w, struct build_ref ref, struct build_die *d)
{
	const struct dw_unit *u = unit_of_ref(w, ref);
	const struct dw_abbrev *a;
	struct dw_cursor c;

	if (!u || ref.offset < (uint64_t)(u->dies - u->base) + u->offset)
		return NULL;
	c = (struct dw_cursor){ u->base + (ref.offset - u->offset), u->end, false };
	a = dw_abbrev_find(&u->abbrevs, dw_uleb(&c));
	memset(d, 0, sizeof(*d));
	d->origin.set = -1;
	d->decl_file = d->call_file = UINT64_MAX;
	for (uint32_t i = 0; a && i < a->nspecs; i++) {
		const struct dw_spec *spec = &u->abbrevs.specs[a->first + i];
		struct dw_value v;

		if (!dw_form_read(u, &c, spec, &v))
			return NULL;
		if (v.class == DW_REF && (spec->attr == DW_AT_abstract_origin || spec->attr == DW_AT_specification))
			d->origin = (struct build_ref){ ref.set, v.num };
		else if (v.class != DW_REF && spec->attr != DW_AT_location)
			take(w, d, spec->attr, &v);
	}
	return a ? u : NULL;
}

/* Other units number their files in their own way. */
static uint32_t peek_file_id(struct build_worker *w, uint64_t number)
{
	struct dw_lines *l = &w->peek_lines;
	const char *comp_dir = w->peek.comp_dir;

	if (w->peek_files != w->peek_no) {
		if (!dw_lines_header(&w->peek, l))
			l->nfiles = 0;
		w->peek_files = w->peek_no;
	}
	if (number >= l->nfiles || (number == 0 && l->version < 5) || !l->files[number].name)
		return NONE;
	if (!comp_dir && l->version >= 5 && l->ndirs)
		comp_dir = l->dirs[0];
	return build_path_id(w, comp_dir ? comp_dir : "", l->files[number].dir, l->files[number].name);
}

void build_die_inherit(struct build_worker *w, struct build_die *d, uint32_t *file)
{
	struct build_ref ref = d->origin;
	struct build_die other;

	*file = build_file_id(w, d->decl_file);
	for (int depth = 0; ref.set >= 0 && depth < 8; depth++) {
		const struct dw_unit *u = ref_read(w, ref, &other);

		if (!u)
			return;
		if (!d->name)
			d->name = other.name;
		if (!d->linkage)
			d->linkage = other.linkage;
		if (!d->decl_line)
			d->decl_line = other.decl_line;
		if (*file == NONE)
			*file = u == &w->u ? build_file_id(w, other.decl_file) : peek_file_id(w, other.decl_file);
		d->external = d->external || other.external;
		ref = other.origin;
	}
}
