/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Embedded C: words and pragmas in it, and the compiler's messages about it (embed.h). */
#include <stdlib.h>
#include <string.h>
#include "embed.h"
#include "library.h"
#include "source.h"

static bool is_word(char ch)
{
	return g_ascii_isalnum(ch) || ch == '_';
}

bool embed_has_word(const char *code, const char *word)
{
	size_t len = strlen(word);

	for (const char *c = code; (c = strstr(c, word)); c += len)
		if ((c == code || !is_word(c[-1])) && !is_word(c[len]))
			return true;
	return false;
}

bool embed_has_pragma(const char *code, const char *pragma)
{
	size_t len = strlen(pragma);

	for (const char *c = code; (c = strstr(c, "/*")); ) {
		c += 2;
		c += strspn(c, " \t");
		if (!strncmp(c, pragma, len) && !strncmp(c + len + strspn(c + len, " \t"), "*/", 2))
			return true;
	}
	return false;
}

/* The identifier at c, or NULL. */
static const char *word_at(struct session *s, const char *c)
{
	size_t n = 0;

	while (is_word(c[n]))
		n++;
	return n && !g_ascii_isdigit(*c) ? arena_strndup(s, c, n) : NULL;
}

static void find_after(struct session *s, const char *code, const char *prefix, enum embed_use use,
		       embed_found_fn *found, void *data)
{
	for (const char *c = code; (c = strstr(c, prefix)); ) {
		bool whole = c == code || !is_word(c[-1]);
		const char *name;

		c += strlen(prefix);
		name = whole ? word_at(s, c) : NULL;
		if (name)
			found(data, name, use);
	}
}

void embed_globals(struct session *s, const char *code, embed_found_fn *found, void *data)
{
	find_after(s, code, "STAP_GLOBAL_GET_", EMBED_READ, found, data);
	find_after(s, code, "STAP_GLOBAL_SET_", EMBED_WRITE, found, data);
	find_after(s, code, "/* read:", EMBED_READ, found, data);
	find_after(s, code, "/* write:", EMBED_WRITE, found, data);
	find_after(s, code, "/* pragma:read:", EMBED_READ, found, data);
	find_after(s, code, "/* pragma:write:", EMBED_WRITE, found, data);
}

bool embed_sets_value(const char *code)
{
	return embed_has_word(code, "STAP_RETVALUE") || embed_has_word(code, "STAP_RETURN") ||
	       embed_has_word(code, "__retvalue");
}

bool embed_wants_registers(const char *code)
{
	return embed_has_word(code, "kregs") || embed_has_word(code, "uregs") || embed_has_word(code, "regs");
}

/* ---- the compiler's messages ---- */

static struct source *find_source(struct session *s, const char *name, size_t len)
{
	const GPtrArray *lists[] = { s->files, s->library ? library_files(s) : NULL };

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		for (guint k = 0; lists[i] && k < lists[i]->len; k++) {
			struct source *src = ((struct file *)lists[i]->pdata[k])->src;

			if (strlen(src->name) == len && !memcmp(src->name, name, len))
				return src;
		}
	return NULL;
}

static uint32_t word_length(struct session *s, struct loc loc)
{
	size_t len = 0;
	const char *text = source_line(s, loc.src, loc.line, &len);
	uint32_t n = 0;

	while (text && loc.col - 1 + n < len && is_word(text[loc.col - 1 + n]))
		n++;
	return n ? n : 1;
}

/* NAME:LINE:COL: KIND: MESSAGE, with NAME a script's. */
static const char *split_line(struct session *s, const char *line, const char *kind, struct loc *loc)
{
	char *mark = g_strdup_printf(": %s: ", kind);
	const char *msg = strstr(line, mark), *c = msg;
	int colons = 0;

	*loc = (struct loc){ 0 };
	if (msg) {
		while (c > line && colons < 2) {
			c--;
			colons += *c == ':';
		}
		loc->src = colons == 2 ? find_source(s, line, (size_t)(c - line)) : NULL;
		if (loc->src) {
			loc->line = (uint32_t)strtoul(c + 1, NULL, 10);
			loc->col = (uint32_t)strtoul(strchr(c + 1, ':') + 1, NULL, 10);
			loc->len = word_length(s, *loc);
		}
		msg += strlen(mark);
	}
	g_free(mark);
	return msg;
}

int embed_report(struct session *s, const char *text)
{
	char **lines = g_strsplit(text, "\n", -1);
	unsigned shown = 0;
	struct loc loc;

	for (char **l = lines; *l; l++) {
		const char *msg = split_line(s, *l, "error", &loc);

		if (!msg)
			msg = split_line(s, *l, "fatal error", &loc);
		if (!msg || ++shown > 5)
			continue;
		if (shown == 1)
			diag_error(s, loc, "embedded-c", "embedded C: %s", msg);
		else
			diag_note(s, loc, "%s", msg);
	}
	if (!shown)
		diag_error(s, (struct loc){ 0 }, "embedded-c", "the embedded C code does not compile: %s", text);
	g_strfreev(lines);
	return -1;
}
