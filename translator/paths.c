/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the other parts of the system; see paths.h. */
#include "paths.h"

#include <glib.h>
#include <stdbool.h>
#include <unistd.h>

/* The directory the program lies in, links resolved. */
static const char *program_dir(void)
{
	static char *dir;

	if (!dir) {
		char *exe = g_file_read_link("/proc/self/exe", NULL);

		dir = exe ? g_path_get_dirname(exe) : g_strdup(".");
		g_free(exe);
	}
	return dir;
}

/* True when stap runs from its build tree. */
static bool stap_in_build_tree(void)
{
	static int known = -1;

	if (known < 0) {
		char *probe = g_build_filename(program_dir(), "runtime", "abi", "stp.h", NULL);

		known = access(probe, R_OK) == 0;
		g_free(probe);
	}
	return known;
}

/* $env, or the build tree's `tree`, or the installed `path`. */
static const char *locate(const char *env, const char *tree, const char *path)
{
	const char *value = env ? g_getenv(env) : NULL;

	if (value && *value)
		return g_strdup(value);
	if (stap_in_build_tree())
		return g_build_filename(program_dir(), tree, NULL);
	return g_strdup(path);
}

const char *stap_tapset_dir(void)
{
	static const char *dir;

	if (!dir)
		dir = locate("SYSTEMTAP_TAPSET", "tapsets", STAP_DATADIR "/tapset");
	return dir;
}

const char *stap_runtime_dir(void)
{
	static const char *dir;

	if (!dir)
		dir = locate("SYSTEMTAP_RUNTIME", "runtime", STAP_DATADIR "/runtime");
	return dir;
}

const char *stap_examples_dir(void)
{
	static const char *dir;

	if (!dir)
		dir = locate(NULL, "examples", STAP_DATADIR "/examples");
	return dir;
}

const char *stap_staprun(void)
{
	static const char *path;

	if (!path)
		path = locate("SYSTEMTAP_STAPRUN", "staprun", STAP_BINDIR "/staprun");
	return path;
}

const char *stap_vm_program(void)
{
	static const char *path;

	if (!path)
		path = locate(NULL, "stap-vm", STAP_BINDIR "/stap-vm");
	return path;
}

const char *stap_user_dir(void)
{
	static const char *dir;

	if (!dir) {
		const char *env = g_getenv("SYSTEMTAP_DIR");

		dir = env && *env ? g_strdup(env) : g_build_filename(g_get_home_dir(), ".systemtap", NULL);
	}
	return dir;
}
