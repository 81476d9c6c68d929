// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call frame information turned into rows.  Each FDE of .eh_frame (or .debug_frame, where there is no other) is run
 * from its start to its end (DWARF 5, section 6.4; pointer encodings: Linux Standard Base, section 10.6), and each state of
 * its table that the module's unwinder can use becomes a rule.
 */
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "cfi.h"

static void row_add(struct rows *rs, uint64_t from, uint64_t to, const struct stp_utab_rule *rule)
{
	struct row *r;
	uint32_t addr, end;

	if (to <= from || !image_addr(rs->im, from, &addr) || !image_addr(rs->im, to, &end))
		return;
	if (rs->n == rs->room) {
		rs->room = rs->room * 2 + 1024;
		rs->row = mem_resize(rs->row, rs->room, sizeof(*rs->row));
	}
	r = &rs->row[rs->n++];
	r->addr = addr;
	r->len = end - addr;
	r->rule = rule_number(rs, rule);
}

/* A pointer of the encoding; false: not one that can be read without the running program. */
static bool read_encoded(struct dw_cursor *c, unsigned enc, uint64_t pc_rel, uint64_t *ret)
{
	uint64_t v;

	switch (enc & 0x0f) {
	case DW_EH_PE_absptr: case DW_EH_PE_udata8: case DW_EH_PE_sdata8: v = dw_fixed(c, 8); break;
	case DW_EH_PE_udata4: v = dw_fixed(c, 4); break;
	case DW_EH_PE_sdata4: v = (uint64_t)(int64_t)(int32_t)dw_fixed(c, 4); break;
	case DW_EH_PE_udata2: v = dw_fixed(c, 2); break;
	case DW_EH_PE_sdata2: v = (uint64_t)(int64_t)(int16_t)dw_fixed(c, 2); break;
	case DW_EH_PE_uleb128: v = dw_uleb(c); break;
	case DW_EH_PE_sleb128: v = (uint64_t)dw_sleb(c); break;
	default: return false;
	}
	switch (enc & 0x70) {
	case 0: break;
	case DW_EH_PE_pcrel: v += pc_rel; break;
	default: return false;
	}
	*ret = v;
	return !c->bad;
}

/* What a CIE's augmentation says: the encoding of addresses, and whether its frames are signal frames. */
static bool read_augmentation(const Dwarf_CIE *cie, unsigned *enc, bool *signal, bool *sized)
{
	const char *a = cie->augmentation;
	struct dw_cursor c = { cie->augmentation_data, cie->augmentation_data + cie->augmentation_data_size, false };

	*enc = DW_EH_PE_absptr;
	*signal = false;
	*sized = a[0] == 'z';
	if (!*sized)
		return !a[0];
	for (a++; *a; a++) {
		unsigned pe;

		switch (*a) {
		case 'R': *enc = (unsigned)dw_fixed(&c, 1); break;
		case 'L': dw_fixed(&c, 1); break;
		case 'S': *signal = true; break;
		case 'B': break;
		case 'P': {
			uint64_t ignored;

			pe = (unsigned)dw_fixed(&c, 1);
			/* only its size matters */
			if (!read_encoded(&c, pe & 0x0f, 0, &ignored))
				return false;
			break;
		}
		default: return true; /* letters behind an unknown one are of no use, R comes before in practice */
		}
	}
	return !c.bad;
}

/* The section that frames are in. */
struct section {
	Elf_Data *data;
	uint64_t addr;            /* file's own */
	bool eh;
};

static void fde_rows(struct rows *rs, const struct section *s, const Dwarf_FDE *fde, const Dwarf_CIE *cie)
{
	struct dw_cursor c = { fde->start, fde->end, false };
	struct cfi_state st;
	unsigned enc = DW_EH_PE_absptr;
	bool signal = false, sized = false;
	uint64_t start, len;

	if (s->eh && !read_augmentation(cie, &enc, &signal, &sized))
		return;
	if (!read_encoded(&c, enc, s->addr + (uint64_t)(fde->start - (const uint8_t *)s->data->d_buf), &start) ||
	    !read_encoded(&c, enc & 0x0f, 0, &len))
		return;
	if (sized) {
		uint64_t skip = dw_uleb(&c);

		if (skip > (uint64_t)(c.end - c.p))
			return;
		c.p += skip;
	}
	cfi_state_init(&st, cie, start, start + len, signal);
	if (c.bad || !cfi_run(&st, (struct dw_cursor){ cie->initial_instructions, cie->initial_instructions_end, false }, NULL, NULL))
		return;
	cfi_state_save_initial(&st);
	if (!cfi_run(&st, c, row_add, rs))
		return; /* rows so far are right; the rest of the function has none */
	cfi_emit(&st, start + len, row_add, rs);
}

static void section_rows(struct rows *rs, const struct section *s)
{
	unsigned char *ident = (unsigned char *)elf_getident(rs->im->elf, NULL);
	Dwarf_Off off = 0, next;
	Dwarf_CFI_Entry e;
	int r;

	while ((r = dwarf_next_cfi(ident, s->data, s->eh, off, &next, &e)) <= 0 && next != (Dwarf_Off)-1 && next > off) {
		if (r == 0 && !dwarf_cfi_cie_p(&e)) {
			Dwarf_CFI_Entry cie;
			Dwarf_Off ignored;

			if (!dwarf_next_cfi(ident, s->data, s->eh, e.fde.CIE_pointer, &ignored, &cie) && dwarf_cfi_cie_p(&cie))
				fde_rows(rs, s, &e.fde, &cie.cie);
		}
		off = next;
	}
}

/* The section of a name, its bytes decompressed; false: none. */
static bool section_find(struct image *im, Elf *elf, const char *name, struct section *s)
{
	size_t strs;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &strs))
		return false;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS) {
			const char *n = elf_strptr(elf, strs, sh.sh_name);

			if (!n || strcmp(n, name))
				continue;
			if (sh.sh_flags & SHF_COMPRESSED)
				elf_compress(scn, 0, 0);
			s->data = elf_getdata(scn, NULL);
			s->addr = sh.sh_addr;
			return s->data && s->data->d_buf && s->data->d_size;
		}
	return false;
}

static int by_addr(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sorted, without overlaps (the first wins); neighbours of one rule become one row, and holes rows of rule 0. */
static void tidy(struct rows *rs)
{
	struct row *old = rs->row;
	size_t n = rs->n, i;
	uint32_t end = 0;

	qsort(old, n, sizeof(*old), by_addr);
	rs->row = mem_zero(2 * n + 1, sizeof(*rs->row));
	rs->n = 0;
	for (i = 0; i < n; i++) {
		struct row r = old[i];
		struct row *last = rs->n ? &rs->row[rs->n - 1] : NULL;

		if (last && r.addr < end) {
			if (r.addr + r.len <= end)
				continue;
			r.len -= end - r.addr;
			r.addr = end;
		}
		if (last && r.addr > end) {
			rs->row[rs->n++] = (struct row){ end, r.addr - end, 0 };
			last = NULL;
		}
		if (last && last->rule == r.rule)
			last->len += r.len;
		else
			rs->row[rs->n++] = r;
		end = r.addr + r.len;
	}
	free(old);
}

struct row *cfi_rows(struct image *im, size_t *nrows, struct stp_utab_rule **rule, uint32_t *nrules)
{
	static const struct stp_utab_rule none;
	struct rows rs = { .im = im };
	struct section s = { .eh = true };
	GElf_Addr bias;
	Dwarf *dw;

	rule_number(&rs, &none);
	if (section_find(im, im->elf, ".eh_frame", &s)) {
		section_rows(&rs, &s);
	} else {
		s.eh = false;
		dw = dwfl_module_getdwarf(im->mod, &bias);
		if (section_find(im, im->elf, ".debug_frame", &s) || (dw && section_find(im, dwarf_getelf(dw), ".debug_frame", &s)))
			section_rows(&rs, &s);
	}
	if (rs.n)
		tidy(&rs);
	*nrows = rs.n;
	*rule = rs.rule;
	*nrules = rs.nrules;
	free(rs.slot);
	return rs.row;
}
