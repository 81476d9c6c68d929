/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run-time addresses of a file's variables.  In a user program all moves by the same distance as the probe, whose address
 * at run time is known when it is hit; in the kernel the loader finds where a symbol or a module's section is.
 */
#include "target_dwarf.h"
#include "debuginfo/dwarf_index.h"
#include "user_elf.h"
#include "user_site.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

/* ---- sections ---- */

/* The section with that name of the file: true and its address range. */
static bool section_range(Elf *elf, const char *name, uint64_t *start, uint64_t *end)
{
	size_t strings;
	Elf_Scn *scn = NULL;

	if (!elf || elf_getshdrstrndx(elf, &strings) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		const char *have = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;

		if (!have || strcmp(have, name) != 0)
			continue;
		*start = sh.sh_addr;
		*end = sh.sh_addr + sh.sh_size;
		return true;
	}
	return false;
}

/* ---- the kernel ---- */

static struct expr *percpu_address(struct loc_env *env, struct expr *base)
{
	return loc_binary(env, OP_ADD, base, lowered_named(env->s, "percpu_offset", env->at));
}

/* The kernel says of a module's per-CPU variables by name alone where they are. */
static const char *percpu_symbol(struct loc_env *env, struct dscope *ds, uint64_t addr, uint64_t *offset)
{
	struct dwarf_index *ix = session_dwarf_index(env->s, ds->sc->file, NULL);
	uint32_t id = ix ? dwarf_index_symbol_at(ix, addr) : DWARF_NONE;
	struct dwarf_symbol sym;

	if (id == DWARF_NONE || !dwarf_index_symbol(ix, id, &sym)) {
		loc_fail(env, "it is a per-CPU variable without a symbol");
		return NULL;
	}
	*offset = addr - sym.addr;
	return arena_printf(env->s, "percpu:%s", sym.name);
}

/* A symbol that the module has once, in the section of the address. */
static bool is_anchor(struct dwarf_file *f, struct dwarf_index *ix, uint32_t id, const char *section, struct dwarf_symbol *ret)
{
	const char *here;
	uint64_t offset;
	GArray *same;
	bool single;

	if (!dwarf_index_symbol(ix, id, ret) || !ret->name || !*ret->name ||
	    !dwarf_file_reference(f, ret->addr, &here, &offset) || strcmp(here, section) != 0)
		return false;
	same = dwarf_index_symbols(ix, ret->name, false);
	single = same->len == 1;
	g_array_free(same, TRUE);
	return single;
}

/* By what the address is found in a module that arrives while the script runs: its own symbol, or another one near. */
static void find_anchor(struct loc_env *env, struct dwarf_file *f, uint64_t addr, const char *section, struct address *a)
{
	struct dwarf_index *ix = session_dwarf_index(env->s, f, NULL);
	uint32_t own = ix ? dwarf_index_symbol_at(ix, addr) : DWARF_NONE;
	struct dwarf_symbol sym;
	GArray *all;
	bool found = own != DWARF_NONE && is_anchor(f, ix, own, section, &sym);

	if (ix && !found) {
		all = dwarf_index_symbols(ix, "*", false);
		for (guint i = 0; i < all->len && !found; i++)
			found = is_anchor(f, ix, g_array_index(all, uint32_t, i), section, &sym);
		g_array_free(all, TRUE);
	}
	if (found) {
		a->anchor = sym.name;
		a->from_anchor = (int64_t)(addr - sym.addr);
	}
}

static struct expr *kernel_address(struct loc_env *env, struct dscope *ds, uint64_t addr)
{
	struct dwarf_file *f = ds->sc->file;
	const char *module = f->kind == DWARF_FILE_MODULE ? f->name : NULL, *section;
	struct address a = { .module = module, .build_id = f->build_id, .what = "a variable of the kernel" };
	uint64_t start, end;
	bool percpu = !module && section_range(dwarf_file_elf(f), ".data..percpu", &start, &end) && addr >= start && addr < end;
	struct expr *base;

	/* per-CPU data that starts at 0 is not moved with the kernel */
	if (percpu && start == 0)
		return percpu_address(env, loc_num(env, (int64_t)addr));
	if (!dwarf_file_reference(f, addr, &section, &a.offset)) {
		loc_fail(env, "its address 0x%llx is in no section", (unsigned long long)addr);
		return NULL;
	}
	a.symbol = section;
	if (module) {
		a.what = arena_printf(env->s, "a variable of module %s, which is not loaded", module);
		find_anchor(env, f, addr, section, &a);
	}
	if (module && strcmp(section, ".data..percpu") == 0) {
		percpu = true;
		a.symbol = percpu_symbol(env, ds, addr, &a.offset);
		if (!a.symbol)
			return NULL;
	}
	base = lowered_address_of(env->s, &a, env->at);
	return percpu ? percpu_address(env, base) : base;
}

/* Of a file that the probe is not in: by where the process that is hit has it. */
static struct expr *mapped_address(struct loc_env *env, struct dscope *ds, uint64_t addr)
{
	const char *why = NULL;
	struct user_elf *ue = user_elf_open(env->s, ds->sc->file->path, &why);
	uint64_t code = ue ? user_elf_code(ue) : 0, offset;

	if (!ue || !user_elf_offset(ue, code, true, &offset)) {
		loc_fail(env, "where %s is in memory cannot be told: %s", ds->sc->file->name, why ? why : "it has no code");
		return NULL;
	}
	return loc_binary(env, OP_ADD, lowered_user_file(env->s, user_file_get(env->s, ue)->index, env->at),
			  loc_num(env, (int64_t)(addr - code + offset)));
}

struct expr *dscope_address(struct loc_env *env, uint64_t addr)
{
	struct dscope *ds = env->data;

	if (!ds->sc->user)
		return kernel_address(env, ds, addr);
	if (ds->sc->file->executable)
		return loc_num(env, (int64_t)addr);
	if (!ds->sc->pc)
		return mapped_address(env, ds, addr);
	return loc_binary(env, OP_ADD, lowered_ip(env->s, env->at), loc_num(env, (int64_t)(addr - ds->sc->pc)));
}
