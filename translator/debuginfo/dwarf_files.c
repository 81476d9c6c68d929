/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files with debug information that a session has opened, each once, with their indexes. */
#include "dwarf_die.h"
#include "dwarf_file.h"
#include "dwarf_file_priv.h"
#include "dwarf_index.h"
#include "cache.h"
#include "diag.h"
#include "errmsg.h"
#include "image.h"
#include "install_hint.h"
#include "kernel.h"
#include "kernel_id.h"
#include "session.h"
#include "types.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct session_file {
	struct dwarf_file *file;   /* or NULL: see error */
	char *error;
	struct dwarf_index *index;
	char *index_error;
	bool index_asked;
};

static void session_file_free(gpointer data)
{
	struct session_file *sf = data;

	dwarf_index_close(sf->index);
	dwarf_file_close(sf->file);
	g_free(sf->error);
	g_free(sf->index_error);
	g_free(sf);
}

static GHashTable *session_files(struct session *s)
{
	if (!s->dwarf_files)
		s->dwarf_files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, session_file_free);
	return s->dwarf_files;
}

void session_dwarf_close(struct session *s)
{
	if (s->dwarf_files)
		g_hash_table_destroy(s->dwarf_files);
	s->dwarf_files = NULL;
}

/* The remembered answer, after `key` was entered with what opening gave; takes f and error. */
static struct dwarf_file *remember(struct session *s, char *key, struct dwarf_file *f, char *error, char **err)
{
	struct session_file *sf = g_new0(struct session_file, 1);

	sf->file = f;
	sf->error = error;
	g_hash_table_insert(session_files(s), key, sf);
	/* what is used all the same; what was passed over is for who finds nothing else */
	if (f && f->debug_path && f->warning)
		diag_warning(s, (struct loc){ 0 }, "debuginfo", "%s", f->warning);
	if (!f)
		errmsg_set(err, "%s", error);
	return f;
}

static struct session_file *known(struct session *s, const char *key, char **err)
{
	struct session_file *sf = g_hash_table_lookup(session_files(s), key);

	if (sf && !sf->file)
		errmsg_set(err, "%s", sf->error);
	return sf;
}

/* The build id of the target, from its boot image where nothing else told it; remembered in the cache, since unpacking
 * takes a third of a second. */
static void target_build_id(struct session *s)
{
	struct kernel_target *k = s->kernel;
	struct cache *c = session_cache(s);
	char *text, *sum, *name, *path, *published = NULL, *id = NULL;
	struct blob btf;
	struct stat st;

	if (k->build_id)
		return;
	if (k->vmlinux)
		k->build_id = kernel_build_id_of_elf(k->vmlinux);
	if (k->build_id || !k->boot_image || stat(k->boot_image, &st) != 0)
		return;
	text = g_strdup_printf("id %s %lld %lld.%09ld", k->boot_image, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			       st.st_mtim.tv_nsec);
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	name = g_strdup_printf("index/id-%.24s", sum);
	path = c ? cache_find(c, name) : NULL;
	if (path && g_file_get_contents(path, &id, NULL, NULL) && strspn(id, "0123456789abcdef") == strlen(id)) {
		k->build_id = g_steal_pointer(&id);
	} else if (image_btf(k->boot_image, &btf, &k->build_id, NULL) == 0) {
		char *dir = NULL, *file;

		blob_close(&btf);
		if (k->build_id && c && !c->ephemeral && cache_scratch(c, &dir, NULL) == 0) {
			file = g_build_filename(dir, "id", NULL);
			if (g_file_set_contents(file, k->build_id, -1, NULL))
				cache_publish(c, file, name, false, &published, NULL);
			g_free(file);
			cache_remove_tree(dir);
			g_free(dir);
		}
	}
	g_free(id);
	g_free(published);
	g_free(path);
	g_free(name);
	g_free(sum);
	g_free(text);
}

char *dwarf_file_hint(const struct dwarf_file *f, const struct kernel_target *k)
{
	return f->kind == DWARF_FILE_USER || !k ? hint_user_debuginfo(f->path ? f->path : f->name) : hint_kernel_debuginfo(k->release);
}

/* "WHAT NAME has no debug information here (why): what to do"; takes the hint. */
static char *no_debuginfo(const char *what, const char *name, const char *why, char *hint)
{
	char *ret = g_strdup_printf("%s%s has no debug information here%s%s%s: %s", what, name, why ? " (" : "", why ? why : "",
				    why ? ")" : "", hint);

	g_free(hint);
	return ret;
}

static char *kernel_problem(struct session *s, const char *why)
{
	struct kernel_target *k = s->kernel;
	char *denied = k->debug_denied && !why ? g_strdup_printf("%s: %s", k->debug_denied, g_strerror(EACCES)) : NULL;
	char *ret = no_debuginfo("kernel ", k->release, why ? why : denied, hint_kernel_debuginfo(k->release));

	g_free(denied);
	return ret;
}

/* Of a module or program, in place of what was said when it was opened. */
static void say_no_debuginfo(struct dwarf_file *f, const char *what, const struct kernel_target *k)
{
	g_free(f->problem);
	f->problem = no_debuginfo(what, f->kind == DWARF_FILE_USER ? f->path : f->name, f->warning ? f->warning : f->unfetched,
				  dwarf_file_hint(f, k));
}

/* By build id: below /usr/lib/debug and the search path, or from a server. */
static void kernel_by_id(const struct kernel_target *k, const struct dwarf_search *search, struct dwarf_file **f, char **why)
{
	struct dwarf_wanted w = { .build_id = k->build_id };
	char *warning = NULL, *unfetched = NULL, *found = dwarf_find_debug(&w, &warning, &unfetched);

	if (found)
		dwarf_file_open(DWARF_FILE_KERNEL, "kernel", NULL, found, search, f, *why ? NULL : why);
	else if (!*why)
		*why = warning ? g_steal_pointer(&warning) : g_steal_pointer(&unfetched);
	g_free(found);
	g_free(warning);
	g_free(unfetched);
}

/* The file of a kernel with DWARF; without any, one with symbols, or NULL and *problem. */
static struct dwarf_file *kernel_open(struct session *s, char **problem)
{
	struct kernel_target *k = s->kernel;
	const char *paths[] = { k->vmlinux_debug, k->vmlinux };
	struct dwarf_file *f = NULL, *plain = NULL;
	struct dwarf_search search = { .no_debuginfod = true };
	char *why = NULL;

	target_build_id(s);
	search.want_build_id = k->build_id;
	for (size_t i = 0; i < G_N_ELEMENTS(paths) && !f; i++) {
		if (!paths[i] || dwarf_file_open(DWARF_FILE_KERNEL, "kernel", paths[i], NULL, &search, &f, why ? NULL : &why) != 0)
			continue;
		if (!f->debug_path && !plain)
			plain = g_steal_pointer(&f);
		else if (!f->debug_path)
			g_clear_pointer(&f, dwarf_file_close);
	}
	if (!f && k->build_id)
		kernel_by_id(k, &search, &f, &why);
	if (f) {
		/* when nothing else tells it, the debug file is believed */
		if (!k->build_id)
			k->build_id = g_strdup(f->build_id);
		dwarf_file_close(plain);
	} else if (plain) {
		g_free(plain->problem);
		plain->problem = kernel_problem(s, why);
		f = plain;
	} else {
		*problem = kernel_problem(s, why);
	}
	g_free(why);
	return f;
}

struct dwarf_file *dwarf_kernel(struct session *s, char **err)
{
	struct session_file *sf = known(s, "kernel", err);
	struct dwarf_file *f;
	char *why = NULL;

	if (sf)
		return sf->file;
	f = kernel_open(s, &why);
	return remember(s, g_strdup("kernel"), f, why, err);
}

/* A module's debug file in a tree, where the module itself is not here: set during the walk. */
static struct { const char *want; char *found; } module_hunt;

static int module_here(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *base = path + ftw->base, *dot = strstr(base, ".ko");
	char *name;

	if (type != FTW_F || !dot)
		return 0;
	name = g_strdelimit(g_strndup(base, dot - base), "-", '_');
	if (strcmp(name, module_hunt.want) == 0)
		module_hunt.found = g_strdup(path);
	g_free(name);
	return module_hunt.found != NULL;
}

static char *module_debug_alone(const struct kernel_target *k, const char *name)
{
	const char *env = g_getenv("SYSTEMTAP_DEBUGINFO_PATH");
	char *all = g_strconcat(env ? env : "", ":/usr/lib/debug", NULL), **dirs = g_strsplit(all, ":", -1);

	module_hunt.want = name;
	module_hunt.found = NULL;
	for (char **d = dirs; *d && !module_hunt.found; d++) {
		char *dir = *d + strspn(*d, "+-");
		char *tree = g_build_filename(dir, "lib/modules", k->release, NULL);
		char *usr = g_build_filename(dir, "usr/lib/modules", k->release, NULL);

		if (*dir == '/' && nftw(tree, module_here, 16, FTW_PHYS) == 0)
			nftw(usr, module_here, 16, FTW_PHYS);
		g_free(tree);
		g_free(usr);
	}
	g_strfreev(dirs);
	g_free(all);
	return module_hunt.found;
}

static struct dwarf_file *module_open(struct session *s, const char *name, const char *path, char **why)
{
	struct kernel_target *k = s->kernel;
	struct dwarf_search search = { 0 };
	struct dwarf_file *f = NULL;
	char *debug = path ? NULL : module_debug_alone(k, name);

	/* with the tree of another system everything lies below that */
	if (k->modules_dir && strstr(k->modules_dir, "/lib/modules/") > k->modules_dir)
		search.root = g_strndup(k->modules_dir, strstr(k->modules_dir, "/lib/modules/") - k->modules_dir);
	if (search.root && (g_str_has_suffix(search.root, "/usr") || *search.root == '\0'))
		((char *)search.root)[strlen(search.root) - (*search.root ? 4 : 0)] = '\0';
	if (!path && !debug) {
		*why = types_module_builtin(session_types(s), name) ?
			g_strdup_printf("module '%s' is part of the kernel itself: use kernel.function and the like", name) :
			g_strdup_printf("kernel %s has no module '%s'", k->release, name);
	} else if (dwarf_file_open(DWARF_FILE_MODULE, name, path, debug, search.root && *search.root ? &search : NULL, &f, why) == 0 &&
		   !f->debug_path) {
		say_no_debuginfo(f, "module ", k);
	}
	g_free((char *)search.root);
	g_free(debug);
	return f;
}

/* A module of that name that was opened by its path. */
static struct dwarf_file *opened_by_path(struct session *s, const char *name)
{
	GHashTableIter it;
	gpointer value;

	g_hash_table_iter_init(&it, session_files(s));
	while (g_hash_table_iter_next(&it, NULL, &value)) {
		struct session_file *sf = value;

		if (sf->file && sf->file->kind == DWARF_FILE_MODULE && strcmp(sf->file->name, name) == 0)
			return sf->file;
	}
	return NULL;
}

struct dwarf_file *dwarf_module(struct session *s, const char *name_or_path, char **err)
{
	char *name, *key, *why = NULL, *dot;
	const char *path = *name_or_path == '/' ? name_or_path : NULL;
	struct session_file *sf;
	struct dwarf_file *f;
	GHashTable *files = NULL;

	name = path ? g_path_get_basename(path) : g_strdup(name_or_path);
	dot = path ? strstr(name, ".ko") : NULL;
	if (dot)
		*dot = '\0';
	g_strdelimit(name, "-", '_');
	key = g_strconcat("module ", path ? path : name, NULL);
	sf = known(s, key, err);
	if (sf) {
		g_free(name);
		g_free(key);
		return sf->file;
	}
	if (!path) {
		files = types_module_files(session_types(s));
		path = g_hash_table_lookup(files, name);
	}
	if (!path && *name_or_path != '/' && (f = opened_by_path(s, name))) {
		g_hash_table_destroy(files);
		g_free(name);
		g_free(key);
		return f;
	}
	f = module_open(s, name, path, &why);
	if (files)
		g_hash_table_destroy(files);
	g_free(name);
	return remember(s, key, f, why, err);
}

struct dwarf_file *dwarf_user(struct session *s, const char *path, char **err)
{
	char *real = realpath(path, NULL), *key = g_strconcat("user ", real ? real : path, NULL), *why = NULL;
	struct session_file *sf = known(s, key, err);
	struct dwarf_file *f = NULL;

	if (sf) {
		free(real);
		g_free(key);
		return sf->file;
	}
	if (dwarf_file_open(DWARF_FILE_USER, real ? real : path, real ? real : path, NULL, NULL, &f, &why) == 0 && !f->debug_path)
		say_no_debuginfo(f, "", s->kernel);
	free(real);
	return remember(s, key, f, why, err);
}

static void warn_splits(struct session *s, struct dwarf_file *f, const struct dwarf_index *ix)
{
	struct dwarf_index_info info;
	const char *name;

	dwarf_index_info(ix, &info);
	name = info.missing_splits ? unit_missing_split(dwarf_file_dwarf(f), 0) : NULL;
	if (name)
		diag_warning(s, (struct loc){ 0 }, "debuginfo", "%u of %u units of %s have their debug information in .dwo files that are not "
			     "here (%s%s; packages of them, .dwp, are not read): it is missing", info.missing_splits, info.cus,
			     f->debug_path, name, info.missing_splits > 1 ? ", ..." : "");
}

struct dwarf_index *session_dwarf_index(struct session *s, struct dwarf_file *f, char **err)
{
	GHashTableIter it;
	gpointer value;

	g_hash_table_iter_init(&it, session_files(s));
	while (g_hash_table_iter_next(&it, NULL, &value)) {
		struct session_file *sf = value;

		if (sf->file != f)
			continue;
		if (!sf->index_asked) {
			sf->index_asked = true;
			if (dwarf_index_open(f, session_cache(s), &sf->index, &sf->index_error) == 0)
				warn_splits(s, f, sf->index);
		}
		if (!sf->index)
			errmsg_set(err, "%s", sf->index_error);
		return sf->index;
	}
	errmsg_set(err, "%s was not opened by this session", f->name);
	return NULL;
}
