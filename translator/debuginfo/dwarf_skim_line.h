/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader of .debug_line (DWARF 2 to 5, section 6.2), with the same promises as dwarf_skim.h. */
#ifndef STAP_DWARF_SKIM_LINE_H
#define STAP_DWARF_SKIM_LINE_H

#include "dwarf_skim.h"

struct dw_line_file {
	const char *dir;           /* NULL: none but comp_dir */
	const char *name;          /* NULL: not told */
};

struct dw_row {
	uint64_t addr;
	uint32_t file, line;       /* file: index as the program counts them */
	uint16_t column;
	uint16_t flags;            /* DWARF_LINE_* of dwarf_index.h */
};

/* One unit's line table; the arrays are reused (dw_lines_free() at the end). */
struct dw_lines {
	struct dw_line_file *files;
	size_t nfiles, files_room;
	const char **dirs;
	size_t ndirs, dirs_room;
	struct dw_row *rows;
	size_t nrows, rows_room;
	const uint8_t *program, *end;
	uint8_t version, addr_size, min_inst, opcode_base, line_range;
	int8_t line_base;
	bool default_stmt;
	const uint8_t *opcode_lengths;
};

/* Reads the header that the unit's DW_AT_stmt_list names: directories and files.  False when there is none or it is
 * damaged. */
bool dw_lines_header(const struct dw_unit *u, struct dw_lines *l);
/* Runs the program: fills rows, in its order.  False when it is damaged (the rows up to there are kept). */
bool dw_lines_run(const struct dw_unit *u, struct dw_lines *l);
void dw_lines_free(struct dw_lines *l);

#endif
