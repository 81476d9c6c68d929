/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the index: functions, instances, variables, types, symbols, by name, file and address. */
#include "dwarf_index_priv.h"
#include "name_glob.h"

#include <dwarf.h>
#include <stdlib.h>

static GArray *list_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

/* Marks the files that match; the number of them. */
static unsigned mark_files(struct dwarf_index *ix, const char *pattern, uint8_t *mask)
{
	uint32_t n;
	const uint32_t *files = store_table(&ix->st, ST_FILES, &n);
	unsigned found = 0;

	for (uint32_t i = 0; i < n; i++)
		if (dwarf_file_pattern_match(pattern, store_string(&ix->st, files[i]))) {
			mask[i] = 1;
			found++;
		}
	return found;
}

/*
 * An absolute path of another tree than that of the build: its trailing components, as long as needed to be the
 * only file with them.
 */
static void mark_other_tree(struct dwarf_index *ix, const char *path, uint8_t *mask, uint32_t n)
{
	for (const char *p = path + 1; *p; p = strchr(p, '/') + 1) {
		unsigned found;

		/* one component alone says too little */
		if (!strchr(p, '/'))
			return;
		found = mark_files(ix, p, mask);
		if (found == 1)
			return;
		memset(mask, 0, n);
		if (found > 1)
			return;
	}
}

uint8_t *index_file_mask(struct dwarf_index *ix, const char *pattern)
{
	uint32_t n;
	char *canonical, *real;
	const char *p;
	uint8_t *mask;

	if (!pattern)
		return NULL;
	store_table(&ix->st, ST_FILES, &n);
	mask = g_malloc0(n + 1);
	canonical = dwarf_canonical_path(NULL, pattern);
	for (p = canonical; strncmp(p, "../", 3) == 0; p += 3)
		;
	if (mark_files(ix, p, mask) == 0 && strchr(p, '/') && !name_is_glob(p)) {
		real = realpath(*p == '/' ? p : pattern, NULL);
		if ((!real || mark_files(ix, real, mask) == 0) && *p == '/')
			mark_other_tree(ix, p, mask, n);
		free(real);
	}
	g_free(canonical);
	return mask;
}

GArray *dwarf_index_files(struct dwarf_index *ix, const char *file)
{
	uint8_t *mask = index_file_mask(ix, file);
	GArray *ret = list_new();
	uint32_t n;

	store_table(&ix->st, ST_FILES, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!mask || mask[i])
			g_array_append_val(ret, i);
	g_free(mask);
	return ret;
}

GArray *dwarf_index_cus(struct dwarf_index *ix, const char *file, bool any_line)
{
	uint8_t *mask = index_file_mask(ix, file);
	GArray *ret = list_new();
	uint32_t n, nfiles, got;
	const struct store_cu *cus = store_table(&ix->st, ST_CUS, &n);

	store_table(&ix->st, ST_FILES, &nfiles);
	for (uint32_t i = 0; i < n; i++) {
		bool hit = !mask || (cus[i].file < nfiles && mask[cus[i].file]);
		const uint32_t *files = store_slice(&ix->st, ST_CU_FILES, cus[i].first_file, cus[i].nfiles, &got);

		for (uint32_t k = 0; any_line && !hit && k < got; k++)
			hit = files[k] < nfiles && mask[files[k]];
		if (hit)
			g_array_append_val(ret, i);
	}
	g_free(mask);
	return ret;
}

/* Does a pattern of scopes mean this name?  One that begins with "::" means it from its first scope on. */
static bool scopes_match(const char *pattern, const char *qualified)
{
	return strncmp(pattern, "::", 2) == 0 ? name_glob(pattern + 2, qualified) : name_glob_end(pattern, qualified, "::");
}

static bool linkage_match(const char *pattern, const char *linkage, bool parameters)
{
	char *plain;
	bool ok;

	if (name_glob(pattern, linkage))
		return true;
	plain = dwarf_demangle(linkage, parameters);
	ok = plain && name_glob(pattern, plain);
	g_free(plain);
	return ok;
}

/* The records of a names table (names, refs) whose name matches; appended. */
static void refs_by_name(struct dwarf_index *ix, enum store_table names, enum store_table refs, const char *pattern, GArray *ret)
{
	uint32_t n, got, lo = 0, hi;
	const struct store_name *list = store_table(&ix->st, names, &n);
	size_t prefix = name_glob_prefix(pattern);
	bool exact = !pattern[prefix];

	/* names are sorted: start where the part before the first wildcard does */
	for (hi = n; lo < hi; ) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strncmp(store_string(&ix->st, list[mid].name), pattern, exact ? SIZE_MAX : prefix) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n; lo++) {
		const char *name = store_string(&ix->st, list[lo].name);
		const uint32_t *slice;

		if (exact ? strcmp(name, pattern) != 0 : strncmp(name, pattern, prefix) != 0)
			break;
		if (!exact && strcmp(pattern + prefix, "*") != 0 && !name_glob(pattern, name))
			continue;
		slice = store_slice(&ix->st, refs, list[lo].first, list[lo].n, &got);
		g_array_append_vals(ret, slice, got);
	}
}

/* Over records with a qualified and a linkage name: those that a pattern with scopes or a mangled one means. */
static void refs_by_scope(struct dwarf_index *ix, enum store_table t, const char *pattern, GArray *ret)
{
	bool parameters = strchr(pattern, '(') != NULL, scopes = strstr(pattern, "::") != NULL;
	bool wide = scopes || parameters || g_str_has_prefix(pattern, "_Z") || g_str_has_prefix(pattern, "_R");
	uint32_t n;

	store_table(&ix->st, t, &n);
	if (!wide)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const void *rec = store_record(&ix->st, t, i);
		/* functions and variables begin with the same three names */
		const uint32_t *name = rec;
		bool hit = scopes && name[1] != name[0] && scopes_match(pattern, store_string(&ix->st, name[1]));

		if (!hit && name[2])
			hit = linkage_match(pattern, store_string(&ix->st, name[2]), parameters);
		else if (!hit && t == ST_FUNCS && (((const struct store_func *)rec)->flags & DWARF_SYMBOL_ONLY))
			hit = linkage_match(pattern, store_string(&ix->st, name[0]), parameters);
		if (hit)
			g_array_append_val(ret, i);
	}
}

static gint by_number(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void unique(GArray *a)
{
	guint k = 0;
	uint32_t *p = (uint32_t *)a->data;

	g_array_sort(a, by_number);
	for (guint i = 0; i < a->len; i++)
		if (i == 0 || p[i] != p[i - 1])
			p[k++] = p[i];
	g_array_set_size(a, k);
}

/* Numbers of all records of a table, or those whose names match. */
static GArray *candidates(struct dwarf_index *ix, enum store_table t, enum store_table names, enum store_table refs,
			  const char *pattern)
{
	GArray *ret = list_new();
	uint32_t n;

	if (!pattern || strcmp(pattern, "*") == 0) {
		store_table(&ix->st, t, &n);
		g_array_set_size(ret, n);
		for (uint32_t i = 0; i < n; i++)
			g_array_index(ret, uint32_t, i) = i;
		return ret;
	}
	refs_by_name(ix, names, refs, pattern, ret);
	refs_by_scope(ix, t, pattern, ret);
	unique(ret);
	return ret;
}

static bool file_hit(struct dwarf_index *ix, const uint8_t *mask, uint32_t nfiles, uint32_t file, uint32_t cu)
{
	const struct store_cu *s;

	if (!mask)
		return true;
	if (file < nfiles)
		return mask[file];
	s = store_record(&ix->st, ST_CUS, cu);
	return s && s->file < nfiles && mask[s->file];
}

static bool func_wanted(const struct store_func *f, unsigned want, bool any_file)
{
	if (f->flags & DWARF_SYMBOL_ONLY)
		return (want & DWARF_WANT_SYMBOLS) && any_file;
	if (f->flags & DWARF_CONCRETE)
		return (want & DWARF_WANT_CONCRETE) && (!(f->flags & DWARF_PARTIAL) || (want & DWARF_WANT_PARTIAL));
	return want & DWARF_WANT_ABSTRACT;
}

static gint func_order(gconstpointer a, gconstpointer b, gpointer data)
{
	struct dwarf_index *ix = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct store_func *f = store_record(&ix->st, ST_FUNCS, x), *g = store_record(&ix->st, ST_FUNCS, y);

	if (f->name != g->name)
		return strcmp(store_string(&ix->st, f->name), store_string(&ix->st, g->name));
	if ((f->flags & DWARF_CONCRETE) && (g->flags & DWARF_CONCRETE) && f->entry != g->entry)
		return f->entry < g->entry ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Of concrete functions at one address the first is kept. */
static void drop_same_entries(struct dwarf_index *ix, GArray *list)
{
	GHashTable *seen = g_hash_table_new(NULL, NULL);
	guint k = 0;

	for (guint i = 0; i < list->len; i++) {
		uint32_t no = g_array_index(list, uint32_t, i);
		const struct store_func *f = store_record(&ix->st, ST_FUNCS, no);

		if ((f->flags & DWARF_CONCRETE) && !g_hash_table_add(seen, GUINT_TO_POINTER(f->entry + 1)))
			continue;
		g_array_index(list, uint32_t, k++) = no;
	}
	g_array_set_size(list, k);
	g_hash_table_destroy(seen);
}

GArray *dwarf_index_funcs(struct dwarf_index *ix, const char *name, const char *file, unsigned want)
{
	GArray *list = candidates(ix, ST_FUNCS, ST_FUNC_NAMES, ST_FUNC_REFS, name);
	uint8_t *mask = index_file_mask(ix, file);
	uint32_t nfiles;
	guint k = 0;

	store_table(&ix->st, ST_FILES, &nfiles);
	for (guint i = 0; i < list->len; i++) {
		uint32_t no = g_array_index(list, uint32_t, i);
		const struct store_func *f = store_record(&ix->st, ST_FUNCS, no);

		if (f && func_wanted(f, want, !mask) && file_hit(ix, mask, nfiles, f->file, f->cu))
			g_array_index(list, uint32_t, k++) = no;
	}
	g_array_set_size(list, k);
	g_free(mask);
	g_array_sort_with_data(list, func_order, ix);
	drop_same_entries(ix, list);
	return list;
}

static GArray *slice_list(struct dwarf_index *ix, enum store_table t, uint32_t first, uint32_t n)
{
	GArray *ret = list_new();
	uint32_t got;
	const uint32_t *p = store_slice(&ix->st, t, first, n, &got);

	if (got)
		g_array_append_vals(ret, p, got);
	return ret;
}

GArray *dwarf_index_inlined_of(struct dwarf_index *ix, uint32_t func)
{
	const struct store_func *f = store_record(&ix->st, ST_FUNCS, func);

	return slice_list(ix, ST_INSTANCES, f ? f->first_instance : 0, f ? f->ninstances : 0);
}

GArray *dwarf_index_inlined_in(struct dwarf_index *ix, uint32_t func)
{
	const struct store_func *f = store_record(&ix->st, ST_FUNCS, func);
	GArray *ret = list_new();

	for (uint32_t i = 0; f && i < f->ninlined; i++) {
		uint32_t no = f->first_inlined + i;
		const struct store_inlined *in = store_record(&ix->st, ST_INLINED, no);

		if (!in)
			break; /* an index that was damaged says more than it has */
		/* functions inside the function have theirs in between */
		if (in->caller == func)
			g_array_append_val(ret, no);
	}
	return ret;
}

GArray *dwarf_index_labels(struct dwarf_index *ix, uint32_t func, const char *name)
{
	const struct store_func *f = store_record(&ix->st, ST_FUNCS, func);
	GArray *ret = list_new();

	for (uint32_t i = 0; f && i < f->nlabels; i++) {
		uint32_t no = f->first_label + i;
		const struct store_label *l = store_record(&ix->st, ST_LABELS, no);

		if (!l)
			break;
		if (!name || name_glob(name, store_string(&ix->st, l->name)))
			g_array_append_val(ret, no);
	}
	return ret;
}

GArray *dwarf_index_func_ranges(struct dwarf_index *ix, uint32_t func)
{
	const struct store_func *f = store_record(&ix->st, ST_FUNCS, func);
	GArray *ret = g_array_new(FALSE, FALSE, sizeof(struct dwarf_range));

	if (!f || !(f->flags & DWARF_CONCRETE))
		return ret;
	if (f->nranges <= 1) {
		/* the entry may lie behind the start, but nobody is known to do that with one range */
		struct dwarf_range r = { index_address(ix, f->entry), index_address(ix, f->high) };

		g_array_append_val(ret, r);
	}
	for (uint32_t i = 0; f->nranges > 1 && i < f->nranges; i++) {
		const struct store_range *s = store_record(&ix->st, ST_RANGES, f->first_range + i);
		struct dwarf_range r;

		if (!s)
			break;
		r = (struct dwarf_range){ index_address(ix, s->low), index_address(ix, s->high) };
		g_array_append_val(ret, r);
	}
	return ret;
}

/* What a map says of an address: the innermost of what covers it. */
static uint32_t map_at(struct dwarf_index *ix, enum store_table t, uint64_t addr)
{
	uint32_t n, at, lo = 0, hi;
	const struct store_map *map = store_table(&ix->st, t, &n);

	if (!index_distance(ix, addr, &at))
		return DWARF_NONE;
	for (hi = n; lo < hi; ) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (map[mid].low <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* the last that begins before it; one around it may have begun some entries earlier */
	for (uint32_t i = lo; i > 0 && lo - i < 64; i--)
		if (at < map[i - 1].high)
			return map[i - 1].what;
	return DWARF_NONE;
}

uint32_t dwarf_index_func_at(struct dwarf_index *ix, uint64_t addr)
{
	return map_at(ix, ST_FUNC_MAP, addr);
}

uint32_t dwarf_index_cu_at(struct dwarf_index *ix, uint64_t addr)
{
	uint32_t cu = map_at(ix, ST_CU_MAP, addr), func;
	const struct store_func *f;

	if (cu != DWARF_NONE)
		return cu;
	func = dwarf_index_func_at(ix, addr);
	f = store_record(&ix->st, ST_FUNCS, func);
	return f ? f->cu : DWARF_NONE;
}

GArray *dwarf_index_inlined_at(struct dwarf_index *ix, uint64_t addr)
{
	uint32_t func = dwarf_index_func_at(ix, addr), parent = DWARF_NONE;
	GArray *all = dwarf_index_inlined_in(ix, func), *ret = list_new();

	/* parents come before what is in them */
	for (guint i = 0; i < all->len; i++) {
		uint32_t no = g_array_index(all, uint32_t, i);
		struct dwarf_inlined in;
		Dwarf_Die die;

		if (!dwarf_index_inlined(ix, no, &in) || in.parent != parent || !dwarf_index_die(ix, in.cu, in.die_offset, &die) ||
		    dwarf_haspc(&die, addr) <= 0)
			continue;
		g_array_append_val(ret, no);
		parent = no;
	}
	g_array_free(all, TRUE);
	return ret;
}

GArray *dwarf_index_vars(struct dwarf_index *ix, const char *name, const char *file, bool locals)
{
	GArray *list = candidates(ix, ST_VARS, ST_VAR_NAMES, ST_VAR_REFS, name);
	uint8_t *mask = index_file_mask(ix, file);
	uint32_t nfiles;
	guint k = 0;

	store_table(&ix->st, ST_FILES, &nfiles);
	for (guint i = 0; i < list->len; i++) {
		uint32_t no = g_array_index(list, uint32_t, i);
		const struct store_var *v = store_record(&ix->st, ST_VARS, no);

		if (v && (locals || !(v->flags & DWARF_LOCAL)) && file_hit(ix, mask, nfiles, v->file, v->cu))
			g_array_index(list, uint32_t, k++) = no;
	}
	g_array_set_size(list, k);
	g_free(mask);
	return list;
}

static gint type_order(gconstpointer a, gconstpointer b, gpointer data)
{
	struct dwarf_index *ix = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct store_type *s = store_record(&ix->st, ST_TYPES, x), *t = store_record(&ix->st, ST_TYPES, y);
	int d = (int)(s->flags & DWARF_DECLARATION) - (int)(t->flags & DWARF_DECLARATION);

	return d ? d : x < y ? -1 : x > y;
}

GArray *dwarf_index_types(struct dwarf_index *ix, int tag, const char *name)
{
	const char *last = g_strrstr(name, "::");
	uint32_t n, got, lo = 0, hi;
	const struct store_name *list = store_table(&ix->st, ST_TYPE_NAMES, &n);
	const char *plain = last ? last + 2 : name;
	GArray *ret = list_new();
	const uint32_t *refs;

	for (hi = n; lo < hi; ) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(store_string(&ix->st, list[mid].name), plain) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == n || strcmp(store_string(&ix->st, list[lo].name), plain) != 0)
		return ret;
	refs = store_slice(&ix->st, ST_TYPE_REFS, list[lo].first, list[lo].n, &got);
	for (uint32_t i = 0; i < got; i++) {
		const struct store_type *t = store_record(&ix->st, ST_TYPES, refs[i]);

		if (t && (!tag || (int)t->tag == tag) && (!last || scopes_match(name, store_string(&ix->st, t->qualified))))
			g_array_append_val(ret, refs[i]);
	}
	g_array_sort_with_data(ret, type_order, ix);
	return ret;
}

void dwarf_index_type_names(struct dwarf_index *ix, int tag, void (*fn)(void *data, const char *name), void *data)
{
	uint32_t n, got;
	const struct store_name *list = store_table(&ix->st, ST_TYPE_NAMES, &n);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *refs = store_slice(&ix->st, ST_TYPE_REFS, list[i].first, list[i].n, &got);

		for (uint32_t k = 0; k < got; k++) {
			const struct store_type *t = store_record(&ix->st, ST_TYPES, refs[k]);

			if (t && (!tag || (int)t->tag == tag)) {
				fn(data, store_string(&ix->st, list[i].name));
				break;
			}
		}
	}
}

GArray *dwarf_index_symbols(struct dwarf_index *ix, const char *name, bool functions_only)
{
	GArray *ret = list_new(), *all = list_new();

	refs_by_name(ix, ST_SYMBOL_NAMES, ST_SYMBOL_REFS, name ? name : "*", all);
	for (guint i = 0; i < all->len; i++) {
		uint32_t no = g_array_index(all, uint32_t, i);
		const struct store_symbol *s = store_record(&ix->st, ST_SYMBOLS, no);

		if (s && (!functions_only || s->type == STT_FUNC || s->type == STT_GNU_IFUNC))
			g_array_append_val(ret, no);
	}
	g_array_free(all, TRUE);
	/* numbers are in order of addresses */
	unique(ret);
	return ret;
}

uint32_t dwarf_index_symbol_at(struct dwarf_index *ix, uint64_t addr)
{
	uint32_t n, lo = 0, hi, first;
	const struct store_symbol *s = store_table(&ix->st, ST_SYMBOLS, &n);

	for (hi = n; lo < hi; ) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return DWARF_NONE;
	/* of those at one address the best comes first */
	for (first = lo - 1; first > 0 && s[first - 1].addr == s[lo - 1].addr; first--)
		;
	if (s[first].size ? addr - s[first].addr < s[first].size : s[first].type != STT_TLS)
		return first;
	/* one that began earlier may still cover it */
	for (uint32_t i = first; i > 0 && first - i < 64; i--)
		if (s[i - 1].size && s[i - 1].type != STT_TLS && addr - s[i - 1].addr < s[i - 1].size)
			return i - 1;
	return DWARF_NONE;
}
