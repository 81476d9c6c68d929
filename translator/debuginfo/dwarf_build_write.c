/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The index's tables from merged records, strings, name lists, and the file as a whole. */
#include "dwarf_build.h"
#include "dwarf_file.h"
#include "errmsg.h"

#include <stdlib.h>

/* Strings of the index.  Most come as the same pointer again and again, so pointers are looked up before
 * texts. */
struct build_names {
	struct { const char *p; uint32_t off; } *slot;
	uint32_t n, room;          /* a power of two */
	GHashTable *texts;         /* text to offset */
	GByteArray *bytes;
};

static void names_grow(struct build_names *x)
{
	struct build_names old = *x;

	x->room = x->room ? x->room * 2 : 1 << 12;
	x->slot = g_malloc0_n(x->room, sizeof(*x->slot));
	for (uint32_t i = 0; i < old.room; i++) {
		uint32_t h;

		if (!old.slot[i].p)
			continue;
		h = (uint32_t)(((uintptr_t)old.slot[i].p * 0x9e3779b97f4a7c15ull) >> 32);
		while (x->slot[h & (x->room - 1)].p)
			h++;
		x->slot[h & (x->room - 1)] = old.slot[i];
	}
	g_free(old.slot);
}

/* Offset of a string in the index; 0 for NULL and "". */
static uint32_t build_string(struct build_merged *m, const char *s)
{
	struct build_names *x = m->names;
	gpointer found;
	uint32_t h, off;

	if (!s || !*s)
		return 0;
	if (x->n * 2 >= x->room)
		names_grow(x);
	h = (uint32_t)(((uintptr_t)s * 0x9e3779b97f4a7c15ull) >> 32);
	for (; x->slot[h & (x->room - 1)].p; h++)
		if (x->slot[h & (x->room - 1)].p == s)
			return x->slot[h & (x->room - 1)].off;
	if (g_hash_table_lookup_extended(x->texts, s, NULL, &found)) {
		off = GPOINTER_TO_UINT(found);
	} else {
		off = x->bytes->len;
		g_byte_array_append(x->bytes, (const guint8 *)s, strlen(s) + 1);
		g_hash_table_insert(x->texts, (gpointer)s, GUINT_TO_POINTER(off));
	}
	x->slot[h & (x->room - 1)].p = s;
	x->slot[h & (x->room - 1)].off = off;
	x->n++;
	return off;
}

static void *add(struct build_merged *m, enum store_table t)
{
	return build_list_add(&m->table[t], store_record_size(t));
}

static uint32_t distance(const struct build_merged *m, uint64_t addr)
{
	return addr - m->b->base;
}

/* A name and what has it; made to a sorted list of names with their records. */
struct named { uint32_t name, ref; };

static gint by_offset(gconstpointer a, gconstpointer b)
{
	const struct named *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->ref < y->ref ? -1 : x->ref > y->ref;
}

static gint by_name(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct store_name *x = a, *y = b;
	const struct build_merged *m = data;

	return strcmp((char *)m->names->bytes->data + x->name, (char *)m->names->bytes->data + y->name);
}

static void add_names(struct build_merged *m, GArray *list, enum store_table names, enum store_table refs)
{
	struct store_name *n = NULL;

	g_array_sort(list, by_offset);
	for (guint i = 0; i < list->len; i++) {
		const struct named *x = &g_array_index(list, struct named, i), *before = x - 1;

		if (i && before->name == x->name && before->ref == x->ref)
			continue;
		if (!n || n->name != x->name) {
			n = add(m, names);
			*n = (struct store_name){ .name = x->name, .first = m->table[refs].n };
		}
		n->n++;
		*(uint32_t *)add(m, refs) = x->ref;
	}
	if (m->table[names].n)
		g_qsort_with_data(m->table[names].data, m->table[names].n, sizeof(*n), by_name, m);
	g_array_free(list, TRUE);
}

static void name_add(GArray *list, uint32_t name, uint32_t ref)
{
	struct named x = { name, ref };

	if (name)
		g_array_append_val(list, x);
}

static void add_map(struct build_merged *m, enum store_table t, uint64_t low, uint64_t high, uint32_t what)
{
	struct store_map *r;

	if (low < m->b->base || high > m->b->limit || low >= high)
		return;
	r = add(m, t);
	*r = (struct store_map){ distance(m, low), distance(m, high), what };
}

static int by_low(const void *a, const void *b)
{
	const struct store_map *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1; /* what is inside comes behind what is around */
	return x->what < y->what ? -1 : x->what > y->what;
}

static void sort_map(struct build_merged *m, enum store_table t)
{
	if (m->table[t].n)
		qsort(m->table[t].data, m->table[t].n, sizeof(struct store_map), by_low);
}

static uint32_t qualified(struct build_merged *m, const char *scope, const char *name)
{
	char *text;
	uint32_t ret;

	if (!scope)
		return build_string(m, name);
	/* the table of strings keeps pointers, so this text has to stay */
	text = g_strconcat(scope, "::", name, NULL);
	ret = build_string(m, g_string_chunk_insert_const(m->b->workers[0].strings, text));
	g_free(text);
	return ret;
}

static void units(struct build_merged *m)
{
	for (uint32_t i = 0; i < m->b->nunits; i++) {
		struct build_unit *unit = &m->b->units[i];
		const struct build_worker *w = &m->b->workers[unit->worker];
		const struct build_range *r = (struct build_range *)w->ranges.data + unit->first_range;
		const uint32_t *files = (uint32_t *)w->cu_files.data + unit->first_file;
		struct store_cu *cu = add(m, ST_CUS);

		*cu = (struct store_cu){ .offset = unit->offset, .root = unit->root, .stmt_list = unit->stmt_list,
			.comp_dir = build_string(m, unit->comp_dir), .file = unit->file, .lang = unit->lang,
			.flags = unit->flags, .set = m->b->sets[unit->set].kind };
		cu->name = build_string(m, unit->file == NONE ? unit->name : m->paths->pdata[unit->file]);
		cu->first_func = m->table[ST_FUNCS].n;
		cu->first_file = m->table[ST_CU_FILES].n;
		cu->nfiles = unit->nfiles;
		for (uint32_t k = 0; k < unit->nfiles; k++)
			*(uint32_t *)add(m, ST_CU_FILES) = m->file_map[unit->worker][files[k]];
		for (uint32_t k = 0; k < unit->nranges; k++)
			add_map(m, ST_CU_MAP, r[k].low, r[k].high, i);
	}
	sort_map(m, ST_CU_MAP);
}

static void func_ranges(struct build_merged *m, const struct build_func *f, struct store_func *out)
{
	const struct build_worker *w = &m->b->workers[m->b->units[f->unit].worker];
	const struct build_range *r = (struct build_range *)w->ranges.data + f->first_range;

	out->entry = distance(m, f->entry);
	out->high = distance(m, f->high);
	out->prologue = distance(m, f->prologue);
	out->first_range = m->table[ST_RANGES].n;
	out->nranges = f->nranges;
	for (uint32_t i = 0; i < f->nranges; i++) {
		add_map(m, ST_FUNC_MAP, r[i].low, r[i].high, f->number);
		if (f->nranges > 1)
			*(struct store_range *)add(m, ST_RANGES) =
				(struct store_range){ distance(m, r[i].low), distance(m, r[i].high) };
	}
}

static void labels(struct build_merged *m, const struct build_func *f, struct store_func *out)
{
	const struct build_unit *unit = &m->b->units[f->unit];
	const struct build_worker *w = &m->b->workers[unit->worker];
	const struct build_label *l = (struct build_label *)w->labels.data + unit->first_label + f->first_label;

	out->first_label = m->table[ST_LABELS].n;
	for (uint32_t i = 0; i < f->nlabels; i++, l++) {
		struct store_label *s;
		uint32_t in = l->inlined == NONE ? NONE : m->inlined[unit->first_inlined + l->inlined].number;

		if (unit->first_func + l->func != (uint32_t)(f - m->funcs))
			continue; /* of a function inside this one */
		s = add(m, ST_LABELS);
		*s = (struct store_label){ .name = build_string(m, l->name), .func = f->number, .inlined = in,
			.die = l->die - unit->offset, .pc = distance(m, l->pc), .line = l->line,
			.file = l->file == NONE ? NONE : m->file_map[unit->worker][l->file] };
	}
	out->nlabels = m->table[ST_LABELS].n - out->first_label;
}

static void funcs(struct build_merged *m)
{
	for (uint32_t i = 0; i < m->nfuncs; i++) {
		const struct build_func *f = &m->funcs[i];
		struct store_func *out;
		struct store_func s;

		if (f->number == NONE)
			continue;
		s = (struct store_func){ .name = build_string(m, f->name), .qualified = qualified(m, f->scope, f->name),
			.linkage = build_string(m, f->linkage), .file = f->file, .line = f->line, .cu = f->unit,
			.flags = f->flags, .die = f->die - m->b->units[f->unit].offset,
			.origin = f->abstract == NONE ? NONE : m->funcs[f->abstract].number };
		if (f->symbol != NONE)
			s.symbol = build_string(m, m->symbols[f->symbol].name);
		if (f->flags & DWARF_CONCRETE)
			func_ranges(m, f, &s);
		labels(m, f, &s);
		out = add(m, ST_FUNCS);
		*out = s;
		((struct store_cu *)m->table[ST_CUS].data)[f->unit].nfuncs++;
	}
	for (uint32_t i = 0, next = 0; i < m->b->nunits; i++) {
		struct store_cu *cu = (struct store_cu *)m->table[ST_CUS].data + i;

		cu->first_func = next;
		next += cu->nfuncs;
	}
}

/* Where the code of a symbol without size ends: at the next symbol with another address. */
static uint64_t symbol_end(const struct build_merged *m, uint32_t i)
{
	const struct build_symbol *s = &m->symbols[i];
	uint32_t next = i + 1;

	if (s->size)
		return s->addr + s->size;
	while (next < m->nsymbols && m->symbols[next].addr == s->addr)
		next++;
	return next < m->nsymbols && m->symbols[next].addr - s->addr < 1 << 16 ? m->symbols[next].addr : s->addr + 1;
}

static bool is_function(const struct build_symbol *s)
{
	return s->type == STT_FUNC || s->type == STT_GNU_IFUNC;
}

/* Functions that only the symbol table knows, one for each address; their other names lead to them as well. */
static void symbol_funcs(struct build_merged *m, GHashTable *entries, GArray *names)
{
	uint64_t last = UINT64_MAX;

	for (uint32_t i = 0; i < m->nsymbols; i++) {
		const struct build_symbol *s = &m->symbols[i];
		uint64_t end = symbol_end(m, i);
		gpointer known;
		struct store_func *f;

		if (!is_function(s) || s->addr < m->b->base || s->addr >= m->b->limit)
			continue;
		if (g_hash_table_lookup_extended(entries, GSIZE_TO_POINTER(s->addr), NULL, &known)) {
			name_add(names, build_string(m, s->name), GPOINTER_TO_UINT(known));
			continue;
		}
		if (s->addr != last) {
			f = add(m, ST_FUNCS);
			*f = (struct store_func){ .name = build_string(m, s->name), .symbol = build_string(m, s->name),
				.file = NONE, .cu = NONE, .origin = NONE, .entry = distance(m, s->addr),
				.prologue = distance(m, s->addr), .nranges = 1,
				.flags = DWARF_SYMBOL_ONLY | DWARF_CONCRETE | (s->bind == STB_LOCAL ? 0 : DWARF_EXTERNAL) };
			f->qualified = f->name;
			f->high = distance(m, MIN(end, m->b->limit));
			add_map(m, ST_FUNC_MAP, s->addr, MIN(end, m->b->limit), m->table[ST_FUNCS].n - 1);
			last = s->addr;
		}
		name_add(names, build_string(m, s->name), m->table[ST_FUNCS].n - 1);
	}
}

static void func_names(struct build_merged *m)
{
	GArray *names = g_array_new(FALSE, FALSE, sizeof(struct named));
	GHashTable *entries = g_hash_table_new(NULL, NULL);
	const struct store_func *f = m->table[ST_FUNCS].data;

	for (uint32_t i = 0; i < m->table[ST_FUNCS].n; i++) {
		name_add(names, f[i].name, i);
		if (f[i].flags & DWARF_CONCRETE)
			g_hash_table_insert(entries, GSIZE_TO_POINTER(m->b->base + f[i].entry), GUINT_TO_POINTER(i));
	}
	symbol_funcs(m, entries, names);
	sort_map(m, ST_FUNC_MAP);
	g_hash_table_destroy(entries);
	add_names(m, names, ST_FUNC_NAMES, ST_FUNC_REFS);
}

static void inlined(struct build_merged *m)
{
	struct store_func *funcs = m->table[ST_FUNCS].data;

	for (uint32_t i = 0; i < m->ninlined; i++) {
		const struct build_inlined *in = &m->inlined[i];
		const struct build_func *caller = &m->funcs[in->caller];
		struct store_inlined *s;
		struct store_func *c;

		if (in->number == NONE)
			continue;
		c = &funcs[caller->number];
		if (c->ninlined == 0)
			c->first_inlined = in->number;
		c->ninlined = in->number + 1 - c->first_inlined;
		s = add(m, ST_INLINED);
		*s = (struct store_inlined){ .func = m->funcs[in->func].number, .caller = caller->number,
			.parent = in->parent == NONE ? NONE : m->inlined[in->parent].number,
			.die = in->die - m->b->units[caller->unit].offset, .entry = distance(m, in->entry),
			.call_file = in->file, .call_line = in->line };
		funcs[s->func].ninstances++;
	}
}

static gint instance_order(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct store_inlined *in = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (in[x].entry != in[y].entry)
		return in[x].entry < in[y].entry ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Instances grouped by abstract function: counted before, now placed. */
static void instances(struct build_merged *m)
{
	struct store_func *f = m->table[ST_FUNCS].data;
	const struct store_inlined *in = m->table[ST_INLINED].data;
	uint32_t n = m->table[ST_FUNCS].n, next = 0, *list;

	for (uint32_t i = 0; i < n; i++) {
		f[i].first_instance = next;
		next += f[i].ninstances;
		f[i].ninstances = 0;
	}
	for (uint32_t i = 0; i < next; i++)
		add(m, ST_INSTANCES);
	list = m->table[ST_INSTANCES].data;
	for (uint32_t i = 0; i < m->table[ST_INLINED].n; i++) {
		struct store_func *t = &f[in[i].func];

		list[t->first_instance + t->ninstances++] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		if (f[i].ninstances > 1)
			g_qsort_with_data(list + f[i].first_instance, f[i].ninstances, sizeof(*list), instance_order,
					  (gpointer)in);
}

/* The scope in which a static member was declared. */
static const char *declared_scope(struct build_merged *m, const struct build_var *v)
{
	uint32_t no = v->origin.set < 0 ? NONE : build_unit_of_ref(m->b, v->origin);
	const struct build_unit *unit;
	const struct build_var *list;
	uint32_t lo = 0, hi;

	if (no == NONE)
		return NULL;
	unit = &m->b->units[no];
	list = (struct build_var *)m->b->workers[unit->worker].vars.data + unit->first_var;
	for (hi = unit->nvars; lo < hi; ) {
		uint32_t mid = (lo + hi) / 2;

		if (list[mid].die < v->origin.offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < unit->nvars && list[lo].die == v->origin.offset ? list[lo].scope : NULL;
}

static void vars(struct build_merged *m)
{
	GArray *names = g_array_new(FALSE, FALSE, sizeof(struct named));

	for (uint32_t u = 0; u < m->b->nunits; u++) {
		const struct build_unit *unit = &m->b->units[u];
		const struct build_var *v = (struct build_var *)m->b->workers[unit->worker].vars.data + unit->first_var;

		for (uint32_t i = 0; i < unit->nvars; i++, v++) {
			const char *scope = declared_scope(m, v);
			struct store_var *s;

			if (!v->has_place)
				continue;
			s = add(m, ST_VARS);
			*s = (struct store_var){ .name = build_string(m, v->name), .linkage = build_string(m, v->linkage),
				.qualified = qualified(m, scope ? scope : v->scope, v->name), .line = v->line, .cu = u,
				.flags = v->flags, .die = v->die - unit->offset, .func = NONE,
				.file = v->file == NONE ? NONE : m->file_map[unit->worker][v->file] };
			if (v->func != NONE)
				s->func = m->funcs[unit->first_func + v->func].number;
			name_add(names, s->name, m->table[ST_VARS].n - 1);
		}
	}
	add_names(m, names, ST_VAR_NAMES, ST_VAR_REFS);
}

static gint type_order(gconstpointer a, gconstpointer b)
{
	const struct build_type *x = *(struct build_type *const *)a, *y = *(struct build_type *const *)b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

/* What the workers have of types, each once. */
static GPtrArray *all_types(struct build_merged *m)
{
	struct build *b = m->b;
	GPtrArray *list = g_ptr_array_new();
	GHashTableIter it;
	gpointer key;

	for (unsigned i = 0; i < b->nworkers; i++) {
		/* file ids change, and with them what is equal, so the tables are done with */
		g_hash_table_iter_init(&it, b->workers[i].types);
		while (g_hash_table_iter_next(&it, &key, NULL)) {
			struct build_type *t = key;

			t->file = t->file == NONE ? NONE : m->file_map[i][t->file];
			g_ptr_array_add(list, t);
		}
	}
	g_ptr_array_sort(list, type_order);
	return list;
}

static void types(struct build_merged *m)
{
	GArray *names = g_array_new(FALSE, FALSE, sizeof(struct named));
	GHashTable *seen = g_hash_table_new(build_type_hash, build_type_equal);
	GPtrArray *list = all_types(m);

	for (guint i = 0; i < list->len; i++) {
		const struct build_type *t = list->pdata[i];
		struct store_type *s;

		if (!g_hash_table_add(seen, (gpointer)t))
			continue;
		s = add(m, ST_TYPES);
		*s = (struct store_type){ .name = build_string(m, t->name), .qualified = qualified(m, t->scope, t->name),
			.tag = t->tag, .flags = t->flags, .cu = t->unit, .die = t->die - m->b->units[t->unit].offset,
			.size = t->size, .file = t->file, .line = t->line };
		name_add(names, s->name, m->table[ST_TYPES].n - 1);
	}
	g_ptr_array_free(list, TRUE);
	g_hash_table_destroy(seen);
	add_names(m, names, ST_TYPE_NAMES, ST_TYPE_REFS);
}

static void symbols(struct build_merged *m)
{
	GArray *names = g_array_new(FALSE, FALSE, sizeof(struct named));

	for (uint32_t i = 0; i < m->nsymbols; i++) {
		const struct build_symbol *s = &m->symbols[i];
		struct store_symbol *out = add(m, ST_SYMBOLS);

		*out = (struct store_symbol){ .addr = s->addr, .size = s->size, .name = build_string(m, s->name),
			.type = s->type, .bind = s->bind, .visibility = s->visibility };
		name_add(names, out->name, i);
	}
	add_names(m, names, ST_SYMBOL_NAMES, ST_SYMBOL_REFS);
}

void build_tables(struct build_merged *m)
{
	struct build_names names = { .texts = g_hash_table_new(g_str_hash, g_str_equal), .bytes = g_byte_array_new() };

	m->names = &names;
	g_byte_array_append(names.bytes, (const guint8 *)"", 1);
	for (guint i = 0; i < m->paths->len; i++)
		*(uint32_t *)add(m, ST_FILES) = build_string(m, m->paths->pdata[i]);
	units(m);
	funcs(m);
	inlined(m);
	func_names(m);
	instances(m);
	vars(m);
	types(m);
	symbols(m);
	m->table[ST_STRINGS] = (struct build_list){ .data = g_memdup2(names.bytes->data, names.bytes->len),
		.n = names.bytes->len, .room = names.bytes->len };
	g_byte_array_free(names.bytes, TRUE);
	g_hash_table_destroy(names.texts);
	g_free(names.slot);
	m->names = NULL;
}

int build_assemble(struct build_merged *m, uint64_t key, struct blob *ret, char **err)
{
	uint64_t size = (sizeof(struct store_header) + 7) & ~7ull, offset = size;
	struct store_header *h;

	for (int t = 0; t < ST_NTABLES; t++)
		size += ((uint64_t)m->table[t].n * store_record_size(t) + 7) & ~7ull;
	h = malloc(size);
	if (!h)
		return errmsg_set(err, "out of memory for the index of %s (%llu MiB)", m->b->file->name,
				  (unsigned long long)size >> 20);
	memset(h, 0, sizeof(*h));
	store_header_init(h, key, m->b->base);
	h->damaged = m->b->damaged;
	h->missing_splits = m->b->missing_splits;
	for (int t = 0; t < ST_NTABLES; t++) {
		uint64_t bytes = (uint64_t)m->table[t].n * store_record_size(t), padded = (bytes + 7) & ~7ull;

		h->table[t].offset = offset;
		h->table[t].count = m->table[t].n;
		if (bytes)
			memcpy((char *)h + offset, m->table[t].data, bytes);
		memset((char *)h + offset + bytes, 0, padded - bytes);
		h->table[t].sum = store_sum((char *)h + offset, bytes);
		offset += padded;
	}
	h->sum = store_sum(h, offsetof(struct store_header, sum));
	*ret = (struct blob){ .data = h, .size = size };
	return 0;
}
