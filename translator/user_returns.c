/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return instructions of a function, for return probes of programs that move their stacks: the kernel's own return probes put an address
 * of theirs on the stack in place of the caller's, which such a program copies, looks at, or finds on another stack.  And for those that
 * throw exceptions: their unwinder ends the program where it comes upon that address.
 */
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "debuginfo/x86_length.h"
#include "probe_process.h"
#include "stp_leaves.h"

static bool has_section(const struct user_elf *ue, const char *const *marks, size_t n)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(ue->elf, &names))
		return false;
	while ((scn = elf_nextscn(ue->elf, scn)))
		for (size_t i = 0; gelf_getshdr(scn, &sh) && i < n; i++)
			if (!strcmp(elf_strptr(ue->elf, names, sh.sh_name) ?: "", marks[i]))
				return true;
	return false;
}

/* Go's linker leaves these sections. */
bool user_moves_stacks(const struct user_elf *ue)
{
	static const char *const marks[] = { ".go.buildinfo", ".note.go.buildid", ".gopclntab", ".data.rel.ro.gopclntab" };

	return has_section(ue, marks, G_N_ELEMENTS(marks));
}

bool user_has_exceptions(const struct user_elf *ue)
{
	static const char *const marks[] = { ".gcc_except_table" };

	return has_section(ue, marks, G_N_ELEMENTS(marks));
}

/* Does a string table have the name of a language's personality routine, of its own or of a library? */
bool user_throws(const struct user_elf *ue)
{
	static const char *const names[] = { "__gxx_personality_v0", "eh_personality", "__gnat_personality_v0" };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(ue->elf, scn))) {
		const Elf_Data *d = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_STRTAB ? elf_getdata(scn, NULL) : NULL;

		for (size_t i = 0; d && d->d_buf && i < G_N_ELEMENTS(names); i++)
			if (memmem(d->d_buf, d->d_size, names[i], strlen(names[i])))
				return true;
	}
	return false;
}

/* Behind the last symbol at or in front of an address; they are sorted. */
static guint symbols_up_to(const GArray *funcs, uint64_t addr)
{
	guint lo = 0, hi = funcs->len;

	while (lo < hi) {
		guint mid = lo + (hi - lo) / 2;

		if (g_array_index(funcs, struct user_func, mid).addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Of several names for one function, the longest; 0: not known. */
static uint64_t function_size(struct session *s, const struct user_object *o, uint64_t addr)
{
	const GArray *funcs = user_elf_funcs(s, o->elf);
	uint64_t size = 0;

	for (guint i = symbols_up_to(funcs, addr); i-- > 0;) {
		const struct user_func *f = &g_array_index(funcs, struct user_func, i);

		if (f->addr != addr)
			break;
		size = MAX(size, f->size);
	}
	return size;
}

/* ret, ret N, with a repeat or bound prefix. */
static bool is_return(const uint8_t *p, unsigned len)
{
	if (len > 1 && (*p == 0xf3 || *p == 0xf2))
		p++;
	return *p == 0xc3 || *p == 0xc2;
}

/* Where a jump goes, from the instruction's own address on; false: it is none, or one through a register or memory (*indirect). */
static bool jump_target(const uint8_t *p, unsigned len, int64_t *to, bool *indirect)
{
	const uint8_t *end = p + len;
	int32_t rel;

	*indirect = false;
	while (p < end - 1 && (*p == 0xf2 || *p == 0x3e || (*p & 0xf0) == 0x40)) /* bnd, notrack, REX */
		p++;
	if (p + 1 < end && *p == 0xff && ((p[1] >> 3) & 7) == 4)
		*indirect = true;
	if (p + 2 == end && (*p == 0xeb || (*p & 0xf0) == 0x70))
		*to = (int64_t)len + (int8_t)p[1];
	else if ((p + 5 == end && *p == 0xe9) || (p + 6 == end && *p == 0x0f && (p[1] & 0xf0) == 0x80))
		*to = (int64_t)len + (memcpy(&rel, end - 4, 4), (int64_t)rel);
	else
		return false;
	return true;
}

/* The part of a function that the compiler has put apart, NAME.cold, around an address. */
static const struct user_func *cold_part(struct session *s, const struct user_object *o, uint64_t addr)
{
	const GArray *funcs = user_elf_funcs(s, o->elf);
	guint n = symbols_up_to(funcs, addr);

	for (guint i = n; i-- > 0 && n - i < 8;) { /* several may have one address */
		const struct user_func *f = &g_array_index(funcs, struct user_func, i);

		if (addr - f->addr < f->size && strstr(f->name, ".cold"))
			return f;
	}
	return NULL;
}

#define FOLLOWED_MAX 16 /* functions that one jumps to, and those jump to */
#define PLACES_MAX 400

struct part {
	uint64_t addr, size;
};

struct scan {
	struct user_point *up;
	const struct user_object *o;
	const struct user_place *f;  /* the function */
	const char *why;             /* what was wrong, or NULL */
	struct part main, cold;      /* of the function that is looked at; cold.size 0: none known */
	bool never;                  /* it never returns: it ends in a call or a trap, and has no way out */
	bool falls;                  /* the code looked at goes on behind its last instruction */
	bool other;                  /* that is one that `f` jumps to; its first place's index */
	guint first;
	GArray *followed;            /* uint64_t: addresses of those */
	GArray *out;                 /* struct user_place */
};

static bool is_in(const struct part *p, uint64_t addr)
{
	return addr - p->addr < p->size;
}

static void add_place(struct scan *sc, uint64_t addr, uint64_t how)
{
	struct user_place place = *sc->f, *first = NULL;

	/* a first instruction is there already: the function's start, the place where one that is followed begins */
	if (addr == sc->main.addr && !(how & STP_LEAVES_NOT))
		first = &g_array_index(sc->out, struct user_place, sc->first);
	how |= (sc->other ? STP_LEAVES_OTHER : 0) | (addr == sc->main.addr ? STP_LEAVES_ENTRY : 0);
	place.addr = addr;
	place.delta = how << STP_LEAVES_SHIFT | (uint32_t)(addr - sc->f->addr);
	if (first)
		*first = place;
	else
		g_array_append_val(sc->out, place);
}

/* Behind `add REG,REG`, a jump to the sum, as through a compiler's tables; one that says `notrack`; one through a table alone. */
static bool is_table_jump(const uint8_t *p, unsigned len, const uint8_t *before, unsigned before_len)
{
	const uint8_t *op = p;

	if (*p == 0x3e)
		return true;
	while (op < p + len - 1 && *op != 0xff)
		op++;
	if (op + 2 < p + len && op[1] == 0x24 && (op[2] & 7) == 5) /* jmp *disp32(,index,8) */
		return true;
	if (op[1] >> 6 != 3 || before_len != 3 || (*before & 0xf8) != 0x48 || (before[1] != 0x01 && before[1] != 0x03))
		return false;
	return before[2] >> 6 == 3 && ((before[1] == 0x01 ? before[2] : before[2] >> 3) & 7) == (op[1] & 7);
}

static bool is_indirect_jump(const uint8_t *p, unsigned len, const uint8_t *before, unsigned before_len)
{
	bool indirect;
	int64_t to;

	jump_target(p, len, &to, &indirect);
	return indirect && !is_table_jump(p, len, before, before_len);
}

/* Is all its code known, without jumps to addresses that it computes? */
static bool is_simple(struct scan *sc, uint64_t addr, uint64_t size)
{
	const uint8_t *code = size && !user_is_mistaken_nop(sc->o->elf, addr) ? user_code_at(sc->o->elf, addr, size) : NULL, *before = NULL;
	unsigned len = 0, before_len;

	for (uint64_t at = 0; code && at < size; at += len) {
		before_len = len;
		len = x86_length(code + at, size - at);
		if (!len || is_indirect_jump(code + at, len, before, before_len))
			return false;
		before = code + at;
	}
	return code;
}

/* Follows the function at an address, if that can be done. */
static bool follow(struct scan *sc, uint64_t addr)
{
	for (guint i = 0; i < sc->followed->len; i++)
		if (g_array_index(sc->followed, uint64_t, i) == addr)
			return true;
	if (sc->followed->len == FOLLOWED_MAX || sc->out->len > PLACES_MAX || !is_simple(sc, addr, function_size(sc->up->s, sc->o, addr)))
		return false;
	g_array_append_val(sc->followed, addr);
	return true;
}

/* A jump to `to`; code: its condition's, -1: none. */
static void take_jump(struct scan *sc, uint64_t addr, uint64_t to, int code)
{
	const struct user_func *cold;
	uint64_t how = code >= 0 ? STP_LEAVES_IF | (uint64_t)code << STP_LEAVES_CODE : 0;

	if (is_in(&sc->main, to) || is_in(&sc->cold, to))
		return;
	cold = sc->cold.size ? NULL : cold_part(sc->up->s, sc->o, to);
	if (cold)
		sc->cold = (struct part){ cold->addr, cold->size };
	else if (to == sc->f->addr)
		add_place(sc, addr, how | STP_LEAVES_FOR); /* it begins anew */
	else
		add_place(sc, addr, how | (follow(sc, to) ? STP_LEAVES_FOR : STP_LEAVES_OUT));
}

/* The condition code of a jump, -1: it has none. */
static int condition_of(const uint8_t *p)
{
	while (*p == 0x2e || *p == 0x3e || *p == 0xf2) /* hints, bnd */
		p++;
	if (p[0] == 0x0f && (p[1] & 0xf0) == 0x80)
		return p[1] & 15;
	return (p[0] & 0xf0) == 0x70 ? p[0] & 15 : -1;
}

/* Does the code go on behind this instruction?  A call counts as one that does not return, at the end of a function. */
static bool goes_on(const uint8_t *p, unsigned len)
{
	const uint8_t *end = p + len;

	while (p < end - 1 && (*p == 0xf2 || *p == 0x3e || (*p & 0xf0) == 0x40)) /* bnd, notrack, REX */
		p++;
	if (*p == 0xff && p + 1 < end)
		return (p[1] >> 3 & 7) != 2 && (p[1] >> 3 & 7) != 4;
	if (*p == 0x0f && p + 1 < end)
		return p[1] != 0x0b; /* ud2 */
	return *p != 0xe8 && *p != 0xe9 && *p != 0xeb && *p != 0xf4 && *p != 0xcc;
}

static bool is_nop(const uint8_t *p, unsigned len)
{
	while (len > 1 && (*p == 0x66 || *p == 0x2e))
		p++, len--;
	return *p == 0x90 || (len > 1 && *p == 0x0f && p[1] == 0x1f);
}

/* Where the function is left, in a stretch of its code. */
static bool scan_code(struct scan *sc, struct part part)
{
	const uint8_t *code = user_code_at(sc->o->elf, part.addr, part.size), *before = NULL;
	unsigned len = 0, before_len;

	for (uint64_t at = 0; code && at < part.size; at += len) {
		uint64_t addr = part.addr + at;
		bool indirect;
		int64_t to;

		before_len = len;
		len = x86_length(code + at, part.size - at);
		if (!len) {
			sc->why = arena_printf(sc->up->s, "at 0x%" PRIx64 " there is no known instruction", addr);
			return false;
		}
		if (is_return(code + at, len))
			add_place(sc, addr, STP_LEAVES_RETURN);
		else if (jump_target(code + at, len, &to, &indirect))
			take_jump(sc, addr, addr + (uint64_t)to, condition_of(code + at));
		else if (is_indirect_jump(code + at, len, before, before_len))
			add_place(sc, addr, STP_LEAVES_INDIRECT);
		if (!is_nop(code + at, len))
			sc->falls = goes_on(code + at, len);
		before = code + at;
	}
	if (!code)
		sc->why = "its code is not in the file";
	return code;
}

static bool scan_parts(struct scan *sc, uint64_t addr, uint64_t size)
{
	sc->main = (struct part){ addr, size };
	sc->cold = (struct part){ 0, 0 };
	sc->first = sc->out->len;
	if (sc->other)
		add_place(sc, addr, STP_LEAVES_NOT);
	else
		g_array_append_val(sc->out, *sc->f);
	return scan_code(sc, sc->main) && (!sc->cold.size || scan_code(sc, sc->cold));
}

/* The function's entry, then where it is left, also in its cold part and in functions that it jumps to; false: sc->why. */
static bool scan_function(struct scan *sc)
{
	uint64_t size = function_size(sc->up->s, sc->o, sc->f->addr);

	if (sc->o->elf->is_32bit)
		sc->why = "it is a 32-bit program";
	else if (!size)
		sc->why = "its length is not known";
	if (sc->why)
		return false;
	if (!scan_parts(sc, sc->f->addr, size))
		return false;
	if (sc->out->len == 1 && !g_array_index(sc->out, struct user_place, 0).delta) {
		sc->why = "it has none";
		sc->never = !sc->falls;
	}
	sc->other = true;
	for (guint i = 0; !sc->why && i < sc->followed->len; i++) {
		uint64_t addr = g_array_index(sc->followed, uint64_t, i);

		scan_parts(sc, addr, function_size(sc->up->s, sc->o, addr));
	}
	return !sc->why;
}

bool user_jumps_out(const struct user_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((places[i].delta >> STP_LEAVES_SHIFT) & STP_LEAVES_OUT) /* STP_LEAVES_INDIRECT too */
			return true;
	return false;
}

struct user_place *user_return_places(struct user_point *up, const struct user_object *o, const struct user_place *f, bool must, size_t *n,
				     bool *never)
{
	struct scan sc = { .up = up, .o = o, .f = f, .out = g_array_new(FALSE, FALSE, sizeof(struct user_place)),
		.followed = g_array_new(FALSE, FALSE, sizeof(uint64_t)) };
	struct user_place *ret = NULL;

	*never = false;
	if (scan_function(&sc)) {
		*n = sc.out->len;
		ret = arena_alloc(up->s, sizeof(*ret) * *n);
		memcpy(ret, sc.out->data, sizeof(*ret) * *n);
	} else if (sc.never && !must) {
		*never = true;
	} else if (must) {
		diag_error(up->s, up->p->loc, "no-return-instructions", "the return instructions of '%s' of %s cannot be found: %s", f->name,
			   o->elf->path, sc.why);
		diag_help(up->s, "statement(ADDRESS) probes an instruction by its address");
	}
	g_array_free(sc.out, TRUE);
	g_array_free(sc.followed, TRUE);
	return ret;
}
