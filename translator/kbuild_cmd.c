/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the kernel build system's saved command lines. They are one line of
 * make syntax holding shell commands separated by semicolons. */
#include "kbuild_cmd.h"

#include <string.h>
#include <glib.h>

/* Undoes make's escapes in place: $$ and \#. */
static void make_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if ((s[0] == '$' && s[1] == '$') || (s[0] == '\\' && s[1] == '#'))
			s++;
		*to++ = *s;
	}
	*to = '\0';
}

/* Cuts at the next semicolon outside quotes; returns the rest or NULL. */
static char *shell_cut(char *s)
{
	char quote = 0;

	for (; *s; s++) {
		if (quote) {
			if (*s == quote)
				quote = 0;
		} else if (*s == '\'' || *s == '"') {
			quote = *s;
		} else if (*s == '\\' && s[1]) {
			s++;
		} else if (*s == ';') {
			*s = '\0';
			return s + 1;
		}
	}
	return NULL;
}

char ***kbuild_cmd_read(const char *path)
{
	GPtrArray *all = g_ptr_array_new();
	char *text = NULL, *line, *end;

	if (!g_file_get_contents(path, &text, NULL, NULL)) {
		g_ptr_array_free(all, TRUE);
		return NULL;
	}
	/* "cmd_FILE := ..." up to Linux 6.1, "savedcmd_FILE := ..." since. */
	line = g_str_has_prefix(text, "cmd_") || g_str_has_prefix(text, "savedcmd_") ?
	       strstr(text, ":=") : NULL;
	if (line) {
		line += 2;
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		make_unescape(line);
	}
	while (line) {
		char **argv = NULL, *rest = shell_cut(line);

		if (g_shell_parse_argv(line, NULL, &argv, NULL))
			g_ptr_array_add(all, argv);
		line = rest;
	}
	g_free(text);
	g_ptr_array_add(all, NULL);
	return (char ***)g_ptr_array_free(all, FALSE);
}

void kbuild_cmd_free(char ***commands)
{
	for (char ***c = commands; c && *c; c++)
		g_strfreev(*c);
	g_free(commands);
}

char **kbuild_cmd_find(char ***commands, const char *name)
{
	for (; commands && *commands; commands++) {
		char *base = g_path_get_basename(**commands);
		bool hit = !name || strcmp(base, name) == 0;

		g_free(base);
		if (hit)
			return *commands;
	}
	return NULL;
}

static bool has_prefix_of(const char *arg, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (g_str_has_prefix(arg, *prefixes))
			return true;
	return false;
}

/* Flags of no use in any unit of ours. Ours must not be traceable: no call to
 * __fentry__ and no entry in the list of traceable functions. The CC_USING_
 * defines stay, asm/ftrace.h insists on them. */
static bool flag_is_dropped(const char *arg)
{
	static const char *const exact[] = { "-c", "-pg", "-mfentry",
		"-mrecord-mcount", "-mnop-mcount", NULL };
	static const char *const prefixes[] = { "-Wp,-M", "-DKBUILD_BASENAME=",
		"-DKBUILD_MODNAME=", "-D__KBUILD_MODNAME=", "-DKBUILD_MODFILE=",
		"-gdwarf", "-gsplit-dwarf", "-gz", "-gbtf", NULL };

	return g_strv_contains(exact, arg) || has_prefix_of(arg, prefixes) ||
	       strcmp(arg, "-g") == 0 || (strlen(arg) == 3 && arg[1] == 'g');
}

/* Flags about headers and the language, not about code. */
static bool flag_is_for_headers(const char *arg)
{
	static const char *const prefixes[] = { "-I", "-D", "-U", "-W", "-std=",
		"-nostdinc", "-isystem", "-include", "-iquote", "-idirafter",
		"-fmacro-prefix-map=", "-ffile-prefix-map=", NULL };

	return has_prefix_of(arg, prefixes);
}

static bool flag_takes_argument(const char *arg)
{
	static const char *const flags[] = { "-I", "-D", "-U", "-include", "-isystem",
		"-iquote", "-idirafter", "--param", "-o", "-target", "-mllvm",
		"-Xclang", NULL };

	return g_strv_contains(flags, arg);
}

/* Bytes to patch in front of functions: where functions are traced by them they must go;
 * where they are padding for call thunks they are of no use, since our calls are not
 * counted (elf_shrink.c). Indirect calls checked by kCFI need them. */
static bool patchable_is_needed(char **argv)
{
	return g_strv_contains((const char *const *)argv, "-fsanitize=kcfi") &&
	       !g_strv_contains((const char *const *)argv,
				"-DCC_USING_PATCHABLE_FUNCTION_ENTRY");
}

char **kbuild_cc_flags(char **compile, bool headers)
{
	GPtrArray *out = g_ptr_array_new();
	bool patchable = patchable_is_needed(compile);

	g_ptr_array_add(out, g_strdup(compile[0]));
	for (char **a = compile + 1; *a; a++) {
		bool two = flag_takes_argument(*a) && a[1];
		bool keep = **a == '-' && !flag_is_dropped(*a) &&
			    strcmp(*a, "-o") != 0 &&
			    (headers || !flag_is_for_headers(*a)) &&
			    !(!patchable &&
			      g_str_has_prefix(*a, "-fpatchable-function-entry="));

		if (keep) {
			g_ptr_array_add(out, g_strdup(*a));
			if (two)
				g_ptr_array_add(out, g_strdup(a[1]));
		}
		if (two)
			a++;
	}
	g_ptr_array_add(out, NULL);
	return (char **)g_ptr_array_free(out, FALSE);
}

char **kbuild_ld_flags(char **link)
{
	GPtrArray *out = g_ptr_array_new();

	for (char **a = link; *a && strcmp(*a, "-o") != 0; a++)
		g_ptr_array_add(out, g_strdup(*a));
	g_ptr_array_add(out, NULL);
	return (char **)g_ptr_array_free(out, FALSE);
}

char **kbuild_objtool_flags(char **objtool, bool add_link)
{
	GPtrArray *out = g_ptr_array_new();
	bool has_link = false;

	/* The last argument is the file. */
	for (char **a = objtool; *a && a[1]; a++) {
		has_link |= strcmp(*a, "--link") == 0;
		/* Calls are not counted, see elf_shrink.c. */
		if (strcmp(*a, "--hacks=skylake") == 0)
			continue;
		g_ptr_array_add(out, g_strdup(*a));
	}
	/* Older objtools ("orc generate --module") know no --link and need none. */
	if (add_link && !has_link && objtool[1] && objtool[1][0] == '-')
		g_ptr_array_add(out, g_strdup("--link"));
	g_ptr_array_add(out, NULL);
	return (char **)g_ptr_array_free(out, FALSE);
}
