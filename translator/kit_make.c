/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One tiny module built by the kernel's own build system, to learn from: which
 * compiler with which flags, how objtool and the linker are called, and what
 * the module-info object holds. Two sources make the build take the path of a
 * linked module, where kernels run objtool on the link. */
#include "kit_make.h"
#include "errmsg.h"
#include "kbuild_cmd.h"
#include "subprocess.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stdlib.h>
#include <glib/gstdio.h>

#define PROBE_SOURCE \
	"#include <linux/module.h>\n" \
	"static int __init stapkit_init(void) { return 0; }\n" \
	"static void __exit stapkit_exit(void) { }\n" \
	"module_init(stapkit_init);\n" \
	"module_exit(stapkit_exit);\n" \
	"MODULE_LICENSE(\"GPL\");\n"
#define PROBE_KBUILD "obj-m := stapkit.o\nstapkit-y := probe.o\n"

static int write_text(const char *dir, const char *name, const char *text, char **err)
{
	char *path = g_build_filename(dir, name, NULL);
	GError *gerr = NULL;
	int rc = 0;

	if (!g_file_set_contents(path, text, -1, &gerr)) {
		rc = errmsg_is_disk_full(gerr->message, dir) ?
		     errmsg_disk_full(err, dir) : errmsg_set(err, "%s", gerr->message);
		g_error_free(gerr);
	}
	g_free(path);
	return rc;
}

/* Distributions split their headers and join them by one line, "include
 * /usr/src/...-common/Makefile". In a tree unpacked elsewhere that file is not
 * there, but lies beside it. Returns its real path, or NULL when all is well. */
static char *misplaced_include(const char *build_dir)
{
	char *makefile = g_build_filename(build_dir, "Makefile", NULL);
	char *real = realpath(build_dir, NULL), *text = NULL, *ret = NULL;

	if (real && g_file_get_contents(makefile, &text, NULL, NULL) &&
	    g_str_has_prefix(g_strstrip(text), "include /") && !strchr(text, '\n') &&
	    access(text + 8, R_OK) != 0) {
		char *src = strstr(real, "/usr/src/");
		char *base = g_path_get_dirname(text + 8);
		char *name = g_path_get_basename(base);
		char *parent = src ? g_strndup(real, src - real + 8) :
			       g_path_get_dirname(real);

		ret = g_build_filename(parent, name, "Makefile", NULL);
		if (access(ret, R_OK) != 0) {
			g_free(ret);
			ret = NULL;
		}
		g_free(parent);
		g_free(name);
		g_free(base);
	}
	free(real);
	g_free(text);
	g_free(makefile);
	return ret;
}

/* A directory of links to the headers tree, with a Makefile that includes the
 * right file. It stays in the cache entry: commands run in it. */
static int shim_create(const char *build_dir, const char *include, const char *shim,
		       char **err)
{
	GDir *d = g_dir_open(build_dir, 0, NULL);
	char *line = g_strdup_printf("include %s\n", include);
	const char *name;
	int rc;

	g_mkdir_with_parents(shim, 0755);
	while (d && (name = g_dir_read_name(d))) {
		char *from = g_build_filename(build_dir, name, NULL);
		char *to = g_build_filename(shim, name, NULL);

		if (strcmp(name, "Makefile") != 0 && symlink(from, to) != 0 && errno != EEXIST)
			g_printerr("%s: %s\n", to, g_strerror(errno));
		g_free(from);
		g_free(to);
	}
	if (d)
		g_dir_close(d);
	rc = write_text(shim, "Makefile", line, err);
	g_free(line);
	return rc;
}

/* "sh: 1: gcc-12: not found", "gcc-12: command not found", "make: gcc-12: No such
 * file": the compiler's name, or NULL. */
static char *missing_compiler(const char *line)
{
	GMatchInfo *match = NULL;
	GRegex *re = g_regex_new("([-\\w./]*(?:gcc|clang)[-\\w.]*): (?:command )?"
				 "(?:not found|No such file)", 0, 0, NULL);
	char *ret = g_regex_match(re, line, 0, &match) ? g_match_info_fetch(match, 1) : NULL;

	g_match_info_free(match);
	g_regex_unref(re);
	return ret;
}

/* The lines of make's output that complain, each once. */
static char *complaints(const char *text)
{
	GString *out = g_string_new(NULL);
	char **all = g_strsplit(text, "\n", -1);

	for (char **l = all; *l && out->len < 1500; l++) {
		if (!strstr(*l, "rror") && !strstr(*l, "not found") &&
		    !strstr(*l, "No such"))
			continue;
		if (!strstr(out->str, *l))
			g_string_append_printf(out, "\n  %s", *l);
	}
	if (!out->len)
		g_string_append_printf(out, "\n%s", text);
	g_strfreev(all);
	return g_string_free(out, FALSE);
}

/* What to say when the build system fails: the missing compiler by name, or what
 * it complains of. */
static int make_failed(struct kernel_target *k, struct subprocess *job,
		       const char *scratch, char **err)
{
	char *compiler = missing_compiler(job->err), *lines;

	if (subprocess_interrupted()) {
		errmsg_set(err, "interrupted");
	} else if (errmsg_is_disk_full(job->err, scratch)) {
		errmsg_disk_full(err, scratch);
	} else if (compiler) {
		errmsg_set(err, "the compiler %s, with which kernel %s is built, is not "
			   "installed (Debian: `apt install %s`, Fedora: `dnf install gcc`)",
			   compiler, k->release, strstr(compiler, "gcc") ?
			   strstr(compiler, "gcc") : compiler);
	} else if (strpbrk(scratch, " \t\n:#%$\\'\"")) {
		errmsg_set(err, "make cannot work in '%s': it takes no blanks and none of :#%%$\\'\" in the "
			   "name of a directory (SYSTEMTAP_DIR names another for the cache)", scratch);
	} else {
		lines = complaints(job->err);
		errmsg_set(err, "the headers in %s cannot build a module:%s", k->build_dir,
			   lines);
		g_free(lines);
	}
	g_free(compiler);
	return -1;
}

/* Runs the build. Its exit status does not matter as long as it left what we
 * are after: later steps (BTF, signing) may want tools that are not here. */
static void run_make(struct kernel_target *k, const char *work_dir, const char *src,
		     struct subprocess *job)
{
	char *m = g_strdup_printf("M=%s", src);
	const char *argv[] = { "make", "-j2", "-C", work_dir, m, "CONFIG_DEBUG_INFO_BTF_MODULES=",
			       "CONFIG_MODULE_SIG_ALL=", "KBUILD_MODPOST_WARN=1",
			       "modules", NULL };
	/* We may run below somebody's make; its variables are not for this one. */
	static const char *const env[] = { "MAKEFLAGS=", "MFLAGS=", "MAKELEVEL=0",
					   "LC_ALL=C", "KCFLAGS=-g0", "CFLAGS=", NULL };

	*job = (struct subprocess){ .argv = argv, .env = env };
	subprocess_run(job);
	job->argv = NULL;
	g_free(m);
}

static int strip_copy(const char *from, const char *to, char **err)
{
	const char *argv[] = { "objcopy", "--strip-debug", from, to, NULL };
	struct subprocess job = { .argv = argv };
	int rc = subprocess_run(&job);

	if (rc != 0 && job.not_found)
		errmsg_set(err, "objcopy is not installed: install binutils");
	else if (rc != 0 && errmsg_is_disk_full(job.err, NULL))
		errmsg_disk_full(err, to);
	else if (rc != 0)
		errmsg_set(err, "objcopy failed on %s: %s", from, job.err);
	subprocess_deinit(&job);
	return rc;
}

static char ***read_cmd(const char *src, const char *object)
{
	char *name = g_strdup_printf(".%s.cmd", object);
	char *path = g_build_filename(src, name, NULL);
	char ***ret = kbuild_cmd_read(path);

	g_free(path);
	g_free(name);
	return ret;
}

/* Takes the commands out of the saved lines. True when all are there. */
static bool kit_read_commands(struct kernel_kit *kit, const char *src)
{
	char ***unit = read_cmd(src, "probe.o"), ***part = read_cmd(src, "stapkit.o");
	char ***final = read_cmd(src, "stapkit.ko");
	char **cc = kbuild_cmd_find(unit, NULL), **ld = kbuild_cmd_find(part, NULL);
	char **ko = kbuild_cmd_find(final, NULL), **objtool;

	if (cc) {
		kit->cc_kernel = kbuild_cc_flags(cc, true);
		kit->cc_script = kbuild_cc_flags(cc, false);
	}
	if (ld)
		kit->ld_partial = kbuild_ld_flags(ld);
	if (ko)
		kit->ld_final = kbuild_ld_flags(ko);
	objtool = kbuild_cmd_find(part, "objtool");
	if (!objtool)
		objtool = kbuild_cmd_find(unit, "objtool");
	if (objtool)
		kit->objtool = kbuild_objtool_flags(objtool, true);
	kbuild_cmd_free(unit);
	kbuild_cmd_free(part);
	kbuild_cmd_free(final);
	return kit->cc_kernel && kit->ld_partial && kit->ld_final;
}

/* A shim tree moves with its entry; so do the paths that go through it. */
static void vector_relocate(char **v, const char *from, const char *to)
{
	for (; v && *v; v++) {
		if (strstr(*v, from)) {
			char **parts = g_strsplit(*v, from, -1);

			g_free(*v);
			*v = g_strjoinv(to, parts);
			g_strfreev(parts);
		}
	}
}

static void kit_relocate(struct kernel_kit *kit, const char *from, const char *to)
{
	vector_relocate(kit->cc_kernel, from, to);
	vector_relocate(kit->cc_script, from, to);
	vector_relocate(kit->objtool, from, to);
	vector_relocate(kit->ld_partial, from, to);
	vector_relocate(kit->ld_final, from, to);
}

/* Copies the module-info objects into the entry. */
static int kit_copy_objects(const char *src, const char *entry, char **err)
{
	char *from = g_build_filename(src, "stapkit.mod.o", NULL);
	char *to = g_build_filename(entry, "template.o", NULL);
	int rc = strip_copy(from, to, err);

	g_free(from);
	g_free(to);
	from = g_build_filename(src, ".module-common.o", NULL);
	if (rc == 0 && access(from, R_OK) == 0) {
		to = g_build_filename(entry, "module-common.o", NULL);
		rc = strip_copy(from, to, err);
		g_free(to);
	}
	g_free(from);
	return rc;
}

/* Programs of the build that would else show up as a page of make's words. */
static int check_tools(char **err)
{
	static const char *const tools[] = { "make", "ld", "as", NULL };

	for (int i = 0; tools[i]; i++) {
		char *path = subprocess_find(tools[i]);

		if (!path)
			return errmsg_set(err, "%s is not installed: stap needs gcc, "
					  "binutils and make to build modules (Debian: `apt "
					  "install gcc binutils make`, Fedora: `dnf install "
					  "gcc binutils make`)", tools[i]);
		g_free(path);
	}
	return 0;
}

int kit_make(struct kernel_target *k, const char *scratch, const char *entry,
	     const char *final, struct kernel_kit *kit, char **err)
{
	char *src = g_build_filename(scratch, "src", NULL);
	char *include = misplaced_include(k->build_dir);
	char *shim = g_build_filename(entry, "tree", NULL), *mod_o;
	struct subprocess job = { 0 };
	int rc = check_tools(err);

	g_mkdir_with_parents(src, 0755);
	if (rc == 0)
		rc = write_text(src, "probe.c", PROBE_SOURCE, err);
	if (rc == 0)
		rc = write_text(src, "Kbuild", PROBE_KBUILD, err);
	if (rc == 0 && include)
		rc = shim_create(k->build_dir, include, shim, err);
	if (rc == 0) {
		run_make(k, include ? shim : k->build_dir, src, &job);
		mod_o = g_build_filename(src, "stapkit.mod.o", NULL);
		if (!kit_read_commands(kit, src) || access(mod_o, R_OK) != 0)
			rc = make_failed(k, &job, scratch, err);
		g_free(mod_o);
	}
	if (rc == 0)
		rc = kit_copy_objects(src, entry, err);
	kit_relocate(kit, entry, final);
	kit->work_dir = include ? g_build_filename(final, "tree", NULL) :
			g_strdup(k->build_dir);
	subprocess_deinit(&job);
	g_free(src);
	g_free(shim);
	g_free(include);
	return rc;
}

void kit_made_clear(struct kernel_kit *kit)
{
	g_free(kit->key);
	g_free(kit->dir);
	g_free(kit->work_dir);
	g_strfreev(kit->cc_kernel);
	g_strfreev(kit->cc_script);
	g_strfreev(kit->objtool);
	g_strfreev(kit->ld_partial);
	g_strfreev(kit->ld_final);
	g_free(kit->template);
	g_free(kit->module_common);
	g_free(kit->vermagic);
	g_free(kit->compiler);
}
