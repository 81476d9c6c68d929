/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subsystems of tracepoints.  BTF does not have them: the running kernel shows them as directories, and
 * the event headers define TRACE_SYSTEM before the events.  Whatever macro defines an event there, the
 * event's name is its first or second argument, or begins with it.
 */
#include "trace_systems.h"

#include <ctype.h>
#include <string.h>

struct scan {
	GHashTable *names, *systems;
};

/*
 * Events whose headers lie beside the code that uses them and are in no headers package: how their names
 * begin (`$` behind a whole name), and their subsystem.
 */
static const char *const private_events[][2] = {
	{ "regmap_", "regmap" }, { "regcache_", "regmap" }, { "iomap_", "iomap" }, { "fuse_request_", "fuse" },
	{ "cros_ec_request_", "cros_ec" }, { "devres_log$", "dev" }, { "cxl_", "cxl" }, { "cache_tag_", "intel_iommu" },
	{ "qi_submit$", "intel_iommu" }, { "prq_report$", "intel_iommu" }, { "amd_pstate_perf$", "amd_cpu" },
	{ "bpf_trace_printk$", "bpf_trace" }, { "emulate_vsyscall$", "vsyscall" }, { "pseudo_lock_", "resctrl" },
	{ "mon_llc_occupancy_limbo$", "resctrl" }, { "cdev_update$", "thermal" }, { "thermal_temperature$", "thermal" },
	{ "thermal_zone_trip$", "thermal" }, { "thermal_power_devfreq_", "thermal" },
	{ "thermal_power_actor$", "thermal_power_allocator" }, { "thermal_power_allocator", "thermal_power_allocator" },
};

static const char *private_system(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(private_events); i++) {
		const char *begin = private_events[i][0], *end = strchr(begin, '$');

		if (end ? strlen(name) == (size_t)(end - begin) && strncmp(name, begin, end - begin) == 0 :
		    g_str_has_prefix(name, begin))
			return private_events[i][1];
	}
	return NULL;
}

static void add_private(struct scan *sc)
{
	GHashTableIter it;
	gpointer name;

	g_hash_table_iter_init(&it, sc->names);
	while (g_hash_table_iter_next(&it, &name, NULL)) {
		const char *system = g_hash_table_contains(sc->systems, name) ? NULL : private_system(name);

		if (system)
			g_hash_table_insert(sc->systems, g_strdup(name), g_strdup(system));
	}
}

static void scan_tracefs(struct scan *sc, const char *root)
{
	GDir *systems = g_dir_open(root, 0, NULL), *events;
	const char *system, *event;

	while (systems && (system = g_dir_read_name(systems))) {
		char *path = g_build_filename(root, system, NULL);

		events = g_dir_open(path, 0, NULL);
		while (events && (event = g_dir_read_name(events)))
			if (g_hash_table_contains(sc->names, event))
				g_hash_table_insert(sc->systems, g_strdup(event), g_strdup(system));
		if (events)
			g_dir_close(events);
		g_free(path);
	}
	if (systems)
		g_dir_close(systems);
}

static const char *skip_space(const char *p)
{
	while (isspace((unsigned char)*p) || *p == '\\')
		p++;
	return p;
}

/* The identifier at *p, which moves behind it; NULL when there is none. */
static char *identifier(const char **p)
{
	const char *start = skip_space(*p), *end = start;

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	*p = end;
	return end > start ? g_strndup(start, end - start) : NULL;
}

/* Interrupt vectors: one macro with X makes the events X_entry and X_exit. */
static void scan_pair(struct scan *sc, const char *stem, const char *system)
{
	static const char *const ends[] = { "_entry", "_exit" };

	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
		char *name = g_strconcat(stem, ends[i], NULL);

		if (g_hash_table_contains(sc->names, name))
			g_hash_table_insert(sc->systems, name, g_strdup(system));
		else
			g_free(name);
	}
}

/* The kernel's own macros say what an event is; in headers' private ones an argument may only look like it. */
static bool is_sure(const char *macro)
{
	return g_str_has_prefix(macro, "TRACE_EVENT") || g_str_has_prefix(macro, "DEFINE_EVENT") ||
	       g_str_has_prefix(macro, "DECLARE_TRACE");
}

/* MACRO(arg, arg, ...: an event when an argument is the name of a tracepoint. */
static void scan_macro(struct scan *sc, const char *macro, const char *p, const char *system)
{
	char *first = identifier(&p), *second = NULL, *name = NULL;

	p = skip_space(p);
	if (first && *p == ',') {
		p++;
		second = identifier(&p);
	}
	if (second && g_hash_table_contains(sc->names, second))
		name = second;
	else if (first && g_hash_table_contains(sc->names, first))
		name = first;
	if (name && (is_sure(macro) || !g_hash_table_contains(sc->systems, name)))
		g_hash_table_insert(sc->systems, g_strdup(name), g_strdup(system));
	else if (first && !name)
		scan_pair(sc, first, system);
	g_free(first);
	g_free(second);
}

static void scan_text(struct scan *sc, const char *text)
{
	char *system = NULL;

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		const char *p = skip_space(line), *macro;

		if (*line == '#') {
			p = skip_space(line + 1);
			if (strncmp(p, "define", 6) != 0)
				continue;
			p = skip_space(p + 6);
			if (strncmp(p, "TRACE_SYSTEM", 12) == 0 && isspace((unsigned char)p[12])) {
				p += 12;
				g_free(system);
				system = identifier(&p);
			}
			continue;
		}
		if (!system || !isupper((unsigned char)*p))
			continue;
		macro = p;
		while (isupper((unsigned char)*p) || *p == '_' || isdigit((unsigned char)*p))
			p++;
		if (*p == '(')
			scan_macro(sc, macro, p + 1, system);
	}
	g_free(system);
}

static void scan_file(struct scan *sc, const char *path)
{
	char *text;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		scan_text(sc, text);
		g_free(text);
	}
}

/* All headers in ROOT/SUB and one level of directories below it. */
static void scan_headers(struct scan *sc, const char *root, const char *sub, int depth)
{
	char *dir = g_build_filename(root, sub, NULL), *path;
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		path = g_build_filename(dir, name, NULL);
		if (g_str_has_suffix(name, ".h"))
			scan_file(sc, path);
		else if (depth > 0 && g_file_test(path, G_FILE_TEST_IS_DIR))
			scan_headers(sc, dir, name, depth - 1);
		g_free(path);
	}
	if (d)
		g_dir_close(d);
	g_free(dir);
}

/* The tree with the headers proper: split packages' build directories only include its Makefile. */
static char *headers_root(const char *build)
{
	char *makefile = g_build_filename(build, "Makefile", NULL), *text = NULL, *ret = NULL;
	char *here = g_build_filename(build, "include/trace/events", NULL);

	if (g_file_test(here, G_FILE_TEST_IS_DIR))
		ret = g_strdup(build);
	else if (g_file_get_contents(makefile, &text, NULL, NULL)) {
		char *line = g_str_has_prefix(text, "include ") ? text : strstr(text, "\ninclude ");

		if (line) {
			char *path = g_strstrip(g_strndup(strchr(line, ' ') + 1, strcspn(strchr(line, ' ') + 1, "\n")));

			ret = g_path_get_dirname(path);
			g_free(path);
		}
	}
	g_free(text);
	g_free(here);
	g_free(makefile);
	return ret;
}

void trace_systems_load(const struct kernel_target *k, GHashTable *names, GHashTable *systems)
{
	struct scan sc = { names, systems };
	char *root, *arch, *msr;

	if (k->is_running) {
		scan_tracefs(&sc, "/sys/kernel/tracing/events");
		if (g_hash_table_size(systems) == 0)
			scan_tracefs(&sc, "/sys/kernel/debug/tracing/events");
	}
	if (g_hash_table_size(systems) || !k->build_dir)
		return;
	root = headers_root(k->build_dir);
	if (!root)
		return;
	arch = g_strdup_printf("arch/%s/include/asm/trace", k->srcarch);
	scan_headers(&sc, root, "include/trace/events", 1);
	scan_headers(&sc, root, "include/trace/misc", 0);
	scan_headers(&sc, root, "include/ras", 0);
	scan_headers(&sc, root, arch, 0);
	msr = g_build_filename(root, "arch/x86/include/asm/msr-trace.h", NULL);
	scan_file(&sc, msr);
	add_private(&sc);
	g_free(msr);
	g_free(arch);
	g_free(root);
}
