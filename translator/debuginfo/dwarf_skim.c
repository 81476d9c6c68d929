/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units, abbreviations, forms and range lists of .debug_info, for going over all of it. */
#include "dwarf_skim.h"

#include <dwarf.h>
#include <stdlib.h>

/* DWARF 5 allows any depth; what compilers make stays far below. */
#define MAX_DEPTH 1000

/* A string of a section; NULL when out of bounds. */
static const char *dw_string(const struct dw_span *s, uint64_t offset)
{
	if (offset >= s->size)
		return NULL;
	/* nearly all sections end with a NUL, and then nothing needs to be looked for */
	if (s->data[s->size - 1] != 0 && !memchr(s->data + offset, 0, s->size - offset))
		return NULL;
	return (const char *)s->data + offset;
}

bool dw_unit_header(const struct dw_sections *sec, bool types, uint64_t offset, struct dw_unit *u, uint64_t *next)
{
	const struct dw_span *s = &sec->s[types ? DW_TYPES : DW_INFO];
	struct dw_cursor c = { s->data + offset, s->data + s->size, false };
	uint64_t len;

	*next = 0;
	if (offset >= s->size)
		return false;
	u->sec = u->line_sec = sec;
	u->types = types;
	u->offset = offset;
	u->base = c.p;
	u->off_size = 4;
	len = dw_fixed(&c, 4);
	if (len == 0xffffffff) {
		u->off_size = 8;
		len = dw_fixed(&c, 8);
	}
	if (c.bad || len > (uint64_t)(c.end - c.p))
		return false;
	c.end = c.p + len;
	*next = c.end - s->data;
	u->end = c.end;
	u->version = dw_fixed(&c, 2);
	u->type = types ? DW_UT_type : DW_UT_compile;
	if (u->version == 5) {
		u->type = dw_fixed(&c, 1);
		u->addr_size = dw_fixed(&c, 1);
		u->abbrev_off = dw_fixed(&c, u->off_size);
		if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
			dw_fixed(&c, 8);
	} else {
		u->abbrev_off = dw_fixed(&c, u->off_size);
		u->addr_size = dw_fixed(&c, 1);
	}
	if (u->type == DW_UT_type || u->type == DW_UT_split_type) {
		dw_fixed(&c, 8);
		dw_fixed(&c, u->off_size);
	}
	u->dies = c.p;
	return !c.bad && u->version >= 2 && u->version <= 5 && (u->addr_size == 8 || u->addr_size == 4);
}

/* Bytes of a form that always takes the same number in this unit; -1 for others. */
static int form_fixed(const struct dw_unit *u, unsigned form)
{
	switch (form) {
	case DW_FORM_flag_present: case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1: case DW_FORM_addrx1: return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3: return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_addrx4: case DW_FORM_ref_sup4: return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_addr: return u->addr_size;
	case DW_FORM_ref_addr: return u->version < 3 ? u->addr_size : u->off_size;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset: case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt: case DW_FORM_GNU_strp_alt: return u->off_size;
	default: return -1;
	}
}

bool dw_list_grow(void **list, size_t *room, size_t n, size_t size)
{
	size_t wider = *room ? *room * 2 : 64;
	void *more;

	if (n < *room)
		return true;
	more = realloc(*list, wider * size);
	if (!more)
		return false;
	*list = more;
	*room = wider;
	return true;
}

static bool abbrev_specs(struct dw_cursor *c, struct dw_abbrevs *a, struct dw_abbrev *ab)
{
	for (;;) {
		uint64_t attr = dw_uleb(c), form = dw_uleb(c);
		int64_t implicit = form == DW_FORM_implicit_const ? dw_sleb(c) : 0;

		if (c->bad || attr > 0xffff || form > 0xffff)
			return false;
		if (!attr && !form)
			return true;
		if (!dw_list_grow((void **)&a->specs, &a->specs_room, a->nspecs, sizeof(*a->specs)))
			return false;
		a->specs[a->nspecs++] = (struct dw_spec){ attr, form, implicit };
		ab->nspecs++;
	}
}

static bool dw_abbrevs_read(const struct dw_sections *sec, uint64_t offset, struct dw_abbrevs *a)
{
	const struct dw_span *s = &sec->s[DW_ABBREV];
	struct dw_cursor c = { s->data + offset, s->data + s->size, false };

	a->n = a->nspecs = 0;
	a->dense = true;
	if (offset >= s->size)
		return false;
	for (;;) {
		uint64_t code = dw_uleb(&c);
		struct dw_abbrev *ab;
		uint64_t tag;

		if (c.bad || code > UINT32_MAX)
			return false;
		if (code == 0)
			return true;
		if (!dw_list_grow((void **)&a->list, &a->room, a->n, sizeof(*a->list)))
			return false;
		ab = &a->list[a->n++];
		tag = dw_uleb(&c);
		*ab = (struct dw_abbrev){ .code = code, .tag = tag, .first = a->nspecs, .children = dw_fixed(&c, 1) };
		if (tag > 0xffff || !abbrev_specs(&c, a, ab))
			return false;
		a->dense = a->dense && code == a->n;
	}
}

void dw_abbrevs_free(struct dw_abbrevs *a)
{
	free(a->list);
	free(a->specs);
	memset(a, 0, sizeof(*a));
}

/* What makes skipping fast, once the unit's sizes are known. */
static void abbrevs_prepare(const struct dw_unit *u, struct dw_abbrevs *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct dw_abbrev *ab = &a->list[i];

		for (uint32_t k = 0; k < ab->nspecs; k++) {
			const struct dw_spec *spec = &a->specs[ab->first + k];
			int bytes = form_fixed(u, spec->form);

			if (spec->attr == DW_AT_sibling && k < 255)
				ab->sibling = k + 1;
			ab->fixed = ab->fixed < 0 || bytes < 0 || ab->fixed > 1 << 20 ? -1 : ab->fixed + bytes;
		}
	}
}

const struct dw_abbrev *dw_abbrev_find(const struct dw_abbrevs *a, uint64_t code)
{
	if (a->dense)
		return code - 1 < a->n ? &a->list[code - 1] : NULL;
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].code == code)
			return &a->list[i];
	return NULL;
}

static uint64_t entry_of(const struct dw_span *s, uint64_t base, uint64_t index, unsigned size, bool *ok)
{
	struct dw_cursor c = { s->data, s->data + s->size, false };
	uint64_t v;

	*ok = index < s->size && base <= s->size && base + index * size <= s->size;
	if (!*ok)
		return 0;
	c.p += base + index * size;
	v = dw_fixed(&c, size);
	*ok = !c.bad;
	return v;
}

/* The unit's .debug_addr entry. */
static bool dw_addrx(const struct dw_unit *u, uint64_t index, uint64_t *ret)
{
	bool ok;

	*ret = entry_of(&u->line_sec->s[DW_ADDR], u->addr_base, index, u->addr_size, &ok);
	return ok;
}

static const char *strx(const struct dw_unit *u, uint64_t index)
{
	bool ok;
	uint64_t off = entry_of(&u->sec->s[DW_STR_OFFSETS], u->str_offsets_base, index, u->off_size, &ok);

	return ok ? dw_string(&u->sec->s[DW_STR], off) : NULL;
}

static void value_string(struct dw_value *v, const char *s)
{
	v->class = DW_STRING;
	v->str = s;
}

static bool value_block(struct dw_cursor *c, struct dw_value *v, enum dw_class class, uint64_t len)
{
	if (c->bad || len > (uint64_t)(c->end - c->p)) {
		c->p = c->end;
		c->bad = true;
		return false;
	}
	v->class = class;
	v->block = c->p;
	v->num = len;
	c->p += len;
	return true;
}

static bool form_string(const struct dw_unit *u, struct dw_cursor *c, unsigned form, struct dw_value *v)
{
	const uint8_t *nul;

	switch (form) {
	case DW_FORM_string:
		nul = memchr(c->p, 0, c->end - c->p);
		value_string(v, nul ? (const char *)c->p : NULL);
		c->bad = c->bad || !nul;
		c->p = nul ? nul + 1 : c->end;
		return !c->bad;
	case DW_FORM_strp: value_string(v, dw_string(&u->sec->s[DW_STR], dw_fixed(c, u->off_size))); break;
	case DW_FORM_line_strp: value_string(v, dw_string(&u->sec->s[DW_LINE_STR], dw_fixed(c, u->off_size))); break;
	case DW_FORM_strp_sup: case DW_FORM_GNU_strp_alt:
		v->num = dw_fixed(c, u->off_size);
		value_string(v, u->sec->alt ? dw_string(&u->sec->alt->s[DW_STR], v->num) : NULL);
		break;
	case DW_FORM_strx: case DW_FORM_GNU_str_index: value_string(v, strx(u, dw_uleb(c))); break;
	case DW_FORM_strx1: value_string(v, strx(u, dw_fixed(c, 1))); break;
	case DW_FORM_strx2: value_string(v, strx(u, dw_fixed(c, 2))); break;
	case DW_FORM_strx3: value_string(v, strx(u, dw_fixed(c, 3))); break;
	case DW_FORM_strx4: value_string(v, strx(u, dw_fixed(c, 4))); break;
	default: return false;
	}
	return !c->bad;
}

static bool form_address(const struct dw_unit *u, struct dw_cursor *c, unsigned form, struct dw_value *v)
{
	uint64_t index;

	v->class = DW_ADDRESS;
	switch (form) {
	case DW_FORM_addr: v->num = dw_fixed(c, u->addr_size); return !c->bad;
	case DW_FORM_addrx: case DW_FORM_GNU_addr_index: index = dw_uleb(c); break;
	case DW_FORM_addrx1: index = dw_fixed(c, 1); break;
	case DW_FORM_addrx2: index = dw_fixed(c, 2); break;
	case DW_FORM_addrx3: index = dw_fixed(c, 3); break;
	case DW_FORM_addrx4: index = dw_fixed(c, 4); break;
	default: return false;
	}
	if (!dw_addrx(u, index, &v->num))
		v->class = DW_NONE;
	return !c->bad;
}

/* References become offsets in the section. */
static bool form_reference(const struct dw_unit *u, struct dw_cursor *c, unsigned form, struct dw_value *v)
{
	v->class = DW_REF;
	switch (form) {
	case DW_FORM_ref1: v->num = dw_fixed(c, 1) + u->offset; break;
	case DW_FORM_ref2: v->num = dw_fixed(c, 2) + u->offset; break;
	case DW_FORM_ref4: v->num = dw_fixed(c, 4) + u->offset; break;
	case DW_FORM_ref8: v->num = dw_fixed(c, 8) + u->offset; break;
	case DW_FORM_ref_udata: v->num = dw_uleb(c) + u->offset; break;
	case DW_FORM_ref_addr: v->num = dw_fixed(c, u->version < 3 ? u->addr_size : u->off_size); break;
	case DW_FORM_GNU_ref_alt: v->class = DW_REF_ALT; v->num = dw_fixed(c, u->off_size); break;
	case DW_FORM_ref_sup4: v->class = DW_REF_ALT; v->num = dw_fixed(c, 4); break;
	case DW_FORM_ref_sup8: v->class = DW_REF_ALT; v->num = dw_fixed(c, 8); break;
	case DW_FORM_ref_sig8: v->class = DW_REF_SIG; v->num = dw_fixed(c, 8); break;
	default: return false;
	}
	return !c->bad;
}

bool dw_form_read(const struct dw_unit *u, struct dw_cursor *c, const struct dw_spec *spec, struct dw_value *v)
{
	uint64_t form = spec->form;

	v->str = NULL;
	for (int i = 0; form == DW_FORM_indirect && i < 4; i++)
		form = dw_uleb(c);
	v->form = form;
	v->class = DW_NUM;
	switch (form) {
	case DW_FORM_data1: v->num = dw_fixed(c, 1); break;
	case DW_FORM_data2: v->num = dw_fixed(c, 2); break;
	case DW_FORM_data4: v->num = dw_fixed(c, 4); break;
	case DW_FORM_data8: v->num = dw_fixed(c, 8); break;
	case DW_FORM_udata: v->num = dw_uleb(c); break;
	case DW_FORM_sdata: v->class = DW_SNUM; v->num = dw_sleb(c); break;
	case DW_FORM_implicit_const: v->class = DW_SNUM; v->num = spec->implicit; break;
	case DW_FORM_data16: return value_block(c, v, DW_BLOCK, 16);
	case DW_FORM_flag: v->class = DW_FLAG; v->num = dw_fixed(c, 1); break;
	case DW_FORM_flag_present: v->class = DW_FLAG; v->num = 1; break;
	case DW_FORM_sec_offset: v->class = DW_SECOFF; v->num = dw_fixed(c, u->off_size); break;
	case DW_FORM_rnglistx: case DW_FORM_loclistx: v->class = DW_LISTX; v->num = dw_uleb(c); break;
	case DW_FORM_exprloc: return value_block(c, v, DW_EXPR, dw_uleb(c));
	case DW_FORM_block: return value_block(c, v, DW_BLOCK, dw_uleb(c));
	case DW_FORM_block1: return value_block(c, v, DW_BLOCK, dw_fixed(c, 1));
	case DW_FORM_block2: return value_block(c, v, DW_BLOCK, dw_fixed(c, 2));
	case DW_FORM_block4: return value_block(c, v, DW_BLOCK, dw_fixed(c, 4));
	default:
		if (form_reference(u, c, form, v) || form_string(u, c, form, v) || form_address(u, c, form, v))
			return true;
		c->bad = true;
	}
	return !c->bad;
}

void dw_attrs_skip(const struct dw_unit *u, struct dw_cursor *c, const struct dw_abbrev *a)
{
	struct dw_value v;

	if (a->fixed >= 0) {
		if ((size_t)(c->end - c->p) >= (size_t)a->fixed)
			c->p += a->fixed;
		else
			c->bad = true;
		return;
	}
	for (uint32_t i = 0; i < a->nspecs && !c->bad; i++) {
		const struct dw_spec *spec = &u->abbrevs.specs[a->first + i];
		int bytes = form_fixed(u, spec->form);

		if (bytes < 0)
			dw_form_read(u, c, spec, &v);
		else if (c->end - c->p >= bytes)
			c->p += bytes;
		else
			c->bad = true;
	}
}

/* Jumps to the sibling that the DIE names; false when it names none, with the cursor behind the attributes. */
static bool sibling_jump(const struct dw_unit *u, struct dw_cursor *c, const struct dw_abbrev *a)
{
	struct dw_value v;

	if (!a->sibling) {
		dw_attrs_skip(u, c, a);
		return false;
	}
	for (uint32_t i = 0; i < a->nspecs && !c->bad; i++) {
		const struct dw_spec *spec = &u->abbrevs.specs[a->first + i];
		const uint8_t *to;

		if (!dw_form_read(u, c, spec, &v) || spec->attr != DW_AT_sibling)
			continue;
		if (v.class != DW_REF || v.num < u->offset || v.num - u->offset > (uint64_t)(u->end - u->base))
			continue;
		to = u->base + (v.num - u->offset);
		if (to <= c->p)
			continue;
		c->p = to;
		return true;
	}
	return false;
}

void dw_subtree_skip(const struct dw_unit *u, struct dw_cursor *c, const struct dw_abbrev *a)
{
	unsigned depth = 0;

	if (!a->children) {
		dw_attrs_skip(u, c, a);
		return;
	}
	if (sibling_jump(u, c, a))
		return;
	for (depth = 1; depth && !c->bad; ) {
		uint64_t code = dw_uleb(c);

		if (code == 0) {
			depth--;
			continue;
		}
		a = dw_abbrev_find(&u->abbrevs, code);
		if (!a || depth > MAX_DEPTH) {
			c->bad = true;
		} else if (!a->children) {
			dw_attrs_skip(u, c, a);
		} else if (!sibling_jump(u, c, a)) {
			depth++;
		}
	}
}

static void root_attr(struct dw_unit *u, unsigned attr, const struct dw_value *v)
{
	switch (attr) {
	case DW_AT_name: u->name = v->str; break;
	case DW_AT_comp_dir: u->comp_dir = v->str; break;
	case DW_AT_producer: u->producer = v->str; break;
	case DW_AT_dwo_name: case DW_AT_GNU_dwo_name: u->dwo_name = v->str; break;
	case DW_AT_language: u->lang = v->num; break;
	case DW_AT_stmt_list: u->stmt_list = v->num; break;
	case DW_AT_low_pc:
		u->low_pc = v->num;
		u->has_low_pc = v->class == DW_ADDRESS;
		break;
	case DW_AT_high_pc:
		u->high_pc = v->class == DW_ADDRESS ? v->num : u->low_pc + v->num;
		u->has_high_pc = true;
		break;
	case DW_AT_ranges: u->has_ranges = true; break;
	}
}

/* Bases first: other attributes of the same DIE are read by them. */
static bool root_pass(struct dw_unit *u, const struct dw_abbrev *a, struct dw_cursor c, bool bases)
{
	struct dw_value v;

	for (uint32_t i = 0; i < a->nspecs; i++) {
		const struct dw_spec *spec = &u->abbrevs.specs[a->first + i];

		if (!dw_form_read(u, &c, spec, &v))
			return false;
		if (!bases)
			root_attr(u, spec->attr, &v);
		else if (spec->attr == DW_AT_str_offsets_base)
			u->str_offsets_base = v.num;
		else if (spec->attr == DW_AT_addr_base || spec->attr == DW_AT_GNU_addr_base)
			u->addr_base = v.num;
		else if (spec->attr == DW_AT_rnglists_base)
			u->rnglists_base = v.num;
		else if (spec->attr == DW_AT_GNU_ranges_base)
			u->ranges_base = v.num;
	}
	return true;
}

bool dw_unit_root(struct dw_unit *u)
{
	struct dw_cursor c = { u->dies, u->end, false };
	const struct dw_abbrev *a;
	uint64_t code;

	u->stmt_list = UINT64_MAX;
	u->name = u->comp_dir = u->producer = u->dwo_name = NULL;
	u->lang = u->tag = 0;
	u->has_low_pc = u->has_high_pc = u->has_ranges = false;
	u->low_pc = u->high_pc = 0;
	if (u->line_sec == u->sec)
		u->addr_base = 0;
	u->str_offsets_base = u->version == 5 && u->type != DW_UT_compile ? (u->off_size == 8 ? 16 : 8) : 0;
	u->rnglists_base = u->version == 5 ? (u->off_size == 8 ? 20 : 12) : 0;
	u->ranges_base = 0;
	if (!dw_abbrevs_read(u->sec, u->abbrev_off, &u->abbrevs))
		return false;
	abbrevs_prepare(u, &u->abbrevs);
	code = dw_uleb(&c);
	a = code ? dw_abbrev_find(&u->abbrevs, code) : NULL;
	if (!a || c.bad)
		return false;
	u->tag = a->tag;
	return root_pass(u, a, c, true) && root_pass(u, a, c, false);
}

typedef void range_fn(void *data, uint64_t lo, uint64_t hi);

/* .debug_ranges: pairs, relative to a base that an entry of all ones changes. */
static bool ranges_old(const struct dw_unit *u, uint64_t offset, range_fn *fn, void *data)
{
	const struct dw_span *s = &u->line_sec->s[DW_RANGES];
	struct dw_cursor c = { s->data, s->data + s->size, false };
	uint64_t base = u->low_pc, ones = u->addr_size == 8 ? UINT64_MAX : UINT32_MAX;

	if (offset >= s->size)
		return false;
	for (c.p += offset; ; ) {
		uint64_t lo = dw_fixed(&c, u->addr_size), hi = dw_fixed(&c, u->addr_size);

		if (c.bad)
			return false;
		if (lo == 0 && hi == 0)
			return true;
		if (lo == ones)
			base = hi;
		else if (lo < hi)
			fn(data, base + lo, base + hi);
	}
}

/* One entry of .debug_rnglists; false at the end or when damaged (c->bad). */
static bool rnglist_entry(const struct dw_unit *u, struct dw_cursor *c, uint64_t *base, uint64_t *lo, uint64_t *hi)
{
	uint64_t x;
	bool ok = true;

	*lo = *hi = 0;
	switch (dw_fixed(c, 1)) {
	case DW_RLE_end_of_list: return false;
	case DW_RLE_base_addressx: ok = dw_addrx(u, dw_uleb(c), base); break;
	case DW_RLE_startx_endx:
		ok = dw_addrx(u, dw_uleb(c), lo);
		ok = dw_addrx(u, dw_uleb(c), hi) && ok;
		break;
	case DW_RLE_startx_length:
		ok = dw_addrx(u, dw_uleb(c), lo);
		*hi = *lo + dw_uleb(c);
		break;
	case DW_RLE_offset_pair:
		x = dw_uleb(c);
		*lo = *base + x;
		*hi = *base + dw_uleb(c);
		break;
	case DW_RLE_base_address: *base = dw_fixed(c, u->addr_size); break;
	case DW_RLE_start_end:
		*lo = dw_fixed(c, u->addr_size);
		*hi = dw_fixed(c, u->addr_size);
		break;
	case DW_RLE_start_length:
		*lo = dw_fixed(c, u->addr_size);
		*hi = *lo + dw_uleb(c);
		break;
	default: ok = false;
	}
	c->bad = c->bad || !ok;
	return !c->bad;
}

static bool ranges_new(const struct dw_unit *u, const struct dw_value *v, range_fn *fn, void *data)
{
	/* lists of a split unit are in its own file, addresses in the skeleton's */
	const struct dw_span *s = &u->sec->s[DW_RNGLISTS];
	struct dw_cursor c = { s->data, s->data + s->size, false };
	uint64_t base = u->low_pc, offset = v->num, lo, hi;
	bool ok;

	if (v->class == DW_LISTX) {
		offset = entry_of(s, u->rnglists_base, v->num, u->off_size, &ok) + u->rnglists_base;
		if (!ok)
			return false;
	}
	if (offset >= s->size)
		return false;
	c.p += offset;
	while (rnglist_entry(u, &c, &base, &lo, &hi))
		if (lo < hi)
			fn(data, lo, hi);
	return !c.bad;
}

bool dw_ranges(const struct dw_unit *u, const struct dw_value *v, range_fn *fn, void *data)
{
	if (u->version >= 5)
		return ranges_new(u, v, fn, data);
	return ranges_old(u, v->num + u->ranges_base, fn, data);
}
