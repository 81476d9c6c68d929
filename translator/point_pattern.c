/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the patterns of function("...") and statement("...") (point_pattern.h). */
#include "point_pattern.h"
#include "name_glob.h"

#include <string.h>

#define LINE_MAX_NUMBER 100000000u

/* Part of the literal's text as a place in the script; escapes in it blur that to the whole literal. */
static struct loc part_loc(const struct expr *e, size_t from, size_t len)
{
	struct loc loc = e->loc;

	if (loc.len != e->len + 2)
		return loc;
	loc.col += 1 + from;
	loc.len = len ? len : 1;
	return loc;
}

struct reader {
	struct session *s;
	const struct expr *e;
	GArray *ranges;
};

static int bad_lines(struct reader *r, const char *at, const char *why)
{
	size_t from = at - r->e->str;

	return diag_error(r->s, part_loc(r->e, from, 1), "point-pattern", "in '%s': %s", r->e->str, why);
}

/* A number at *p, which moves behind it. */
static int read_line(struct reader *r, const char **p, uint32_t *line)
{
	const char *start = *p;
	uint64_t n = 0;

	for (; g_ascii_isdigit(**p) && n <= LINE_MAX_NUMBER; ++*p)
		n = n * 10 + (**p - '0');
	if (*p == start)
		return bad_lines(r, start, "a line number is expected here");
	if (n == 0 || n > LINE_MAX_NUMBER)
		return bad_lines(r, start, n ? "there is no line of that number" : "lines count from 1");
	*line = n;
	return 0;
}

static int read_range(struct reader *r, const char **p)
{
	struct line_range range;
	const char *start = *p;

	if (read_line(r, p, &range.first))
		return -1;
	range.last = range.first;
	if (**p == '-') {
		++*p;
		if (read_line(r, p, &range.last))
			return -1;
		if (range.last < range.first)
			return bad_lines(r, start, "the range ends before it begins");
	}
	g_array_append_val(r->ranges, range);
	return 0;
}

static gint by_first(gconstpointer a, gconstpointer b)
{
	const struct line_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void take_ranges(struct reader *r, struct point_pattern *ret)
{
	size_t n = 0;

	g_array_sort(r->ranges, by_first);
	ret->lines = arena_alloc(r->s, r->ranges->len * sizeof(*ret->lines));
	for (guint i = 0; i < r->ranges->len; i++) {
		struct line_range *range = &g_array_index(r->ranges, struct line_range, i);

		if (n && range->first <= ret->lines[n - 1].last + 1)
			ret->lines[n - 1].last = MAX(ret->lines[n - 1].last, range->last);
		else
			ret->lines[n++] = *range;
	}
	ret->nlines = n;
}

static int read_list(struct reader *r, const char *p, struct point_pattern *ret)
{
	if (p[0] == '*' && !p[1]) {
		ret->kind = LINES_ALL;
		return 0;
	}
	ret->kind = LINES_ABSOLUTE;
	for (;;) {
		if (read_range(r, &p))
			return -1;
		if (!*p)
			break;
		if (*p != ',')
			return bad_lines(r, p, "line numbers, ranges (3-7) and commas are expected behind ':'");
		p++;
	}
	take_ranges(r, ret);
	return 0;
}

/* FILE+LINE: a `+` belongs to the file's name (as in "c++/x.cc") unless nothing but digits follows it. */
static const char *relative_line(const char *file)
{
	const char *plus = strrchr(file, '+');

	return plus && plus[1] && strspn(plus + 1, "0123456789") == strlen(plus + 1) ? plus : NULL;
}

static int read_file(struct reader *r, const char *file, struct point_pattern *ret)
{
	const char *base = strrchr(file, '/'), *mark = strrchr(base ? base : file, ':'), *end, *p;
	size_t len = strlen(file);
	uint32_t line;

	if (!mark)
		mark = relative_line(file);
	end = mark ? mark : file + len;
	if (end == file)
		return bad_lines(r, file[0] ? file : file - 1, "the name of a source file is expected behind '@'");
	ret->file = arena_strndup(r->s, file, end - file);
	ret->file_glob = name_is_glob(ret->file);
	ret->file_loc = part_loc(r->e, file - r->e->str, end - file);
	if (!mark)
		return 0;
	p = mark + 1;
	ret->lines_loc = part_loc(r->e, p - r->e->str, strlen(p));
	if (*mark == ':')
		return read_list(r, p, ret);
	ret->kind = LINES_RELATIVE;
	if (!strcmp(p, "0")) {
		ret->lines = arena_alloc(r->s, sizeof(*ret->lines));
		ret->nlines = 1;
		return 0;
	}
	if (read_line(r, &p, &line))
		return -1;
	g_array_append_val(r->ranges, ((struct line_range){ line, line }));
	take_ranges(r, ret);
	return 0;
}

int point_pattern_read(struct session *s, const struct expr *e, struct point_pattern *ret)
{
	struct reader r = { .s = s, .e = e };
	const char *at = strchr(e->str, '@');
	size_t len = at ? (size_t)(at - e->str) : strlen(e->str);
	int rc = 0;

	*ret = (struct point_pattern){ .loc = e->loc, .func_loc = part_loc(e, 0, len) };
	if (!len)
		return bad_lines(&r, e->str, "the name of a function is expected here ('*' for all)");
	ret->func = arena_strndup(s, e->str, len);
	ret->func_glob = name_is_glob(ret->func);
	if (!at)
		return 0;
	r.ranges = g_array_new(FALSE, FALSE, sizeof(struct line_range));
	rc = read_file(&r, at + 1, ret);
	g_array_free(r.ranges, TRUE);
	return rc;
}

bool point_pattern_func(const struct point_pattern *pat, const char *name)
{
	return name_glob(pat->func, name);
}

bool point_pattern_line(const struct point_pattern *pat, uint32_t base, uint32_t line)
{
	if (pat->kind == LINES_ALL)
		return true;
	if (pat->kind == LINES_RELATIVE) {
		if (line < base)
			return false;
		line -= base;
	}
	for (size_t i = 0; i < pat->nlines; i++)
		if (line >= pat->lines[i].first && line <= pat->lines[i].last)
			return true;
	return false;
}

const char *point_pattern_where(struct session *s, const struct point_pattern *pat)
{
	if (!pat->file)
		return "";
	if (!pat->nlines)
		return arena_printf(s, " in %s", pat->file);
	return arena_printf(s, " in %s %s %u", pat->file, pat->kind == LINES_RELATIVE ? "at its line" : "at line", pat->lines[0].first);
}
