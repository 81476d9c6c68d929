/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding programs (user_path.h). */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user_elf.h"
#include "user_path.h"

#define INTERPRETERS_MAX 4 /* a script's interpreter may be a script */

/* ---- names to paths ---- */

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Through $PATH, else in the current directory; NULL. */
static const char *search_path(struct session *s, const char *name)
{
	const char *path = g_getenv("PATH");
	char **dirs = g_strsplit(path && *path ? path : "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", ":", -1);
	const char *ret = NULL;

	for (int i = 0; dirs[i] && !ret; i++) {
		const char *try = arena_printf(s, "%s/%s", *dirs[i] ? dirs[i] : ".", name);

		if (is_program(try))
			ret = try;
	}
	g_strfreev(dirs);
	return ret || access(name, F_OK) ? ret : name;
}

/* The interpreter that a script's first line names, with env(1) seen through; NULL: it is no script. */
static const char *interpreter(struct session *s, const char *path)
{
	char line[256], **words;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;
	const char *ret = NULL;
	int i = 0;

	if (fd >= 0)
		close(fd);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return NULL;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	words = g_strsplit_set(g_strstrip(line + 2), " \t", -1);
	if (words[0] && g_str_has_suffix(words[0], "/env"))
		for (i = 1; words[i] && (!*words[i] || *words[i] == '-' || strchr(words[i], '=')); i++)
			;
	if (words[0] && words[i])
		ret = strchr(words[i], '/') ? arena_strdup(s, words[i]) : search_path(s, words[i]);
	g_strfreev(words);
	return ret;
}

static struct user_elf *open_program(struct session *s, const char *path, const char **why)
{
	for (int i = 0; i < INTERPRETERS_MAX; i++) {
		const char *next = interpreter(s, path);

		if (!next)
			break;
		path = next;
	}
	return user_elf_open(s, path, why);
}

static void add_once(GPtrArray *list, struct user_elf *ue)
{
	for (guint i = 0; i < list->len; i++)
		if (list->pdata[i] == ue)
			return;
	g_ptr_array_add(list, ue);
}

/* Every ELF file that matches; others are passed over. NULL when there is none. */
static GPtrArray *glob_files(struct session *s, const char *pattern, int flags)
{
	GPtrArray *list = g_ptr_array_new();
	const char *why;
	glob_t g;

	if (!glob(pattern, flags, NULL, &g)) {
		for (size_t i = 0; i < g.gl_pathc; i++) {
			struct user_elf *ue = user_elf_open(s, g.gl_pathv[i], &why);

			if (ue)
				add_once(list, ue);
		}
		globfree(&g);
	}
	if (list->len)
		return list;
	g_ptr_array_free(list, TRUE);
	return NULL;
}

/* A pattern without a directory: in those of $PATH. */
static const char *glob_in_path(struct session *s, const char *pattern)
{
	const char *path = g_getenv("PATH");
	GString *g = g_string_new("{");
	const char *ret;

	g_string_append(g, path && *path ? path : "/usr/bin:/bin");
	for (char *p = g->str; *p; p++)
		if (*p == ':')
			*p = ',';
	g_string_append_printf(g, "}/%s", pattern);
	ret = arena_strdup(s, g->str);
	g_string_free(g, TRUE);
	return ret;
}

static GPtrArray *glob_everywhere(struct session *s, const char *pattern, struct loc loc)
{
	GPtrArray *list = strchr(pattern, '/') ? NULL : glob_files(s, glob_in_path(s, pattern), GLOB_BRACE);

	if (!list)
		list = glob_files(s, pattern, 0);
	if (!list)
		diag_error(s, loc, "no-program", "no program matches '%s'", pattern);
	return list;
}

/* ---- build ids ---- */

static bool looks_like_build_id(const char *name)
{
	size_t n = strlen(name);

	return n >= 32 && n % 2 == 0 && n == strspn(name, "0123456789abcdefABCDEF");
}

/* Is it the program with that build id?  Programs that run are looked through, and those in $PATH. */
static struct user_elf *try_build_id(struct session *s, const char *path, const char *id)
{
	const char *why;
	struct user_elf *ue = user_elf_open(s, path, &why);

	return ue && ue->build_id && !g_ascii_strcasecmp(ue->build_id, id) ? ue : NULL;
}

static struct user_elf *glob_build_id(struct session *s, const char *pattern, const char *id)
{
	struct user_elf *ue = NULL;
	glob_t g;

	if (glob(pattern, GLOB_BRACE, NULL, &g))
		return NULL;
	for (size_t i = 0; i < g.gl_pathc && !ue; i++)
		ue = try_build_id(s, g.gl_pathv[i], id);
	globfree(&g);
	return ue;
}

static struct user_elf *find_build_id(struct session *s, const char *id)
{
	static const char *const links[] = { "/usr/lib/.build-id/%.2s/%s", "/usr/lib/debug/.build-id/%.2s/%s" };
	const char *low = arena_strdup(s, id);
	struct user_elf *ue = NULL;

	for (char *p = (char *)low; *p; p++)
		*p = g_ascii_tolower(*p);
	for (size_t i = 0; i < G_N_ELEMENTS(links) && !ue; i++)
		ue = try_build_id(s, arena_printf(s, links[i], low, low + 2), low);
	if (!ue)
		ue = glob_build_id(s, "/proc/[0-9]*/exe", low);
	return ue ? ue : glob_build_id(s, glob_in_path(s, "*"), low);
}

/* ---- for scripts ---- */

static struct user_elf *one_program(struct session *s, const char *name, struct loc loc)
{
	const char *path = strchr(name, '/') ? name : search_path(s, name), *why = "there is no such program in $PATH";
	struct user_elf *ue = path ? open_program(s, path, &why) : NULL;

	if (ue)
		return ue;
	diag_error(s, loc, "no-program", "cannot probe program '%s': %s", name, why);
	if (!path && strstr(name, ".so"))
		diag_help(s, "a library is named by its path, or by process(\"PROGRAM\").library(\"%s\")", name);
	return NULL;
}

GPtrArray *user_programs(struct session *s, const char *name, struct loc loc)
{
	struct user_elf *ue;
	GPtrArray *list;

	if (!*name) {
		diag_error(s, loc, "no-program", "the program's name is empty");
		return NULL;
	}
	if (strpbrk(name, "*?[{") && access(name, F_OK))
		return glob_everywhere(s, name, loc);
	if (looks_like_build_id(name) && access(name, F_OK)) {
		ue = find_build_id(s, name);
		if (!ue)
			diag_error(s, loc, "no-program", "no program with the build id %s was found: neither in the directories of build ids, nor "
				   "among running processes, nor in $PATH", name);
	} else {
		ue = one_program(s, name, loc);
	}
	if (!ue)
		return NULL;
	list = g_ptr_array_new();
	g_ptr_array_add(list, ue);
	return list;
}

struct user_elf *user_process_program(struct session *s, int pid, struct loc loc)
{
	const char *link = arena_printf(s, "/proc/%d/exe", pid), *why = NULL;
	struct user_elf *ue;
	struct stat a;

	if (stat(link, &a)) {
		if (errno == ENOENT && !access(arena_printf(s, "/proc/%d", pid), F_OK))
			diag_error(s, loc, "no-process", "process %d runs no program: it is a thread of the kernel, or has ended", pid);
		else
			diag_error(s, loc, "no-process", errno == ENOENT || errno == ESRCH ? "there is no process %d" :
				   "the program of process %d cannot be told: %s", pid, g_strerror(errno));
		return NULL;
	}
	ue = user_elf_open(s, link, &why);
	if (!ue)
		diag_error(s, loc, "no-program", "cannot probe the program of process %d: %s", pid, why);
	return ue;
}

/* The line of /proc/PID/maps that an address is in: its path, from the process's own root, and the address's offset in the file. */
static bool find_mapping(int pid, uint64_t addr, char *path, size_t size, uint64_t *offset)
{
	char name[64], line[PATH_MAX + 128], prot[8];
	unsigned long start, end, off;
	bool found = false;
	int at;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		at = 0;
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, prot, &off, &at) < 4 || addr < start || addr >= end)
			continue;
		line[strcspn(line, "\n")] = '\0';
		found = at && line[at] == '/' && prot[2] == 'x';
		snprintf(path, size, "/proc/%d/root%s", pid, found ? line + at : "");
		*offset = addr - start + off;
	}
	if (f)
		fclose(f);
	return found;
}

struct user_elf *user_mapped_file(struct session *s, int pid, uint64_t addr, uint64_t *file_addr, struct loc loc)
{
	char path[PATH_MAX + 64];
	struct user_elf *ue;
	uint64_t offset;
	const char *why = NULL;

	if (!find_mapping(pid, addr, path, sizeof(path), &offset)) {
		diag_error(s, loc, "bad-address", "at 0x%llx process %d has no code of a file", (unsigned long long)addr, pid);
		return NULL;
	}
	ue = user_elf_open(s, path, &why);
	if (!ue || !user_elf_address(ue, offset, file_addr)) {
		diag_error(s, loc, "no-program", "cannot probe %s: %s", path, why ? why : "the address is not in its code");
		return NULL;
	}
	return ue;
}

struct user_elf *user_target_program(struct session *s, const char *what, struct loc loc)
{
	char **argv = NULL;
	struct user_elf *ue = NULL;
	const char *word;

	if (s->opt.target_pid)
		return user_process_program(s, s->opt.target_pid, loc);
	if (!s->opt.cmd) {
		diag_error(s, loc, "no-target", "'%s' without a program's name means that of -c CMD or -x PID, and neither is given", what);
		return NULL;
	}
	if (!g_shell_parse_argv(s->opt.cmd, NULL, &argv, NULL) || !argv[0]) {
		diag_error(s, loc, "no-target", "the program in -c '%s' cannot be told: name it, process(\"PATH\")", s->opt.cmd);
		return NULL;
	}
	word = arena_strdup(s, argv[0]);
	g_strfreev(argv);
	ue = one_program(s, word, loc);
	return ue;
}
