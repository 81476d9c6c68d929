/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making an index: sections, units, threads. */
#include "dwarf_build.h"
#include "dwarf_file.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_WORKERS 16
#define PROGRESS_AFTER_US 500000

void *build_list_add(struct build_list *l, size_t size)
{
	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 256;
		l->data = g_realloc_n(l->data, l->room, size);
	}
	return (char *)l->data + (size_t)l->n++ * size;
}

static const char *const section_names[DW_NSECTIONS] = {
	[DW_INFO] = "info", [DW_ABBREV] = "abbrev", [DW_STR] = "str", [DW_LINE] = "line", [DW_LINE_STR] = "line_str",
	[DW_STR_OFFSETS] = "str_offsets", [DW_ADDR] = "addr", [DW_RANGES] = "ranges", [DW_RNGLISTS] = "rnglists",
	[DW_TYPES] = "types",
};

/* Which of our sections that is: .debug_info, .zdebug_info, .debug_info.dwo. */
static int section_of_name(const char *name)
{
	char stem[32];
	size_t len;

	if (g_str_has_prefix(name, ".debug_"))
		name += 7;
	else if (g_str_has_prefix(name, ".zdebug_"))
		name += 8;
	else
		return -1;
	len = strcspn(name, ".");
	if (len >= sizeof(stem) || (name[len] && strcmp(name + len, ".dwo") != 0))
		return -1;
	memcpy(stem, name, len);
	stem[len] = '\0';
	for (int i = 0; i < DW_NSECTIONS; i++)
		if (strcmp(stem, section_names[i]) == 0)
			return i;
	return -1;
}

/* libdw has unpacked, and libdwfl relocated, what elf_getdata() gives. */
void build_sections_of(Elf *elf, bool dwo, struct dw_sections *sec)
{
	Elf_Scn *scn = NULL;
	size_t strndx;

	memset(sec, 0, sizeof(*sec));
	for (int i = 0; i < DW_NSECTIONS; i++)
		sec->s[i].data = (const uint8_t *)"";
	if (!elf || elf_getshdrstrndx(elf, &strndx) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;
		Elf_Data *data;
		int i;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS || !(name = elf_strptr(elf, strndx, sh.sh_name)))
			continue;
		i = section_of_name(name);
		if (i < 0 || g_str_has_suffix(name, ".dwo") != dwo || sec->s[i].size)
			continue;
		data = elf_getdata(scn, NULL);
		if (data && data->d_buf && data->d_size)
			sec->s[i] = (struct dw_span){ data->d_buf, data->d_size };
	}
}

static int add_set(struct build *b, enum store_set kind)
{
	if (b->nsets == b->sets_room) {
		b->sets_room = b->sets_room ? b->sets_room * 2 : 4;
		b->sets = g_renew(struct build_set, b->sets, b->sets_room);
	}
	b->sets[b->nsets] = (struct build_set){ .kind = kind, .alt = -1 };
	return b->nsets++;
}

/* Headers of all units of a set, one behind the other. */
static void list_units(struct build *b, int set)
{
	const struct dw_sections *sec = &b->sets[set].sec;
	bool types = b->sets[set].types;
	uint64_t offset = 0, next;
	struct dw_unit u;

	while (offset < sec->s[types ? DW_TYPES : DW_INFO].size) {
		bool ok = dw_unit_header(sec, types, offset, &u, &next);

		if (!next) {
			b->damaged++;  /* the rest cannot be found */
			return;
		}
		if (b->nunits == b->units_room) {
			b->units_room = b->units_room ? b->units_room * 2 : 64;
			b->units = g_renew(struct build_unit, b->units, b->units_room);
		}
		b->units[b->nunits++] = (struct build_unit){ .set = set, .offset = offset, .next = next, .file = NONE,
			.stmt_list = UINT64_MAX, .damaged = !ok };
		b->bytes_all += next - offset;
		offset = next;
	}
}

/* The code that the file's addresses may lie in: allocated executable sections, or else loaded segments. */
static void find_limits(struct build *b)
{
	Elf *elf = dwarf_file_elf(b->file);
	Elf_Scn *scn = NULL;

	b->base = UINT64_MAX;
	while (elf && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || !(sh.sh_flags & SHF_EXECINSTR) || !sh.sh_size)
			continue;
		b->base = MIN(b->base, sh.sh_addr);
		b->limit = MAX(b->limit, sh.sh_addr + sh.sh_size);
	}
	if (b->base == UINT64_MAX)
		b->base = b->limit = 0;
	/* distances are 32 bits in the index */
	if (b->limit - b->base >= NONE)
		b->limit = b->base + NONE - 1;
}

static void collect_sets(struct build *b)
{
	Dwarf *dw = dwarf_file_dwarf(b->file), *alt = dw ? dwarf_getalt(dw) : NULL;
	int main_set = add_set(b, STORE_MAIN), set;

	build_sections_of(dw ? dwarf_getelf(dw) : NULL, false, &b->sets[main_set].sec);
	if (alt) {
		set = add_set(b, STORE_ALT);
		build_sections_of(dwarf_getelf(alt), false, &b->sets[set].sec);
		b->sets[main_set].alt = set;
	}
	if (b->sets[main_set].sec.s[DW_TYPES].size) {
		set = add_set(b, STORE_TYPES);
		b->sets[set] = b->sets[main_set];
		b->sets[set].kind = STORE_TYPES;
		b->sets[set].types = true;
	}
	for (unsigned i = 0; i < b->nsets; i++)
		list_units(b, i);
}

/* A skeleton's DIEs, in a file of their own, as libdw finds it. */
static void add_split(struct build *b, const struct build_unit *skeleton, const struct dw_unit *u)
{
	Dwarf *dw = dwarf_file_dwarf(b->file), *split;
	Dwarf_Die root, sub;
	uint8_t type;
	int set;

	b->missing_splits++;
	if (!dw || !dwarf_offdie(dw, skeleton->root, &root) ||
	    dwarf_cu_info(root.cu, NULL, &type, NULL, &sub, NULL, NULL, NULL) != 0 || !sub.cu)
		return;
	split = dwarf_cu_getdwarf(sub.cu);
	/* a package of several files needs its index to be read by offsets: its units stay skeletons */
	if (!split || split == dw)
		return;
	b->missing_splits--;
	set = add_set(b, STORE_SPLIT);
	build_sections_of(dwarf_getelf(split), true, &b->sets[set].sec);
	b->sets[set].skeleton = g_memdup2(u, sizeof(*u));
	b->sets[set].skeleton_root = skeleton->root;
	list_units(b, set);
}

/* Units that name another file for their DIEs. */
static void collect_splits(struct build *b)
{
	uint32_t n = b->nunits;
	struct dw_unit u = { 0 };
	uint64_t next;

	for (uint32_t i = 0; i < n; i++) {
		const struct build_set *set = &b->sets[b->units[i].set];
		struct build_unit unit = b->units[i];

		if (set->kind != STORE_MAIN || unit.damaged)
			continue;
		if (!dw_unit_header(&set->sec, false, unit.offset, &u, &next))
			continue;
		/* before version 5 only the DIE tells, so one look at a unit of few bytes */
		if (u.type != DW_UT_skeleton && (u.version == 5 || unit.next - unit.offset > 512))
			continue;
		if (!dw_unit_root(&u) || !u.dwo_name)
			continue;
		unit.root = u.offset + (u.dies - u.base);
		add_split(b, &unit, &u);
	}
	dw_abbrevs_free(&u.abbrevs);
}

static void skim_unit(struct build_worker *w, uint32_t no)
{
	struct build *b = w->b;
	struct build_unit *unit = &b->units[no];
	const struct build_set *set = &b->sets[unit->set];
	uint64_t next;

	if (!dw_unit_header(&set->sec, set->types, unit->offset, &w->u, &next))
		return;
	w->unit = unit;
	w->unit_no = no;
	if (set->skeleton) {
		w->u.line_sec = &b->sets[0].sec;
		w->u.addr_base = set->skeleton->addr_base;
	}
	unit->damaged = !dw_unit_root(&w->u);
	if (unit->damaged)
		return;
	if (set->skeleton) {
		w->u.low_pc = set->skeleton->low_pc;
		w->u.stmt_list = set->skeleton->stmt_list;
		w->u.comp_dir = w->u.comp_dir ? w->u.comp_dir : set->skeleton->comp_dir;
		w->u.ranges_base = set->skeleton->ranges_base;
		unit->flags |= DWARF_SPLIT;
	}
	unit->root = set->skeleton ? set->skeleton_root : unit->offset + (w->u.dies - w->u.base);
	unit->stmt_list = w->u.stmt_list;
	unit->name = w->u.name;
	unit->comp_dir = w->u.comp_dir;
	unit->lang = w->u.lang;
	unit->tag = w->u.tag;
	build_lines_begin(w);
	unit->file = w->u.name ? build_path_id(w, w->u.comp_dir ? w->u.comp_dir : "", NULL, w->u.name) : NONE;
	unit->first_func = w->funcs.n;
	unit->first_inlined = w->inlined.n;
	unit->first_label = w->labels.n;
	unit->first_var = w->vars.n;
	unit->first_range = w->ranges.n;
	unit->damaged = !build_walk(w);
	unit->nfuncs = w->funcs.n - unit->first_func;
	unit->ninlined = w->inlined.n - unit->first_inlined;
	unit->nlabels = w->labels.n - unit->first_label;
	unit->nvars = w->vars.n - unit->first_var;
	build_lines_end(w);
}

static gpointer work(gpointer data)
{
	struct build_worker *w = data;
	struct build *b = w->b;

	for (;;) {
		guint i = g_atomic_int_add(&b->next_unit, 1);
		struct build_unit *unit;

		if (i >= b->nunits)
			return NULL;
		unit = &b->units[b->order[i]];
		unit->worker = w - b->workers;
		if (!unit->damaged)
			skim_unit(w, b->order[i]);
		g_atomic_int_add(&b->bytes_done, (unit->next - unit->offset) >> 10);
	}
}

guint build_type_hash(gconstpointer data)
{
	const struct build_type *t = data;
	guint h = g_str_hash(t->name);

	h = h * 31 + t->line;
	return h * 31 + t->size + t->tag * 131 + t->flags;
}

gboolean build_type_equal(gconstpointer x, gconstpointer y)
{
	const struct build_type *a = x, *b = y;

	return a->line == b->line && a->size == b->size && a->tag == b->tag && a->flags == b->flags && a->file == b->file &&
	       (a->name == b->name || strcmp(a->name, b->name) == 0) && g_strcmp0(a->scope, b->scope) == 0;
}

static void worker_init(struct build_worker *w, struct build *b)
{
	w->b = b;
	w->peek_no = w->peek_files = NONE;
	w->declared = g_hash_table_new(NULL, NULL);
	w->types = g_hash_table_new_full(build_type_hash, build_type_equal, g_free, NULL);
	w->paths = g_hash_table_new(g_str_hash, g_str_equal);
	w->path_list = g_ptr_array_new();
	w->path_cache = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	w->strings = g_string_chunk_new(1 << 16);
	/* a unit without records points to where they would be: somewhere */
	w->funcs.data = g_malloc(8);
	w->inlined.data = g_malloc(8);
	w->labels.data = g_malloc(8);
	w->vars.data = g_malloc(8);
	w->ranges.data = g_malloc(8);
	w->cu_files.data = g_malloc(8);
}

static void worker_free(struct build_worker *w)
{
	g_hash_table_destroy(w->types);
	g_hash_table_destroy(w->paths);
	g_hash_table_destroy(w->path_cache);
	g_ptr_array_free(w->path_list, TRUE);
	g_string_chunk_free(w->strings);
	g_free(w->funcs.data);
	g_free(w->inlined.data);
	g_free(w->labels.data);
	g_free(w->vars.data);
	g_free(w->ranges.data);
	g_free(w->cu_files.data);
	g_free(w->file_ids.data);
	dw_abbrevs_free(&w->u.abbrevs);
	dw_abbrevs_free(&w->peek.abbrevs);
	dw_lines_free(&w->lines);
	dw_lines_free(&w->peek_lines);
	g_hash_table_destroy(w->declared);
}

static int by_size(const void *x, const void *y, void *data)
{
	const struct build_unit *units = data, *a = &units[*(const uint32_t *)x], *b = &units[*(const uint32_t *)y];
	uint64_t la = a->next - a->offset, lb = b->next - b->offset;

	return la != lb ? (la > lb ? -1 : 1) : a < b ? -1 : a > b;
}

static void show_progress(struct build *b, gint64 start, bool *shown)
{
	if (g_get_monotonic_time() - start < PROGRESS_AFTER_US || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\rreading the debug information of %s: %3d%%", b->file->name,
		(int)((uint64_t)g_atomic_int_get(&b->bytes_done) * 102400 / (b->bytes_all + 1)));
	fflush(stderr);
	*shown = true;
}

static void run_workers(struct build *b)
{
	gint64 start = g_get_monotonic_time();
	bool shown = false;

	b->order = g_new(uint32_t, b->nunits + 1);
	for (uint32_t i = 0; i < b->nunits; i++)
		b->order[i] = i;
	if (b->nunits)
		g_qsort_with_data(b->order, b->nunits, sizeof(uint32_t), by_size, b->units);
	b->nworkers = CLAMP(g_get_num_processors(), 1, MAX_WORKERS);
	if (b->bytes_all < 256 << 10)
		b->nworkers = 1;
	b->workers = g_new0(struct build_worker, b->nworkers);
	for (unsigned i = 0; i < b->nworkers; i++)
		worker_init(&b->workers[i], b);
	if (b->nworkers == 1) {
		work(&b->workers[0]);
		return;
	}
	for (unsigned i = 0; i < b->nworkers; i++)
		b->workers[i].thread = g_thread_new("index", work, &b->workers[i]);
	while ((guint)g_atomic_int_get(&b->next_unit) < b->nunits) {
		g_usleep(5000);
		show_progress(b, start, &shown);
	}
	for (unsigned i = 0; i < b->nworkers; i++)
		g_thread_join(b->workers[i].thread);
	if (shown)
		fprintf(stderr, "\r\033[K");
}

int dwarf_build(struct dwarf_file *f, uint64_t key, struct blob *ret, char **err)
{
	struct build b = { .file = f };
	int rc;

	find_limits(&b);
	collect_sets(&b);
	collect_splits(&b);
	/* sets stay where they are from here on */
	for (unsigned i = 0; i < b.nsets; i++)
		b.sets[i].sec.alt = b.sets[i].alt >= 0 ? &b.sets[b.sets[i].alt].sec : NULL;
	run_workers(&b);
	for (uint32_t i = 0; i < b.nunits; i++)
		b.damaged += b.units[i].damaged;
	rc = build_merge(&b, key, ret, err);
	for (unsigned i = 0; i < b.nworkers; i++)
		worker_free(&b.workers[i]);
	for (unsigned i = 0; i < b.nsets; i++)
		g_free((void *)b.sets[i].skeleton);
	g_free(b.workers);
	g_free(b.order);
	g_free(b.units);
	g_free(b.sets);
	return rc;
}
