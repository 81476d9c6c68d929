/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands between the quotes of function("...") and statement("..."): which functions, of which source file,
 * at which lines.
 *
 *	NAME  NAME@FILE  NAME@FILE:LINES  NAME@FILE+LINE
 *
 * LINES is `*` (all lines with code), or a list of lines and ranges: 12  12-20  3,5-7,9.  FILE+LINE counts from the
 * line of the function's declaration.  NAME and FILE may have wildcards; a NAME with `::`, `<...>` or `(...)` is a
 * C++, Rust or Go name, compared as a whole first and as a wildcard second.
 */
#ifndef STAP_POINT_PATTERN_H
#define STAP_POINT_PATTERN_H

#include "session.h"

enum point_lines { LINES_NONE, LINES_ABSOLUTE, LINES_RELATIVE, LINES_ALL };

struct line_range {
	uint32_t first, last;      /* both belong to it */
};

struct point_pattern {
	const char *func;          /* never empty */
	const char *file;          /* NULL: any */
	enum point_lines kind;
	struct line_range *lines;  /* ascending, without overlaps */
	size_t nlines;
	bool func_glob, file_glob;
	struct loc loc, func_loc, file_loc, lines_loc; /* of the parts in the script, for messages */
};

/* Reads the string literal `e` of a point.  All of *ret is in the arena.  0, or -1 after diag_error. */
int point_pattern_read(struct session *s, const struct expr *e, struct point_pattern *ret);

/* Does the name match the pattern's function part? */
bool point_pattern_func(const struct point_pattern *pat, const char *name);

/* Is the line among those asked for (LINES_ABSOLUTE; LINES_RELATIVE with `base`, the declaration's line)? */
bool point_pattern_line(const struct point_pattern *pat, uint32_t base, uint32_t line);

/* " in FILE", " in FILE at line N", or "": what an error adds to a name that was not found.  In the arena. */
const char *point_pattern_where(struct session *s, const struct point_pattern *pat);

#endif
