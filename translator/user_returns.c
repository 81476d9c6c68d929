/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return instructions of a function, for return probes of programs that move their stacks: the kernel's own return probes put an address
 * of theirs on the stack in place of the caller's, which such a program copies, looks at, or finds on another stack.
 */
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "debuginfo/x86_length.h"
#include "probe_process.h"

/* Go's linker leaves these sections. */
bool user_moves_stacks(const struct user_elf *ue)
{
	static const char *const marks[] = { ".go.buildinfo", ".note.go.buildid", ".gopclntab", ".data.rel.ro.gopclntab" };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(ue->elf, &names))
		return false;
	while ((scn = elf_nextscn(ue->elf, scn)))
		for (size_t i = 0; gelf_getshdr(scn, &sh) && i < G_N_ELEMENTS(marks); i++)
			if (!strcmp(elf_strptr(ue->elf, names, sh.sh_name) ?: "", marks[i]))
				return true;
	return false;
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

static uint64_t function_size(struct session *s, const struct user_object *o, uint64_t addr)
{
	const GArray *funcs = user_elf_funcs(s, o->elf);
	uint64_t size = 0;

	for (guint i = 0; i < funcs->len; i++) {
		const struct user_func *f = &g_array_index(funcs, struct user_func, i);

		if (f->addr == addr && f->size > size)
			size = f->size;
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

static int error_code(struct user_point *up, const struct user_object *o, const struct user_place *f, const char *why)
{
	diag_error(up->s, up->p->loc, "no-return-instructions", "the return instructions of '%s' of %s cannot be found: %s", f->name, o->elf->path, why);
	diag_help(up->s, "statement(ADDRESS) probes an instruction by its address");
	return -1;
}

/* The function's entry, then its return instructions, each with its distance from there. */
static int add_returns(struct user_point *up, const struct user_object *o, const struct user_place *f, GArray *out)
{
	uint64_t size = function_size(up->s, o, f->addr), at = 0;
	const uint8_t *code = size ? code_at(o->elf, f->addr, size) : NULL;
	struct user_place place = *f;
	guint first = out->len;

	if (o->elf->is_32bit)
		return error_code(up, o, f, "it is a 32-bit program");
	if (!code)
		return error_code(up, o, f, "its length is not known");
	g_array_append_val(out, place);
	while (at < size) {
		unsigned len = x86_length(code + at, size - at);

		if (!len)
			return error_code(up, o, f, arena_printf(up->s, "at 0x%" PRIx64 " there is no known instruction", f->addr + at));
		place.addr = f->addr + at;
		place.delta = at;
		if (at && is_return(code + at, len))
			g_array_append_val(out, place);
		at += len;
	}
	return out->len > first + 1 ? 0 : error_code(up, o, f, "it has none");
}

struct user_place *user_return_places(struct user_point *up, const struct user_object *o, const struct user_place *f, size_t *n)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct user_place));
	struct user_place *ret = NULL;

	if (!add_returns(up, o, f, list)) {
		*n = list->len;
		ret = arena_alloc(up->s, sizeof(*ret) * list->len);
		memcpy(ret, list->data, sizeof(*ret) * list->len);
	}
	g_array_free(list, TRUE);
	return ret;
}
