/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions on strings.  Results are copies in scratch: arguments may be views of variables. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "port.h"
#include "context.h"
#include "fn.h"
#include "str.h"

s64 stp_fn_strlen(struct stp_ctx *c, struct stp_str str)
{
	return str.len;
}

struct stp_str stp_fn_substr(struct stp_ctx *c, struct stp_str str, s64 start, s64 length)
{
	if (start < 0 || start >= (s64)str.len || length <= 0)
		return STP_STR("");
	return stp_str_dup(c, (struct stp_str){ str.p + start, min_t(s64, length, str.len - start) });
}

s64 stp_fn_stringat(struct stp_ctx *c, struct stp_str str, s64 pos)
{
	if (pos < 0 || pos > (s64)stp_maxlen()) {
		stp_fail(c, "stringat: position out of bounds");
		return 0;
	}
	return pos < (s64)str.len ? (u8)str.p[pos] : 0;
}

/* Position of needle at or behind `from`, -1: none. */
static s64 find(struct stp_str str, struct stp_str needle, size_t from)
{
	size_t i;

	for (i = from; i + needle.len <= str.len; i++)
		if (!needle.len || (str.p[i] == *needle.p && stp_bytes_eq(str.p + i, needle.p, needle.len)))
			return i;
	return -1;
}

s64 stp_fn_isinstr(struct stp_ctx *c, struct stp_str str, struct stp_str needle)
{
	return find(str, needle, 0) >= 0;
}

s64 stp_fn_strpos(struct stp_ctx *c, struct stp_str str, struct stp_str needle)
{
	return find(str, needle, 0);
}

static u32 digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	ch |= 0x20;
	return ch >= 'a' && ch <= 'z' ? ch - 'a' + 10 : 99;
}

s64 stp_fn_strtol(struct stp_ctx *c, struct stp_str str, s64 base)
{
	bool minus = str.len && *str.p == '-';
	size_t i = minus;
	u64 v = 0;

	if (str.len > i + 2 && str.p[i] == '0' && (str.p[i + 1] | 0x20) == 'x' && (base == 0 || base == 16)) {
		base = 16;
		i += 2;
	}
	if (base == 0)
		base = str.len > i && str.p[i] == '0' ? 8 : 10;
	for (; i < str.len && digit(str.p[i]) < base; i++)
		v = v * base + digit(str.p[i]);
	return minus ? (s64)(0 - v) : (s64)v;
}

/* A string under construction in scratch, cut at MAXSTRINGLEN - 1. */
struct text {
	char *p;
	size_t len;
};

static bool text_begin(struct stp_ctx *c, struct text *t)
{
	*t = (struct text){ stp_tmp(c, stp_maxlen()), 0 };
	return t->p;
}

static void text_add(struct text *t, const char *p, size_t n)
{
	n = min(n, stp_maxlen() - t->len);
	memcpy(t->p + t->len, p, n);
	t->len += n;
}

static struct stp_str text_end(struct stp_ctx *c, struct text *t)
{
	c->scratch = t->p + ALIGN(t->len, 8);
	return (struct stp_str){ t->p, t->len };
}

struct stp_str stp_fn_str_replace(struct stp_ctx *c, struct stp_str str, struct stp_str old, struct stp_str repl)
{
	struct text t;
	size_t from = 0;
	s64 at;

	if (!old.len)
		return stp_str_dup(c, str);
	if (!text_begin(c, &t))
		return STP_STR("");
	while ((at = find(str, old, from)) >= 0) {
		text_add(&t, str.p + from, at - from);
		text_add(&t, repl.p, repl.len);
		from = at + old.len;
	}
	text_add(&t, str.p + from, str.len - from);
	return text_end(c, &t);
}

/* Escape for one byte in buf (4 bytes); returns its length. */
static u32 escape(char *buf, u8 ch)
{
	static const char letters[] = "abtnvfr"; /* 7 to 13 */

	buf[0] = '\\';
	if (ch >= 7 && ch <= 13) {
		buf[1] = letters[ch - 7];
		return 2;
	}
	if (ch == '"' || ch == '\\') {
		buf[1] = ch;
		return 2;
	}
	if (ch >= ' ' && ch < 127) {
		buf[0] = ch;
		return 1;
	}
	buf[1] = '0' + (ch >> 6);
	buf[2] = '0' + ((ch >> 3) & 7);
	buf[3] = '0' + (ch & 7);
	return 4;
}

struct stp_str stp_fn_text_strn(struct stp_ctx *c, struct stp_str str, s64 length, s64 quoted)
{
	size_t n = length > 0 && length < (s64)str.len ? length : str.len, i, room = stp_maxlen();
	bool cut = n < str.len;
	struct text t;
	char buf[4];
	u32 one;

	if (!text_begin(c, &t))
		return STP_STR("");
	room -= min_t(size_t, room, (quoted ? 2 : 0) + 3);
	if (quoted)
		text_add(&t, "\"", 1);
	for (i = 0; i < n; i++) {
		one = escape(buf, str.p[i]);
		if (t.len + one > room + !!quoted) {
			cut = true;
			break;
		}
		text_add(&t, buf, one);
	}
	if (quoted)
		text_add(&t, "\"", 1);
	if (cut)
		text_add(&t, "...", 3);
	return text_end(c, &t);
}

struct stp_str stp_fn_text_str(struct stp_ctx *c, struct stp_str str)
{
	return stp_fn_text_strn(c, str, 0, 0);
}

static bool is_delimiter(struct stp_str delim, char ch)
{
	return memchr(delim.p, ch, delim.len);
}

void stp_tokens_forget(struct stp_ctx *c)
{
	stp_context_of(c)->token_len = 0;
}

/* What is left is kept with the context until the hit is over: a handler's tokens do not mix with those of another CPU. */
struct stp_str stp_fn_tokenize(struct stp_ctx *c, struct stp_str str, struct stp_str delim)
{
	struct stp_context *x = stp_context_of(c);
	u32 start;

	if (str.len) {
		memcpy(x->token, str.p, str.len);
		x->token_len = str.len;
		x->token_pos = 0;
	}
	while (x->token_pos < x->token_len && is_delimiter(delim, x->token[x->token_pos]))
		x->token_pos++;
	start = x->token_pos;
	while (x->token_pos < x->token_len && !is_delimiter(delim, x->token[x->token_pos]))
		x->token_pos++;
	str = stp_str_dup(c, (struct stp_str){ x->token + start, x->token_pos - start });
	if (x->token_pos < x->token_len)
		x->token_pos++;
	return str;
}
