/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of number and string tokens: see literal.h. */
#include "literal.h"
#include <string.h>

bool literal_number(const char *text, size_t len, int64_t *ret)
{
	unsigned base = 10;
	uint64_t v = 0;
	size_t i = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		base = 16, i = 2;
	else if (len > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
		base = 2, i = 2;
	else if (len > 1 && text[0] == '0')
		base = 8, i = 1;
	for (; i < len; i++) {
		int d = g_ascii_xdigit_value(text[i]);

		if (d < 0 || (unsigned)d >= base)
			return false;
		if (v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	*ret = v;
	return len > 0;
}

/* Decodes the escape at p (behind the backslash); returns the number of bytes read, *c the byte or -1
 * for none; 0 when wrong. */
static size_t decode_escape(const char *p, size_t left, int *c, const char **why)
{
	static const char from[] = "abtnvfr", to[] = "\a\b\t\n\v\f\r";
	const char *hit;
	size_t n = 0;

	if (*p == '\n') { /* the string goes on in the next line */
		*c = -1;
		return 1;
	}
	if (*p == '\r' && left > 1 && p[1] == '\n') {
		*c = -1;
		return 2;
	}
	if (*p == 'x') {
		*c = 0;
		for (n = 1; n < left && n < 3 && g_ascii_isxdigit(p[n]); n++)
			*c = *c * 16 + g_ascii_xdigit_value(p[n]);
		*why = "'\\x' needs one or two hexadecimal digits";
		return n > 1 ? n : 0;
	}
	if (*p >= '0' && *p <= '7') {
		*c = 0;
		for (n = 0; n < left && n < 3 && p[n] >= '0' && p[n] <= '7'; n++)
			*c = *c * 8 + (p[n] - '0');
		*why = "an octal escape must be below '\\400'";
		return *c < 256 ? n : 0;
	}
	hit = *p ? strchr(from, *p) : NULL;
	*c = hit ? to[hit - from] : (unsigned char)*p;
	return 1;
}

/* Decodes up to `limit` bytes into out (or nowhere); returns how many, *raw is where reading stopped. */
static bool decode(const char *p, size_t len, size_t limit, char *out, size_t *nout, size_t *raw, const char **why)
{
	size_t i = 0, n = 0;

	while (i < len && n < limit) {
		int c = (unsigned char)p[i];
		size_t used = 1;

		if (p[i] == '\\' && i + 1 < len) {
			used = decode_escape(p + i + 1, len - i - 1, &c, why);
			if (!used) {
				*raw = i;
				return false;
			}
			used++;
		}
		if (c >= 0) {
			if (out)
				out[n] = c;
			n++;
		}
		i += used;
	}
	*nout = n;
	*raw = i;
	return true;
}

char *literal_string(struct session *s, const struct token *t, size_t *len, const char **why)
{
	size_t n, raw;
	char *out;

	if (t->from_arg) {
		*len = strlen(t->text);
		return arena_strndup(s, t->text, *len);
	}
	out = arena_alloc(s, t->len);
	if (!decode(t->text + 1, t->len - 2, SIZE_MAX, out, &n, &raw, why))
		return NULL;
	out[n] = 0;
	*len = strlen(out);
	return out;
}

struct loc literal_loc(const struct token *t, size_t offset)
{
	struct loc loc = t->loc;
	size_t n, raw = 0;
	const char *why, *nl;

	if (t->from_arg || loc.src->text > t->text || loc.src->text + loc.src->len < t->text)
		return loc;
	decode(t->text + 1, t->len - 2, offset, NULL, &n, &raw, &why);
	loc.len = 1;
	loc.col += raw + 1;
	for (const char *p = t->text; (nl = memchr(p, '\n', t->text + 1 + raw - p)); p = nl + 1) {
		loc.line++;
		loc.col = t->text + 1 + raw - nl;
	}
	return loc;
}
