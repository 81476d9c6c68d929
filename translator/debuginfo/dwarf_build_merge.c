/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the workers' records to one list: references between DIEs followed, numbers given. */
#include "dwarf_build.h"
#include "dwarf_file.h"

#include <stdlib.h>

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One sorted list of paths, and for each worker what its ids became. */
static void merge_paths(struct build_merged *m)
{
	struct build *b = m->b;
	GHashTable *ids = g_hash_table_new(g_str_hash, g_str_equal);

	m->paths = g_ptr_array_new();
	for (unsigned i = 0; i < b->nworkers; i++)
		for (guint k = 0; k < b->workers[i].path_list->len; k++)
			if (g_hash_table_add(ids, b->workers[i].path_list->pdata[k]))
				g_ptr_array_add(m->paths, b->workers[i].path_list->pdata[k]);
	g_ptr_array_sort(m->paths, by_text);
	g_hash_table_remove_all(ids);
	for (guint k = 0; k < m->paths->len; k++)
		g_hash_table_insert(ids, m->paths->pdata[k], GUINT_TO_POINTER(k));
	m->file_map = g_new0(uint32_t *, b->nworkers);
	for (unsigned i = 0; i < b->nworkers; i++) {
		GPtrArray *list = b->workers[i].path_list;

		m->file_map[i] = g_new(uint32_t, list->len + 1);
		for (guint k = 0; k < list->len; k++)
			m->file_map[i][k] = GPOINTER_TO_UINT(g_hash_table_lookup(ids, list->pdata[k]));
	}
	g_hash_table_destroy(ids);
}

static uint32_t map_file(const struct build_merged *m, const struct build_unit *unit, uint32_t id)
{
	return id == NONE ? NONE : m->file_map[unit->worker][id];
}

/* Copies functions and inlined instances, in order of units. */
static void concatenate(struct build_merged *m)
{
	struct build *b = m->b;
	uint32_t nf = 0, ni = 0;

	for (unsigned i = 0; i < b->nworkers; i++) {
		nf += b->workers[i].funcs.n;
		ni += b->workers[i].inlined.n;
	}
	m->funcs = g_new(struct build_func, nf + 1);
	m->inlined = g_new(struct build_inlined, ni + 1);
	for (uint32_t u = 0; u < b->nunits; u++) {
		struct build_unit *unit = &b->units[u];
		struct build_worker *w = &b->workers[unit->worker];
		struct build_func *f = &m->funcs[m->nfuncs];
		struct build_inlined *in = &m->inlined[m->ninlined];

		if (unit->nfuncs)
			memcpy(f, (struct build_func *)w->funcs.data + unit->first_func, unit->nfuncs * sizeof(*f));
		if (unit->ninlined)
			memcpy(in, (struct build_inlined *)w->inlined.data + unit->first_inlined, unit->ninlined * sizeof(*in));
		for (uint32_t i = 0; i < unit->nfuncs; i++) {
			f[i].file = map_file(m, unit, f[i].file);
			f[i].first_inlined += m->ninlined;
			f[i].number = NONE;
		}
		for (uint32_t i = 0; i < unit->ninlined; i++) {
			in[i].caller += m->nfuncs;
			in[i].parent = in[i].parent == NONE ? NONE : in[i].parent + m->ninlined;
			in[i].file = map_file(m, unit, in[i].file);
		}
		unit->file = map_file(m, unit, unit->file);
		unit->first_func = m->nfuncs;
		unit->first_inlined = m->ninlined;
		m->nfuncs += unit->nfuncs;
		m->ninlined += unit->ninlined;
	}
}

/* The function whose DIE a reference names. */
static uint32_t func_of_ref(const struct build_merged *m, struct build_ref ref)
{
	uint32_t no = ref.set < 0 ? NONE : build_unit_of_ref(m->b, ref), lo, hi;

	if (no == NONE)
		return NONE;
	lo = m->b->units[no].first_func;
	hi = lo + m->b->units[no].nfuncs;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (m->funcs[mid].die < ref.offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->b->units[no].first_func + m->b->units[no].nfuncs && m->funcs[lo].die == ref.offset ? lo : NONE;
}

/* Takes names, places and flags from what a function refers to. */
static void inherit(struct build_merged *m, struct build_func *f, int depth)
{
	struct build_func *t;

	if (f->state)
		return;
	f->state = 1;
	f->target = func_of_ref(m, f->origin);
	f->abstract = NONE;
	if (f->target == NONE || depth > 8)
		return;
	t = &m->funcs[f->target];
	inherit(m, t, depth + 1);
	if (!f->name)
		f->name = t->name;
	if (!f->linkage)
		f->linkage = t->linkage;
	if (t->scope)
		f->scope = t->scope;
	if (f->file == NONE)
		f->file = t->file;
	if (!f->line)
		f->line = t->line;
	f->flags |= t->flags & (DWARF_EXTERNAL | DWARF_NORETURN | DWARF_PROTOTYPED | DWARF_ARTIFICIAL);
	if (f->is_origin)
		f->abstract = t->abstract != NONE ? t->abstract : f->target;
}

static void inherit_inlined(struct build_merged *m)
{
	for (uint32_t i = 0; i < m->ninlined; i++) {
		struct build_inlined *in = &m->inlined[i];

		in->func = func_of_ref(m, in->origin);
		if (in->func != NONE && m->funcs[in->func].abstract != NONE)
			in->func = m->funcs[in->func].abstract;
		in->bad = in->func == NONE || !m->funcs[in->func].name;
	}
}

static bool has_tail(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return strncmp(symbol, name, n) == 0 && symbol[n] == '.';
}

/* The symbol at a function's entry: its own name where there are several, and what its tail tells. */
static void take_symbol(struct build_merged *m, struct build_func *f)
{
	const char *want = f->linkage ? f->linkage : f->name, *tail;
	uint32_t s = build_symbol_at(m, f->entry);

	f->symbol = s;
	for (uint32_t i = s; i < m->nsymbols && m->symbols[i].addr == f->entry; i++)
		if (want && strcmp(m->symbols[i].name, want) == 0) {
			f->symbol = i;
			return;
		}
	for (uint32_t i = s; i < m->nsymbols && m->symbols[i].addr == f->entry; i++)
		if (want && has_tail(m->symbols[i].name, want)) {
			f->symbol = i;
			tail = m->symbols[i].name + strlen(want);
			/* .lto_priv.N is no clone, but a static function that was renamed */
			if (strncmp(tail, ".lto_priv", 9) != 0 && strncmp(tail, ".llvm.", 6) != 0)
				f->flags |= DWARF_CLONE;
			if (strstr(tail, ".part.") || strstr(tail, ".cold"))
				f->flags |= DWARF_PARTIAL;
			return;
		}
}

/* Those that the index keeps get their numbers; declarations and what nothing refers to go. */
static void number_funcs(struct build_merged *m)
{
	uint8_t *keep = g_malloc0(m->nfuncs + 1);

	for (uint32_t i = 0; i < m->nfuncs; i++) {
		struct build_func *f = &m->funcs[i];

		if (f->flags & DWARF_CONCRETE)
			take_symbol(m, f);
		if (!f->name)
			f->name = f->linkage ? f->linkage : f->symbol != NONE ? m->symbols[f->symbol].name : NULL;
		if (f->name && (f->flags & (DWARF_CONCRETE | DWARF_INLINE)))
			keep[i] = 1;
		if (keep[i] && f->abstract != NONE)
			keep[f->abstract] = 1;
	}
	for (uint32_t i = 0; i < m->ninlined; i++)
		if (!m->inlined[i].bad)
			keep[m->inlined[i].func] = 1;
	for (uint32_t i = 0; i < m->nfuncs; i++)
		if (keep[i] && m->funcs[i].name)
			m->funcs[i].number = m->nout++;
	g_free(keep);
}

static void number_inlined(struct build_merged *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->ninlined; i++) {
		struct build_inlined *in = &m->inlined[i];

		in->number = NONE;
		/* one left out hands its callers' chain on */
		while (in->parent != NONE && m->inlined[in->parent].number == NONE)
			in->parent = m->inlined[in->parent].parent;
		if (!in->bad && m->funcs[in->caller].number != NONE && m->funcs[in->func].number != NONE)
			in->number = n++;
	}
}

int build_merge(struct build *b, uint64_t key, struct blob *ret, char **err)
{
	struct build_merged m = { .b = b };
	int rc;

	merge_paths(&m);
	concatenate(&m);
	build_symbols(&m);
	for (uint32_t i = 0; i < m.nfuncs; i++)
		inherit(&m, &m.funcs[i], 0);
	inherit_inlined(&m);
	number_funcs(&m);
	number_inlined(&m);
	build_tables(&m);
	rc = build_assemble(&m, key, ret, err);
	for (int t = 0; t < ST_NTABLES; t++)
		g_free(m.table[t].data);
	for (unsigned i = 0; i < b->nworkers; i++)
		g_free(m.file_map[i]);
	g_free(m.file_map);
	g_ptr_array_free(m.paths, TRUE);
	g_free(m.funcs);
	g_free(m.inlined);
	g_free(m.symbols);
	g_string_chunk_free(m.plain_names);
	return rc;
}
