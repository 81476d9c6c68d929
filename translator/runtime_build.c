/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtime's entry in the cache for one kernel: what that kernel has, and how units are compiled for it. */
#include "runtime_build.h"
#include "errmsg.h"
#include "kernel_features.h"
#include "layout.h"
#include "runtime_prelude.h"

#include <stdint.h>
#include <string.h>

#define RUNTIME_FORMAT "runtime 8\n"

static gint name_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *runtime_files_in(const char *dir, const char *const *suffixes)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d)))
		for (const char *const *s = suffixes; *s; s++)
			if (g_str_has_suffix(name, *s) && *name != '.')
				g_ptr_array_add(files, g_build_filename(dir, name, NULL));
	if (d)
		g_dir_close(d);
	g_ptr_array_sort(files, name_compare);
	return files;
}

/*
 * 128 bits of a text, by multiplication, a word at a time: the runtime's sources are read at every start, and a checksum made
 * against adversaries took a fifth of the translator's time.
 */
static void text_digest(const char *text, gsize len, uint64_t ret[2])
{
	const uint64_t k[2] = { 0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full }; /* odd, half of the bits set */

	ret[0] = len;
	ret[1] = ~len;
	for (gsize i = 0; i < len; i += 8) {
		uint64_t w = 0;

		memcpy(&w, text + i, MIN(len - i, 8));
		for (int n = 0; n < 2; n++) {
			unsigned __int128 m = (unsigned __int128)(ret[n] ^ w) * k[n];

			ret[n] = (uint64_t)m ^ (uint64_t)(m >> 64) ^ (ret[n] << 7 | ret[n] >> 57);
		}
	}
}

/* Content of all that the objects are made of. */
static void checksum_sources(GChecksum *sum, const char *runtime_dir)
{
	static const char *const dirs[] = { "abi", "module", "module/compat" };
	static const char *const suffixes[] = { ".c", ".h", ".list", NULL };

	for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
		char *dir = g_build_filename(runtime_dir, dirs[i], NULL);
		GPtrArray *files = runtime_files_in(dir, suffixes);

		for (guint f = 0; f < files->len; f++) {
			const char *path = files->pdata[f];
			uint64_t digest[2];
			char *text = NULL;
			gsize len = 0;

			if (!g_file_get_contents(path, &text, &len, NULL))
				continue;
			text_digest(text, len, digest);
			g_checksum_update(sum, (const guchar *)path + strlen(runtime_dir),
					  strlen(path) - strlen(runtime_dir) + 1);
			g_checksum_update(sum, (const guchar *)digest, sizeof(digest));
			g_free(text);
		}
		g_ptr_array_free(files, TRUE);
		g_free(dir);
	}
}

static void add_include(GPtrArray *argv, const char *path)
{
	g_ptr_array_add(argv, g_strdup("-include"));
	g_ptr_array_add(argv, g_strdup(path));
}

GPtrArray *runtime_unit_command(const struct kernel_kit *kit, const char *runtime_dir,
				const char *prelude, const char *features)
{
	static const char *const dirs[] = { "module", "abi", "." };
	GPtrArray *argv = runtime_prelude_flags(kit);

	if (prelude) {
		add_include(argv, prelude);
	} else {
		for (char **a = kit->cc_kernel; *a; a++)
			if (strcmp(*a, "-include") == 0 && a[1])
				add_include(argv, *++a);
	}
	if (features)
		add_include(argv, features);
	g_ptr_array_add(argv, g_strdup("-fno-ident"));
	for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++)
		g_ptr_array_add(argv, g_strdup_printf("-I%s/%s", runtime_dir, dirs[i]));
	return argv;
}

/*
 * Under the lock: finds out what the kernel has, and publishes the entry, without a unit yet.  The scratch directory with the
 * precompiled prelude stays until runtime_close(): units are next.
 */
static int entry_make(struct runtime *rt, char **err)
{
	char *module_dir = g_build_filename(rt->runtime_dir, "module", NULL);
	char *entry = NULL, *path = NULL;
	int rc = 0;

	if (!g_file_test(module_dir, G_FILE_TEST_IS_DIR))
		rc = errmsg_set(err, "no runtime in %s: set SYSTEMTAP_RUNTIME to the "
				"directory with module/ and abi/", rt->runtime_dir);
	if (rc == 0)
		rc = cache_scratch(rt->cache, &rt->scratch, err);
	if (rc == 0) {
		entry = g_build_filename(rt->scratch, "entry", NULL);
		g_mkdir_with_parents(entry, 0755);
		rt->prelude = runtime_prelude_make(rt->k, rt->kit, rt->scratch, true, err);
		rc = rt->prelude ? features_write(rt->k, rt->kit, rt->runtime_dir, rt->prelude, entry, err) : -1;
	}
	if (rc == 0)
		rc = layout_make(rt->k, rt->kit, rt->runtime_dir, rt->prelude, NULL, entry, err);
	if (rc == 0)
		rc = cache_publish(rt->cache, entry, rt->name, true, &path, err);
	g_free(module_dir);
	g_free(entry);
	g_free(path);
	return rc;
}

void runtime_find_archive(struct runtime *rt)
{
	char *file = g_build_filename(rt->name, "runtime.a", NULL);

	g_free(rt->archive);
	rt->archive = cache_find(rt->cache, file);
	g_free(file);
}

/* A whole one, ours or root's; or one of ours to which units can be added. */
static bool entry_find(struct runtime *rt)
{
	char *file = g_build_filename(rt->name, "layout", NULL), *path;

	runtime_find_archive(rt);
	path = rt->archive ? g_strdup(rt->archive) : cache_find_own(rt->cache, file);
	g_free(file);
	if (!path)
		return false;
	rt->dir = g_path_get_dirname(path);
	rt->features = g_build_filename(rt->dir, "stp_features.h", NULL);
	rt->layout = g_build_filename(rt->dir, "layout", NULL);
	g_free(path);
	return true;
}

static int entry_find_or_make(struct runtime *rt, char **err)
{
	int lock, rc;

	if (entry_find(rt))
		return 0;
	lock = cache_lock(rt->cache, "runtime", rt->what, err);
	rc = lock < 0 ? -1 : 0;
	if (rc == 0 && !entry_find(rt)) {
		rt->began = g_get_monotonic_time();
		rc = entry_make(rt, err);
		rt->built = rc == 0;
		if (rc == 0 && !entry_find(rt))
			rc = errmsg_set(err, "cannot read back %s/%s", rt->cache->root, rt->name);
	}
	cache_unlock(lock);
	return rc;
}

int runtime_open(struct kernel_target *k, struct kernel_kit *kit, struct cache *c,
		 const char *runtime_dir, bool quiet, struct runtime **ret, char **err)
{
	struct runtime *rt = g_new0(struct runtime, 1);
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	int rc;

	rt->k = k;
	rt->kit = kit;
	rt->cache = c;
	rt->quiet = quiet;
	rt->runtime_dir = g_canonicalize_filename(runtime_dir, NULL);
	g_checksum_update(sum, (const guchar *)RUNTIME_FORMAT, -1);
	g_checksum_update(sum, (const guchar *)kit->key, -1);
	checksum_sources(sum, rt->runtime_dir);
	rt->key = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	rt->name = g_strdup_printf("runtime/%s-%.16s", k->release, rt->key);
	rt->what = g_strdup_printf("the runtime for %s", k->release);
	rc = entry_find_or_make(rt, err);
	if (rc == 0) {
		*ret = rt;
		if (rt->built)
			cache_clean(c, true);
	} else {
		runtime_close(rt);
		*ret = NULL;
	}
	return rc;
}

void runtime_close(struct runtime *rt)
{
	if (!rt)
		return;
	if (rt->scratch)
		cache_remove_tree(rt->scratch);
	g_free(rt->key);
	g_free(rt->name);
	g_free(rt->what);
	g_free(rt->dir);
	g_free(rt->archive);
	g_free(rt->features);
	g_free(rt->layout);
	g_free(rt->runtime_dir);
	g_free(rt->scratch);
	g_free(rt->prelude);
	g_free(rt);
}
