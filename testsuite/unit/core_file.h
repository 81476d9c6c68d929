/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A core file as memory and registers, and lowered nodes evaluated against it: what a handler would see. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/user.h>
#include "target.h"
#include "debuginfo/dwarf_file.h"

struct core {
	gchar *data;
	gsize size;
	const struct user_regs_struct *regs; /* in the order of the kernel's struct pt_regs */
	const char *fpregs;        /* struct user_fpregs_struct */
	struct probe *p;           /* for EX_SAVED */
	struct dwarf_file *file;   /* the program, for what is not in the core */
	uint64_t bias;
	bool fault;                /* memory that is not there was read */
};

static bool core_read(const struct core *c, uint64_t addr, void *to, size_t n)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(void *)c->data;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(void *)(c->data + eh->e_phoff);

	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD || addr < ph[i].p_vaddr || addr + n > ph[i].p_vaddr + ph[i].p_filesz)
			continue;
		memcpy(to, c->data + ph[i].p_offset + (addr - ph[i].p_vaddr), n);
		return true;
	}
	return c->file && dwarf_file_read(c->file, addr - c->bias, to, n) == n;
}

/* The first thread's registers. */
static bool core_open(struct core *c, const char *path)
{
	const Elf64_Ehdr *eh;
	const Elf64_Phdr *ph;

	memset(c, 0, sizeof(*c));
	if (!g_file_get_contents(path, &c->data, &c->size, NULL))
		return false;
	eh = (const Elf64_Ehdr *)(void *)c->data;
	ph = (const Elf64_Phdr *)(void *)(c->data + eh->e_phoff);
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		const char *at = c->data + ph[i].p_offset, *end = at + ph[i].p_filesz;

		while (ph[i].p_type == PT_NOTE && at < end && !c->fpregs) {
			const Elf64_Nhdr *n = (const Elf64_Nhdr *)(const void *)at;
			const char *desc = at + sizeof(*n) + ((n->n_namesz + 3) & ~3u);

			if (n->n_type == NT_FPREGSET && !c->fpregs)
				c->fpregs = desc;
			if (n->n_type == NT_PRSTATUS && !c->regs)
				c->regs = (const void *)&((const struct elf_prstatus *)(const void *)desc)->pr_reg;
			at = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
	return c->regs != NULL;
}

static int64_t core_eval(struct core *c, const struct expr *e);

static int64_t extend(uint64_t v, unsigned bits, bool is_signed)
{
	if (bits >= 64)
		return (int64_t)v;
	v <<= 64 - bits;
	return is_signed ? (int64_t)v >> (64 - bits) : (int64_t)(v >> (64 - bits));
}

static int64_t core_convert(struct core *c, const struct expr *e, uint64_t v)
{
	const struct load *l = &e->load;
	double wide;
	float f;

	if (l->is_float) {
		memcpy(&f, &v, 4);
		wide = f;
		memcpy(&v, &wide, 8);
		return (int64_t)v;
	}
	if (l->bit_size)
		return extend(v >> l->bit_offset, l->bit_size, l->is_signed);
	return extend(v, l->size * 8, l->is_signed);
}

static int64_t core_binary(struct core *c, const struct expr *e)
{
	int64_t a = core_eval(c, e->a), b = core_eval(c, e->b);
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (e->op) {
	case OP_ADD: return (int64_t)(ua + ub);
	case OP_SUB: return (int64_t)(ua - ub);
	case OP_MUL: return (int64_t)(ua * ub);
	case OP_DIV: return b == 0 ? 0 : b == -1 ? (int64_t)(0 - ua) : a / b;
	case OP_MOD: return b == 0 || b == -1 ? 0 : a % b;
	case OP_AND: return a & b;
	case OP_OR: return a | b;
	case OP_XOR: return a ^ b;
	case OP_SHL: return (int64_t)(ua << (b & 63));
	case OP_SHR: return a >> (b & 63);
	case OP_USHR: return (int64_t)(ua >> (b & 63));
	case OP_LT: return a < b;
	case OP_GT: return a > b;
	case OP_LE: return a <= b;
	case OP_GE: return a >= b;
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	default: abort();
	}
}

static int64_t core_word(struct core *c, const struct expr *e)
{
	switch (e->ctxval) {
	case CTX_REG: return (int64_t)((const uint64_t *)(const void *)c->regs)[e->num / 8];
	case CTX_RETVAL: return (int64_t)c->regs->rax;
	case CTX_IP: return (int64_t)c->regs->rip;
	case CTX_NAMED:
		if (strcmp(e->name, "user_thread_pointer") == 0)
			return (int64_t)c->regs->fs_base;
		if (g_str_has_prefix(e->name, "user_xmm")) {
			int64_t v;

			memcpy(&v, c->fpregs + offsetof(struct user_fpregs_struct, xmm_space) + 16 * atoi(e->name + 8), 8);
			return v;
		}
		/* fall through */
	default: abort();
	}
}

static int64_t core_eval(struct core *c, const struct expr *e)
{
	uint64_t v = 0;

	switch (e->kind) {
	case EX_NUM: return e->num;
	case EX_CTXVAL: return core_word(c, e);
	case EX_BINARY: return core_binary(c, e);
	case EX_COND: return core_eval(c, core_eval(c, e->a) ? e->b : e->c);
	case EX_CONV: return core_convert(c, e, (uint64_t)core_eval(c, e->a));
	case EX_SAVED: return core_eval(c, c->p->saved[e->num]);
	case EX_LOAD:
		if (!core_read(c, (uint64_t)core_eval(c, e->a), &v, e->load.size))
			c->fault = true;
		return core_convert(c, e, v);
	default: abort();
	}
}

#endif
