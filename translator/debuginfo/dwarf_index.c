/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening an index, its place in the cache, and its records. */
#include "dwarf_index_priv.h"
#include "dwarf_build.h"
#include "dwarf_file.h"
#include "dwarf_file_priv.h"
#include "cache.h"
#include "errmsg.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller ones are made again faster than they are found. */
#define KEEP_FROM (64u << 10)
/* Others wait for whoever builds such a one. */
#define LOCK_FROM (16u << 20)

struct identity {
	GString *text;
	uint64_t size;             /* of debug information and symbols */
};

static void add_file(struct identity *id, const char *path)
{
	struct stat st;

	if (path && stat(path, &st) == 0)
		g_string_append_printf(id->text, " %s %lld %lld.%09ld", path, (long long)st.st_size,
				       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Sizes and, for relocatable files, places: what libdwfl laid out must be what the index speaks of. */
static void add_sections(struct identity *id, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t strndx;

	if (!elf || elf_getshdrstrndx(elf, &strndx) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(elf, strndx, sh.sh_name)))
			continue;
		if (sh.sh_flags & SHF_ALLOC)
			g_string_append_printf(id->text, " %llx", (unsigned long long)sh.sh_addr);
		if (!(sh.sh_flags & SHF_ALLOC) && (g_str_has_prefix(name, ".debug") || sh.sh_type == SHT_SYMTAB)) {
			g_string_append_printf(id->text, " %s %llx", name, (unsigned long long)sh.sh_size);
			id->size += sh.sh_size;
		}
	}
}

/* What tells this index from all others; *name its name in the cache. */
static uint64_t index_key(struct dwarf_file *f, char **name, uint64_t *size)
{
	struct identity id = { .text = g_string_new(f->build_id) };
	char *sum;
	uint64_t key;
	struct stat st;

	add_sections(&id, dwarf_file_elf(f));
	if (f->debug_path && g_strcmp0(f->debug_path, f->path) != 0) {
		/* of the debug file its size will do: it fits, or it would not be here */
		if (stat(f->debug_path, &st) == 0)
			g_string_append_printf(id.text, " %lld", (long long)st.st_size);
		id.size += st.st_size;
	}
	g_string_append(id.text, f->priv->alt_path ? f->priv->alt_path : "");
	if (!f->build_id) {
		add_file(&id, f->path);
		add_file(&id, f->debug_path);
	}
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, id.text->str, -1);
	*name = g_strdup_printf("index/dwarf-%.24s", sum);
	*size = id.size;
	key = g_ascii_strtoull(sum + 48, NULL, 16);
	g_free(sum);
	g_string_free(id.text, TRUE);
	return key;
}

static bool load_kept(struct dwarf_index *ix, struct cache *c, const char *name, uint64_t key)
{
	char *path = cache_find(c, name);
	bool ok;

	if (!path)
		return false;
	ok = store_load(&ix->st, path, key) == 0;
	if (ok && !store_verify(&ix->st)) {
		store_close(&ix->st);
		ok = false;
	}
	if (!ok)
		unlink(path);
	g_free(path);
	return ok;
}

/* That it cannot be kept is no error. */
static void keep(struct dwarf_index *ix, struct cache *c, const char *name)
{
	char *dir = NULL, *path, *published = NULL;

	if (cache_scratch(c, &dir, NULL) != 0)
		return;
	path = g_build_filename(dir, "dwarf", NULL);
	if (blob_write(&ix->st.blob, path, NULL) == 0)
		cache_publish(c, path, name, false, &published, NULL);
	cache_remove_tree(dir);
	g_free(published);
	g_free(path);
	g_free(dir);
}

static int build(struct dwarf_index *ix, uint64_t key, char **err)
{
	struct blob blob;

	if (dwarf_build(ix->file, key, &blob, err) != 0)
		return -1;
	ix->built = true;
	if (store_attach(&ix->st, &blob, key) == 0)
		return 0;
	return errmsg_set(err, "%s has more than an index can hold", ix->file->name);
}

int dwarf_index_open(struct dwarf_file *f, struct cache *c, struct dwarf_index **ret, char **err)
{
	struct dwarf_index *ix = g_new0(struct dwarf_index, 1);
	gint64 start = g_get_monotonic_time();
	uint64_t key, size;
	char *name, *what;
	int lock = -1, rc = 0;

	*ret = NULL;
	ix->file = f;
	key = index_key(f, &name, &size);
	if (!c || !load_kept(ix, c, name, key)) {
		if (c && !c->ephemeral && size >= LOCK_FROM) {
			what = g_strdup_printf("the index of %s", f->name);
			lock = cache_lock(c, strchr(name, '/') + 1, what, NULL);
			g_free(what);
		}
		/* another run may have built it while this one waited */
		if (lock < 0 || !load_kept(ix, c, name, key)) {
			rc = build(ix, key, err);
			/* the .dwo files may come */
			if (rc == 0 && c && !c->ephemeral && size >= KEEP_FROM && !ix->st.head->missing_splits)
				keep(ix, c, name);
		}
		cache_unlock(lock);
	}
	g_free(name);
	ix->seconds = (g_get_monotonic_time() - start) / 1e6;
	if (rc == 0)
		*ret = ix;
	else
		g_free(ix);
	return rc;
}

void dwarf_index_close(struct dwarf_index *ix)
{
	if (!ix)
		return;
	if (ix->lines)
		g_hash_table_destroy(ix->lines);
	dw_lines_free(&ix->scratch);
	store_close(&ix->st);
	g_free(ix);
}

static uint32_t count(const struct dwarf_index *ix, enum store_table t)
{
	uint32_t n;

	store_table((struct store *)&ix->st, t, &n);
	return n;
}

void dwarf_index_info(const struct dwarf_index *ix, struct dwarf_index_info *ret)
{
	*ret = (struct dwarf_index_info){ .cus = count(ix, ST_CUS), .files = count(ix, ST_FILES), .funcs = count(ix, ST_FUNCS),
		.inlined = count(ix, ST_INLINED), .labels = count(ix, ST_LABELS), .vars = count(ix, ST_VARS),
		.types = count(ix, ST_TYPES), .symbols = count(ix, ST_SYMBOLS), .damaged_cus = ix->st.head->damaged, .missing_splits = ix->st.head->missing_splits,
		.built = ix->built, .seconds = ix->seconds };
}

/* Records do not change what they are read from, but for sums seen. */
static const void *record(const struct dwarf_index *ix, enum store_table t, uint32_t i)
{
	return store_record((struct store *)&ix->st, t, i);
}

static const char *text(const struct dwarf_index *ix, uint32_t offset)
{
	return store_string((struct store *)&ix->st, offset);
}

const char *dwarf_index_file(const struct dwarf_index *ix, uint32_t file_id)
{
	const uint32_t *p = record(ix, ST_FILES, file_id);

	return p ? text(ix, *p) : NULL;
}

bool dwarf_index_cu(const struct dwarf_index *ix, uint32_t cu, struct dwarf_cu *ret)
{
	const struct store_cu *s = record(ix, ST_CUS, cu);

	*ret = (struct dwarf_cu){ 0 };
	if (!s)
		return false;
	*ret = (struct dwarf_cu){ .name = text(ix, s->name), .comp_dir = text(ix, s->comp_dir), .die_offset = s->root,
		.lang = s->lang, .flags = s->flags };
	return true;
}

static uint64_t die_of(const struct dwarf_index *ix, uint32_t cu, uint32_t die)
{
	const struct store_cu *s = record(ix, ST_CUS, cu);

	return s ? s->offset + die : 0;
}

bool dwarf_index_func(const struct dwarf_index *ix, uint32_t func, struct dwarf_func *ret)
{
	const struct store_func *s = record(ix, ST_FUNCS, func);

	*ret = (struct dwarf_func){ 0 };
	if (!s)
		return false;
	*ret = (struct dwarf_func){ .name = text(ix, s->name), .file = dwarf_index_file(ix, s->file), .file_id = s->file,
		.line = s->line, .cu = s->cu, .flags = s->flags, .origin = s->origin, .die_offset = die_of(ix, s->cu, s->die),
		.nranges = s->nranges };
	ret->qualified = s->qualified == s->name ? ret->name : text(ix, s->qualified);
	ret->linkage = s->linkage ? text(ix, s->linkage) : NULL;
	ret->symbol = s->symbol ? text(ix, s->symbol) : NULL;
	if (s->flags & DWARF_CONCRETE) {
		ret->entry_pc = index_address(ix, s->entry);
		ret->high_pc = index_address(ix, s->high);
		ret->prologue_pc = index_address(ix, s->prologue);
	}
	return true;
}

bool dwarf_index_inlined(const struct dwarf_index *ix, uint32_t inlined, struct dwarf_inlined *ret)
{
	const struct store_inlined *s = record(ix, ST_INLINED, inlined);
	const struct store_func *caller = s ? record(ix, ST_FUNCS, s->caller) : NULL;

	*ret = (struct dwarf_inlined){ 0 };
	if (!caller)
		return false;
	*ret = (struct dwarf_inlined){ .func = s->func, .caller = s->caller, .parent = s->parent, .cu = caller->cu,
		.die_offset = die_of(ix, caller->cu, s->die), .entry_pc = index_address(ix, s->entry),
		.call_file = dwarf_index_file(ix, s->call_file), .call_line = s->call_line };
	return true;
}

bool dwarf_index_label(const struct dwarf_index *ix, uint32_t label, struct dwarf_label *ret)
{
	const struct store_label *s = record(ix, ST_LABELS, label);
	const struct store_func *f = s ? record(ix, ST_FUNCS, s->func) : NULL;

	*ret = (struct dwarf_label){ 0 };
	if (!f)
		return false;
	*ret = (struct dwarf_label){ .name = text(ix, s->name), .func = s->func, .inlined = s->inlined,
		.die_offset = die_of(ix, f->cu, s->die), .pc = index_address(ix, s->pc), .file = dwarf_index_file(ix, s->file),
		.line = s->line };
	return true;
}

bool dwarf_index_var(const struct dwarf_index *ix, uint32_t var, struct dwarf_var *ret)
{
	const struct store_var *s = record(ix, ST_VARS, var);

	*ret = (struct dwarf_var){ 0 };
	if (!s)
		return false;
	*ret = (struct dwarf_var){ .name = text(ix, s->name), .file = dwarf_index_file(ix, s->file), .file_id = s->file,
		.line = s->line, .cu = s->cu, .flags = s->flags, .die_offset = die_of(ix, s->cu, s->die), .func = s->func };
	ret->qualified = s->qualified == s->name ? ret->name : text(ix, s->qualified);
	ret->linkage = s->linkage ? text(ix, s->linkage) : NULL;
	return true;
}

bool dwarf_index_type(const struct dwarf_index *ix, uint32_t type, struct dwarf_type *ret)
{
	const struct store_type *s = record(ix, ST_TYPES, type);

	*ret = (struct dwarf_type){ 0 };
	if (!s)
		return false;
	*ret = (struct dwarf_type){ .name = text(ix, s->name), .tag = s->tag, .flags = s->flags, .cu = s->cu, .size = s->size,
		.die_offset = die_of(ix, s->cu, s->die), .file = dwarf_index_file(ix, s->file), .line = s->line };
	ret->qualified = s->qualified == s->name ? ret->name : text(ix, s->qualified);
	return true;
}

bool dwarf_index_symbol(const struct dwarf_index *ix, uint32_t symbol, struct dwarf_symbol *ret)
{
	const struct store_symbol *s = record(ix, ST_SYMBOLS, symbol);

	*ret = (struct dwarf_symbol){ 0 };
	if (!s)
		return false;
	*ret = (struct dwarf_symbol){ .name = text(ix, s->name), .addr = s->addr, .size = s->size, .type = s->type,
		.bind = s->bind, .visibility = s->visibility };
	return true;
}

bool dwarf_index_die(struct dwarf_index *ix, uint32_t cu, uint64_t offset, Dwarf_Die *ret)
{
	const struct store_cu *s = record(ix, ST_CUS, cu);
	Dwarf *dw = s ? dwarf_file_dwarf(ix->file) : NULL;
	Dwarf_Die root, sub;
	uint8_t type;

	memset(ret, 0, sizeof(*ret));
	if (!dw)
		return false;
	switch ((enum store_set)s->set) {
	case STORE_MAIN: return dwarf_offdie(dw, offset, ret) != NULL;
	case STORE_TYPES: return dwarf_offdie_types(dw, offset, ret) != NULL;
	case STORE_ALT: return dwarf_getalt(dw) && dwarf_offdie(dwarf_getalt(dw), offset, ret) != NULL;
	case STORE_SPLIT:
		return dwarf_offdie(dw, s->root, &root) &&
		       dwarf_cu_info(root.cu, NULL, &type, NULL, &sub, NULL, NULL, NULL) == 0 && sub.cu &&
		       dwarf_offdie(dwarf_cu_getdwarf(sub.cu), offset, ret) != NULL;
	}
	return false;
}
