/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles the runtime for one kernel. The objects are not yet processed by
 * objtool: it has to see a module as a whole, and skips a link of objects that
 * it has already seen, leaving new code without unwind data and return sites. */
#include "runtime_build.h"
#include "errmsg.h"
#include "kernel_features.h"
#include "layout.h"
#include "link_script.h"
#include "runtime_prelude.h"
#include "subprocess.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RUNTIME_FORMAT "runtime 5\n"

static gint name_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted paths of the files in `dir` whose names end in one of `suffixes`. */
static GPtrArray *files_in(const char *dir, const char *const *suffixes)
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

/* Content of all that the objects are made of. */
static void checksum_sources(GChecksum *sum, const char *runtime_dir)
{
	static const char *const dirs[] = { "abi", "module", "module/compat" };
	static const char *const suffixes[] = { ".c", ".h", ".list", NULL };

	for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
		char *dir = g_build_filename(runtime_dir, dirs[i], NULL);
		GPtrArray *files = files_in(dir, suffixes);

		for (guint f = 0; f < files->len; f++) {
			const char *path = files->pdata[f];
			char *text = NULL;
			gsize len = 0;

			if (!g_file_get_contents(path, &text, &len, NULL))
				continue;
			g_checksum_update(sum, (const guchar *)path + strlen(runtime_dir),
					  strlen(path) - strlen(runtime_dir) + 1);
			g_checksum_update(sum, (const guchar *)text, len);
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

/* Progress on stderr, only for what takes longer than a second. */
struct progress {
	const char *release;
	bool quiet, shown;
	gint64 started;
};

static void progress_show(size_t done, size_t total, void *data)
{
	struct progress *p = data;
	bool tty = isatty(STDERR_FILENO);

	if (p->quiet || g_get_monotonic_time() - p->started < G_USEC_PER_SEC)
		return;
	if (tty)
		fprintf(stderr, "\rbuilding the runtime for %s: %zu/%zu%s", p->release,
			done, total, done == total ? "\n" : "");
	else if (!p->shown)
		fprintf(stderr, "building the runtime for %s (%zu units)\n", p->release,
			total);
	p->shown = true;
}

/* A unit says by a comment that it runs seldom. */
static bool unit_is_cold(const char *source)
{
	char *text = NULL;
	bool cold = g_file_get_contents(source, &text, NULL, NULL) &&
		    strstr(text, "/* cold unit */");

	g_free(text);
	return cold;
}

/* Small code. With frame pointers a function needs three unwind entries at most. */
static void flags_for_cold(GPtrArray *argv)
{
	static const char *const flags[] = { "-Os", "-fno-omit-frame-pointer",
		"-momit-leaf-frame-pointer", "-fno-align-functions",
		/* keeps the frame pointer's set-up together, see elf_thin.c */
		"-fno-schedule-insns2" };

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
		g_ptr_array_add(argv, g_strdup(flags[i]));
}

static struct subprocess compile_job(struct kernel_target *k, struct kernel_kit *kit,
				     const char *runtime_dir, const char *dir,
				     const char *features, const char *source,
				     const char *object)
{
	char *prelude = g_build_filename(dir, "prelude.h", NULL);
	GPtrArray *argv = runtime_unit_command(kit, runtime_dir, prelude, features);

	g_free(prelude);
	/* What a script does not use of a unit is left out in the link. */
	g_ptr_array_add(argv, g_strdup("-ffunction-sections"));
	g_ptr_array_add(argv, g_strdup("-fdata-sections"));
	if (g_str_has_suffix(object, LINK_COLD_SUFFIX))
		flags_for_cold(argv);
	g_ptr_array_add(argv, g_strdup("-c"));
	g_ptr_array_add(argv, g_strdup("-o"));
	g_ptr_array_add(argv, g_strdup(object));
	g_ptr_array_add(argv, g_strdup(source));
	g_ptr_array_add(argv, NULL);
	return (struct subprocess){
		.argv = (const char *const *)g_ptr_array_free(argv, FALSE),
		.dir = kit->work_dir,
		.env = kernel_kit_env(k),
	};
}

/* The first failed unit's messages. */
static int compile_failed(struct kernel_target *k, struct subprocess *jobs, guint count,
			  GPtrArray *sources, const char *dir, char **err)
{
	if (subprocess_interrupted())
		return errmsg_set(err, "interrupted while building the runtime");
	for (guint i = 0; i < count; i++) {
		if (jobs[i].status <= 0)
			continue;
		if (errmsg_is_disk_full(jobs[i].err, dir))
			return errmsg_disk_full(err, dir);
		if (jobs[i].not_found)
			return errmsg_set(err, "the compiler %s, with which kernel %s is "
					  "built, is not installed", jobs[i].argv[0],
					  k->release);
		return errmsg_set(err, "the runtime does not compile for kernel %s: %s\n%s",
				  k->release, (char *)sources->pdata[i], jobs[i].err);
	}
	return errmsg_set(err, "the runtime could not be built");
}

static int archive_create(GPtrArray *objects, const char *archive, char **err)
{
	GPtrArray *argv = g_ptr_array_new();
	struct subprocess job = { 0 };
	int rc;

	g_ptr_array_add(argv, "ar");
	g_ptr_array_add(argv, "rcsD");
	g_ptr_array_add(argv, (char *)archive);
	for (guint i = 0; i < objects->len; i++)
		g_ptr_array_add(argv, objects->pdata[i]);
	g_ptr_array_add(argv, NULL);
	job.argv = (const char *const *)argv->pdata;
	rc = subprocess_run(&job);
	if (rc != 0 && errmsg_is_disk_full(job.err, NULL))
		errmsg_disk_full(err, archive);
	else if (rc != 0)
		errmsg_set(err, "ar failed (is binutils installed?): %s", job.err);
	subprocess_deinit(&job);
	g_ptr_array_free(argv, TRUE);
	return rc;
}

static int compile_all(struct kernel_target *k, struct kernel_kit *kit,
		       const char *runtime_dir, GPtrArray *sources, const char *dir,
		       const char *entry, bool quiet, char **err)
{
	struct progress p = { k->release, quiet, false, g_get_monotonic_time() };
	struct subprocess *jobs = g_new0(struct subprocess, sources->len);
	GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
	char *features = g_build_filename(entry, "stp_features.h", NULL);
	char *archive = g_build_filename(entry, "runtime.a", NULL);
	int rc;

	for (guint i = 0; i < sources->len; i++) {
		char *base = g_path_get_basename(sources->pdata[i]);
		char *name, *object;

		name = g_strdup_printf("%.*s%s", (int)strlen(base) - 2, base,
				       unit_is_cold(sources->pdata[i]) ? LINK_COLD_SUFFIX :
				       ".o");
		object = g_build_filename(dir, name, NULL);
		g_free(name);
		jobs[i] = compile_job(k, kit, runtime_dir, dir, features,
				      sources->pdata[i], object);
		g_ptr_array_add(objects, object);
		g_free(base);
	}
	rc = subprocess_run_many(jobs, sources->len, 0, true, progress_show, &p);
	if (rc != 0) {
		if (p.shown && isatty(STDERR_FILENO))
			fputc('\n', stderr);
		compile_failed(k, jobs, sources->len, sources, dir, err);
	} else {
		rc = archive_create(objects, archive, err);
	}
	for (guint i = 0; i < sources->len; i++) {
		g_strfreev((char **)jobs[i].argv);
		subprocess_deinit(&jobs[i]);
	}
	g_free(jobs);
	g_ptr_array_free(objects, TRUE);
	g_free(features);
	g_free(archive);
	return rc;
}

/* Under the lock: builds in a scratch directory and publishes. */
static int runtime_make(struct kernel_target *k, struct kernel_kit *kit, struct cache *c,
			const char *runtime_dir, const char *name, bool quiet, char **err)
{
	static const char *const suffixes[] = { ".c", NULL };
	char *module_dir = g_build_filename(runtime_dir, "module", NULL);
	GPtrArray *sources = files_in(module_dir, suffixes);
	char *scratch = NULL, *entry = NULL, *path = NULL, *prelude = NULL;
	int rc = 0;

	if (sources->len == 0)
		rc = errmsg_set(err, "no runtime in %s: set SYSTEMTAP_RUNTIME to the "
				"directory with module/ and abi/", runtime_dir);
	if (rc == 0)
		rc = cache_scratch(c, &scratch, err);
	if (rc == 0) {
		entry = g_build_filename(scratch, "entry", NULL);
		g_mkdir_with_parents(entry, 0755);
		prelude = runtime_prelude_make(k, kit, scratch, err);
		rc = prelude ? features_write(k, kit, runtime_dir, prelude, entry, err) : -1;
	}
	if (rc == 0)
		rc = compile_all(k, kit, runtime_dir, sources, scratch, entry, quiet, err);
	if (rc == 0)
		rc = layout_make(k, kit, runtime_dir, prelude, NULL, entry, err);
	if (rc == 0)
		rc = cache_publish(c, entry, name, true, &path, err);
	cache_remove_tree(scratch);
	g_ptr_array_free(sources, TRUE);
	g_free(module_dir);
	g_free(prelude);
	g_free(scratch);
	g_free(entry);
	g_free(path);
	return rc;
}

static bool runtime_find(struct cache *c, const char *name, struct runtime *rt)
{
	char *file = g_build_filename(name, "runtime.a", NULL), *dir;

	rt->archive = cache_find(c, file);
	g_free(file);
	if (!rt->archive)
		return false;
	dir = g_path_get_dirname(rt->archive);
	rt->features = g_build_filename(dir, "stp_features.h", NULL);
	rt->layout = g_build_filename(dir, "layout", NULL);
	g_free(dir);
	return true;
}

int runtime_open(struct kernel_target *k, struct kernel_kit *kit, struct cache *c,
		 const char *runtime_dir, bool quiet, struct runtime **ret, char **err)
{
	struct runtime *rt = g_new0(struct runtime, 1);
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	char *dir = g_canonicalize_filename(runtime_dir, NULL), *name, *what;
	gint64 start = g_get_monotonic_time();
	int rc = 0, lock;

	g_checksum_update(sum, (const guchar *)RUNTIME_FORMAT, -1);
	g_checksum_update(sum, (const guchar *)kit->key, -1);
	checksum_sources(sum, dir);
	rt->key = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	name = g_strdup_printf("runtime/%s-%.16s", k->release, rt->key);
	what = g_strdup_printf("the runtime for %s", k->release);
	if (!runtime_find(c, name, rt)) {
		lock = cache_lock(c, "runtime", what, err);
		rc = lock < 0 ? -1 : 0;
		if (rc == 0 && !runtime_find(c, name, rt)) {
			rc = runtime_make(k, kit, c, dir, name, quiet, err);
			rt->built = rc == 0;
			if (rc == 0 && !runtime_find(c, name, rt))
				rc = errmsg_set(err, "cannot read back %s/%s", c->root, name);
		}
		cache_unlock(lock);
	}
	rt->seconds = rt->built ? (g_get_monotonic_time() - start) / 1e6 : 0;
	g_free(what);
	g_free(name);
	g_free(dir);
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
	g_free(rt->key);
	g_free(rt->archive);
	g_free(rt->features);
	g_free(rt->layout);
	g_free(rt);
}
