/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where thread-local variables of user programs are ("ELF Handling for Thread-Local Storage", variant II).  A main
 * program's block ends where the thread pointer points to.  A library's is in the thread's table of blocks (DTV) under a
 * number that the dynamic linker left in the library's global offset table; the table is glibc's: a pointer to it at
 * thread pointer + 8, 16 bytes an entry, the number of entries before the first.
 */
#include "target_dwarf.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

/* The program's thread-local segment, and whether it is a main program (libraries ask for no interpreter). */
static bool tls_segment(Elf *elf, GElf_Phdr *tls, bool *is_main)
{
	size_t n;
	bool found = false;

	*is_main = false;
	if (!elf || elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_INTERP)
			*is_main = true;
		if (ph.p_type == PT_TLS) {
			*tls = ph;
			found = true;
		}
	}
	return found;
}

static struct expr *main_address(struct loc_env *env, const GElf_Phdr *tls, uint64_t offset)
{
	uint64_t align = tls->p_align ? tls->p_align : 1, first = -tls->p_vaddr & (align - 1);
	uint64_t size = (tls->p_memsz - first + align - 1) / align * align + first;

	return loc_binary(env, OP_ADD, lowered_named(env->s, "user_thread_pointer", env->at), loc_num(env, (int64_t)(offset - size)));
}

/* ---- libraries ---- */

static bool needs_glibc(Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *d = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC ? elf_getdata(scn, NULL) : NULL;
		GElf_Dyn dyn;

		for (int i = 0; d && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
			const char *name = dyn.d_tag == DT_NEEDED ? elf_strptr(elf, sh.sh_link, dyn.d_un.d_val) : NULL;

			if (name && (strcmp(name, "libc.so.6") == 0 || g_str_has_prefix(name, "ld-linux")))
				return true;
		}
	}
	return false;
}

/* Does the relocation ask for the number of the library itself? */
static bool is_own(Elf *elf, const GElf_Shdr *rela, const GElf_Rela *r)
{
	Elf_Scn *scn = elf_getscn(elf, rela->sh_link);
	Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	if (GELF_R_TYPE(r->r_info) != R_X86_64_DTPMOD64)
		return false;
	return GELF_R_SYM(r->r_info) == 0 ||
	       (d && gelf_getsym(d, (int)GELF_R_SYM(r->r_info), &sym) && sym.st_shndx != SHN_UNDEF);
}

/* The place in memory where the dynamic linker left the library's number. */
static bool module_slot(Elf *elf, uint64_t *addr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *d = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && (sh.sh_flags & SHF_ALLOC) ? elf_getdata(scn, NULL) : NULL;
		GElf_Rela r;

		for (int i = 0; d && gelf_getrela(d, i, &r); i++) {
			if (is_own(elf, &sh, &r)) {
				*addr = r.r_offset;
				return true;
			}
		}
	}
	return false;
}

static struct expr *load_word(struct loc_env *env, struct expr *addr)
{
	return lowered_load(env->s, addr, 8, false, true, env->at);
}

static struct expr *plus(struct loc_env *env, struct expr *a, int64_t n)
{
	return loc_binary(env, OP_ADD, a, loc_num(env, n));
}

static struct expr *library_address(struct loc_env *env, Elf *elf, uint64_t offset)
{
	struct expr *slot, *number, *table, *e;
	uint64_t addr;

	if (!needs_glibc(elf) || !module_slot(elf, &addr)) {
		loc_fail(env, "it is thread-local in a library, and where is not to be seen in the library");
		return NULL;
	}
	slot = dscope_address(env, addr);
	if (!slot)
		return NULL;
	number = load_word(env, slot);
	table = load_word(env, plus(env, lowered_named(env->s, "user_thread_pointer", env->at), 8));
	/* a thread that has not used the library yet has no block, and maybe no entry: an address that faults */
	e = expr_new(env->s, EX_COND, env->at);
	e->type = TY_LONG;
	e->a = loc_binary(env, OP_LE, number, load_word(env, plus(env, table, -16)));
	e->b = load_word(env, loc_binary(env, OP_ADD, expr_copy(env->s, table),
					 loc_binary(env, OP_MUL, expr_copy(env->s, number), loc_num(env, 16))));
	e->c = loc_num(env, -1);
	return plus(env, e, (int64_t)offset);
}

struct expr *dscope_tls(struct loc_env *env, uint64_t offset)
{
	struct dscope *ds = env->data;
	Elf *elf = dwarf_file_elf(ds->sc->file);
	GElf_Phdr tls;
	bool is_main;

	if (!ds->sc->user) {
		loc_fail(env, "it is thread-local");
		return NULL;
	}
	if (!tls_segment(elf, &tls, &is_main)) {
		loc_fail(env, "it is thread-local, and its file has no thread-local data");
		return NULL;
	}
	/* split debug information of some compilers has the address of the initial value here */
	if (offset >= tls.p_memsz && offset - tls.p_vaddr < tls.p_memsz)
		offset -= tls.p_vaddr;
	if (offset >= tls.p_memsz) {
		loc_fail(env, "it is thread-local at an offset that does not exist");
		return NULL;
	}
	return is_main || ds->sc->file->executable ? main_address(env, &tls, offset) : library_address(env, elf, offset);
}
