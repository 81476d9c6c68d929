/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts that come with stap (--example): found by name, and listed. */
#include "diag.h"
#include "errmsg.h"
#include "example.h"
#include "paths.h"

#include <stdio.h>
#include <string.h>
#include <glib.h>

static gint name_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In order, without ".stp". */
static GPtrArray *example_names(const char *dir)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *file;

	while (d && (file = g_dir_read_name(d)))
		if (g_str_has_suffix(file, ".stp"))
			g_ptr_array_add(names, g_strndup(file, strlen(file) - 4));
	if (d)
		g_dir_close(d);
	g_ptr_array_sort(names, name_compare);
	return names;
}

char *example_find(const char *name, char **err)
{
	const char *dir = stap_examples_dir(), *near;
	char *path = g_strdup_printf("%s/%s%s", dir, name, g_str_has_suffix(name, ".stp") ? "" : ".stp");
	GPtrArray *names;

	if (!strchr(name, '/') && g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return path;
	g_free(path);
	names = example_names(dir);
	near = diag_nearest(name, names);
	if (near)
		errmsg_set(err, "%s has no example '%s'; did you mean '%s'? (stap --example lists them)", dir, name, near);
	else
		errmsg_set(err, "%s has no example '%s' (stap --example lists them)", dir, name);
	g_ptr_array_free(names, TRUE);
	return NULL;
}

/* The script's first comment behind its #! line, or "". */
static char *example_purpose(const char *dir, const char *name)
{
	char *path = g_strdup_printf("%s/%s.stp", dir, name), *text = NULL, **lines;
	char *found = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		lines = g_strsplit(text, "\n", 3);
		for (int i = 0; lines[i] && i < 2 && !found; i++)
			if (g_str_has_prefix(lines[i], "# "))
				found = g_strdup(lines[i] + 2);
		g_strfreev(lines);
	}
	g_free(text);
	g_free(path);
	return found ? found : g_strdup("");
}

void example_list(void)
{
	const char *dir = stap_examples_dir();
	GPtrArray *names = example_names(dir);

	for (guint i = 0; i < names->len; i++) {
		char *purpose = example_purpose(dir, names->pdata[i]);

		printf("%-18s %s\n", (char *)names->pdata[i], purpose);
		g_free(purpose);
	}
	g_ptr_array_free(names, TRUE);
}
