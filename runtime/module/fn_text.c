/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Texts of many lines, lists of addresses, source lines as text (fn_text.h). */
#include <linux/kernel.h>
#include "compat/hex.h"
#include "port.h"
#include "fn_text.h"
#include "str.h"
#include "compat/hex.h"

char *stp_text_begin(struct stp_ctx *c, struct stp_sink *o)
{
	char *p = stp_tmp(c, stp_maxlen());

	*o = (struct stp_sink){ .p = p, .end = p ? p + stp_maxlen() : NULL, .string = true };
	return p;
}

static void text_cut(char *start, struct stp_sink *o)
{
	static const char more[] = " ...\n";
	size_t n = o->p - start;

	if (o->p < o->end || n < sizeof(more))
		return;
	for (n -= sizeof(more) - 1; n && start[n - 1] != '\n';)
		n--;
	memcpy(start + n, more, sizeof(more) - 1);
	o->p = start + n + sizeof(more) - 1;
}

struct stp_str stp_text_end(struct stp_ctx *c, char *start, struct stp_sink *o)
{
	if (!start)
		return STP_STR("");
	text_cut(start, o);
	c->scratch = start + ALIGN(o->p - start, 8);
	return (struct stp_str){ start, o->p - start };
}

bool stp_next_address(struct stp_str *s, u64 *addr)
{
	u32 digits = 0;

	while (s->len && (*s->p == ' ' || *s->p == '\n'))
		s->p++, s->len--;
	if (s->len > 2 && s->p[0] == '0' && s->p[1] == 'x')
		s->p += 2, s->len -= 2;
	for (*addr = 0; s->len && hex_to_bin(*s->p) >= 0; s->p++, s->len--, digits++)
		*addr = *addr << 4 | hex_to_bin(*s->p);
	return digits;
}

struct stp_str stp_hex_list(struct stp_ctx *c, const u64 *pc, u32 n)
{
	size_t len = 0, max = stp_maxlen();
	char *p = stp_tmp(c, min_t(size_t, max, n * 20) + 1);
	u32 i;

	if (!p)
		return STP_STR("");
	for (i = 0; i < n && len + 20 <= max; i++) {
		if (i)
			p[len++] = ' ';
		len += stp_hex_write(p + len, pc[i]);
	}
	c->scratch = p + ALIGN(len, 8);
	return (struct stp_str){ p, len };
}

static struct stp_str number_text(struct stp_ctx *c, u64 addr)
{
	char *p = stp_tmp(c, 24);

	return p ? (struct stp_str){ p, stp_hex_write(p, addr) } : STP_STR("");
}

struct stp_str stp_line_file(struct stp_ctx *c, s64 addr, const char *file)
{
	return file ? stp_str_dup(c, (struct stp_str){ file, strnlen(file, stp_maxlen()) }) : number_text(c, addr);
}

struct stp_str stp_line_number(struct stp_ctx *c, s64 addr, const char *file, u32 line)
{
	char *p;

	if (!file)
		return number_text(c, addr);
	p = stp_tmp(c, 16);
	return p ? (struct stp_str){ p, scnprintf(p, 16, "%u", line) } : STP_STR("");
}

struct stp_str stp_line_text(struct stp_ctx *c, s64 addr, const char *file, u32 line)
{
	size_t max = stp_maxlen() + 1;
	char *p;

	if (!file)
		return number_text(c, addr);
	p = stp_tmp(c, max);
	return p ? (struct stp_str){ p, scnprintf(p, max, "%s:%u", file, line) } : STP_STR("");
}

void stp_line_put(struct stp_ctx *c, struct stp_sink *o, const char *file, u32 line)
{
	char num[16];

	if (!file)
		return;
	stp_put(c, o, " at ", 4);
	stp_put(c, o, file, strlen(file));
	stp_put(c, o, num, scnprintf(num, sizeof(num), ":%u", line));
}
