/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout check, see layout.h. */
#include "layout.h"
#include "debuginfo/types.h"
#include "elf_image.h"
#include "errmsg.h"
#include "install_hint.h"
#include "kernel.h"
#include "subprocess.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SECTION ".stap_layout"

static const struct loc nowhere;

/* ---- making the table ---- */

static int table_write(const char *object, const char *dir, char **err)
{
	char *path = g_build_filename(dir, "layout", NULL);
	struct elf_image im;
	unsigned section;
	int rc = 0;

	if (!elf_image_read(&im, object)) {
		rc = errmsg_set(err, "%s is no object as expected", object);
	} else {
		section = elf_image_find(&im, SECTION);
		if (!section || !im.sec[section].data)
			rc = errmsg_set(err, "%s has no table of layouts", object);
		else if (!g_file_set_contents(path, im.sec[section].data,
					      im.sec[section].sh.sh_size, NULL))
			rc = errmsg_disk_full(err, dir);
		elf_image_free(&im);
	}
	g_free(path);
	return rc;
}

int layout_make(struct kernel_target *k, struct kernel_kit *kit, const char *runtime_dir,
		const char *prelude, const char *features, const char *dir, char **err)
{
	char *source = g_build_filename(runtime_dir, "module", "compat", "layout.c", NULL);
	char *object = g_strconcat(prelude, ".layout.o", NULL);
	GPtrArray *argv = runtime_unit_command(kit, runtime_dir, prelude, features);
	const char *tail[] = { "-c", "-o", object, source };
	struct subprocess job = { .dir = kit->work_dir, .env = kernel_kit_env(k) };
	int rc;

	for (size_t i = 0; i < G_N_ELEMENTS(tail); i++)
		g_ptr_array_add(argv, g_strdup(tail[i]));
	g_ptr_array_add(argv, NULL);
	job.argv = (const char *const *)argv->pdata;
	rc = subprocess_run(&job);
	if (rc != 0)
		errmsg_set(err, "the runtime does not compile for kernel %s: %s\n%s",
			   k->release, source, job.err);
	else
		rc = table_write(object, dir, err);
	subprocess_deinit(&job);
	g_strfreev((char **)g_ptr_array_free(argv, FALSE));
	g_free(object);
	g_free(source);
	return rc;
}

/* ---- comparing ---- */

/* What BTF has for a line of the table; false when it does not know the type. A member that
 * is not there differs from every offset. */
static bool kernel_value(struct types_module *m, const char *type, const char *member,
			 long *ret)
{
	const struct ctype *t = types_find(m, CTYPE_STRUCT, type, NULL);
	uint64_t bits = 0;
	uint32_t width = 0;

	if (!t || !t->size)
		return false;
	*ret = t->size;
	if (strcmp(member, "-") != 0)
		*ret = ctype_find_member(t, member, &bits, &width) ? (long)(bits / 8) : -1;
	return true;
}

/* The first difference as a phrase, or NULL. */
static char *table_compare(const char *table, struct types_module *m)
{
	char **lines = g_strsplit(table, "\n", -1), *ret = NULL;

	for (char **l = lines; *l && !ret; l++) {
		char type[64], member[64];
		long ours, theirs;

		if (sscanf(*l, "%63s %63s %ld", type, member, &ours) != 3 ||
		    !kernel_value(m, type, member, &theirs) || ours == theirs)
			continue;
		if (strcmp(member, "-") == 0)
			ret = g_strdup_printf("struct %s has %ld bytes in the headers and %ld in the "
					      "kernel", type, ours, theirs);
		else if (theirs < 0)
			ret = g_strdup_printf("struct %s has a member %s in the headers and none in the "
					      "kernel", type, member);
		else
			ret = g_strdup_printf("member %s of struct %s is at %ld in the headers and at %ld "
					      "in the kernel", member, type, ours, theirs);
	}
	g_strfreev(lines);
	return ret;
}

/* What tells this table and this kernel apart from all others; NULL when nothing does. */
static char *check_name(struct session *s, const char *table)
{
	const struct kernel_target *k = s->kernel;
	const char *file = k->btf_file ? k->btf_file : k->vmlinux ? k->vmlinux : k->boot_image;
	char *text, *sum, *ret;
	struct stat st;

	if (k->build_id)
		text = g_strconcat(k->build_id, "\n", table, NULL);
	else if (file && stat(file, &st) == 0)
		text = g_strdup_printf("%s %lld %lld.%09ld\n%s", file, (long long)st.st_size,
				       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, table);
	else
		return NULL;
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	ret = g_strdup_printf("layout/%.32s", sum);
	g_free(sum);
	g_free(text);
	return ret;
}

static void remember(struct session *s, const char *name)
{
	char *dir = NULL, *file, *path = NULL;

	if (cache_scratch(s->cache, &dir, NULL) != 0)
		return;
	file = g_build_filename(dir, "same", NULL);
	if (g_file_set_contents(file, "same\n", -1, NULL))
		cache_publish(s->cache, file, name, false, &path, NULL);
	cache_remove_tree(dir);
	g_free(path);
	g_free(file);
	g_free(dir);
}

static int compare_now(struct session *s, const char *table)
{
	struct types_module *m = types_module(session_types(s), NULL);
	char *what = m->sources && m->sources->len ? table_compare(table, m) : NULL, *hint;

	if (!what)
		return 0;
	hint = hint_kernel_headers(s->kernel->release);
	diag_error(s, nowhere, "layout", "the headers in %s are of another build than the kernel %s: %s; a "
		   "module made with them could crash it (%s)", s->kernel->build_dir,
		   s->kernel->release, what, hint);
	g_free(hint);
	g_free(what);
	return -1;
}

int layout_check(struct session *s, const struct runtime *rt)
{
	char *table = NULL, *name, *known = NULL;
	int rc = 0;

	if (!g_file_get_contents(rt->layout, &table, NULL, NULL))
		return 0;
	name = check_name(s, table);
	if (name)
		known = cache_find(s->cache, name);
	if (!known)
		rc = compare_now(s, table);
	if (!known && rc == 0 && name)
		remember(s, name);
	g_free(known);
	g_free(name);
	g_free(table);
	return rc;
}
