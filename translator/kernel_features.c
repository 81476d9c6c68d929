/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel can do, found by compiling each probe alone: with the kernel
 * headers precompiled that is a twentieth of a second. */
#include "kernel_features.h"
#include "errmsg.h"
#include "exports.h"
#include "runtime_build.h"
#include "subprocess.h"

#include <string.h>
#include <glib.h>

struct probe {
	char *path;
	char *macro;
	bool works;
};

static void probe_free(gpointer data)
{
	struct probe *p = data;

	g_free(p->path);
	g_free(p->macro);
	g_free(p);
}

static gint probe_compare(gconstpointer a, gconstpointer b)
{
	return strcmp((*(struct probe *const *)a)->path, (*(struct probe *const *)b)->path);
}

static GPtrArray *probes_collect(const char *compat_dir)
{
	GPtrArray *probes = g_ptr_array_new_with_free_func(probe_free);
	GDir *d = g_dir_open(compat_dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		struct probe *p;

		if (!g_str_has_prefix(name, "probe-") || !g_str_has_suffix(name, ".c"))
			continue;
		p = g_new0(struct probe, 1);
		p->path = g_build_filename(compat_dir, name, NULL);
		p->macro = g_ascii_strup(name + 6, strlen(name) - 8);
		g_strdelimit(p->macro, "-", '_');
			g_ptr_array_add(probes, p);
	}
	if (d)
		g_dir_close(d);
	g_ptr_array_sort(probes, probe_compare);
	return probes;
}

/* The command that checks `file`: what says that a function or its parameters are
 * other ones is an error, and no other warning is. */
static char **probe_command(struct kernel_kit *kit, const char *runtime_dir,
			    const char *prelude, const char *file)
{
	GPtrArray *argv = runtime_unit_command(kit, runtime_dir, prelude, NULL);
	static const char *const extra[] = { "-fsyntax-only", "-Wno-error",
		"-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types",
		"-Werror=int-conversion" };

	for (size_t i = 0; i < G_N_ELEMENTS(extra); i++)
		g_ptr_array_add(argv, g_strdup(extra[i]));
	g_ptr_array_add(argv, g_strdup(file));
	g_ptr_array_add(argv, NULL);
	return (char **)g_ptr_array_free(argv, FALSE);
}

/* Returns 0 or -1: a compiler that does not run is not a missing feature. */
static int probes_try(GPtrArray *probes, struct kernel_target *k, struct kernel_kit *kit,
		      const char *runtime_dir, const char *prelude, char **err)
{
	struct subprocess *jobs = g_new0(struct subprocess, probes->len);
	int rc = 0;

	for (guint i = 0; i < probes->len; i++) {
		struct probe *p = probes->pdata[i];

		jobs[i].argv = (const char *const *)probe_command(kit, runtime_dir, prelude,
								  p->path);
		jobs[i].dir = kit->work_dir;
		jobs[i].env = kernel_kit_env(k);
	}
	subprocess_run_many(jobs, probes->len, 0, false, NULL, NULL);
	for (guint i = 0; i < probes->len; i++) {
		((struct probe *)probes->pdata[i])->works = jobs[i].status == 0;
		if (rc == 0 && jobs[i].status >= 126)
			rc = errmsg_set(err, "cannot run the compiler: %s", jobs[i].err);
		g_strfreev((char **)jobs[i].argv);
		subprocess_deinit(&jobs[i]);
	}
	g_free(jobs);
	if (subprocess_interrupted())
		rc = errmsg_set(err, "interrupted");
	return rc;
}

/* The symbols of exports.list that the kernel exports, as defines, in order. */
static int exports_append(struct kernel_target *k, const char *list, GString *out,
			  char **err)
{
	GHashTable *wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTable *found;
	char *text = NULL, **lines;

	if (!g_file_get_contents(list, &text, NULL, NULL))
		text = g_strdup("");
	lines = g_strsplit(text, "\n", -1);
	for (char **l = lines; *l; l++) {
		char *hash = strchr(*l, '#');

		if (hash)
			*hash = '\0';
		if (*g_strstrip(*l))
			g_hash_table_add(wanted, g_strdup(*l));
	}
	found = exports_find(k, wanted, err);
	for (char **l = lines; found && *l; l++)
		if (**l && g_hash_table_contains(found, *l))
			g_string_append_printf(out, "#define STP_EXPORTED_%s 1\n", *l);
	g_strfreev(lines);
	g_free(text);
	g_hash_table_destroy(wanted);
	if (!found)
		return -1;
	g_hash_table_destroy(found);
	return 0;
}

int features_write(struct kernel_target *k, struct kernel_kit *kit,
		   const char *runtime_dir, const char *prelude, const char *dir,
		   char **err)
{
	char *compat = g_build_filename(runtime_dir, "module", "compat", NULL);
	char *list = g_build_filename(compat, "exports.list", NULL);
	char *file = g_build_filename(dir, "stp_features.h", NULL);
	GPtrArray *probes = probes_collect(compat);
	GString *out = g_string_new("/* What this kernel can do; made by stap. */\n");
	int rc = 0;

	if (probes->len)
		rc = probes_try(probes, k, kit, runtime_dir, prelude, err);
	for (guint i = 0; i < probes->len; i++) {
		struct probe *p = probes->pdata[i];

		if (p->works)
			g_string_append_printf(out, "#define STP_HAVE_%s 1\n", p->macro);
	}
	if (rc == 0)
		rc = exports_append(k, list, out, err);
	if (rc == 0 && !g_file_set_contents(file, out->str, out->len, NULL))
		rc = errmsg_disk_full(err, dir);
	g_string_free(out, TRUE);
	g_ptr_array_free(probes, TRUE);
	g_free(file);
	g_free(list);
	g_free(compat);
	return rc;
}
