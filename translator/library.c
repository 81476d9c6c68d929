/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tapset library: directories, index and parsing on demand (library.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "alias_match.h"
#include "arena.h"
#include "kernel.h"
#include "library.h"
#include "name_glob.h"
#include "parse.h"
#include "paths.h"
#include "source.h"

struct lib_file {
	const char *path;
	int rank;            /* number of its directory: a smaller one wins */
	bool parsed;
};

struct lib_alias {
	const char *name;    /* with dots */
	struct lib_file *file;
};

struct library {
	GPtrArray *all;      /* struct lib_file */
	GHashTable *defs[LIB_NKINDS]; /* name -> GPtrArray of struct lib_file, not for aliases */
	GArray *aliases;     /* struct lib_alias */
	GHashTable *alias_first; /* first word of a name -> GArray of indexes of `aliases` */
	GHashTable *seen;    /* directories, by canonical name */
	GPtrArray *parsed;   /* struct file */
	bool incomplete;     /* something could not be read, which was told */
};

struct scan_ctx {
	struct library *lib;
	struct lib_file *file;
};

static void note_alias(struct scan_ctx *cx, const char *name)
{
	struct lib_alias alias = { name, cx->file };
	char *first = g_strndup(name, strcspn(name, "."));
	GArray *same = g_hash_table_lookup(cx->lib->alias_first, first);
	guint index = cx->lib->aliases->len;

	if (same) {
		g_free(first);
	} else {
		same = g_array_new(FALSE, FALSE, sizeof(guint));
		g_hash_table_insert(cx->lib->alias_first, first, same);
	}
	g_array_append_val(same, index);
	g_array_append_val(cx->lib->aliases, alias);
}

static void note_definition(void *data, enum lib_kind kind, const char *name)
{
	struct scan_ctx *cx = data;
	GPtrArray *files;

	if (kind == LIB_ALIAS) {
		note_alias(cx, name);
		return;
	}
	files = g_hash_table_lookup(cx->lib->defs[kind], name);
	if (!files) {
		files = g_ptr_array_new();
		g_hash_table_insert(cx->lib->defs[kind], (char *)name, files);
	}
	if (!files->len || files->pdata[files->len - 1] != cx->file)
		g_ptr_array_add(files, cx->file);
}

/* What is there and can not be read is told, the first of it: its functions would be called unknown. */
static void tell_unreadable(struct session *s, struct library *lib, GError *e)
{
	if (!lib->incomplete && !g_error_matches(e, G_FILE_ERROR, G_FILE_ERROR_NOENT) &&
	    !g_error_matches(e, G_FILE_ERROR, G_FILE_ERROR_NOTDIR)) {
		diag_warning(s, (struct loc){ 0 }, "unreadable-library", "a part of the script library is left out: %s", e->message);
		lib->incomplete = true;
	}
	g_error_free(e);
}

static void index_file(struct session *s, struct library *lib, const char *path, int rank)
{
	struct scan_ctx cx = { .lib = lib };
	GError *e = NULL;
	char *text;
	gsize len;

	/* a pipe would be waited for */
	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return;
	if (!g_file_get_contents(path, &text, &len, &e)) {
		tell_unreadable(s, lib, e);
		return;
	}
	cx.file = arena_alloc(s, sizeof(*cx.file));
	cx.file->path = arena_strdup(s, path);
	cx.file->rank = rank;
	g_ptr_array_add(lib->all, cx.file);
	library_scan(s, text, len, note_definition, &cx);
	g_free(text);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One directory's own files, in order of their names; not the sub-directories. */
static void index_one_dir(struct session *s, struct library *lib, const char *dir, int rank)
{
	GError *e = NULL;
	GDir *d = g_dir_open(dir, 0, &e);
	GPtrArray *names;
	const char *name;

	if (!d) {
		tell_unreadable(s, lib, e);
		return;
	}
	names = g_ptr_array_new_with_free_func(g_free);
	while ((name = g_dir_read_name(d)))
		if (g_str_has_suffix(name, ".stp") || g_str_has_suffix(name, ".stpm"))
			g_ptr_array_add(names, g_build_filename(dir, name, NULL));
	g_ptr_array_sort(names, compare_names);
	for (guint i = 0; i < names->len; i++)
		index_file(s, lib, names->pdata[i], rank);
	g_ptr_array_free(names, TRUE);
	g_dir_close(d);
}

/* The version as directories may be named: 6.1.0-57-amd64, 6.1.0, 6.1, and none. */
static GPtrArray *version_names(const char *release)
{
	GPtrArray *v = g_ptr_array_new_with_free_func(g_free);
	size_t digits = strspn(release, "0123456789.");
	char *base = g_strndup(release, digits);
	char *dot;

	if (*release)
		g_ptr_array_add(v, g_strdup(release));
	if (digits && strcmp(base, release))
		g_ptr_array_add(v, g_strdup(base));
	dot = strchr(base, '.');
	dot = dot ? strchr(dot + 1, '.') : NULL;
	if (dot) {
		*dot = 0;
		g_ptr_array_add(v, g_strdup(base));
	}
	g_ptr_array_add(v, g_strdup("."));
	g_free(base);
	return v;
}

static void index_dir(struct session *s, struct library *lib, const char *dir, int rank, bool asked)
{
	const struct kernel_target *k = s->kernel;
	const char *arch[] = { k && k->arch ? k->arch : ".", k && k->srcarch ? k->srcarch : ".", "." };
	GPtrArray *versions;

	if (!g_file_test(dir, G_FILE_TEST_IS_DIR)) {
		if (asked)
			diag_warning(s, (struct loc){ 0 }, "no-directory", "-I %s: %s", dir, g_strerror(ENOENT));
		return;
	}
	versions = version_names(k && k->release ? k->release : "");
	for (guint v = 0; v < versions->len; v++) {
		for (size_t a = 0; a < G_N_ELEMENTS(arch); a++) {
			char *sub = g_build_filename(dir, versions->pdata[v], arch[a], NULL);
			char *canon = g_canonicalize_filename(sub, NULL);

			if (g_hash_table_add(lib->seen, g_strdup(canon)))
				index_one_dir(s, lib, canon, rank);
			g_free(canon);
			g_free(sub);
		}
	}
	g_ptr_array_free(versions, TRUE);
}

static void index_system_dirs(struct session *s, struct library *lib, int rank)
{
	const char *xdg = g_getenv("XDG_DATA_DIRS");
	char **dirs;

	index_dir(s, lib, "/usr/share/systemtap/tapset", rank, false);
	dirs = g_strsplit(xdg && *xdg ? xdg : "/usr/local/share:/usr/share", ":", 0);
	for (char **d = dirs; *d; d++) {
		char *path = g_build_filename(*d, "systemtap", "tapset", NULL);

		if (g_path_is_absolute(path))
			index_dir(s, lib, path, ++rank, false);
		g_free(path);
	}
	g_strfreev(dirs);
}

static void library_free(void *p)
{
	struct library *lib = p;

	g_ptr_array_free(lib->all, TRUE);
	g_ptr_array_free(lib->parsed, TRUE);
	g_array_free(lib->aliases, TRUE);
	g_hash_table_destroy(lib->alias_first);
	g_hash_table_destroy(lib->seen);
	for (int i = 0; i < LIB_NKINDS; i++)
		g_hash_table_destroy(lib->defs[i]);
	g_free(lib);
}

/* Finds and scans the library at the first call; the same object afterwards.  Never fails: what can
 * not be read is passed over with a warning, as is a -I directory that is missing. */
static struct library *library_get(struct session *s)
{
	struct library *lib = s->library;
	int rank = 0;

	if (lib)
		return lib;
	lib = s->library = g_new0(struct library, 1);
	arena_defer(s, library_free, lib);
	lib->all = g_ptr_array_new();
	lib->parsed = g_ptr_array_new();
	lib->aliases = g_array_new(FALSE, FALSE, sizeof(struct lib_alias));
	lib->alias_first = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
	lib->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (int i = 0; i < LIB_NKINDS; i++)
		lib->defs[i] = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
						     (GDestroyNotify)g_ptr_array_unref);
	for (guint i = 0; s->opt.include_dirs && i < s->opt.include_dirs->len; i++)
		index_dir(s, lib, s->opt.include_dirs->pdata[i], rank++, true);
	if (!g_file_test(stap_tapset_dir(), G_FILE_TEST_IS_DIR))
		diag_warning(s, (struct loc){ 0 }, "no-library", "there is no script library in %s: functions such as exit() will be"
			     " missing", stap_tapset_dir());
	index_dir(s, lib, stap_tapset_dir(), rank++, false);
	index_system_dirs(s, lib, rank);
	return lib;
}

static void parse_once(struct session *s, struct lib_file *f)
{
	struct file *parsed = NULL;
	struct source *src;
	int pass = s->pass;

	if (f->parsed)
		return;
	f->parsed = true;
	if (s->opt.verbose[0] > 2 || s->opt.verbose[1] > 1)
		fprintf(stderr, "library file in use: %s\n", f->path);
	s->pass = 1;
	src = source_read(s, f->path);
	if (src)
		parsed = parse_source(s, src, true, true);
	s->pass = pass;
	if (parsed)
		g_ptr_array_add(s->library->parsed, parsed);
}

/* Parses a file that a wildcard stands for among others: a broken one is passed over. */
static void parse_for(struct session *s, struct lib_file *f, bool lenient)
{
	struct diag_capture *cap = lenient ? diag_capture_begin(s) : NULL;

	parse_once(s, f);
	if (cap && diag_capture_first(cap) && s->opt.verbose[1])
		fprintf(stderr, "library file not in use: %s: %s\n", f->path, diag_capture_first(cap));
	if (cap)
		diag_capture_end(s, cap, false);
}

bool library_require(struct session *s, enum lib_kind kind, const char *name)
{
	struct library *lib = library_get(s);
	GPtrArray *files = g_hash_table_lookup(lib->defs[kind], name);
	int rank;

	if (!files)
		return false;
	rank = ((struct lib_file *)files->pdata[0])->rank;
	for (guint i = 0; i < files->len; i++) {
		struct lib_file *f = files->pdata[i];

		if (f->rank == rank && !g_str_has_suffix(f->path, ".stpm"))
			parse_once(s, f);
	}
	return true;
}

void library_require_aliases(struct session *s, const struct point *p)
{
	struct library *lib = library_get(s);
	const char *first = p->comps[0].name;
	const GArray *same = name_is_glob(first) ? NULL : g_hash_table_lookup(lib->alias_first, first);
	guint n = same ? same->len : name_is_glob(first) ? lib->aliases->len : 0;
	GHashTable *ranks;

	if (!n)
		return;
	ranks = g_hash_table_new(g_str_hash, g_str_equal);
	/* directories come in order of rank, so the first one seen of a name is the one that counts */
	for (guint i = 0; i < n; i++) {
		struct lib_alias *a = &g_array_index(lib->aliases, struct lib_alias, same ? g_array_index(same, guint, i) : i);
		gpointer rank;

		if (!alias_match(a->name, p))
			continue;
		if (!g_hash_table_lookup_extended(ranks, a->name, NULL, &rank))
			g_hash_table_insert(ranks, (char *)a->name, GINT_TO_POINTER(a->file->rank));
		else if (GPOINTER_TO_INT(rank) != a->file->rank)
			continue;
		parse_for(s, a->file, point_is_glob(p));
	}
	g_hash_table_destroy(ranks);
}

void library_require_all(struct session *s)
{
	struct library *lib = library_get(s);

	for (guint i = 0; i < lib->all->len; i++) {
		struct lib_file *f = lib->all->pdata[i];

		if (!g_str_has_suffix(f->path, ".stpm"))
			parse_once(s, f);
	}
}

const GPtrArray *library_files(struct session *s)
{
	return library_get(s)->parsed;
}

GPtrArray *library_names(struct session *s, enum lib_kind kind)
{
	struct library *lib = library_get(s);
	GPtrArray *names = g_ptr_array_new();
	GHashTableIter it;
	gpointer key;

	if (kind == LIB_ALIAS) {
		for (guint i = 0; i < lib->aliases->len; i++)
			g_ptr_array_add(names, (char *)g_array_index(lib->aliases, struct lib_alias, i).name);
		return names;
	}
	g_hash_table_iter_init(&it, lib->defs[kind]);
	while (g_hash_table_iter_next(&it, &key, NULL))
		g_ptr_array_add(names, key);
	return names;
}

GPtrArray *library_macro_names(struct session *s)
{
	return library_names(s, LIB_MACRO);
}

const char *library_macro_path(struct session *s, const char *name)
{
	GPtrArray *files = g_hash_table_lookup(library_get(s)->defs[LIB_MACRO], name);

	for (guint i = 0; files && i < files->len; i++) {
		struct lib_file *f = files->pdata[i];

		if (g_str_has_suffix(f->path, ".stpm"))
			return f->path;
	}
	return NULL;
}
