/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numeric addresses of code: instructions are counted off from the beginning of the function (code_boundary.h). */
#include "code_boundary.h"
#include "diag.h"
#include "debuginfo/dwarf_index.h"
#include "debuginfo/x86_length.h"

#include <inttypes.h>

#define FUNCTION_MAX (1u << 20) /* bytes: no function is larger */

/* The piece of a function that holds pc. */
static bool piece_at(struct dwarf_index *ix, uint64_t pc, struct dwarf_range *ret)
{
	GArray *ranges = dwarf_index_func_ranges(ix, dwarf_index_func_at(ix, pc));
	bool found = false;

	for (guint i = 0; i < ranges->len && !found; i++) {
		*ret = g_array_index(ranges, struct dwarf_range, i);
		found = pc >= ret->low && pc < ret->high && ret->high - ret->low <= FUNCTION_MAX;
	}
	g_array_free(ranges, TRUE);
	return found;
}

int code_check_boundary(struct session *s, struct loc loc, struct dwarf_file *f, uint64_t pc, uint64_t asked)
{
	struct dwarf_index *ix = f->machine == EM_X86_64 ? session_dwarf_index(s, f, NULL) : NULL;
	struct dwarf_range r;
	size_t size, before = 0, after = 0;
	uint8_t *code;
	bool inside;

	if (!ix || !piece_at(ix, pc, &r))
		return 0;
	code = g_malloc(r.high - r.low);
	size = dwarf_file_read(f, r.low, code, r.high - r.low);
	inside = x86_boundary(code, size, pc - r.low, &before, &after) == X86_INSIDE;
	g_free(code);
	if (!inside)
		return 0;
	diag_error(s, loc, "inside-instruction", "address 0x%" PRIx64 " is inside an instruction", asked);
	diag_help(s, "the nearest instructions begin at 0x%" PRIx64 " and 0x%" PRIx64, asked - (pc - r.low - before),
		  asked + (after - (pc - r.low)));
	return -1;
}
