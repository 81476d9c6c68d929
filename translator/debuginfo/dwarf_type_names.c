/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types, functions and enumerators of a DWARF file by name (dwarf_type.h): one look through all units, at first use. */
#include "dwarf_type.h"
#include "dwarf_index.h"

#include <dwarf.h>
#include <string.h>

#define MAX_NESTING 32 /* namespaces and classes in each other; more is damaged data */

struct dw_names {
	GHashTable *types;         /* name, plain and qualified, to GArray of Dwarf_Die */
	GHashTable *funcs;         /* name to GArray of Dwarf_Die */
	GHashTable *enumerators;   /* name to int64_t * */
	GHashTable *qualified;     /* address of an entry to its name with scopes */
};

static void die_list_free(gpointer data)
{
	g_array_free(data, TRUE);
}

static void list_add(GHashTable *table, const char *name, const Dwarf_Die *die)
{
	GArray *list = g_hash_table_lookup(table, name);

	if (!list) {
		list = g_array_new(FALSE, FALSE, sizeof(Dwarf_Die));
		g_hash_table_insert(table, (gpointer)name, list);
	}
	g_array_append_val(list, *die);
}

/* ---- the look through all units ---- */

static void add_enumerator(void *enumerators, const char *name, int64_t value)
{
	if (*name && !g_hash_table_contains(enumerators, name))
		g_hash_table_insert(enumerators, (gpointer)name, g_memdup2(&value, sizeof(value)));
}

static void add_enumerators(struct dw_types *dt, Dwarf_Die *die)
{
	const struct ctype *t = die_flag(die, DW_AT_declaration) ? NULL : dwarf_type(&dt->src, die);

	if (t && t->kind == CTYPE_ENUM)
		t->source->ops->each_enumerator(t->source, t, add_enumerator, dt->names->enumerators);
}

/* Enters a type under its own name, and under the one with scopes if it has any. */
static void add_type(struct dw_types *dt, Dwarf_Die *die, const char *name, const char *qualified)
{
	if (name != qualified)
		g_hash_table_insert(dt->names->qualified, die->addr, (gpointer)qualified);
	list_add(dt->names->types, name, die);
	if (name != qualified)
		list_add(dt->names->types, qualified, die);
}

static const char *scoped(struct dw_types *dt, const char *prefix, const char *name)
{
	char *ret;

	if (!*prefix)
		return name;
	ret = g_strconcat(prefix, "::", name, NULL);
	g_ptr_array_add(dt->strings, ret);
	return ret;
}

static void scan_children(struct dw_types *dt, Dwarf_Die *die, const char *prefix, int depth)
{
	Dwarf_Die c;

	for (bool more = depth < MAX_NESTING && die_first(die, &c); more; more = die_next(&c)) {
		const char *name = die_name(&c);

		switch (dwarf_tag(&c)) {
		case DW_TAG_namespace:
			scan_children(dt, &c, *name ? scoped(dt, prefix, name) : prefix, depth + 1);
			break;
		case DW_TAG_enumeration_type:
			add_enumerators(dt, &c);
			/* fall through */
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (*name)
				add_type(dt, &c, name, scoped(dt, prefix, name));
			if (dwarf_tag(&c) != DW_TAG_enumeration_type)
				scan_children(dt, &c, *name ? scoped(dt, prefix, name) : prefix, depth + 1);
			break;
		case DW_TAG_typedef:
		case DW_TAG_base_type:
		case DW_TAG_template_alias:
			if (*name)
				add_type(dt, &c, name, scoped(dt, prefix, name));
			break;
		case DW_TAG_subprogram:
			if (*name && !die_flag(&c, DW_AT_declaration))
				list_add(dt->names->funcs, name, &c);
			break;
		default:
			break;
		}
	}
}

static struct dw_names *names(struct dw_types *dt)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	if (dt->names)
		return dt->names;
	dt->names = g_new0(struct dw_names, 1);
	dt->names->types = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, die_list_free);
	dt->names->funcs = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, die_list_free);
	dt->names->enumerators = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	dt->names->qualified = g_hash_table_new(NULL, NULL);
	while (dt->dw && unit_next(dt->dw, &cu, &die))
		scan_children(dt, &die, "", 0);
	return dt->names;
}

static void dw_names_free(struct dw_names *n)
{
	if (!n)
		return;
	g_hash_table_destroy(n->types);
	g_hash_table_destroy(n->funcs);
	g_hash_table_destroy(n->enumerators);
	g_hash_table_destroy(n->qualified);
	g_free(n);
}

/* Languages whose names have no scopes need not look. */
static bool is_scopeless(Dwarf_Die *die)
{
	Dwarf_Die cu;
	int lang = die_unit(die, &cu) ? dwarf_srclang(&cu) : -1;

	return lang == DW_LANG_C89 || lang == DW_LANG_C || lang == DW_LANG_C99 || lang == DW_LANG_C11 ||
	       lang == DW_LANG_Mips_Assembler;
}

const char *dw_qualified(struct dw_types *dt, Dwarf_Die *die)
{
	const char *full = is_scopeless(die) ? NULL : g_hash_table_lookup(names(dt)->qualified, die->addr);

	return full ? full : die_name(die);
}

/* ---- the source's operations ---- */

/* Is it another definition than the one before?  The same header's is in many units. */
static bool is_other(Dwarf_Die *a, Dwarf_Die *b)
{
	return dwarf_bytesize(a) != dwarf_bytesize(b) || die_line(a) != die_line(b);
}

static int kind_tag(enum ctype_kind kind)
{
	switch (kind) {
	case CTYPE_INT: return DW_TAG_base_type;
	case CTYPE_UNION: return DW_TAG_union_type;
	case CTYPE_ENUM: return DW_TAG_enumeration_type;
	case CTYPE_TYPEDEF: return DW_TAG_typedef;
	default: return 0;
	}
}

/* Types of that name from the index, definitions first; as GArray of Dwarf_Die, to be freed. */
static GArray *indexed_types(struct dw_types *dt, enum ctype_kind kind, const char *name)
{
	GArray *ids = dwarf_index_types(dt->index, kind_tag(kind), name);
	GArray *ret = g_array_new(FALSE, FALSE, sizeof(Dwarf_Die));
	struct dwarf_type t;
	Dwarf_Die die;

	for (guint i = 0; ids && i < ids->len; i++)
		if (dwarf_index_type(dt->index, g_array_index(ids, uint32_t, i), &t) &&
		    dwarf_index_die(dt->index, t.cu, t.die_offset, &die))
			g_array_append_val(ret, die);
	if (ids)
		g_array_free(ids, TRUE);
	return ret;
}

static const struct ctype *first_of_kind(struct type_source *src, enum ctype_kind kind, const GArray *list, unsigned *ndefs)
{
	const struct ctype *ret = NULL;
	Dwarf_Die *first = NULL;
	unsigned n = 0;

	for (guint i = 0; list && i < list->len && (!ret || ndefs); i++) {
		Dwarf_Die *die = &g_array_index(list, Dwarf_Die, i);
		const struct ctype *t = dwarf_type(src, die);

		if (t->kind != kind)
			continue;
		n += !first || is_other(die, first);
		if (!ret) {
			ret = t;
			first = die;
		}
	}
	if (ndefs)
		*ndefs = n;
	return ret;
}

static const struct ctype *source_find_type(struct type_source *src, enum ctype_kind kind, const char *name, unsigned *ndefs)
{
	struct dw_types *dt = (struct dw_types *)src;
	GArray *list = dt->index ? indexed_types(dt, kind, name) : g_hash_table_lookup(names(dt)->types, name);
	const struct ctype *ret = first_of_kind(src, kind, list, ndefs);

	if (dt->index)
		g_array_free(list, TRUE);
	return ret;
}

/* By the index: what has code of its own. */
static bool indexed_func(struct dw_types *dt, const char *name, struct cfunc *ret)
{
	GArray *funcs = dwarf_index_funcs(dt->index, name, NULL, DWARF_WANT_CONCRETE);
	struct dwarf_func f;
	Dwarf_Die die;

	for (guint i = 0; i < funcs->len; i++) {
		if (!dwarf_index_func(dt->index, g_array_index(funcs, uint32_t, i), &f) || strcmp(f.name, name) != 0)
			continue;
		ret->name = f.name;
		ret->nprotos++;
		if (ret->nprotos == 1 && dwarf_index_die(dt->index, f.cu, f.die_offset, &die))
			ret->proto = dwarf_func_type(&dt->src, &die);
	}
	if (ret->nprotos > 1)
		ret->proto = NULL;
	g_array_free(funcs, TRUE);
	return ret->nprotos > 0;
}

static bool source_find_func(struct type_source *src, const char *name, struct cfunc *ret)
{
	struct dw_types *dt = (struct dw_types *)src;
	GArray *list;

	memset(ret, 0, sizeof(*ret));
	if (dt->index)
		return indexed_func(dt, name, ret);
	list = g_hash_table_lookup(names(dt)->funcs, name);
	if (!list)
		return false;
	ret->name = die_name(&g_array_index(list, Dwarf_Die, 0));
	ret->nprotos = list->len;
	if (list->len == 1)
		ret->proto = dwarf_func_type(src, &g_array_index(list, Dwarf_Die, 0));
	return true;
}

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void indexed_each_func(struct dwarf_index *ix, bool (*match)(void *data, const char *name), cfunc_fn fn, void *data)
{
	GArray *funcs = dwarf_index_funcs(ix, "*", NULL, DWARF_WANT_CONCRETE);
	const char *last = "";
	struct dwarf_func f;

	for (guint i = 0; i < funcs->len; i++) {
		if (!dwarf_index_func(ix, g_array_index(funcs, uint32_t, i), &f) || strcmp(f.name, last) == 0)
			continue;
		last = f.name;
		if (match(data, last))
			fn(data, last);
	}
	g_array_free(funcs, TRUE);
}

static void source_each_func(struct type_source *src, bool (*match)(void *data, const char *name), cfunc_fn fn, void *data)
{
	struct dw_types *dt = (struct dw_types *)src;
	char **list;
	guint n;

	if (dt->index) {
		indexed_each_func(dt->index, match, fn, data);
		return;
	}
	list = (char **)g_hash_table_get_keys_as_array(names(dt)->funcs, &n);

	qsort(list, n, sizeof(*list), by_text);
	for (guint i = 0; i < n; i++)
		if (match(data, list[i]))
			fn(data, list[i]);
	g_free(list);
}

static bool source_find_enumerator(struct type_source *src, const char *name, int64_t *value)
{
	int64_t *found = g_hash_table_lookup(names((struct dw_types *)src)->enumerators, name);

	if (found)
		*value = *found;
	return found != NULL;
}

static void source_each_enumerator(struct type_source *src, const struct ctype *t, enumerator_fn fn, void *data)
{
	Dwarf_Die die, c;
	int64_t value;

	if (!dwarf_type_die(t, &die))
		return;
	for (bool more = die_first(&die, &c); more; more = die_next(&c))
		if (dwarf_tag(&c) == DW_TAG_enumerator && die_sdata(&c, DW_AT_const_value, &value))
			fn(data, die_name(&c), value);
}

static void add_name(void *list, const char *name)
{
	g_ptr_array_add(list, (char *)name);
}

static void source_type_names(struct type_source *src, enum ctype_kind kind, GPtrArray *list)
{
	struct dwarf_index *ix = ((struct dw_types *)src)->index;
	GHashTableIter it;
	gpointer name, dies;

	if (ix) {
		dwarf_index_type_names(ix, kind == CTYPE_STRUCT ? DW_TAG_structure_type : kind_tag(kind), add_name, list);
		if (kind == CTYPE_STRUCT)
			dwarf_index_type_names(ix, DW_TAG_class_type, add_name, list);
		return;
	}
	g_hash_table_iter_init(&it, names((struct dw_types *)src)->types);
	while (g_hash_table_iter_next(&it, &name, &dies))
		if (dwarf_type(src, &g_array_index((GArray *)dies, Dwarf_Die, 0))->kind == kind)
			g_ptr_array_add(list, name);
}

static void source_close(struct type_source *src)
{
	struct dw_types *dt = (struct dw_types *)src;

	dw_names_free(dt->names);
	g_ptr_array_free(dt->made, TRUE);
	g_ptr_array_free(dt->strings, TRUE);
	g_hash_table_destroy(dt->nodes);
	g_free(dt);
}

const struct type_source_ops dw_type_ops = {
	.complete = dw_complete,
	.find_type = source_find_type,
	.find_func = source_find_func,
	.each_func = source_each_func,
	.find_enumerator = source_find_enumerator,
	.each_enumerator = source_each_enumerator,
	.type_names = source_type_names,
	.close = source_close,
};
