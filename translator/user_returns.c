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

/* The bytes at an address of the file; NULL when they are not all there. */
static const uint8_t *code_at(const struct user_elf *ue, uint64_t addr, uint64_t size)
{
	uint64_t offset;
	size_t all;
	const char *raw = elf_rawfile(ue->elf, &all);

	if (!raw || !user_elf_offset(ue, addr, true, &offset) || offset > all || size > all - offset)
		return NULL;
	return (const uint8_t *)raw + offset;
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
		*to = len + (int8_t)p[1];
	else if ((p + 5 == end && *p == 0xe9) || (p + 6 == end && *p == 0x0f && (p[1] & 0xf0) == 0x80))
		*to = len + (memcpy(&rel, end - 4, 4), (int64_t)rel);
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

struct scan {
	struct user_point *up;
	const struct user_object *o;
	const struct user_place *f;  /* the function */
	const char *why;             /* what was wrong, or NULL */
	bool leaves;                 /* it ends by a jump to elsewhere, too */
	const struct user_func *cold;
	GArray *out;                 /* struct user_place */
};

/* The return instructions of a stretch of code, each with its distance from the function's start. */
static bool scan_code(struct scan *sc, uint64_t addr, uint64_t size)
{
	const uint8_t *code = code_at(sc->o->elf, addr, size);
	struct user_place place = *sc->f;
	uint64_t at = 0;

	while (code && at < size) {
		unsigned len = x86_length(code + at, size - at);
		bool indirect;
		int64_t to;

		if (!len) {
			sc->why = arena_printf(sc->up->s, "at 0x%" PRIx64 " there is no known instruction", addr + at);
			return false;
		}
		place.addr = addr + at;
		place.delta = place.addr - sc->f->addr;
		if (place.delta && is_return(code + at, len))
			g_array_append_val(sc->out, place);
		if (jump_target(code + at, len, &to, &indirect) && at + (uint64_t)to >= size && addr == sc->f->addr) {
			const struct user_func *cold = cold_part(sc->up->s, sc->o, place.addr + (uint64_t)to);

			sc->leaves |= !cold;
			sc->cold = cold ? cold : sc->cold;
		}
		sc->leaves |= indirect;
		at += len;
	}
	if (!code)
		sc->why = "its code is not in the file";
	return code;
}

/* The function's entry, then its return instructions, also of its cold part; false: sc->why. */
static bool scan_function(struct scan *sc)
{
	uint64_t size = function_size(sc->up->s, sc->o, sc->f->addr);
	guint first = sc->out->len;

	if (sc->o->elf->is_32bit)
		sc->why = "it is a 32-bit program";
	else if (!size)
		sc->why = "its length is not known";
	if (sc->why)
		return false;
	g_array_append_val(sc->out, *sc->f);
	if (!scan_code(sc, sc->f->addr, size) || (sc->cold && !scan_code(sc, sc->cold->addr, sc->cold->size)))
		return false;
	if (sc->out->len == first + 1)
		sc->why = "it has none";
	return !sc->why;
}

struct user_place *user_return_places(struct user_point *up, const struct user_object *o, const struct user_place *f, bool must, size_t *n)
{
	struct scan sc = { .up = up, .o = o, .f = f, .out = g_array_new(FALSE, FALSE, sizeof(struct user_place)) };
	struct user_place *ret = NULL;

	if (scan_function(&sc) && (must || !sc.leaves)) {
		*n = sc.out->len;
		ret = arena_alloc(up->s, sizeof(*ret) * *n);
		memcpy(ret, sc.out->data, sizeof(*ret) * *n);
	} else if (must) {
		diag_error(up->s, up->p->loc, "no-return-instructions", "the return instructions of '%s' of %s cannot be found: %s", f->name,
			   o->elf->path, sc.why);
		diag_help(up->s, "statement(ADDRESS) probes an instruction by its address");
	}
	g_array_free(sc.out, TRUE);
	return ret;
}
