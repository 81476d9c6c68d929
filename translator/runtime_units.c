/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script needs a third of the runtime's units, and a kernel never seen before should not cost the time of all.  From the
 * names that a script's objects leave undefined the units are found that define them (unit_symbols.h guesses, the object then
 * tells), compiled, and looked through in their turn.
 */
#include "runtime_units.h"
#include "errmsg.h"
#include "modinfo_elf.h"
#include "runtime_prelude.h"
#include "subprocess.h"
#include "unit_symbols.h"
#include "link_script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* From so many units on, precompiling the kernel's headers pays. */
#define PRELUDE_PAYS 5

struct unit {
	char *source;
	char *base;               /* NAME.o or NAME.cold.o; NULL until the source is read, or the object found */
	char *object;             /* its path in the cache, likewise */
	struct unit_symbols *may; /* define; NULL until the source is read */
	GHashTable *defined;      /* NULL: not compiled, or not looked at */
	GHashTable *undefined;
	bool linked;
};

struct units {
	struct runtime *rt;
	GPtrArray *list;        /* struct unit, in the order of names */
	GHashTable *defined;    /* by what is linked; names belong to others */
	GHashTable *script;     /* names that the script's objects define, and ... */
	GHashTable *needs;      /* ... leave undefined; these own theirs */
	GPtrArray *wanted;      /* names that are left undefined, in the order of their finding */
	size_t compiled;        /* in this call, for the progress line */
	gint64 started;
	bool shown;
};

/* ---- the units ---- */

static void unit_name(struct runtime *rt, struct unit *u, bool cold)
{
	char *name = g_path_get_basename(u->source);

	name[strlen(name) - 2] = '\0';
	g_free(u->base);
	g_free(u->object);
	u->base = g_strconcat(name, cold ? LINK_COLD_SUFFIX : ".o", NULL);
	u->object = g_build_filename(rt->dir, "objects", u->base, NULL);
	g_free(name);
}

/* A unit says by a comment that it runs seldom. */
static void unit_read(struct runtime *rt, struct unit *u)
{
	char *text = NULL;

	if (u->may)
		return;
	if (!g_file_get_contents(u->source, &text, NULL, NULL))
		text = g_strdup("");
	unit_name(rt, u, strstr(text, "/* cold unit */"));
	u->may = unit_symbols_read(text);
	g_free(text);
}

static void unit_free(gpointer data)
{
	struct unit *u = data;

	g_free(u->source);
	g_free(u->base);
	g_free(u->object);
	if (u->may)
		unit_symbols_free(u->may);
	if (u->defined) {
		g_hash_table_destroy(u->defined);
		g_hash_table_destroy(u->undefined);
	}
	g_free(u);
}

/* Looks into the unit's object; false: there is none, or not a whole one. */
static bool unit_load(struct unit *u)
{
	if (u->defined)
		return true;
	if (!u->object || !modinfo_is_whole(u->object))
		return false;
	u->defined = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	u->undefined = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return modinfo_read_symbols(u->object, u->defined, u->undefined, NULL) == 0;
}

/* The unit of `source`, and the object that is there. */
static void unit_add(struct units *us, const char *source)
{
	struct unit *u = g_new0(struct unit, 1);

	u->source = g_strdup(source);
	g_ptr_array_add(us->list, u);
	for (int cold = 0; cold < 2; cold++) {
		unit_name(us->rt, u, cold);
		if (unit_load(u))
			return;
	}
}

static void units_init(struct units *us, struct runtime *rt)
{
	static const char *const suffixes[] = { ".c", NULL };
	char *dir = g_build_filename(rt->runtime_dir, "module", NULL);
	GPtrArray *sources = runtime_files_in(dir, suffixes);

	*us = (struct units){ .rt = rt, .started = g_get_monotonic_time() };
	us->list = g_ptr_array_new_with_free_func(unit_free);
	us->defined = g_hash_table_new(g_str_hash, g_str_equal);
	us->wanted = g_ptr_array_new();
	us->script = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	us->needs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (guint i = 0; i < sources->len; i++)
		unit_add(us, sources->pdata[i]);
	g_ptr_array_free(sources, TRUE);
	g_free(dir);
}

static void units_deinit(struct units *us)
{
	g_ptr_array_free(us->list, TRUE);
	g_ptr_array_free(us->wanted, TRUE);
	g_hash_table_destroy(us->defined);
	g_hash_table_destroy(us->script);
	g_hash_table_destroy(us->needs);
}

/* ---- compiling ---- */

/* Progress on stderr, only for what takes longer than a second. */
static void progress_show(size_t done, size_t total, void *data)
{
	struct units *us = data;
	struct runtime *rt = us->rt;

	if (rt->quiet || g_get_monotonic_time() - (rt->began ? rt->began : us->started) < G_USEC_PER_SEC)
		return;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\rbuilding the runtime for %s: %zu units", rt->k->release, us->compiled + done);
	else if (!us->shown)
		fprintf(stderr, "building the runtime for %s\n", rt->k->release);
	us->shown = true;
}

static void progress_end(struct units *us)
{
	if (us->shown && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	us->shown = false;
}

/* Small code. With frame pointers a function needs three unwind entries at most. */
static void flags_for_cold(GPtrArray *argv)
{
	static const char *const flags[] = { "-Os", "-fno-omit-frame-pointer",
		"-momit-leaf-frame-pointer", "-fno-shrink-wrap", "-fno-align-functions",
		/* keeps the frame pointer's set-up together, see elf_thin.c */
		"-fno-schedule-insns2" };

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
		g_ptr_array_add(argv, g_strdup(flags[i]));
}

static struct subprocess compile_job(struct runtime *rt, const struct unit *u, const char *output)
{
	GPtrArray *argv = runtime_unit_command(rt->kit, rt->runtime_dir, rt->prelude, rt->features);
	/* What a script does not use of a unit is left out in the link. */
	const char *tail[] = { "-ffunction-sections", "-fdata-sections", "-c", "-o", output, u->source };

	if (g_str_has_suffix(u->base, LINK_COLD_SUFFIX))
		flags_for_cold(argv);
	for (size_t i = 0; i < G_N_ELEMENTS(tail); i++)
		g_ptr_array_add(argv, g_strdup(tail[i]));
	g_ptr_array_add(argv, NULL);
	return (struct subprocess){
		.argv = (const char *const *)g_ptr_array_free(argv, FALSE),
		.dir = rt->kit->work_dir,
		.env = kernel_kit_env(rt->k),
	};
}

/* The first failed unit's messages. */
static int compile_failed(struct runtime *rt, struct subprocess *jobs, GPtrArray *wave, char **err)
{
	if (subprocess_interrupted())
		return errmsg_set(err, "interrupted while building the runtime");
	for (guint i = 0; i < wave->len; i++) {
		if (jobs[i].status <= 0)
			continue;
		if (errmsg_is_disk_full(jobs[i].err, rt->scratch))
			return errmsg_disk_full(err, rt->scratch);
		if (jobs[i].not_found)
			return errmsg_set(err, "the compiler %s, with which kernel %s is "
					  "built, is not installed", jobs[i].argv[0], rt->k->release);
		return errmsg_set(err, "the runtime does not compile for kernel %s: %s\n%s",
				  rt->k->release, ((struct unit *)wave->pdata[i])->source, jobs[i].err);
	}
	return errmsg_set(err, "the runtime could not be built");
}

/* A scratch directory with the prelude, where there is none from making the entry. */
static int scratch_need(struct runtime *rt, guint nunits, char **err)
{
	if (!rt->scratch && cache_scratch(rt->cache, &rt->scratch, err) != 0)
		return -1;
	if (!rt->prelude)
		rt->prelude = runtime_prelude_make(rt->k, rt->kit, rt->scratch, nunits >= PRELUDE_PAYS, err);
	return rt->prelude ? 0 : -1;
}

static char *scratch_object(const struct runtime *rt, const struct unit *u)
{
	return g_build_filename(rt->scratch, u->base, NULL);
}

/* Whole objects appear in the cache by a rename each. */
static int wave_publish(struct runtime *rt, GPtrArray *wave, char **err)
{
	char *dir = g_build_filename(rt->dir, "objects", NULL);
	int rc = 0;

	g_mkdir_with_parents(dir, 0755);
	for (guint i = 0; i < wave->len && rc == 0; i++) {
		struct unit *u = wave->pdata[i];
		char *made = scratch_object(rt, u);

		if (rename(made, u->object) != 0)
			rc = errmsg_set(err, "cannot write %s: %s", u->object, g_strerror(errno));
		g_free(made);
	}
	g_free(dir);
	return rc;
}

/* Compiles the units of `wave` that have no object.  Under the lock: somebody else may be at the same. */
static int wave_compile(struct units *us, GPtrArray *wave, char **err)
{
	struct runtime *rt = us->rt;
	struct subprocess *jobs;
	int rc;

	for (guint i = 0; i < wave->len;) {
		struct unit *u = wave->pdata[i];

		unit_read(rt, u);
		if (u->defined)
			g_ptr_array_remove_index(wave, i);
		else
			i++;
	}
	if (!wave->len)
		return 0;
	if (scratch_need(rt, wave->len, err) != 0)
		return -1;
	jobs = g_new0(struct subprocess, wave->len);
	for (guint i = 0; i < wave->len; i++) {
		char *output = scratch_object(rt, wave->pdata[i]);

		jobs[i] = compile_job(rt, wave->pdata[i], output);
		g_free(output);
	}
	rc = subprocess_run_many(jobs, wave->len, 0, true, progress_show, us);
	rc = rc != 0 ? compile_failed(rt, jobs, wave, err) : wave_publish(rt, wave, err);
	us->compiled += wave->len;
	for (guint i = 0; i < wave->len; i++) {
		g_strfreev((char **)jobs[i].argv);
		subprocess_deinit(&jobs[i]);
	}
	g_free(jobs);
	return rc;
}

/* ---- what a script needs ---- */

/* Adds the names that only a definition satisfies. */
static void want_all(struct units *us, GHashTable *undefined)
{
	GHashTableIter it;
	gpointer name, how;

	g_hash_table_iter_init(&it, undefined);
	while (g_hash_table_iter_next(&it, &name, &how))
		if (how == GINT_TO_POINTER(1))
			g_ptr_array_add(us->wanted, name);
}

static void define_all(struct units *us, GHashTable *defined)
{
	GHashTableIter it;
	gpointer name;

	g_hash_table_iter_init(&it, defined);
	while (g_hash_table_iter_next(&it, &name, NULL))
		g_hash_table_add(us->defined, name);
}

static void unit_link(struct units *us, struct unit *u)
{
	u->linked = true;
	define_all(us, u->defined);
	want_all(us, u->undefined);
}

/* Links the first unit that defines `name`, as a linker does with an archive. */
static void name_resolve(struct units *us, const char *name)
{
	for (guint i = 0; i < us->list->len && !g_hash_table_contains(us->defined, name); i++) {
		struct unit *u = us->list->pdata[i];

		if (u->defined && !u->linked && g_hash_table_contains(u->defined, name))
			unit_link(us, u);
	}
}

/* Is it a name that a unit of ours has to define? */
static bool name_is_open(struct units *us, const char *name)
{
	return (g_str_has_prefix(name, "stp_") || g_str_equal(name, "init_module") || g_str_equal(name, "cleanup_module")) &&
	       !g_hash_table_contains(us->defined, name);
}

/* The units without an object that may define an open name. */
static GPtrArray *next_wave(struct units *us)
{
	GPtrArray *wave = g_ptr_array_new(), *open = g_ptr_array_new();

	for (guint i = 0; i < us->wanted->len; i++)
		if (name_is_open(us, us->wanted->pdata[i]))
			g_ptr_array_add(open, us->wanted->pdata[i]);
	for (guint i = 0; open->len && i < us->list->len; i++) {
		struct unit *u = us->list->pdata[i];

		unit_read(us->rt, u);
		for (guint n = 0; n < open->len && !u->defined; n++)
			if (unit_symbols_has(u->may, open->pdata[n])) {
				g_ptr_array_add(wave, u);
				break;
			}
	}
	g_ptr_array_free(open, TRUE);
	return wave;
}

/* Follows names through the objects that are there, and compiles more of them, until nothing new comes. */
static int names_follow(struct units *us, char **err)
{
	bool more = true;
	int rc = 0;

	while (more && rc == 0) {
		GPtrArray *wave;

		for (guint i = 0; i < us->wanted->len; i++) /* grows meanwhile */
			name_resolve(us, us->wanted->pdata[i]);
		wave = next_wave(us);
		more = wave->len;
		rc = wave_compile(us, wave, err);
		for (guint i = 0; i < wave->len && rc == 0; i++)
			if (!unit_load(wave->pdata[i]))
				rc = errmsg_set(err, "%s is not a whole object", ((struct unit *)wave->pdata[i])->object);
		g_ptr_array_free(wave, TRUE);
	}
	return rc;
}

/* No unit was found for a name of ours: the guess has missed it. */
static bool names_missing(struct units *us)
{
	for (guint i = 0; i < us->wanted->len; i++)
		if (name_is_open(us, us->wanted->pdata[i]))
			return true;
	return false;
}

static GPtrArray *linked_paths(struct units *us)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < us->list->len; i++) {
		struct unit *u = us->list->pdata[i];

		if (u->linked)
			g_ptr_array_add(paths, g_strdup(u->object));
	}
	return paths;
}

/* ---- the archive ---- */

static int archive_create(struct units *us, const char *archive, char **err)
{
	GPtrArray *argv = g_ptr_array_new();
	struct subprocess job = { 0 };
	int rc;

	g_ptr_array_add(argv, "ar");
	g_ptr_array_add(argv, "rcsD");
	g_ptr_array_add(argv, (char *)archive);
	for (guint i = 0; i < us->list->len; i++)
		g_ptr_array_add(argv, ((struct unit *)us->list->pdata[i])->object);
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

/*
 * All units compiled: one archive takes their place.  Objects that were there before stay: a run that has looked them up may
 * just be linking with them.
 */
static int all_compile(struct units *us, char **err)
{
	struct runtime *rt = us->rt;
	GPtrArray *all = g_ptr_array_new();
	char *name = g_build_filename(rt->name, "runtime.a", NULL), *objects = g_build_filename(rt->dir, "objects", NULL);
	bool keep = g_file_test(objects, G_FILE_TEST_EXISTS);
	char *made = NULL;
	int rc;

	for (guint i = 0; i < us->list->len; i++)
		g_ptr_array_add(all, us->list->pdata[i]);
	rc = wave_compile(us, all, err);
	if (rc == 0 && !rt->scratch)
		rc = cache_scratch(rt->cache, &rt->scratch, err);
	if (rc == 0) {
		made = g_build_filename(rt->scratch, "runtime.a", NULL);
		rc = archive_create(us, made, err);
	}
	if (rc == 0)
		rc = cache_publish(rt->cache, made, name, true, &rt->archive, err);
	if (!keep)
		cache_remove_tree(objects);
	g_ptr_array_free(all, TRUE);
	g_free(objects);
	g_free(name);
	g_free(made);
	return rc;
}

/* ---- for others ---- */

static GPtrArray *archive_path(struct runtime *rt)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(paths, g_strdup(rt->archive));
	return paths;
}

static int objects_read(struct units *us, GPtrArray *objects, char **err)
{
	for (guint i = 0; i < objects->len; i++)
		if (modinfo_read_symbols(objects->pdata[i], us->script, us->needs, err) != 0)
			return -1;
	define_all(us, us->script);
	want_all(us, us->needs);
	g_ptr_array_add(us->wanted, "init_module");
	g_ptr_array_add(us->wanted, "cleanup_module");
	return 0;
}

static GPtrArray *units_find(struct runtime *rt, GPtrArray *objects, char **err)
{
	GPtrArray *ret = NULL;
	struct units us;
	int rc;

	units_init(&us, rt);
	rc = objects_read(&us, objects, err);
	if (rc == 0)
		rc = names_follow(&us, err);
	if (rc == 0 && names_missing(&us)) {
		rc = all_compile(&us, err);
		ret = rc == 0 ? archive_path(rt) : NULL;
	} else if (rc == 0) {
		ret = linked_paths(&us);
	}
	progress_end(&us);
	units_deinit(&us);
	return ret;
}

GPtrArray *runtime_units_for(struct runtime *rt, GPtrArray *objects, char **err)
{
	GPtrArray *ret = NULL;
	int lock;

	if (rt->archive)
		return archive_path(rt);
	lock = cache_lock(rt->cache, "runtime", rt->what, err);
	if (lock < 0)
		return NULL;
	runtime_find_archive(rt); /* somebody may have completed it */
	ret = rt->archive ? archive_path(rt) : units_find(rt, objects, err);
	cache_unlock(lock);
	return ret;
}

int runtime_units_complete(struct runtime *rt, char **err)
{
	struct units us;
	int rc, lock;

	if (rt->archive)
		return 0;
	lock = cache_lock(rt->cache, "runtime", rt->what, err);
	if (lock < 0)
		return -1;
	runtime_find_archive(rt);
	if (!rt->archive) {
		units_init(&us, rt);
		rc = all_compile(&us, err);
		progress_end(&us);
		units_deinit(&us);
	} else {
		rc = 0;
	}
	cache_unlock(lock);
	return rc;
}
