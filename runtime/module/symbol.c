/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Kernel symbols by address. */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/processor.h>
#include "port.h"
#include "symbol.h"
#include "compat/rcu.h"

/* Text in scratch of what the kernel says about an address; the module's part may be cut off. */
static struct stp_str lookup(struct stp_ctx *c, u64 addr, bool offset)
{
	char *p = c->scratch;
	bool rcu = stp_rcu_enter();
	int n = 0;

	if (c->scratch_end - p < KSYM_SYMBOL_LEN) {
		stp_fail(c, "out of string memory (see -D MAXSTRINGLEN and MAXNESTING)");
	} else if (!rcu && addr >= MODULES_VADDR && addr < MODULES_END) {
		n = scnprintf(p, KSYM_SYMBOL_LEN, "0x%llx", addr); /* tables of modules need RCU */
	} else {
		n = offset ? sprint_symbol(p, addr) : sprint_symbol_no_offset(p, addr);
	}
	if (rcu)
		stp_rcu_leave();
	return (struct stp_str){ p, n };
}

static struct stp_str keep(struct stp_ctx *c, struct stp_str s)
{
	s.len = min_t(size_t, s.len, stp_script.config->maxstringlen - 1);
	c->scratch = (char *)s.p + ALIGN(s.len, 8);
	return s;
}

static bool is_number(struct stp_str s)
{
	return s.len >= 2 && s.p[0] == '0' && s.p[1] == 'x';
}

struct stp_str stp_symbol_name(struct stp_ctx *c, u64 addr)
{
	struct stp_str s = lookup(c, addr, false);
	const char *blank = memchr(s.p, ' ', s.len);

	if (blank)
		s.len = blank - s.p;
	return keep(c, s);
}

struct stp_str stp_symbol_full(struct stp_ctx *c, u64 addr)
{
	struct stp_str s = lookup(c, addr, true);

	if (s.len && s.p[s.len - 1] != ']' && !is_number(s))
		s.len += scnprintf((char *)s.p + s.len, KSYM_SYMBOL_LEN - s.len, " [kernel]");
	return keep(c, s);
}

struct stp_str stp_symbol_module(struct stp_ctx *c, u64 addr)
{
	struct stp_str s = lookup(c, addr, false);
	const char *open = memchr(s.p, '[', s.len);

	if (is_number(s))
		return STP_STR("");
	if (!open)
		return STP_STR("kernel");
	s.len = s.p + s.len - open - 2;
	memmove((char *)s.p, open + 1, s.len);
	return keep(c, s);
}
