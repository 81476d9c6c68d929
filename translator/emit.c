/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing C text with indentation, and the spelling of string and number constants. */
#include "emit.h"

#include <string.h>

void emit_init(struct emit *o)
{
	o->text = g_string_new(NULL);
	o->indent = 0;
}

void emit_free(struct emit *o)
{
	if (o->text)
		g_string_free(o->text, TRUE);
	o->text = NULL;
}

static void put_indent(struct emit *o, int indent)
{
	for (int i = 0; i < indent; i++)
		g_string_append_c(o->text, '\t');
}

void emit_line(struct emit *o, const char *fmt, ...)
{
	va_list ap;

	if (*fmt)
		put_indent(o, o->indent);
	va_start(ap, fmt);
	g_string_append_vprintf(o->text, fmt, ap);
	va_end(ap);
	g_string_append_c(o->text, '\n');
}

void emit_label(struct emit *o, const char *fmt, ...)
{
	va_list ap;

	put_indent(o, o->indent - 1);
	va_start(ap, fmt);
	g_string_append_vprintf(o->text, fmt, ap);
	va_end(ap);
	g_string_append(o->text, ":\n");
}

void emit_open(struct emit *o, const char *fmt, ...)
{
	va_list ap;

	gsize begin;

	put_indent(o, o->indent);
	begin = o->text->len;
	va_start(ap, fmt);
	g_string_append_vprintf(o->text, fmt, ap);
	va_end(ap);
	g_string_append(o->text, o->text->len > begin ? " {\n" : "{\n");
	o->indent++;
}

void emit_close(struct emit *o)
{
	o->indent--;
	put_indent(o, o->indent);
	g_string_append(o->text, "}\n");
}

void emit_comment(struct emit *o, const char *text)
{
	put_indent(o, o->indent);
	g_string_append(o->text, "/* ");
	for (const char *p = text; *p; p++) {
		/* nothing in a script may open or end a comment of ours, or continue a line */
		bool awkward = (p[0] == '*' && p[1] == '/') || (p[0] == '/' && p[1] == '*') || *p == '\\';

		g_string_append_c(o->text, (unsigned char)*p < ' ' ? ' ' : *p);
		if (awkward)
			g_string_append_c(o->text, ' ');
	}
	g_string_append(o->text, " */\n");
}

GString *emit_capture(struct emit *o)
{
	GString *outer = o->text;

	o->text = g_string_new(NULL);
	return outer;
}

GString *emit_release(struct emit *o, GString *outer)
{
	GString *text = o->text;

	o->text = outer;
	return text;
}

static void put_char(GString *out, unsigned char ch)
{
	switch (ch) {
	case '\n': g_string_append(out, "\\n"); break;
	case '\t': g_string_append(out, "\\t"); break;
	case '"': g_string_append(out, "\\\""); break;
	case '\\': g_string_append(out, "\\\\"); break;
	default:
		if (ch >= ' ' && ch < 0x7f)
			g_string_append_c(out, (char)ch);
		else /* three digits: a digit that follows is not taken for part of it */
			g_string_append_printf(out, "\\%03o", ch);
	}
}

void emit_c_string(GString *out, const char *str, size_t len)
{
	g_string_append_c(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (str[i] == '?' && i && str[i - 1] == '?')
			g_string_append(out, "\\?");
		else
			put_char(out, (unsigned char)str[i]);
	}
	g_string_append_c(out, '"');
}

void emit_c_number(GString *out, int64_t num)
{
	if (num == INT64_MIN)
		g_string_append(out, "(-9223372036854775807LL - 1)");
	else if (num == INT32_MIN)
		g_string_append(out, "(-2147483647 - 1)");
	else if (num < INT32_MIN || num > INT32_MAX)
		g_string_append_printf(out, num < 0 ? "(%lldLL)" : "%lldLL", (long long)num);
	else
		g_string_append_printf(out, num < 0 ? "(%lld)" : "%lld", (long long)num);
}
