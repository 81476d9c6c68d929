/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operands of marks on x86 (sdt_operand.h): N@OPERAND, N the size in bytes, negative for signed ones, OPERAND in the
 * assembler's (AT&T) syntax: $constant, %register, or memory: displacement(base,index,scale), symbol(%rip), symbol.
 */
#include <stdlib.h>
#include <string.h>

#include "sdt_operand.h"

enum { REG_IP = 128 };

struct reg {
	unsigned offset, size, shift; /* in struct pt_regs; bytes; bits */
};

/* "rax", "eax", "ax", "al", "ah", "r8", "r8d", "r8w", "r8b", "sil" ... */
static bool find_register(const char *name, size_t len, struct reg *ret)
{
	static const struct {
		const char *stem;
		unsigned offset;
	} old[] = { { "ax", 80 }, { "bx", 40 }, { "cx", 88 }, { "dx", 96 }, { "si", 104 }, { "di", 112 }, { "bp", 32 }, { "sp", 152 },
		{ "ip", 128 } };
	static const unsigned numbered[] = { 72, 64, 56, 48, 24, 16, 8, 0 }; /* r8 ... r15 */
	char n[8];

	if (len < 2 || len >= sizeof(n))
		return false;
	memcpy(n, name, len);
	n[len] = '\0';
	if (n[0] == 'r' && g_ascii_isdigit(n[1])) {
		char *end;
		unsigned long k = strtoul(n + 1, &end, 10);

		if (k < 8 || k > 15 || (*end && (end[1] || !strchr("dwbl", *end))))
			return false;
		*ret = (struct reg){ numbered[k - 8], !*end ? 8 : *end == 'd' ? 4 : *end == 'w' ? 2 : 1, 0 };
		return true;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(old); i++) {
		const char *st = old[i].stem;

		*ret = (struct reg){ old[i].offset, 8, 0 };
		if (len == 3 && n[0] == 'r' && !strcmp(n + 1, st))
			return true;
		ret->size = 4;
		if (len == 3 && n[0] == 'e' && !strcmp(n + 1, st))
			return true;
		ret->size = 2;
		if (len == 2 && !strcmp(n, st))
			return true;
		ret->size = 1;
		if ((len == 3 && n[2] == 'l' && !strncmp(n, st, 2)) || (len == 2 && st[1] == 'x' && n[0] == st[0] && n[1] == 'l'))
			return true;
		ret->shift = 8;
		if (len == 2 && st[1] == 'x' && n[0] == st[0] && n[1] == 'h')
			return true;
	}
	return false;
}

static struct expr *register_value(struct session *s, const struct reg *r, struct loc loc)
{
	struct expr *e = lowered_reg(s, r->offset, loc);

	if (r->shift)
		e = lowered_binary(s, OP_USHR, e, lowered_num(s, r->shift, loc), loc);
	return lowered_conv(s, e, r->size, false, loc);
}

/* Arguments are separated by blanks, which occur within parentheses as well. */
char **sdt_arguments(struct session *s, const struct user_mark *m)
{
	GPtrArray *list = g_ptr_array_new();
	const char *p = m->args;

	while (*p) {
		const char *start;
		int depth = 0;

		p += strspn(p, " \t");
		for (start = p; *p && (depth > 0 || (*p != ' ' && *p != '\t')); p++)
			depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
		if (p > start)
			g_ptr_array_add(list, arena_strndup(s, start, p - start));
	}
	g_ptr_array_add(list, NULL);
	return (char **)arena_take(s, list, NULL);
}

/* Size and sign; returns the operand behind them. */
static const char *read_size(const char *arg, unsigned *size, bool *is_signed, bool *is_float)
{
	char *end;
	long n = strtol(arg, &end, 10);

	*size = 8;
	*is_signed = true;
	*is_float = false;
	if (end == arg || (*end == 'f' ? end[1] : *end) != '@')
		return arg; /* notes of old have no size: a word */
	*is_float = *end == 'f';
	*is_signed = n < 0;
	*size = labs(n) > 8 ? 8 : labs(n);
	return end + 1 + *is_float;
}

void sdt_size(const char *arg, unsigned *size, bool *is_signed)
{
	bool is_float;

	read_size(arg, size, is_signed, &is_float);
}

/* A sum of constants and at most one symbol before the parenthesis: "8+sym-4"; false: neither. */
static bool read_displacement(struct session *s, const char *text, size_t len, int64_t *value, const char **symbol)
{
	const char *p = text, *end = text + len;

	*value = 0;
	*symbol = NULL;
	while (p < end) {
		int sign = 1;
		const char *start;

		while (p < end && (*p == '+' || *p == '-' || *p == ' '))
			sign = *p++ == '-' ? -sign : sign;
		if (p == end)
			return false;
		if (g_ascii_isdigit(*p)) {
			char *stop;

			*value += sign * (int64_t)strtoull(p, &stop, 0);
			if (stop == p || stop > end)
				return false;
			p = stop;
			continue;
		}
		for (start = p; p < end && (g_ascii_isalnum(*p) || strchr("_.$@", *p)); p++)
			;
		if (p == start || *symbol || sign < 0)
			return false;
		*symbol = arena_strndup(s, start, strcspn(start, "@") < (size_t)(p - start) ? strcspn(start, "@") : (size_t)(p - start));
	}
	return true;
}

/* (base,index,scale): the parts that are there, added to `sum`.  rip is told apart. */
static struct expr *read_registers(struct session *s, const char *text, struct expr *sum, bool *rip, struct loc loc)
{
	char **part = g_strsplit(text, ",", 4);
	struct expr *ret = sum;
	struct reg r;

	for (int i = 0; part[i] && ret; i++) {
		const char *name = g_strstrip(part[i]);
		struct expr *e;

		if (i == 2 && part[1]) { /* read with the index */
			continue;
		}
		if (!*name && i == 0)
			continue;
		if (i > 2 || *name != '%' || !find_register(name + 1, strlen(name + 1), &r)) {
			ret = NULL;
			break;
		}
		if (r.offset == REG_IP) {
			*rip = true;
			continue;
		}
		e = register_value(s, &r, loc);
		if (i == 1 && part[2] && atoi(part[2]) > 1)
			e = lowered_binary(s, OP_MUL, e, lowered_num(s, atoi(part[2]), loc), loc);
		ret = lowered_binary(s, OP_ADD, ret, e, loc);
	}
	g_strfreev(part);
	return ret;
}

static struct expr *memory_operand(struct session *s, struct user_elf *ue, const struct user_mark *m, const char *op, unsigned size,
				   bool is_signed, struct loc loc, const char **why)
{
	const char *paren = strchr(op, '('), *close = paren ? strchr(paren, ')') : NULL, *symbol;
	size_t len = paren ? (size_t)(paren - op) : strlen(op);
	struct expr *addr;
	uint64_t at = 0;
	int64_t disp;
	bool rip = false;

	if ((paren && (!close || close[1])) || !read_displacement(s, op, len, &disp, &symbol) || (!paren && !symbol)) {
		*why = arena_printf(s, "its operand '%s' is not understood", op);
		return NULL;
	}
	if (symbol && !user_elf_symbol(ue, symbol, &at)) {
		*why = arena_printf(s, "the symbol '%s' in its operand is not in %s: it is stripped", symbol, ue->path);
		return NULL;
	}
	addr = lowered_num(s, disp, loc);
	if (paren)
		addr = read_registers(s, arena_strndup(s, paren + 1, close - paren - 1), addr, &rip, loc);
	if (!addr || (rip && !symbol)) {
		*why = arena_printf(s, "its operand '%s' is not understood", op);
		return NULL;
	}
	if (symbol) /* from where the mark is: the program may lie anywhere */
		addr = lowered_binary(s, OP_ADD, addr, lowered_binary(s, OP_ADD, lowered_reg(s, REG_IP, loc),
								      lowered_num(s, (int64_t)(at - m->addr), loc), loc), loc);
	if (ue->is_32bit)
		addr = lowered_conv(s, addr, 4, false, loc);
	return lowered_load(s, addr, size, is_signed, true, loc);
}

struct expr *sdt_operand(struct session *s, struct user_elf *ue, const struct user_mark *m, const char *arg, struct loc loc,
			 const char **why)
{
	unsigned size;
	bool is_signed, is_float;
	const char *op = read_size(arg, &size, &is_signed, &is_float);
	struct reg r;
	char *end;

	if (is_float) {
		*why = "it is a floating-point number";
		return NULL;
	}
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		*why = arena_printf(s, "its size of %u bytes is none of a number", size);
		return NULL;
	}
	if (*op == '$') {
		int64_t v = op[1] == '-' ? (int64_t)strtoll(op + 1, &end, 0) : (int64_t)strtoull(op + 1, &end, 0);

		if (end != op + 1 && !*end)
			return lowered_conv(s, lowered_num(s, v, loc), size, is_signed, loc);
	}
	if (*op == '%' && !strchr(op, ':')) {
		if (find_register(op + 1, strlen(op + 1), &r))
			return lowered_conv(s, register_value(s, &r, loc), size, is_signed, loc);
		*why = arena_printf(s, "its register '%s' cannot be read", op);
		return NULL;
	}
	if (strchr(op, ':') || *op == '$' || *op == '*') {
		*why = arena_printf(s, "its operand '%s' is not understood", op);
		return NULL;
	}
	return memory_operand(s, ue, m, op, size, is_signed, loc, why);
}
