/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the BTF of a kernel or module comes from, and its copy in the cache: the raw BTF and the name
 * index side by side, so that a later run maps two files and unpacks nothing.
 */
#include "types.h"
#include "btf.h"
#include "cache.h"
#include "diag.h"
#include "errmsg.h"
#include "image.h"
#include "kernel.h"
#include "name_glob.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYS_BTF "/sys/kernel/btf/"
#define NO_BTF " has no BTF " /* in what image_btf() says: no damage */

/* A file that BTF can be had from. */
struct origin {
	char *path;
	bool raw;                  /* BTF as such, not an image with a .BTF section */
	char *key;                 /* names this very file in the cache, or NULL: do not keep */
};

/* A key from what tells files apart, or from the build id of what it describes. */
static char *origin_key(const char *path, const char *build_id)
{
	char *text = NULL, *key, *ret;
	struct stat st;

	if (build_id)
		text = g_strdup_printf("%s %s", build_id, path);
	else if (stat(path, &st) == 0)
		text = g_strdup_printf("%s %lld %lld.%09ld", path, (long long)st.st_size,
				       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	if (!text)
		return NULL;
	key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	ret = g_strdup_printf("btf-%.24s", key);
	g_free(key);
	g_free(text);
	return ret;
}

static struct btf_data *open_indexed(struct blob *blob, const struct btf_data *base, const char *index_path, char **err)
{
	struct btf_data *b = btf_open(blob, base, err);

	if (!b || (index_path && btf_index_load(b, index_path) == 0))
		return b;
	if (btf_index_build(b, err) == 0)
		return b;
	btf_close(b);
	return NULL;
}

static char *entry_file(const char *key, const char *file)
{
	return g_strdup_printf("index/%s/%s", key, file);
}

/* From the cache; NULL when it is not there or not usable. */
static struct btf_data *cached_open(struct cache *c, const struct origin *o, const struct btf_data *base, char **build_id)
{
	char *name = entry_file(o->key, "btf"), *path = cache_find(c, name), *dir, *index, *id;
	struct btf_data *b = NULL;
	struct blob blob;

	g_free(name);
	if (!path)
		return NULL;
	dir = g_path_get_dirname(path);
	index = g_build_filename(dir, "names", NULL);
	if (blob_open(path, &blob, NULL) == 0) {
		b = btf_open(&blob, base, NULL);
		/* a damaged index means a damaged entry: make it again */
		if (b && btf_index_load(b, index) != 0) {
			btf_close(b);
			b = NULL;
		}
	}
	if (!b)
		cache_remove_tree(dir);
	id = g_build_filename(dir, "build-id", NULL);
	if (b && build_id && !*build_id)
		g_file_get_contents(id, build_id, NULL, NULL);
	g_free(id);
	g_free(index);
	g_free(dir);
	g_free(path);
	return b;
}

/* Keeps a copy for the next run; that it cannot be kept is no error. */
static void cached_save(struct cache *c, const struct origin *o, const struct btf_data *b, const char *build_id)
{
	char *dir = NULL, *path, *names, *id, *name, *published = NULL;

	if (cache_scratch(c, &dir, NULL) != 0)
		return;
	path = g_build_filename(dir, "btf", NULL);
	names = g_build_filename(dir, "names", NULL);
	id = g_build_filename(dir, "build-id", NULL);
	name = g_strdup_printf("index/%s", o->key);
	if (blob_write(&b->blob, path, NULL) != 0 || btf_index_save(b, names, NULL) != 0 ||
	    (build_id && !g_file_set_contents(id, build_id, -1, NULL)) ||
	    cache_publish(c, dir, name, false, &published, NULL) != 0)
		cache_remove_tree(dir);
	g_free(published);
	g_free(name);
	g_free(id);
	g_free(names);
	g_free(path);
	g_free(dir);
}

static struct btf_data *origin_open(struct types *t, const struct origin *o, const struct btf_data *base,
				    char **build_id, char **err)
{
	struct cache *c = o->key ? session_cache(t->session) : NULL;
	struct btf_data *b = c ? cached_open(c, o, base, build_id) : NULL;
	char *id = NULL, *why = NULL;
	struct blob blob;

	if (b)
		return b;
	if ((o->raw ? blob_open(o->path, &blob, err) : image_btf(o->path, &blob, &id, err)) != 0)
		return NULL;
	b = open_indexed(&blob, base, NULL, &why);
	if (!b)
		errmsg_set(err, "%s: %s", o->path, why);
	g_free(why);
	if (b && c && !c->ephemeral)
		cached_save(c, o, b, id);
	if (id && build_id && !*build_id)
		*build_id = g_steal_pointer(&id);
	g_free(id);
	return b;
}

/* For tests: as if the kernel had been built without BTF. */
static bool is_without_btf(void)
{
	return g_getenv("STAP_NO_BTF") != NULL;
}

static void kernel_load(struct types_module *m, struct kernel_target *k)
{
	struct { const char *path; bool raw; } from[] = {
		{ k->btf_file, true }, { k->vmlinux, false }, { k->boot_image, false }, { k->vmlinux_debug, false },
	};
	struct btf_data *b = NULL;
	char *err = NULL, *why = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(from) && !b && !is_without_btf(); i++) {
		struct origin o = { .path = (char *)from[i].path, .raw = from[i].raw };

		if (!from[i].path)
			continue;
		o.key = origin_key(o.path, g_str_has_prefix(o.path, SYS_BTF) ? k->build_id : NULL);
		b = origin_open(m->types, &o, NULL, &k->build_id, &why);
		g_free(o.key);
		/* that one has none says less than that another is damaged */
		if (why && (!err || strstr(err, NO_BTF))) {
			g_free(err);
			err = g_steal_pointer(&why);
		}
		g_clear_pointer(&why, g_free);
	}
	if (b)
		g_ptr_array_add(m->sources, btf_source_new(b, NULL));
	else
		m->problem = err ? g_strdup_printf("no types of kernel %s: %s", k->release, err) : k->image_denied ?
			g_strdup_printf("no types of kernel %s: %s: %s", k->release, k->image_denied, g_strerror(EACCES)) :
			g_strdup_printf("no types of kernel %s: neither its BTF nor a boot image or vmlinux was found; a copy of "
					"its /sys/kernel/btf/vmlinux as /boot/btf-%s will do", k->release, k->release);
	if (b && err && !strstr(err, NO_BTF))
		diag_warning(m->types->session, (struct loc){ 0 }, "types", "%s; passed over", err);
	g_free(err);
}

/* The lines of the modules' list: paths below modules_dir.  NULL when there is no list. */
static char **module_lines(const struct kernel_target *k)
{
	static const char *const lists[] = { "modules.dep", "modules.order" };
	char **lines = NULL, *text = NULL, *path;

	for (size_t i = 0; i < G_N_ELEMENTS(lists) && k->modules_dir && !lines; i++) {
		path = g_build_filename(k->modules_dir, lists[i], NULL);
		if (g_file_get_contents(path, &text, NULL, NULL))
			lines = g_strsplit(text, "\n", -1);
		g_free(text);
		text = NULL;
		g_free(path);
	}
	return lines;
}

/* The module's name in a line of a list, `-` as `_`; NULL when the line has none.  g_free() it. */
static char *line_module(const char *line)
{
	size_t len = strcspn(line, ":");
	char *path = g_strndup(line, len), *base = strrchr(path, '/'), *dot, *ret = NULL;

	base = base ? base + 1 : path;
	dot = strstr(base, ".ko");
	if (dot) {
		*dot = '\0';
		ret = g_strdelimit(g_strdup(base), "-", '_');
	}
	g_free(path);
	return ret;
}

/* Path of the file that a list's line names, or NULL.  Lists made at build time leave out ".xz" and the like. */
static char *line_file(const struct kernel_target *k, const char *line)
{
	static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };
	char *stem = g_strndup(line, strcspn(line, ":")), *ret = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(suffixes) && !ret; i++) {
		char *path = g_strconcat(k->modules_dir, "/", stem, suffixes[i], NULL);

		if (access(path, R_OK) == 0)
			ret = path;
		else
			g_free(path);
	}
	g_free(stem);
	return ret;
}

/* Path of a module's file, or NULL. */
static char *module_file(struct types *t, const char *name)
{
	struct kernel_target *k = t->session->kernel;
	const char *line;

	if (!t->module_line) {
		char **lines = module_lines(k);

		t->module_line = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
		for (char **l = lines; l && *l; l++) {
			char *here = line_module(*l);

			if (here && !g_hash_table_contains(t->module_line, here))
				g_hash_table_insert(t->module_line, here, g_strndup(*l, strcspn(*l, ":")));
			else
				g_free(here);
		}
		g_strfreev(lines);
	}
	line = g_hash_table_lookup(t->module_line, name);
	return line ? line_file(k, line) : NULL;
}

GHashTable *types_module_files(struct types *t)
{
	GHashTable *files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	char **lines = module_lines(t->session->kernel);

	for (char **l = lines; l && *l; l++) {
		char *name = line_module(*l), *path = name ? line_file(t->session->kernel, *l) : NULL;

		if (path)
			g_hash_table_insert(files, name, path);
		else
			g_free(name);
	}
	g_strfreev(lines);
	return files;
}

bool types_module_builtin(struct types *t, const char *name)
{
	struct kernel_target *k = t->session->kernel;
	char *path = k->modules_dir ? g_build_filename(k->modules_dir, "modules.builtin", NULL) : NULL;
	char *text = NULL, *want = g_strdelimit(g_strdup(name), "-", '_');
	bool found = false;

	if (path && g_file_get_contents(path, &text, NULL, NULL)) {
		char **lines = g_strsplit(text, "\n", -1);

		for (char **l = lines; *l && !found; l++) {
			char *here = line_module(*l);

			found = here && strcmp(here, want) == 0;
			g_free(here);
		}
		g_strfreev(lines);
	}
	g_free(text);
	g_free(want);
	g_free(path);
	return found;
}

static void module_load(struct types_module *m, struct kernel_target *k)
{
	struct types_module *kernel = types_module(m->types, NULL);
	struct type_source *base = types_btf(kernel);
	struct origin o = { 0 };
	struct btf_data *b = NULL;
	char *err = NULL;

	/* a module's BTF continues the kernel's */
	if (!base) {
		m->problem = kernel->problem ? g_strdup(kernel->problem) :
			g_strdup_printf("no types of module %s: kernel %s has no BTF", m->name, k->release);
		return;
	}
	if (k->is_running) {
		o.path = g_strconcat(SYS_BTF, m->name, NULL);
		o.raw = true;
		if (access(o.path, R_OK) != 0)
			g_clear_pointer(&o.path, g_free);
	}
	if (!o.path) {
		o.path = module_file(m->types, m->name);
		o.raw = false;
		o.key = o.path ? origin_key(o.path, NULL) : NULL;
	}
	if (o.path)
		b = origin_open(m->types, &o, btf_source_data(base), NULL, &err);
	if (b)
		g_ptr_array_add(m->sources, btf_source_new(b, base));
	else if (err)
		m->problem = g_strdup_printf("no types of module %s: %s", m->name, err);
	else
		m->problem = g_strdup_printf("kernel %s has no module '%s'%s", k->release, m->name,
					     k->modules_dir ? "" : " (its modules' directory was not found)");
	g_free(err);
	g_free(o.path);
	g_free(o.key);
}

void types_load(struct types_module *m, struct kernel_target *k)
{
	if (!k)
		m->problem = g_strdup("there is no target kernel");
	else if (m->name)
		module_load(m, k);
	else
		kernel_load(m, k);
}

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *types_module_names(struct types *t, const char *pattern)
{
	struct kernel_target *k = t->session->kernel;
	GPtrArray *ret = g_ptr_array_new_with_free_func(g_free);
	GDir *sys = k->is_running ? g_dir_open(SYS_BTF, 0, NULL) : NULL;
	char *want = g_strdelimit(g_strdup(pattern), "-", '_');
	char **lines = sys ? NULL : module_lines(k);
	const char *name;

	while (sys && (name = g_dir_read_name(sys)))
		if (strcmp(name, "vmlinux") != 0 && name_glob(want, name))
			g_ptr_array_add(ret, g_strdup(name));
	for (char **l = lines; l && *l; l++) {
		char *here = line_module(*l);

		if (here && name_glob(want, here))
			g_ptr_array_add(ret, here);
		else
			g_free(here);
	}
	if (sys)
		g_dir_close(sys);
	g_strfreev(lines);
	g_free(want);
	g_ptr_array_sort(ret, by_text);
	return ret;
}
