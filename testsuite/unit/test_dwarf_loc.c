/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF location expressions: random ones, run by a plain interpreter of the standard's words and as lowered nodes, must
 * come to the same; and damaged debug information must do no harm.
 */
/* link: translator/arena.c translator/session.c translator/source.c translator/ast.c translator/ast_walk.c translator/diag.c translator/diag_print.c translator/target_expr.c translator/debuginfo/dwarf_die.c translator/debuginfo/dwarf_loc.c translator/debuginfo/dwarf_loc_expr.c translator/debuginfo/dwarf_loc_frame.c translator/debuginfo/dwarf_loc_op.c translator/debuginfo/dwarf_loc_stack.c translator/debuginfo/ctype.c translator/debuginfo/dwarf_type.c translator/debuginfo/dwarf_type_member.c translator/debuginfo/dwarf_type_names.c */
/* pkgs: glib-2.0 libdw libelf */
#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <gelf.h>
#include "session.h"
#include "target.h"
#include "debuginfo/dwarf_index.h"
#include "debuginfo/dwarf_loc.h"
#include "debuginfo/dwarf_type.h"
#include "unit.h"

#define REGS 16

static uint64_t regs[21];
static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Memory: each word is a function of its address. */
static uint64_t memory(uint64_t addr, unsigned size)
{
	uint64_t v = addr * 0x9e3779b97f4a7c15ul ^ addr >> 7;

	return size < 8 ? v & ((1ul << size * 8) - 1) : v;
}

/* ---- lowered nodes ---- */

static int64_t extend(uint64_t v, unsigned size, bool is_signed)
{
	unsigned up = 64 - size * 8;

	return size >= 8 ? (int64_t)v : is_signed ? (int64_t)(v << up) >> up : (int64_t)(v << up >> up);
}

static int64_t eval(const struct expr *e)
{
	uint64_t a, b;

	switch (e->kind) {
	case EX_NUM: return e->num;
	case EX_CTXVAL: return (int64_t)regs[e->num / 8];
	case EX_LOAD: return extend(memory((uint64_t)eval(e->a), e->load.size), e->load.size, e->load.is_signed);
	case EX_CONV: return extend((uint64_t)eval(e->a), e->load.size, e->load.is_signed);
	case EX_COND: return eval(e->a) ? eval(e->b) : eval(e->c);
	default: break;
	}
	a = (uint64_t)eval(e->a);
	b = (uint64_t)eval(e->b);
	switch (e->op) {
	case OP_ADD: return (int64_t)(a + b);
	case OP_SUB: return (int64_t)(a - b);
	case OP_MUL: return (int64_t)(a * b);
	case OP_DIV: return !b ? 0 : (int64_t)b == -1 ? (int64_t)(0 - a) : (int64_t)a / (int64_t)b;
	case OP_MOD: return !b || (int64_t)b == -1 ? 0 : (int64_t)a % (int64_t)b;
	case OP_AND: return (int64_t)(a & b);
	case OP_OR: return (int64_t)(a | b);
	case OP_XOR: return (int64_t)(a ^ b);
	case OP_SHL: return (int64_t)(a << (b & 63));
	case OP_SHR: return (int64_t)a >> (b & 63);
	case OP_USHR: return (int64_t)(a >> (b & 63));
	case OP_LT: return (int64_t)a < (int64_t)b;
	case OP_GT: return (int64_t)a > (int64_t)b;
	case OP_LE: return (int64_t)a <= (int64_t)b;
	case OP_GE: return (int64_t)a >= (int64_t)b;
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	default: abort();
	}
}

/* ---- the standard's machine ---- */

static bool run_plain(const Dwarf_Op *op, size_t n, uint64_t *result)
{
	static const unsigned order[REGS] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };
	uint64_t st[64], t;
	unsigned sp = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned atom = op[i].atom;
		uint64_t *top = sp ? &st[sp - 1] : NULL, *below = sp > 1 ? &st[sp - 2] : NULL;

		if (atom >= DW_OP_breg0 && atom < DW_OP_breg0 + REGS) {
			st[sp++] = regs[order[atom - DW_OP_breg0]] + op[i].number;
			continue;
		}
		switch (atom) {
		case DW_OP_constu: case DW_OP_const8s: st[sp++] = op[i].number; break;
		case DW_OP_dup: st[sp] = *top; sp++; break;
		case DW_OP_over: st[sp] = *below; sp++; break;
		case DW_OP_drop: sp--; break;
		case DW_OP_swap: t = *top; *top = *below; *below = t; break;
		case DW_OP_rot: t = *top; *top = *below; *below = st[sp - 3]; st[sp - 3] = t; break;
		case DW_OP_pick: st[sp] = st[sp - 1 - op[i].number]; sp++; break;
		case DW_OP_deref: *top = memory(*top, 8); break;
		case DW_OP_deref_size: *top = memory(*top, op[i].number); break;
		case DW_OP_neg: *top = 0 - *top; break;
		case DW_OP_not: *top = ~*top; break;
		case DW_OP_abs: *top = (int64_t)*top < 0 ? 0 - *top : *top; break;
		case DW_OP_plus_uconst: *top += op[i].number; break;
		case DW_OP_nop: break;
		case DW_OP_bra:
			sp--;
			if (*top)
				while (i + 1 < n && op[i + 1].offset < op[i].offset) /* not reached: offsets grow */
					i++;
			if (*top) {
				uint64_t want = op[i].offset + 3 + op[i].number;

				while (i + 1 < n && op[i + 1].offset < want)
					i++;
			}
			break;
		default:
			sp--;
			switch (atom) {
			case DW_OP_plus: *below += *top; break;
			case DW_OP_minus: *below -= *top; break;
			case DW_OP_mul: *below *= *top; break;
			case DW_OP_and: *below &= *top; break;
			case DW_OP_or: *below |= *top; break;
			case DW_OP_xor: *below ^= *top; break;
			case DW_OP_shl: *below = *top > 63 ? 0 : *below << *top; break;
			case DW_OP_shr: *below = *top > 63 ? 0 : *below >> *top; break;
			case DW_OP_shra: *below = (uint64_t)((int64_t)*below >> (*top > 63 ? 63 : *top)); break;
			case DW_OP_mod: *below %= *top; break;
			case DW_OP_div: *below = (uint64_t)((int64_t)*below / (int64_t)*top); break;
			case DW_OP_lt: *below = (int64_t)*below < (int64_t)*top; break;
			case DW_OP_gt: *below = (int64_t)*below > (int64_t)*top; break;
			case DW_OP_le: *below = (int64_t)*below <= (int64_t)*top; break;
			case DW_OP_ge: *below = (int64_t)*below >= (int64_t)*top; break;
			case DW_OP_eq: *below = *below == *top; break;
			case DW_OP_ne: *below = *below != *top; break;
			default: return false;
			}
		}
	}
	*result = st[sp - 1];
	return sp > 0;
}

/* ---- random expressions that are well-formed ---- */

static Dwarf_Op *put(Dwarf_Op *op, unsigned atom, uint64_t number)
{
	*op = (Dwarf_Op){ .atom = atom, .number = number, .offset = 0 };
	return op + 1;
}

static uint64_t random_number(void)
{
	static const uint64_t odd[] = { 0, 1, 2, 7, 31, 63, 64, 200, 0x80, 0xffff, 0x80000000, 0xffffffffffffffff, 0x8000000000000000, 0x7fffffffffffffff };

	return rnd(3) ? odd[rnd(G_N_ELEMENTS(odd))] : (uint64_t)rnd(1 << 20) << rnd(44);
}

static size_t random_ops(Dwarf_Op *ops)
{
	static const uint8_t two[] = { DW_OP_plus, DW_OP_minus, DW_OP_mul, DW_OP_and, DW_OP_or, DW_OP_xor, DW_OP_lt, DW_OP_gt, DW_OP_le,
				       DW_OP_ge, DW_OP_eq, DW_OP_ne };
	static const uint8_t one[] = { DW_OP_neg, DW_OP_not, DW_OP_abs, DW_OP_deref, DW_OP_nop };
	Dwarf_Op *op = ops;
	unsigned sp = 0, len = 2 + rnd(14);

	for (unsigned i = 0; i < len; i++) {
		unsigned what = rnd(12);

		if (sp == 0 || what < 3) {
			op = rnd(2) ? put(op, DW_OP_breg0 + rnd(REGS), random_number()) : put(op, DW_OP_constu, random_number());
			sp++;
		} else if (what < 6 && sp > 1) {
			op = put(op, two[rnd(G_N_ELEMENTS(two))], 0);
			sp--;
		} else if (what == 6) { /* by a constant: what compilers make */
			static const uint8_t shifts[] = { DW_OP_shl, DW_OP_shr, DW_OP_shra, DW_OP_mod, DW_OP_div };
			unsigned atom = shifts[rnd(G_N_ELEMENTS(shifts))];

			op = put(op, DW_OP_constu, atom == DW_OP_mod || atom == DW_OP_div ? 1 + rnd(1000) : rnd(70));
			op = put(op, atom, 0);
		} else if (what == 7) {
			op = put(op, rnd(2) ? DW_OP_dup : DW_OP_pick, 0);
			op[-1].number = op[-1].atom == DW_OP_pick ? rnd(sp) : 0;
			sp++;
		} else if (what == 8 && sp > 1) {
			op = put(op, sp > 2 && rnd(2) ? DW_OP_rot : DW_OP_swap, 0);
		} else if (what == 9) {
			op = put(op, DW_OP_deref_size, 1u << rnd(4));
		} else if (what == 10 && sp > 1) { /* a branch over an operation that keeps the stack as it is */
			op = put(op, DW_OP_bra, 10);
			op = put(op, DW_OP_plus_uconst, random_number());
			sp--;
		} else {
			op = put(op, one[rnd(G_N_ELEMENTS(one))], 0);
		}
	}
	for (Dwarf_Op *o = ops; o < op; o++) /* sizes do not matter as long as branches agree: 3 for one, 10 else */
		o->offset = o == ops ? 0 : o[-1].offset + (o[-1].atom == DW_OP_bra ? 3 : 10);
	return (size_t)(op - ops);
}

TEST(random_expressions)
{
	unsigned done = 0, refused = 0;

	for (unsigned round = 0; round < 20000; round++) {
		struct session *s;
		struct loc_env env;
		Dwarf_Op op[64];
		struct loc_ops ops = { .op = op, .n = random_ops(op) };
		struct expr *e;
		uint64_t want;

		for (size_t i = 0; i < G_N_ELEMENTS(regs); i++)
			regs[i] = random_number();
		s = session_new();
		env = (struct loc_env){ .s = s };
		e = loc_run_value(&env, &ops);
		if (!e) {
			refused++;
			if (!env.why)
				UNIT_FAIL("round %u: refused without a reason", round);
		} else if (run_plain(op, ops.n, &want)) {
			done++;
			if ((uint64_t)eval(e) != want)
				UNIT_FAIL("round %u: %#llx instead of %#llx", round, (unsigned long long)eval(e), (unsigned long long)want);
		}
		session_free(s);
	}
	if (done < 14000)
		UNIT_FAIL("only %u expressions compared, %u refused", done, refused);
}

TEST(refusals)
{
	struct { Dwarf_Op op[4]; size_t n; const char *why; } cases[] = {
		{ { { .atom = DW_OP_plus } }, 1, "the stack is empty" },
		{ { { .atom = DW_OP_lit1 }, { .atom = DW_OP_bra, .number = (Dwarf_Word)-4, .offset = 1 } }, 2, "a loop" },
		{ { { .atom = DW_OP_skip, .number = (Dwarf_Word)-3 } }, 1, "a loop" },
		{ { { .atom = DW_OP_regx, .number = 60 } }, 1, "register 60" },
		{ { { .atom = DW_OP_breg0 + 17 } }, 1, "vector register" },
		{ { { .atom = DW_OP_xderef } }, 1, "operation 0x18" },
		{ { { .atom = DW_OP_reg0 }, { .atom = DW_OP_plus } }, 2, "behind its end" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct session *s = session_new();
		struct loc_env env = { .s = s };
		struct loc_ops ops = { .op = cases[i].op, .n = cases[i].n };

		if (loc_run_value(&env, &ops))
			UNIT_FAIL("case %zu is accepted", i);
		else if (!env.why || !strstr(env.why, cases[i].why))
			UNIT_FAIL("case %zu: %s", i, env.why ? env.why : "no reason");
		session_free(s);
	}
}

/* ---- damaged debug information ---- */

/* Types are looked for without an index here. */
GArray *dwarf_index_types(struct dwarf_index *ix, int tag, const char *name) { abort(); }
GArray *dwarf_index_funcs(struct dwarf_index *ix, const char *name, const char *file, unsigned want) { abort(); }
bool dwarf_index_func(const struct dwarf_index *ix, uint32_t func, struct dwarf_func *ret) { abort(); }
bool dwarf_index_type(const struct dwarf_index *ix, uint32_t type, struct dwarf_type *ret) { abort(); }
bool dwarf_index_die(struct dwarf_index *ix, uint32_t cu, uint64_t offset, Dwarf_Die *ret) { abort(); }
void dwarf_index_type_names(struct dwarf_index *ix, int tag, void (*fn)(void *data, const char *name), void *data) { abort(); }

/* All that is asked of a type, and of what is in it. */
static void visit_type(const struct ctype *t, int depth)
{
	const struct ctype_member *m;
	const struct ctype_param *p;
	GString *text = g_string_new(NULL);
	size_t n;

	ctype_print(text, t);
	g_string_free(text, TRUE);
	ctype_align(t);
	t = ctype_strip(t, NULL);
	if (depth > 3)
		return;
	if (t->kind == CTYPE_PTR || t->kind == CTYPE_ARRAY)
		visit_type(t->to, depth + 1);
	if (ctype_is_aggregate(t)) {
		m = ctype_members(t, &n);
		for (size_t i = 0; i < n; i++)
			visit_type(m[i].type, depth + 1);
	} else if (t->kind == CTYPE_FUNC) {
		p = ctype_params(t, &n);
		for (size_t i = 0; i < n; i++)
			visit_type(p[i].type, depth + 1);
	}
}

static struct expr *some_address(struct loc_env *env, uint64_t addr)
{
	return loc_num(env, (int64_t)addr);
}

static void range_ignored(void *data, uint64_t start, uint64_t end)
{
}

/* Every variable below an entry, at addresses all over its function. */
static void visit(struct session *s, Dwarf *dw, struct type_source *types, Dwarf_Die *die, Dwarf_Die *func, int depth,
		  unsigned *budget)
{
	Dwarf_Die c;

	for (bool more = depth < 8 && die_first(die, &c); more && *budget; more = die_next(&c), --*budget) {
		int tag = dwarf_tag(&c);
		Dwarf_Die inner = tag == DW_TAG_subprogram ? c : *func;

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
			struct loc_env env = { .s = s, .func = *func, .address = some_address, .tls = some_address,
					       .eh_frame = dwarf_getcfi(dw) };
			struct location where;
			uint64_t entry = 0;

			if (func->addr)
				die_entry(func, &entry);
			for (unsigned i = 0; i < 4; i++) {
				env.pc = entry + i * 19;
				env.entry = entry;
				if (loc_find(&env, &c, &where) && !env.why)
					UNIT_FAIL("refused without a reason");
			}
			loc_ranges(&c, range_ignored, NULL);
			visit_type(dwarf_type_of(types, &c), 0);
			loc_is_frame_slot(&c, func);
		}
		if (tag == DW_TAG_subprogram)
			visit_type(dwarf_func_type(types, &c), 0);
		visit(s, dw, types, &c, &inner, depth + 1, budget);
	}
}

static void damage(unsigned char *image, size_t size)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(void *)image;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(void *)(image + eh->e_shoff);
	const char *names = (const char *)image + sh[eh->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < eh->e_shnum; i++) {
		const char *name = names + sh[i].sh_name;

		if (strcmp(name, ".debug_info") && strcmp(name, ".debug_loclists") && strcmp(name, ".debug_loc") && strcmp(name, ".eh_frame"))
			continue;
		for (unsigned n = 1 + rnd(20); n-- && sh[i].sh_size; )
			image[sh[i].sh_offset + rnd(sh[i].sh_size)] = rnd(256);
	}
}

TEST(damaged)
{
	const char *top = getenv("STAP_TOP");
	char *dir = g_dir_make_tmp("stap-loc-XXXXXX", NULL), *path = g_build_filename(dir, "program", NULL), *cmd, *data;
	gsize size;

	elf_version(EV_CURRENT);
	cmd = g_strdup_printf("gcc -g -O2 -w -o %s %s/testsuite/unit/data/dwarf_vars.c", path, top ? top : ".");
	if (system(cmd) != 0 || !g_file_get_contents(path, &data, &size, NULL)) {
		UNIT_FAIL("%s", cmd);
		return;
	}
	for (unsigned round = 0; round < 150; round++) {
		unsigned char *image = g_memdup2(data, size);
		struct session *s = session_new();
		Dwarf_Die cu, none = { 0 };
		Dwarf_CU *unit = NULL;
		unsigned budget = 5000;
		Elf *elf;
		Dwarf *dw;
		struct type_source *types;

		if (round)
			damage(image, size);
		elf = elf_memory((char *)image, size);
		dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		types = dw ? dwarf_types_new(dw, NULL) : NULL;
		while (dw && unit_next(dw, &unit, &cu))
			visit(s, dw, types, &cu, &none, 0, &budget);
		if (types) {
			int64_t value = 0;
			unsigned defs;
			const struct ctype *t = types->ops->find_type(types, CTYPE_STRUCT, "node", &defs);

			if (round == 0 && (!t || defs != 1 || ctype_size(t) < 100))
				UNIT_FAIL("struct node is not found");
			if (round == 0 && (!types->ops->find_enumerator(types, "BLUE", &value) || value != -3))
				UNIT_FAIL("BLUE is not found");
			if (round == 0 && (!types->ops->find_enumerator(types, "WHITE", &value) || value != 200))
				UNIT_FAIL("WHITE is %lld", (long long)value);
			if (t)
				visit_type(t, 0);
			types->ops->close(types);
		}
		if (round == 0 && budget > 4800)
			UNIT_FAIL("hardly any variables");
		dwarf_end(dw);
		elf_end(elf);
		session_free(s);
		g_free(image);
	}
	unlink(path);
	rmdir(dir);
	g_free(data);
	g_free(cmd);
	g_free(path);
	g_free(dir);
}

RUN_TESTS()
