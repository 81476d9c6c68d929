/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line table headers and programs. */
#include "dwarf_skim_line.h"
#include "dwarf_index.h"

#include <dwarf.h>
#include <stdlib.h>

static bool add_dir(struct dw_lines *l, const char *name)
{
	if (!dw_list_grow((void **)&l->dirs, &l->dirs_room, l->ndirs, sizeof(*l->dirs)))
		return false;
	l->dirs[l->ndirs++] = name;
	return true;
}

static bool add_file(struct dw_lines *l, uint64_t dir, const char *name)
{
	if (!dw_list_grow((void **)&l->files, &l->files_room, l->nfiles, sizeof(*l->files)))
		return false;
	l->files[l->nfiles++] = (struct dw_line_file){ dir < l->ndirs ? l->dirs[dir] : NULL, name };
	return true;
}

static const char *inline_string(struct dw_cursor *c)
{
	const uint8_t *p = c->p, *nul = memchr(p, 0, c->end - p);

	c->bad = c->bad || !nul;
	c->p = nul ? nul + 1 : c->end;
	return nul ? (const char *)p : NULL;
}

/* Versions 2 to 4: strings up to an empty one; both lists count from 1, 0 is the unit itself. */
static bool tables_old(const struct dw_unit *u, struct dw_cursor *c, struct dw_lines *l)
{
	const char *s;

	if (!add_dir(l, NULL))
		return false;
	while ((s = inline_string(c)) && *s)
		if (!add_dir(l, s))
			return false;
	if (!add_file(l, 0, u->name))
		return false;
	while ((s = inline_string(c)) && *s) {
		uint64_t dir = dw_uleb(c);

		dw_uleb(c);
		dw_uleb(c);
		if (!add_file(l, dir, s))
			return false;
	}
	return !c->bad;
}

/* One of version 5's two lists: a description of its fields, then the entries. */
static bool table_new(const struct dw_unit *u, struct dw_cursor *c, struct dw_lines *l, bool dirs)
{
	struct dw_spec fields[8];
	unsigned nfields = dw_fixed(c, 1);
	uint64_t n;

	if (nfields > 8)
		return false;
	for (unsigned i = 0; i < nfields; i++) {
		fields[i].attr = dw_uleb(c);
		fields[i].form = dw_uleb(c);
		fields[i].implicit = 0;
	}
	n = dw_uleb(c);
	if (n && !nfields)
		return false;
	for (uint64_t i = 0; i < n && !c->bad; i++) {
		const uint8_t *start = c->p;
		const char *name = NULL;
		uint64_t dir = 0;

		for (unsigned k = 0; k < nfields; k++) {
			struct dw_value v;

			if (!dw_form_read(u, c, &fields[k], &v))
				return false;
			if (fields[k].attr == DW_LNCT_path)
				name = v.class == DW_STRING ? v.str : NULL;
			else if (fields[k].attr == DW_LNCT_directory_index)
				dir = v.num;
		}
		/* an entry that takes no bytes could be there 2^64 times */
		if (c->p == start || !(dirs ? add_dir(l, name) : add_file(l, dir, name)))
			return false;
	}
	return !c->bad;
}

bool dw_lines_header(const struct dw_unit *u, struct dw_lines *l)
{
	const struct dw_span *s = &u->line_sec->s[DW_LINE];
	struct dw_cursor c = { s->data, s->data + s->size, false };
	struct dw_unit forms;
	uint64_t len, header;

	l->nfiles = l->ndirs = l->nrows = 0;
	if (u->stmt_list >= s->size)
		return false;
	forms = *u;
	forms.sec = u->line_sec;
	c.p += u->stmt_list;
	len = dw_fixed(&c, 4);
	forms.off_size = 4;
	if (len == 0xffffffff) {
		forms.off_size = 8;
		len = dw_fixed(&c, 8);
	}
	if (c.bad || len > (uint64_t)(c.end - c.p))
		return false;
	l->end = c.end = c.p + len;
	l->version = dw_fixed(&c, 2);
	if (l->version < 2 || l->version > 5)
		return false;
	l->addr_size = u->addr_size;
	if (l->version == 5) {
		l->addr_size = dw_fixed(&c, 1);
		dw_fixed(&c, 1);
	}
	header = dw_fixed(&c, forms.off_size);
	if (c.bad || header > (uint64_t)(c.end - c.p))
		return false;
	l->program = c.p + header;
	c.end = l->program;
	l->min_inst = dw_fixed(&c, 1);
	if (l->version >= 4)
		dw_fixed(&c, 1);
	l->default_stmt = dw_fixed(&c, 1);
	l->line_base = dw_fixed(&c, 1);
	l->line_range = dw_fixed(&c, 1);
	l->opcode_base = dw_fixed(&c, 1);
	l->opcode_lengths = c.p;
	if (c.bad || l->line_range == 0 || l->opcode_base == 0 || c.end - c.p < l->opcode_base - 1)
		return false;
	c.p += l->opcode_base - 1;
	if (l->version == 5)
		return table_new(&forms, &c, l, true) && table_new(&forms, &c, l, false);
	return tables_old(u, &c, l);
}

struct machine {
	struct dw_row row;
	bool stmt, prologue_end;
};

static bool emit(struct dw_lines *l, struct machine *m, bool end)
{
	struct dw_row *r;

	if (!dw_list_grow((void **)&l->rows, &l->rows_room, l->nrows, sizeof(*l->rows)))
		return false;
	r = &l->rows[l->nrows++];
	*r = m->row;
	r->flags = (m->stmt ? DWARF_LINE_STMT : 0) | (m->prologue_end ? DWARF_LINE_PROLOGUE_END : 0) |
		   (end ? DWARF_LINE_END_SEQUENCE : 0);
	m->prologue_end = false;
	return true;
}

static void machine_reset(const struct dw_lines *l, struct machine *m)
{
	*m = (struct machine){ .row = { .file = 1, .line = 1 }, .stmt = l->default_stmt };
}

static bool extended(struct dw_lines *l, struct dw_cursor *c, struct machine *m)
{
	uint64_t len = dw_uleb(c);
	const uint8_t *next;

	if (c->bad || len == 0 || len > (uint64_t)(c->end - c->p))
		return false;
	next = c->p + len;
	switch (*c->p++) {
	case DW_LNE_end_sequence:
		if (!emit(l, m, true))
			return false;
		machine_reset(l, m);
		break;
	case DW_LNE_set_address:
		m->row.addr = dw_fixed(c, len - 1 == 4 ? 4 : 8);
		break;
	}
	c->p = next;
	return !c->bad;
}

static bool standard(struct dw_lines *l, struct dw_cursor *c, struct machine *m, unsigned op)
{
	uint64_t n;

	switch (op) {
	case DW_LNS_copy: return emit(l, m, false);
	case DW_LNS_advance_pc: m->row.addr += dw_uleb(c) * l->min_inst; break;
	case DW_LNS_advance_line: m->row.line += dw_sleb(c); break;
	case DW_LNS_set_file: m->row.file = dw_uleb(c); break;
	case DW_LNS_set_column: n = dw_uleb(c); m->row.column = n > UINT16_MAX ? UINT16_MAX : n; break;
	case DW_LNS_negate_stmt: m->stmt = !m->stmt; break;
	case DW_LNS_const_add_pc: m->row.addr += (uint64_t)(255 - l->opcode_base) / l->line_range * l->min_inst; break;
	case DW_LNS_fixed_advance_pc: m->row.addr += dw_fixed(c, 2); break;
	case DW_LNS_set_prologue_end: m->prologue_end = true; break;
	default:
		for (n = l->opcode_lengths[op - 1]; n > 0; n--)
			dw_uleb(c);
	}
	return !c->bad;
}

bool dw_lines_run(const struct dw_unit *u, struct dw_lines *l)
{
	struct dw_cursor c = { l->program, l->end, false };
	struct machine m;

	machine_reset(l, &m);
	while (c.p < c.end) {
		unsigned op = *c.p++;

		if (op >= l->opcode_base) {
			op -= l->opcode_base;
			m.row.addr += op / l->line_range * l->min_inst;
			m.row.line += l->line_base + (int)(op % l->line_range);
			if (!emit(l, &m, false))
				return false;
		} else if (op == 0 ? !extended(l, &c, &m) : !standard(l, &c, &m, op)) {
			return false;
		}
	}
	return true;
}

void dw_lines_free(struct dw_lines *l)
{
	free(l->files);
	free(l->dirs);
	free(l->rows);
	memset(l, 0, sizeof(*l));
}
