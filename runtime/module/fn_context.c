/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions about the probe that was hit. */
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include "port.h"
#include "fn.h"
#include "str.h"
#include "symbol.h"

#define NAME_MARK '\001' /* stands for the function's name in stp_probe.point */

static bool is_user_probe(const struct stp_ctx *c)
{
	return c->probe->kind == STP_UPROBE || c->probe->kind == STP_URETURN;
}

/* Did a sample interrupt a user's program? */
static bool in_user_mode(const struct stp_ctx *c)
{
	u8 kind = c->probe->kind;

	return c->regs && (kind == STP_PROFILE || kind == STP_PERF || kind == STP_PERF_TASK || kind == STP_UDATA) && user_mode((struct pt_regs *)c->regs);
}

/* The function that was hit; "" where there is none. */
static struct stp_str function_hit(struct stp_ctx *c)
{
	if (is_user_probe(c))
		return (struct stp_str){ c->site, min_t(size_t, strcspn(c->site, "@"), stp_maxlen()) };
	if (!c->ip || in_user_mode(c))
		return STP_STR("");
	return stp_symbol_name(c, c->ip);
}

/* c->ip is left over from another hit where the kind has none. */
static bool has_ip(const struct stp_ctx *c)
{
	switch (c->probe->kind) {
	case STP_ENTRY: case STP_RETURN: case STP_ADDRESS: case STP_PROFILE: case STP_DATA: case STP_UPROBE: case STP_URETURN: case STP_UDATA:
	case STP_PERF: case STP_PERF_TASK:
		return true;
	}
	return false;
}

/* The text between `open` and one of `close` in a probe point. */
static struct stp_str between(const char *point, const char *open, const char *close)
{
	const char *p = strstr(point, open);

	if (!p)
		return STP_STR("");
	p += strlen(open);
	return (struct stp_str){ p, strcspn(p, close) };
}

struct stp_str stp_fn_pp(struct stp_ctx *c)
{
	const char *point = c->probe->point, *mark = strchr(point, NAME_MARK);
	struct stp_str s = { point, strlen(point) }, head;

	if (!mark)
		return s.len <= stp_maxlen() ? s : stp_str_dup(c, (struct stp_str){ point, stp_maxlen() });
	head = stp_str_cat(c, (struct stp_str){ point, mark - point }, is_user_probe(c) ?
			   (struct stp_str){ c->site, strlen(c->site) } : function_hit(c));
	return stp_str_cat(c, head, (struct stp_str){ mark + 1, strlen(mark + 1) });
}

struct stp_str stp_fn_pn(struct stp_ctx *c)
{
	const char *name = c->probe->name;

	if (!name)
		return stp_fn_pp(c);
	return stp_str_dup(c, (struct stp_str){ name, strnlen(name, stp_maxlen()) });
}

struct stp_str stp_fn_ppfunc(struct stp_ctx *c)
{
	struct stp_str s = between(c->probe->point, "function(\"", "@\"");

	if (!s.len)
		s = between(c->probe->point, "statement(\"", "@\"");
	return s.len && s.p[0] == NAME_MARK ? function_hit(c) : s;
}

struct stp_str stp_fn_probefunc(struct stp_ctx *c)
{
	return has_ip(c) ? function_hit(c) : stp_fn_ppfunc(c);
}

struct stp_str stp_fn_probemod(struct stp_ctx *c)
{
	struct stp_str s = STP_STR("");

	if (is_user_probe(c))
		return between(c->probe->point, strstr(c->probe->point, "library(\"") ? "library(\"" : "process(\"", "\"");
	if (has_ip(c) && c->ip)
		s = stp_symbol_module(c, c->ip);
	if (!s.len)
		s = between(c->probe->point, "module(\"", "\"");
	return s.len ? s : STP_STR("kernel");
}

s64 stp_fn_is_return(struct stp_ctx *c)
{
	return c->probe->kind == STP_RETURN || c->probe->kind == STP_URETURN;
}

s64 stp_fn_user_mode(struct stp_ctx *c)
{
	return is_user_probe(c) || c->probe->kind == STP_TASK || c->probe->kind == STP_VMA || in_user_mode(c);
}

s64 stp_fn_addr(struct stp_ctx *c)
{
	return has_ip(c) ? c->ip : 0;
}

const u64 *stp_registers(const struct stp_ctx *c)
{
	return has_ip(c) || c->probe->kind == STP_TASK ? c->regs : NULL;
}

s64 stp_fn_registers_valid(struct stp_ctx *c)
{
	return stp_registers(c) != NULL;
}
