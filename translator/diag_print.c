/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a diagnostic looks: headline, position, the source line with a caret range under it.  Source
 * text comes from anywhere, so control bytes are not passed on to the terminal, and of a very long
 * line only the part around the caret is shown.
 */
#include "diag_print.h"
#include "session.h"
#include "source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_SHOWN 160 /* bytes of a source line */

static bool want_color(struct session *s)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (s->opt.color >= 0)
		return s->opt.color;
	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !(no && *no);
}

static const char *headline(const struct diag_item *it)
{
	static const char *const errors[] = {
		"error", "parse error", "semantic error", "translation error", "build error", "error",
	};

	switch (it->kind) {
	case ITEM_ERROR: return errors[it->pass >= 1 && it->pass <= 5 ? it->pass : 0];
	case ITEM_WARNING: return "WARNING";
	case ITEM_NOTE: return "note";
	case ITEM_HELP: return "help";
	}
	return "error";
}

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Source bytes for a terminal: text and UTF-8 as they are, a tab as it is, control bytes as '?'. */
static void append_clean(GString *out, const char *p, size_t len)
{
	bool utf8 = g_utf8_validate(p, len, NULL);

	for (size_t i = 0; i < len; i++) {
		unsigned char c = p[i];
		bool c1 = utf8 && c == 0xc2 && i + 1 < len && (unsigned char)p[i + 1] < 0xa0;

		if (c1) {
			g_string_append_c(out, '?'); /* U+0080..U+009f are controls too */
			i++;
		} else if (c == '\t' || (c >= 0x20 && c < 0x7f) || (utf8 && c >= 0x80)) {
			g_string_append_c(out, c);
		} else {
			g_string_append_c(out, '?');
		}
	}
}

/* Blanks as wide as the text above them: tabs stay tabs, one column a character. */
static void append_blanks(GString *out, const char *p, size_t len)
{
	bool utf8 = g_utf8_validate(p, len, NULL);

	for (size_t i = 0; i < len; i++)
		if (!utf8 || !is_continuation(p[i]))
			g_string_append_c(out, p[i] == '\t' ? '\t' : ' ');
}

/* Chooses the part [*from, *to) of a line that is shown; whole characters only. */
static void choose_window(const char *text, size_t len, size_t col, size_t *from, size_t *to)
{
	*from = 0;
	*to = len;
	if (len <= LINE_MAX_SHOWN)
		return;
	if (col > LINE_MAX_SHOWN / 2)
		*from = MIN(col - LINE_MAX_SHOWN / 2, len - LINE_MAX_SHOWN);
	*to = *from + LINE_MAX_SHOWN;
	for (int i = 0; i < 3 && *from < col && is_continuation(text[*from]); i++)
		(*from)++;
	for (int i = 0; i < 3 && *to > col && *to < len && is_continuation(text[*to]); i++)
		(*to)--;
}

static void append_source_line(struct session *s, GString *out, struct loc loc, const char *on, const char *off)
{
	size_t len, col = loc.col ? loc.col - 1 : 0, from, to, carets;
	const char *text = source_line(s, loc.src, loc.line, &len);
	char num[16];

	if (!text)
		return;
	col = MIN(col, len);
	choose_window(text, len, col, &from, &to);
	snprintf(num, sizeof(num), "%u", loc.line);
	g_string_append_printf(out, " %s | %s", num, from ? "..." : "");
	append_clean(out, text + from, to - from);
	g_string_append(out, to < len ? "...\n" : "\n");
	g_string_append_printf(out, " %*s | %s", (int)strlen(num), "", from ? "   " : "");
	append_blanks(out, text + from, col - from);
	g_string_append_printf(out, "%s^", on);
	carets = MIN((size_t)loc.len, to - col);
	for (size_t i = 1; i < carets; i++)
		if (!is_continuation(text[col + i]))
			g_string_append_c(out, '~');
	g_string_append_printf(out, "%s\n", off);
}

void diag_item_print(struct session *s, const struct diag_item *it)
{
	bool color = want_color(s), first = it->kind == ITEM_ERROR || it->kind == ITEM_WARNING;
	bool tags = s->opt.verbose[0] >= 2 || getenv("STAP_DIAG_TAGS");
	const char *on = "", *off = "", *bold = "";
	GString *out = g_string_new(NULL);

	if (color) {
		on = it->kind == ITEM_ERROR ? "\033[1;31m" : it->kind == ITEM_WARNING ? "\033[1;35m" : "\033[1;36m";
		off = "\033[0m";
		bold = first ? "\033[1m" : "";
	}
	g_string_append_printf(out, "%s%s%s:%s %s", first ? "" : "  ", on, headline(it), off, bold);
	append_clean(out, it->text, strlen(it->text));
	if (*bold)
		g_string_append(out, off);
	if (tags && it->tag && first)
		g_string_append_printf(out, " [%s]", it->tag);
	g_string_append_c(out, '\n');
	if (it->loc.src && it->loc.line) {
		g_string_append(out, "  at ");
		append_clean(out, it->loc.src->name, strlen(it->loc.src->name));
		g_string_append_printf(out, ":%u:%u\n", it->loc.line, it->loc.col);
		append_source_line(s, out, it->loc, on, off);
	} else if (it->loc.src) {
		g_string_append_printf(out, "  in %s\n", it->loc.src->name);
	}
	fflush(stdout);
	fwrite(out->str, 1, out->len, stderr);
	g_string_free(out, TRUE);
}
