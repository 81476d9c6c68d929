/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the parts of stap-tables that run call frame information: cfi.c, cfi_run.c, cfi_rule.c. */
#ifndef STAP_TABLES_CFI_H
#define STAP_TABLES_CFI_H

#include "dwarf_cursor.h"
#include "tables.h"

/* Where a register of the caller is. */
enum where { WHERE_SAME, WHERE_UNDEF, WHERE_OFFSET /* at CFA + off */, WHERE_EXPR /* at the expression */, WHERE_OTHER };
struct saved {
	enum where where;
	int64_t off;
	struct dw_cursor expr;
};
#define CFI_REGS 17               /* DWARF's 0 to 15, and the return address */
#define CFI_RA 16
#define CFI_DEPTH 16              /* remember_state */

struct cfi_table {
	bool cfa_expr;
	uint64_t cfa_reg;
	int64_t cfa_off;
	struct dw_cursor cfa;        /* cfa_expr */
	struct saved reg[CFI_REGS];
};

struct cfi_state {
	uint64_t code_align;
	int64_t data_align;
	uint64_t pc, end;
	bool signal;
	struct cfi_table now, initial, stack[CFI_DEPTH];
	unsigned depth;
};

/* The rows of a file as they are found. */
struct rows {
	struct image *im;
	struct row *row;
	size_t n, room;
	struct stp_utab_rule *rule;
	uint32_t nrules, rule_room;
	uint32_t *slot;           /* hash table of 2 * rule_room: number of a rule + 1, 0 empty */
};
typedef void (*row_fn)(struct rows *rs, uint64_t from, uint64_t to, const struct stp_utab_rule *rule);

/* cfi_run.c */
void cfi_state_init(struct cfi_state *st, const Dwarf_CIE *cie, uint64_t start, uint64_t end, bool signal);
void cfi_state_save_initial(struct cfi_state *st);
/* Runs instructions; `emit` (may be NULL) gets every stretch that ends.  False: an instruction that is not known or wrong. */
bool cfi_run(struct cfi_state *st, struct dw_cursor c, row_fn emit, struct rows *rs);
/* The stretch from where the state is to `to`. */
void cfi_emit(struct cfi_state *st, uint64_t to, row_fn emit, struct rows *rs);

/* cfi_rule.c */
/* The state as a rule; what the module cannot follow becomes STP_CFA_NONE. */
struct stp_utab_rule cfi_rule(const struct cfi_table *t, bool signal);
/* Number of a rule, a new one when there is no such yet. */
uint32_t rule_number(struct rows *rs, const struct stp_utab_rule *rule);

#endif
