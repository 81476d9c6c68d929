/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries of a program, found as the dynamic linker would: DT_RPATH and DT_RUNPATH, LD_LIBRARY_PATH, the directories
 * of /etc/ld.so.conf and the default ones (ld.so(8)).
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user_elf.h"
#include "name_glob.h"
#include "user_path.h"

#define LIBRARIES_MAX 4096
#define CONF_DEPTH 8

/* ---- directories ---- */

static void conf_file(GPtrArray *dirs, const char *path, int depth)
{
	char *text = NULL, **lines;
	glob_t g;

	if (depth > CONF_DEPTH || !g_file_get_contents(path, &text, NULL, NULL))
		return;
	lines = g_strsplit(text, "\n", -1);
	for (int i = 0; lines[i]; i++) {
		char *line = lines[i];

		line[strcspn(line, "#")] = '\0';
		g_strstrip(line);
		if (g_str_has_prefix(line, "include ")) {
			char *pattern = g_strstrip(line + 8);
			char *full = *pattern == '/' ? g_strdup(pattern) : g_strconcat("/etc/", pattern, NULL);

			if (!glob(full, 0, NULL, &g)) {
				for (size_t k = 0; k < g.gl_pathc; k++)
					conf_file(dirs, g.gl_pathv[k], depth + 1);
				globfree(&g);
			}
			g_free(full);
		} else if (*line == '/') {
			g_ptr_array_add(dirs, g_strdup(line));
		}
	}
	g_strfreev(lines);
	g_free(text);
}

/* Directories of a list with `:`, $ORIGIN replaced. */
static void list_dirs(GPtrArray *dirs, const char *list, const char *program)
{
	char *origin = g_path_get_dirname(program), **parts = g_strsplit(list ? list : "", ":", -1);

	for (int i = 0; parts[i]; i++) {
		GString *d = g_string_new(parts[i]);

		g_string_replace(d, "${ORIGIN}", origin, 0);
		g_string_replace(d, "$ORIGIN", origin, 0);
		if (d->len)
			g_ptr_array_add(dirs, g_string_free(d, FALSE));
		else
			g_string_free(d, TRUE);
	}
	g_strfreev(parts);
	g_free(origin);
}

static GPtrArray *library_dirs(const struct user_elf *ue)
{
	static const char *const usual[] = { "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
		"/lib/i386-linux-gnu", "/usr/lib/i386-linux-gnu" };
	GPtrArray *dirs = g_ptr_array_new_with_free_func(g_free);

	if (ue) {
		list_dirs(dirs, ue->runpath ? "" : ue->rpath, ue->path);
		list_dirs(dirs, g_getenv("LD_LIBRARY_PATH"), ue->path);
		list_dirs(dirs, ue->runpath, ue->path);
	}
	conf_file(dirs, "/etc/ld.so.conf", 0);
	for (size_t i = 0; i < G_N_ELEMENTS(usual); i++)
		g_ptr_array_add(dirs, g_strdup(usual[i]));
	return dirs;
}

/* ---- what a program needs ---- */

static struct user_elf *find_library(struct session *s, const struct user_elf *by, const char *name)
{
	GPtrArray *dirs = library_dirs(by);
	struct user_elf *ue = NULL;
	const char *why;

	if (strchr(name, '/'))
		ue = user_elf_open(s, name, &why);
	for (guint i = 0; i < dirs->len && !ue && !strchr(name, '/'); i++) {
		const char *path = arena_printf(s, "%s/%s", (char *)dirs->pdata[i], name);

		if (access(path, R_OK))
			continue;
		ue = user_elf_open(s, path, &why);
		if (ue && by && ue->is_32bit != by->is_32bit)
			ue = NULL;
	}
	g_ptr_array_free(dirs, TRUE);
	return ue;
}

/* The program's libraries and theirs, in the order of loading. */
static GPtrArray *needed_libraries(struct session *s, struct user_elf *program)
{
	GPtrArray *list = g_ptr_array_new(), *todo = g_ptr_array_new();

	g_ptr_array_add(todo, program);
	for (guint i = 0; i < todo->len && todo->len < LIBRARIES_MAX; i++) {
		struct user_elf *ue = todo->pdata[i];

		for (guint k = 0; k < ue->needed->len; k++) {
			struct user_elf *lib = find_library(s, ue, ue->needed->pdata[k]);

			if (!lib || g_ptr_array_find(todo, lib, NULL))
				continue;
			g_ptr_array_add(todo, lib);
			g_ptr_array_add(list, lib);
		}
	}
	if (program->interp) {
		struct user_elf *ld = find_library(s, program, program->interp);

		if (ld && !g_ptr_array_find(list, ld, NULL))
			g_ptr_array_add(list, ld);
	}
	g_ptr_array_free(todo, TRUE);
	return list;
}

static bool library_matches(const struct user_elf *lib, const char *pattern)
{
	const char *base = strrchr(lib->path, '/') + 1;
	bool whole = strchr(pattern, '/') != NULL;

	if (whole)
		return name_glob(pattern, lib->path);
	return name_glob(pattern, base) || (lib->soname && name_glob(pattern, lib->soname));
}

static GPtrArray *error_none(struct session *s, const struct user_elf *program, const char *name, const GPtrArray *needed, struct loc loc)
{
	GString *names = g_string_new(NULL);

	diag_error(s, loc, "no-library", "%s has no library '%s'", program->path, name);
	for (guint i = 0; i < needed->len && names->len < 300; i++)
		g_string_append_printf(names, " %s", strrchr(((struct user_elf *)needed->pdata[i])->path, '/') + 1);
	if (names->len)
		diag_help(s, "it has:%s; one that it opens later is named by its path", names->str);
	g_string_free(names, TRUE);
	return NULL;
}

GPtrArray *user_libraries(struct session *s, struct user_elf *program, const char *name, struct loc loc)
{
	GPtrArray *list = g_ptr_array_new(), *needed = needed_libraries(s, program);
	char *real = strchr(name, '/') ? realpath(name, NULL) : NULL;
	struct user_elf *ue = NULL;

	for (guint i = 0; i < needed->len; i++)
		if (library_matches(needed->pdata[i], real ? real : name))
			g_ptr_array_add(list, needed->pdata[i]);
	if (!list->len && !name_is_glob(name))
		ue = find_library(s, program, real ? real : name); /* perhaps one that it opens later */
	if (ue)
		g_ptr_array_add(list, ue);
	free(real);
	if (!list->len) {
		g_ptr_array_free(list, TRUE);
		list = error_none(s, program, name, needed, loc);
	}
	g_ptr_array_free(needed, TRUE);
	return list;
}
