/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files and their index, for programs that are compiled here in many ways: functions against nm, addresses with
 * their inlined instances and lines against eu-addr2line, statements against eu-readelf's decoded line table.
 */
/* link: translator/debuginfo/dwarf_build.c translator/debuginfo/dwarf_build_die.c translator/debuginfo/dwarf_build_line.c translator/debuginfo/dwarf_build_merge.c translator/debuginfo/dwarf_build_symbols.c translator/debuginfo/dwarf_build_walk.c translator/debuginfo/dwarf_build_write.c translator/debuginfo/dwarf_calls.c translator/debuginfo/dwarf_fetch.c translator/debuginfo/dwarf_file.c translator/debuginfo/dwarf_find.c translator/debuginfo/dwarf_index.c translator/debuginfo/dwarf_layout.c translator/debuginfo/image_unpack.c translator/subprocess.c translator/debuginfo/dwarf_lines.c translator/debuginfo/dwarf_pattern.c translator/name_glob.c translator/debuginfo/dwarf_query.c translator/debuginfo/dwarf_skim.c translator/debuginfo/dwarf_skim_line.c translator/debuginfo/dwarf_store.c translator/debuginfo/blob.c translator/cache.c translator/errmsg.c */
/* pkgs: glib-2.0 libdw libelf */
/* libs: -l:libiberty.a -ldl */
#include <glib.h>
#include <inttypes.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit.h"
#include "cache.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"

static char *data, *dir;
/* elfutils finds no unit without .debug_aranges, which clang does not write */
static const char *addr2line = "eu-addr2line";
/* another tool whose word counts as well, or NULL */
static const char *or_addr2line;

static void leave(void)
{
	cache_remove_tree(dir);
	g_free(dir);
}

static void prepare(void)
{
	char *exe, *top;

	if (data)
		return;
	exe = g_file_read_link("/proc/self/exe", NULL);
	top = g_path_get_dirname(exe);
	data = g_build_filename(top, "../../testsuite/unit/data", NULL);
	g_free(top);
	g_free(exe);
	top = realpath(data, NULL);
	g_free(data);
	data = top;
	g_setenv("DATA", data, TRUE);
	g_unsetenv("DEBUGINFOD_URLS");
	g_unsetenv("SYSTEMTAP_DEBUGINFO_PATH");
	dir = g_dir_make_tmp("dwarf-XXXXXX", NULL);
	atexit(leave);
	if (chdir(dir) != 0)
		abort();
}

static int sh(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
static int sh(const char *fmt, ...)
{
	va_list ap;
	char *cmd;
	int rc;

	prepare();
	va_start(ap, fmt);
	cmd = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	rc = system(cmd);
	g_free(cmd);
	return rc;
}

static char *out(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
static char *out(const char *fmt, ...)
{
	char *cmd, *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	cmd = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	if (!g_spawn_command_line_sync(cmd, &text, NULL, NULL, NULL))
		text = g_strdup("");
	g_free(cmd);
	return text;
}

struct opened {
	struct dwarf_file *f;
	struct dwarf_index *ix;
};

static bool open_both(const char *path, const struct dwarf_search *search, struct opened *o)
{
	char *err = NULL, *real = g_canonicalize_filename(path, NULL);

	memset(o, 0, sizeof(*o));
	if (dwarf_file_open(DWARF_FILE_USER, path, real, NULL, search, &o->f, &err) != 0 ||
	    dwarf_index_open(o->f, NULL, &o->ix, &err) != 0)
		UNIT_FAIL("%s: %s", path, err);
	g_free(real);
	g_free(err);
	return o->ix != NULL;
}

static void close_both(struct opened *o)
{
	dwarf_index_close(o->ix);
	dwarf_file_close(o->f);
}

/* Every function symbol has its function, under the name that it begins with, and only there do functions begin. */
static void check_symbols(struct opened *o, const char *path)
{
	char *cmd = g_strdup_printf("nm %s", path), *text = out("%s", cmd);
	char **lines = g_strsplit(text, "\n", -1);
	GHashTable *at = g_hash_table_new(NULL, NULL);
	GArray *all = dwarf_index_funcs(o->ix, NULL, NULL, DWARF_WANT_CONCRETE | DWARF_WANT_PARTIAL);

	for (char **l = lines; *l; l++) {
		uint64_t addr;
		char type;
		struct dwarf_func f;

		if (sscanf(*l, "%" SCNx64 " %c", &addr, &type) != 2)
			continue;
		g_hash_table_add(at, GSIZE_TO_POINTER(addr));
		/* weak ones may be data */
		if (!strchr("tT", type))
			continue;
		/* pieces of a function that nm lists have their own ranges in it */
		if (strstr(*l, ".cold"))
			continue;
		if (!dwarf_index_func(o->ix, dwarf_index_func_at(o->ix, addr), &f))
			UNIT_FAIL("%s: nothing at %s", path, *l);
		else if (f.entry_pc != addr)
			UNIT_FAIL("%s: %s begins at %" PRIx64 ", not %s", path, f.name, f.entry_pc, *l);
	}
	CHECK(all->len >= 6);
	for (guint i = 0; i < all->len; i++) {
		struct dwarf_func f;

		dwarf_index_func(o->ix, g_array_index(all, uint32_t, i), &f);
		if (!g_hash_table_contains(at, GSIZE_TO_POINTER(f.entry_pc)))
			UNIT_FAIL("%s: %s at %" PRIx64 " has no symbol", path, f.name, f.entry_pc);
		if (f.symbol && !f.linkage && !strstr(f.symbol, f.name) && strcmp(f.name, "walk") != 0)
			UNIT_FAIL("%s: %s has the symbol %s", path, f.name, f.symbol);
	}
	g_array_free(all, TRUE);
	g_hash_table_destroy(at);
	g_strfreev(lines);
	g_free(text);
	g_free(cmd);
}

/* What we say of an address, in eu-addr2line's words: innermost first, "function file:line". */
static char *describe(struct opened *o, uint64_t addr)
{
	GArray *in = dwarf_index_inlined_at(o->ix, addr);
	GString *s = g_string_new(NULL);
	struct dwarf_line line;
	struct dwarf_inlined i;
	struct dwarf_func f;
	const char *file = NULL;
	uint32_t no = 0;

	if (dwarf_index_line_at(o->ix, addr, &line)) {
		file = dwarf_index_file(o->ix, line.file_id);
		no = line.line;
	}
	for (guint k = in->len; k > 0; k--) {
		dwarf_index_inlined(o->ix, g_array_index(in, uint32_t, k - 1), &i);
		dwarf_index_func(o->ix, i.func, &f);
		g_string_append_printf(s, "%s %s:%u\n", f.linkage ? f.linkage : f.name, file ? strrchr(file, '/') + 1 : "??", no);
		file = i.call_file;
		no = i.call_line;
	}
	if (dwarf_index_func(o->ix, dwarf_index_func_at(o->ix, addr), &f) && !(f.flags & DWARF_SYMBOL_ONLY))
		g_string_append_printf(s, "%s %s:%u\n", f.linkage ? f.linkage : f.name, file ? strrchr(file, '/') + 1 : "??", no);
	g_array_free(in, TRUE);
	return g_string_free(s, FALSE);
}

/* One block of eu-addr2line -f -i -a: pairs of "function[ inlined at ...]" and "file:line:column". */
static char *described(char **l)
{
	GString *s = g_string_new(NULL);

	for (; l[0] && l[1] && !g_str_has_prefix(l[0], "0x"); l += 2) {
		size_t name = strcspn(l[0], " ");
		char **part = g_strsplit(l[1], ":", 3);
		const char *file = part[0] && strrchr(part[0], '/') ? strrchr(part[0], '/') + 1 : "??";

		g_string_append_printf(s, "%.*s %s:%s\n", (int)name, l[0], file, part[1] && *part[1] != '?' ? part[1] : "0");
		g_strfreev(part);
	}
	return g_string_free(s, FALSE);
}

/* What a tool says of addresses: address to text. */
static GHashTable *ask_tool(const char *tool, const char *path, const char *addresses)
{
	GHashTable *ret = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	char *text = out("%s -f -i -a -e %s/%s %s", tool, dir, path, addresses);
	char **lines = g_strsplit(text, "\n", -1);

	for (char **l = lines; *l; l++)
		if (g_str_has_prefix(*l, "0x"))
			g_hash_table_insert(ret, GSIZE_TO_POINTER(strtoull(*l, NULL, 16)), described(l + 1));
	g_strfreev(lines);
	g_free(text);
	return ret;
}

static void check_addresses(struct opened *o, const char *path)
{
	GArray *all = dwarf_index_funcs(o->ix, NULL, NULL, DWARF_WANT_CONCRETE);
	GString *addresses = g_string_new(NULL);
	GHashTable *want, *other;
	GHashTableIter it;
	gpointer addr, text;

	for (guint i = 0; i < all->len; i++) {
		struct dwarf_func f;

		dwarf_index_func(o->ix, g_array_index(all, uint32_t, i), &f);
		for (uint64_t a = f.entry_pc; a < f.high_pc; a += 3)
			g_string_append_printf(addresses, " 0x%" PRIx64, a);
	}
	want = ask_tool(addr2line, path, addresses->str);
	other = or_addr2line ? ask_tool(or_addr2line, path, addresses->str) : g_hash_table_new(NULL, NULL);
	CHECK(g_hash_table_size(want) > 50);
	g_hash_table_iter_init(&it, want);
	while (g_hash_table_iter_next(&it, &addr, &text)) {
		char *have = describe(o, GPOINTER_TO_SIZE(addr));

		if (strcmp(text, have) != 0 && g_strcmp0(g_hash_table_lookup(other, addr), have) != 0)
			UNIT_FAIL("%s: %zx is\n%s, not\n%s", path, GPOINTER_TO_SIZE(addr), have, (char *)text);
		g_free(have);
	}
	g_hash_table_destroy(want);
	g_hash_table_destroy(other);
	g_string_free(addresses, TRUE);
	g_array_free(all, TRUE);
}

/* The lowest address of each line of a file, by readelf; 0 for lines without code. */
static void decoded_lines(const char *path, const char *file, uint64_t *lowest, unsigned n)
{
	char *text = out("readelf -wNK --debug-dump=decodedline %s", path);
	char **lines = g_strsplit(text, "\n", -1);

	for (char **l = lines; *l; l++) {
		char name[128], no[16];
		uint64_t addr;
		unsigned k;

		/* file line address [view] [x = statement] */
		if (sscanf(*l, "%127s %15s %" SCNx64, name, no, &addr) != 3 || !g_str_has_suffix(name, file) || no[0] == '-' ||
		    !g_str_has_suffix(g_strchomp(*l), "x"))
			continue;
		k = atoi(no);
		if (k < n && (!lowest[k] || addr < lowest[k]))
			lowest[k] = addr;
	}
	g_strfreev(lines);
	g_free(text);
}

static void check_lines(struct opened *o, const char *path, const char *file)
{
	uint64_t lowest[128] = { 0 };
	unsigned n = 0;

	decoded_lines(path, file, lowest, 128);
	for (unsigned line = 1; line < 128; line++) {
		GArray *rows = dwarf_index_lines(o->ix, file, line, line);

		n += lowest[line] != 0;
		if (!rows->len != !lowest[line])
			UNIT_FAIL("%s: %s:%u has %u places", path, file, line, rows->len);
		else if (rows->len && g_array_index(rows, struct dwarf_line, 0).addr != lowest[line])
			UNIT_FAIL("%s: %s:%u is at %" PRIx64 ", not %" PRIx64, path, file, line,
				  g_array_index(rows, struct dwarf_line, 0).addr, lowest[line]);
		g_array_free(rows, TRUE);
	}
	CHECK(n > 5);
}

static unsigned count(GArray *a)
{
	unsigned n = a->len;

	g_array_free(a, TRUE);
	return n;
}

/* What dwarf_one.c and dwarf_two.c have, however they were compiled. */
static void check_queries(struct opened *o, const char *path)
{
	GArray *a;
	struct dwarf_func f;
	struct dwarf_label l;
	Dwarf_Die die;

	a = dwarf_index_funcs(o->ix, "helper", NULL, DWARF_WANT_CONCRETE);
	if (a->len != 2)
		UNIT_FAIL("%s: %u functions 'helper'", path, a->len);
	CHECK_INT(count(dwarf_index_funcs(o->ix, "helper", "dwarf_one.c", DWARF_WANT_CONCRETE)), 1);
	CHECK_INT(count(dwarf_index_funcs(o->ix, "help*", "data/dwarf_two.c", DWARF_WANT_CONCRETE)), 1);
	CHECK_INT(count(dwarf_index_funcs(o->ix, "helper", "data/./x/../dwarf_tw?.c", DWARF_WANT_CONCRETE)), 1);
	CHECK_INT(count(dwarf_index_funcs(o->ix, "helper", "ta/dwarf_two.c", DWARF_WANT_CONCRETE)), 0);
	for (guint i = 0; i < a->len; i++) {
		CHECK(dwarf_index_func(o->ix, g_array_index(a, uint32_t, i), &f));
		CHECK(dwarf_index_die(o->ix, f.cu, f.die_offset, &die));
		CHECK_STR(dwarf_diename(&die), "helper");
		CHECK(f.line == 18 || f.line == 9);
		CHECK(f.prologue_pc >= f.entry_pc && f.prologue_pc < f.high_pc);
	}
	g_array_free(a, TRUE);
	/* its alias is a name of it (link-time optimisation throws it away) */
	a = dwarf_index_funcs(o->ix, "alias_of_walk", NULL, DWARF_WANT_CONCRETE | DWARF_WANT_SYMBOLS);
	CHECK_INT(a->len, count(dwarf_index_symbols(o->ix, "alias_of_walk", true)));
	if (a->len == 1 && dwarf_index_func(o->ix, g_array_index(a, uint32_t, 0), &f)) {
		CHECK_STR(f.name, "walk");
		CHECK_INT(f.line, 41);
		CHECK(f.flags & DWARF_EXTERNAL);
	}
	g_array_free(a, TRUE);
	a = dwarf_index_funcs(o->ix, "walk", NULL, DWARF_WANT_CONCRETE);
	CHECK_INT(a->len, 1);
	if (a->len == 1) {
		GArray *labels = dwarf_index_labels(o->ix, g_array_index(a, uint32_t, 0), "ag*");

		CHECK_INT(labels->len, 1);
		if (labels->len == 1 && dwarf_index_label(o->ix, g_array_index(labels, uint32_t, 0), &l)) {
			CHECK_STR(l.name, "again");
			CHECK_INT(l.line, 45);
			CHECK(l.file && g_str_has_suffix(l.file, "/dwarf_one.c"));
			CHECK(dwarf_index_func(o->ix, l.func, &f) && l.pc > f.entry_pc && l.pc < f.high_pc);
		}
		g_array_free(labels, TRUE);
	}
	g_array_free(a, TRUE);
	/* an inline function of a header is there once for each unit, and has an instance in each */
	a = dwarf_index_funcs(o->ix, "shared", "dwarf_shared.h", DWARF_WANT_ABSTRACT);
	unsigned instances = 0;
	for (guint i = 0; i < a->len; i++)
		instances += count(dwarf_index_inlined_of(o->ix, g_array_index(a, uint32_t, i)));
	CHECK(instances >= 2);
	CHECK(count(a) >= 1);
	CHECK_INT(count(dwarf_index_vars(o->ix, "counter", NULL, false)), 1);
	CHECK_INT(count(dwarf_index_vars(o->ix, "hidden", "dwarf_one.c", false)), 1);
	CHECK_INT(count(dwarf_index_vars(o->ix, "calls", NULL, false)), 0);
	CHECK_INT(count(dwarf_index_vars(o->ix, "calls", NULL, true)), 1);
	CHECK_INT(count(dwarf_index_vars(o->ix, "per_thread", NULL, false)), 1);
	CHECK(count(dwarf_index_types(o->ix, DW_TAG_structure_type, "item")) >= 1);
	CHECK_INT(count(dwarf_index_types(o->ix, 0, "item_t")), 1);
	CHECK_INT(count(dwarf_index_types(o->ix, DW_TAG_enumeration_type, "colour")), 1);
	CHECK(count(dwarf_index_symbols(o->ix, "walk*", true)) == 1);
}

static void check_program(const char *path)
{
	struct opened o;

	if (open_both(path, NULL, &o)) {
		check_symbols(&o, path);
		check_addresses(&o, path);
		check_lines(&o, path, "dwarf_one.c");
		check_lines(&o, path, "dwarf_two.c");
		check_queries(&o, path);
	}
	close_both(&o);
}

static void check_compiled(const char *how)
{
	static unsigned n;
	char *path = g_strdup_printf("prog%u", n++);

	/* without the start files of the C library, which may have debug information of their own */
	if (sh("%s -o %s $DATA/dwarf_one.c $DATA/dwarf_two.c", how, path) != 0)
		UNIT_FAIL("cannot compile: %s", how);
	else
		check_program(path);
	if (unit_why[0])
		fprintf(stderr, "(%s)\n", how);
	g_free(path);
}

TEST(dwarf5_o0) { check_compiled("gcc -g -gdwarf-5 -O0"); }
TEST(dwarf5_o1) { check_compiled("gcc -g -gdwarf-5 -O1"); }
TEST(dwarf5_o2) { check_compiled("gcc -g -gdwarf-5 -O2"); }
TEST(dwarf5_o3_static_pie) { check_compiled("gcc -g -gdwarf-5 -O3 -no-pie"); }
TEST(dwarf4_o0) { check_compiled("gcc -g -gdwarf-4 -O0"); }
TEST(dwarf4_o2) { check_compiled("gcc -g -gdwarf-4 -O2"); }
TEST(dwarf3_o2) { check_compiled("gcc -g -gdwarf-3 -O2"); }
TEST(dwarf2_o1) { check_compiled("gcc -g -gdwarf-2 -gstrict-dwarf -O1"); }
TEST(compressed) { check_compiled("gcc -g -gz -O2"); }
TEST(function_sections) { check_compiled("gcc -g -O2 -ffunction-sections -Wl,--gc-sections"); }
TEST(dwarf64) { check_compiled("gcc -g -gdwarf64 -O2"); }

TEST(clang)
{
	prepare();
	if (sh("clang --version > clang.out 2>&1") != 0)
		return;
	addr2line = "addr2line";
	check_compiled("clang -g -O0");
	check_compiled("clang -g -O2 -gdwarf-4");
	addr2line = "eu-addr2line";
}

/* With -flto abstract and concrete functions are in different units. */
TEST(lto)
{
	/* elfutils does not follow inlined instances to another unit, binutils has trouble with the files */
	or_addr2line = "addr2line";
	check_compiled("gcc -g -O2 -flto");
	or_addr2line = NULL;
}

/* The truth is the same program with everything in one file: the code is the same. */
static void check_split(const char *how)
{
	struct opened whole, split;

	CHECK(sh("%s -o split_no $DATA/dwarf_one.c $DATA/dwarf_two.c && %s -gsplit-dwarf -o split_yes $DATA/dwarf_one.c $DATA/dwarf_two.c",
		 how, how) == 0);
	if (open_both("split_no", NULL, &whole) && open_both("split_yes", NULL, &split)) {
		GArray *all = dwarf_index_funcs(whole.ix, NULL, NULL, DWARF_WANT_CONCRETE);

		check_symbols(&split, "split_yes");
		check_lines(&split, "split_yes", "dwarf_one.c");
		check_queries(&split, "split_yes");
		for (guint i = 0; i < all->len; i++) {
			struct dwarf_func f;

			dwarf_index_func(whole.ix, g_array_index(all, uint32_t, i), &f);
			for (uint64_t a = f.entry_pc; a < f.high_pc; a++) {
				char *want = describe(&whole, a), *have = describe(&split, a);

				CHECK_STR(have, want);
				g_free(want);
				g_free(have);
			}
		}
		g_array_free(all, TRUE);
		close_both(&split);
	}
	close_both(&whole);
}

TEST(split_dwarf)
{
	check_split("gcc -g -gdwarf-5 -O2");
	check_split("gcc -g -gdwarf-4 -O1");
}

/* dwz moves what units share into partial units, or into a file of its own. */
TEST(dwz)
{
	prepare();
	CHECK(sh("for o in 0 2; do gcc -g -O$o -o z$o $DATA/dwarf_one.c $DATA/dwarf_two.c || exit 1; done; "
		 "cp z2 single && dwz single && cp z0 m0 && cp z2 m2 && dwz -m shared.dwz m0 m2") == 0);
	check_program("single");
	check_program("m0");
	check_program("m2");
	/* without the shared file what is left is still there, and the loss is told */
	struct opened o;
	CHECK(sh("mv shared.dwz gone.dwz") == 0);
	if (open_both("m2", NULL, &o)) {
		CHECK(o.f->warning && strstr(o.f->warning, "shared.dwz"));
		CHECK(count(dwarf_index_symbols(o.ix, "walk", true)) == 1);
	}
	close_both(&o);
}

static struct opened o;

/* Debug information elsewhere: beside the program, by build id, at the mirrored path. */
TEST(separate)
{
	struct dwarf_search search = { .path = NULL };
	char *tree;

	CHECK(sh("gcc -g -O2 -o whole $DATA/dwarf_one.c $DATA/dwarf_two.c && cp whole part && objcopy --only-keep-debug whole part.debug && "
		 "strip -g part && objcopy --add-gnu-debuglink=part.debug part") == 0);
	check_program("part");
	if (open_both("part", NULL, &o))
		CHECK(g_str_has_suffix(o.f->debug_path, "/part.debug") && !o.f->problem);
	close_both(&o);
	CHECK(sh("id=$(readelf -n whole | sed -n 's/.*Build ID: //p'); d=$(echo $id | cut -c1-2); mkdir -p tree/.build-id/$d && "
		 "mv part.debug tree/.build-id/$d/${id#??}.debug") == 0);
	tree = g_canonicalize_filename("tree", NULL);
	search.path = tree;
	if (open_both("part", NULL, &o))
		CHECK(!o.f->debug_path && o.f->problem && strstr(o.f->problem, o.f->build_id));
	close_both(&o);
	if (open_both("part", &search, &o))
		CHECK(o.f->debug_path && strstr(o.f->debug_path, ".build-id"));
	close_both(&o);
	g_setenv("SYSTEMTAP_DEBUGINFO_PATH", tree, TRUE);
	if (open_both("part", NULL, &o)) {
		CHECK(o.f->debug_path && strstr(o.f->debug_path, "/tree/"));
		check_lines(&o, "whole", "dwarf_one.c");
	}
	close_both(&o);
	g_unsetenv("SYSTEMTAP_DEBUGINFO_PATH");
	CHECK(sh("mkdir -p tree$PWD && mv tree/.build-id/*/*.debug tree$PWD/part.debug") == 0);
	if (open_both("part", &search, &o))
		CHECK(o.f->debug_path && strstr(o.f->debug_path, "/tree/"));
	close_both(&o);
	g_free(tree);
}

/* One of another build is passed over, and both build ids are named. */
TEST(another_build)
{
	char *id, *other;

	CHECK(sh("gcc -g -O2 -o b1 $DATA/dwarf_one.c $DATA/dwarf_two.c && gcc -g -O1 -o b2 $DATA/dwarf_one.c $DATA/dwarf_two.c && "
		 "objcopy --only-keep-debug b2 b1.debug && strip -g b1 && objcopy --add-gnu-debuglink=b1.debug b1") == 0);
	id = g_strchomp(out("sh -c \"readelf -n b1 | sed -n 's/.*Build ID: //p'\""));
	other = g_strchomp(out("sh -c \"readelf -n b2 | sed -n 's/.*Build ID: //p'\""));
	if (open_both("b1", NULL, &o)) {
		CHECK(!o.f->debug_path);
		CHECK_STR(o.f->build_id, id);
		CHECK(o.f->warning && strstr(o.f->warning, id) && strstr(o.f->warning, other));
		CHECK(count(dwarf_index_funcs(o.ix, "walk", NULL, DWARF_WANT_SYMBOLS)) == 1);
	}
	close_both(&o);
	/* an expected build id is told apart as well */
	struct dwarf_search want = { .want_build_id = other };
	struct dwarf_file *f;
	char *err = NULL;

	CHECK(dwarf_file_open(DWARF_FILE_USER, "b1", "b1", NULL, &want, &f, &err) != 0);
	CHECK(err && strstr(err, id) && strstr(err, other));
	g_free(err);
	g_free(id);
	g_free(other);
}

/* Symbols without DWARF: of the file, of .gnu_debugdata, and none at all. */
TEST(symbols_only)
{
	struct dwarf_func f;
	GArray *a;

	CHECK(sh("gcc -O2 -o plain $DATA/dwarf_one.c $DATA/dwarf_two.c && cp plain mini && "
		 "nm plain --format=posix --defined-only | awk '$2 ~ /^[tT]$/ {print $1}' > keep && "
		 "objcopy -S --remove-section .gdb_index --keep-symbols=keep plain mini.syms && xz -f mini.syms && "
		 "strip mini && objcopy --add-section .gnu_debugdata=mini.syms.xz mini && cp plain bare && strip bare") == 0);
	if (open_both("plain", NULL, &o)) {
		a = dwarf_index_funcs(o.ix, "helper", NULL, DWARF_WANT_CONCRETE | DWARF_WANT_SYMBOLS);
		CHECK_INT(a->len, 2);
		CHECK(a->len == 2 && dwarf_index_func(o.ix, g_array_index(a, uint32_t, 0), &f) && (f.flags & DWARF_SYMBOL_ONLY) &&
		      f.high_pc > f.entry_pc && f.cu == DWARF_NONE);
		g_array_free(a, TRUE);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "helper", "dwarf_one.c", DWARF_WANT_CONCRETE | DWARF_WANT_SYMBOLS)), 0);
	}
	close_both(&o);
	if (open_both("mini", NULL, &o))
		CHECK_INT(count(dwarf_index_symbols(o.ix, "walk", true)), 1);
	close_both(&o);
	if (open_both("bare", NULL, &o))
		CHECK_INT(count(dwarf_index_symbols(o.ix, "walk", true)), 0);
	close_both(&o);
}

static void check_scopes(const char *how)
{
	struct dwarf_func f;
	struct dwarf_type t;
	struct dwarf_var v;
	Dwarf_Die die;
	GArray *a;

	CHECK(sh("%s -o cxx $DATA/dwarf_three.cc", how) == 0);
	if (open_both("cxx", NULL, &o)) {
		a = dwarf_index_funcs(o.ix, "Box::get", NULL, DWARF_WANT_CONCRETE);
		CHECK_INT(a->len, 1);
		CHECK(a->len && dwarf_index_func(o.ix, g_array_index(a, uint32_t, 0), &f));
		CHECK_STR(f.qualified, "outer::inner::Box::get");
		CHECK_STR(f.name, "get");
		g_array_free(a, TRUE);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "set", NULL, DWARF_WANT_CONCRETE)), 2);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "outer::*::set", NULL, DWARF_WANT_CONCRETE)), 2);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "inner::Box::set", NULL, DWARF_WANT_CONCRETE)), 2);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "nner::Box::set", NULL, DWARF_WANT_CONCRETE)), 0);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "outer::inner::Box::set(double)", NULL, DWARF_WANT_CONCRETE)), 1);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "_ZN5outer5inner3Box3setEi", NULL, DWARF_WANT_CONCRETE)), 1);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "twice<*>", NULL, DWARF_WANT_CONCRETE)), 2);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "operator+", NULL, DWARF_WANT_CONCRETE)), 1);
		CHECK_INT(count(dwarf_index_funcs(o.ix, "hidden_one", NULL, DWARF_WANT_CONCRETE)), 1);
		/* with type units a declaration comes behind it */
		a = dwarf_index_types(o.ix, 0, "outer::inner::Box");
		CHECK(a->len && dwarf_index_type(o.ix, g_array_index(a, uint32_t, 0), &t));
		CHECK(t.size == 4 && !(t.flags & DWARF_DECLARATION) && dwarf_index_die(o.ix, t.cu, t.die_offset, &die));
		CHECK_STR(dwarf_diename(&die), "Box");
		g_array_free(a, TRUE);
		CHECK(count(dwarf_index_types(o.ix, 0, "Box::Lid")) >= 1);
		CHECK_INT(count(dwarf_index_types(o.ix, 0, "Other::Lid")), 0);
		a = dwarf_index_vars(o.ix, "Box::made", NULL, false);
		CHECK_INT(a->len, 1);
		CHECK(a->len && dwarf_index_var(o.ix, g_array_index(a, uint32_t, 0), &v));
		CHECK_STR(v.qualified, "outer::inner::Box::made");
		g_array_free(a, TRUE);
		check_symbols(&o, "cxx");
		check_addresses(&o, "cxx");
	}
	close_both(&o);
}

TEST(scopes_dwarf5) { check_scopes("g++ -g -gdwarf-5 -O1"); }
TEST(scopes_dwarf4_o0) { check_scopes("g++ -g -gdwarf-4 -O0"); }
TEST(scopes_type_units) { check_scopes("g++ -g -gdwarf-5 -O2 -fdebug-types-section"); }
TEST(scopes_debug_types) { check_scopes("g++ -g -gdwarf-4 -O2 -fdebug-types-section"); }

/* Relocatable: addresses are laid out, and lead to section + offset and back. */
TEST(relocatable)
{
	const char *section;
	struct dwarf_func f;
	uint64_t offset, addr;
	char *text;
	GArray *a;

	CHECK(sh("gcc -g -O2 -ffunction-sections -c -o one.o $DATA/dwarf_one.c && gcc -g -O2 -c -o two.o $DATA/dwarf_two.c && "
		 "ld -r -o both.o one.o two.o") == 0);
	if (dwarf_file_open(DWARF_FILE_MODULE, "both", "both.o", NULL, NULL, &o.f, NULL) != 0 ||
	    dwarf_index_open(o.f, NULL, &o.ix, NULL) != 0) {
		UNIT_FAIL("cannot open both.o");
		return;
	}
	check_queries(&o, "both.o");
	a = dwarf_index_funcs(o.ix, "walk", NULL, DWARF_WANT_CONCRETE);
	CHECK(a->len == 1 && dwarf_index_func(o.ix, g_array_index(a, uint32_t, 0), &f));
	g_array_free(a, TRUE);
	CHECK(dwarf_file_reference(o.f, f.entry_pc + 3, &section, &offset));
	CHECK_STR(section, ".text.walk");
	CHECK_INT(offset, 3);
	CHECK(dwarf_file_section_address(o.f, ".text.walk", 3, &addr) && addr == f.entry_pc + 3);
	CHECK(!dwarf_file_section_address(o.f, ".text.none", 3, &addr));
	a = dwarf_index_funcs(o.ix, "two_entry", NULL, DWARF_WANT_CONCRETE);
	CHECK(a->len == 1 && dwarf_index_func(o.ix, g_array_index(a, uint32_t, 0), &f));
	g_array_free(a, TRUE);
	text = g_strchomp(out("sh -c \"nm both.o | sed -n 's/ T two_entry//p'\""));
	CHECK(dwarf_file_reference(o.f, f.entry_pc, &section, &offset));
	CHECK_STR(section, ".text");
	CHECK_INT(offset, strtoull(text, NULL, 16));
	g_free(text);
	/* the compiler marked the call, and the callee is relocated as well */
	close_both(&o);
}

/* Calls, tail calls, and reading code. */
TEST(calls)
{
	unsigned char code[4], *bytes = NULL;
	struct dwarf_call *c;
	struct dwarf_func f;
	gsize size;
	GArray *a, *calls;

	CHECK(sh("gcc -g -O2 -o calls $DATA/dwarf_one.c $DATA/dwarf_two.c") == 0);
	if (!open_both("calls", NULL, &o))
		return;
	a = dwarf_index_funcs(o.ix, "tail", NULL, DWARF_WANT_CONCRETE);
	CHECK(a->len == 1 && dwarf_index_func(o.ix, g_array_index(a, uint32_t, 0), &f));
	calls = dwarf_index_calls(o.ix, g_array_index(a, uint32_t, 0));
	CHECK_INT(calls->len, 1);
	c = &g_array_index(calls, struct dwarf_call, 0);
	CHECK(calls->len && c->tail);
	CHECK_STR(calls->len ? c->callee : NULL, "two_entry");
	g_array_free(calls, TRUE);
	/* the code of a position-independent program has its addresses as offsets in the file */
	CHECK(g_file_get_contents("calls", (char **)&bytes, &size, NULL) && f.entry_pc + 4 <= size);
	CHECK(dwarf_file_read(o.f, f.entry_pc, code, 4) == 4 && memcmp(code, bytes + f.entry_pc, 4) == 0);
	CHECK_INT(dwarf_file_read(o.f, 1ull << 40, code, 4), 0);
	g_free(bytes);
	g_array_free(a, TRUE);
	close_both(&o);
}

/* Lines without code: the nearest ones. */
TEST(nearest)
{
	uint32_t below, above;
	struct opened p;

	CHECK(sh("gcc -g -O0 -o near $DATA/dwarf_one.c $DATA/dwarf_two.c") == 0);
	if (!open_both("near", NULL, &p))
		return;
	CHECK_INT(count(dwarf_index_lines(p.ix, "dwarf_one.c", 25, 25)), 0);
	dwarf_index_nearest(p.ix, "dwarf_one.c", 25, &below, &above);
	CHECK_INT(below, 24);
	CHECK_INT(above, 28);
	dwarf_index_nearest(p.ix, "dwarf_none.c", 24, &below, &above);
	CHECK(below == 0 && above == 0);
	close_both(&p);
}

/* The cache: what was built is found again; what is damaged is built again. */
TEST(kept)
{
	struct dwarf_index_info info, again;
	struct cache *c = NULL;
	struct dwarf_file *f;
	struct dwarf_index *ix;
	char *name, *text, *err = NULL;
	gsize size;
	GDir *d;

	prepare();
	name = g_build_filename(dir, "kept", NULL);
	g_setenv("SYSTEMTAP_DIR", name, TRUE);
	g_free(name);
	CHECK(cache_open(&c, &err) == 0);
	/* big enough to be kept */
	CHECK(sh("cp $(readlink /proc/$PPID/exe) big") == 0);
	CHECK(dwarf_file_open(DWARF_FILE_USER, "big", "big", NULL, NULL, &f, &err) == 0);
	CHECK(dwarf_index_open(f, c, &ix, &err) == 0);
	dwarf_index_info(ix, &info);
	CHECK(info.built && info.funcs > 500 && info.damaged_cus == 0);
	dwarf_index_close(ix);
	CHECK(dwarf_index_open(f, c, &ix, &err) == 0);
	dwarf_index_info(ix, &again);
	CHECK(!again.built && again.funcs == info.funcs && again.types == info.types);
	dwarf_index_close(ix);
	d = g_dir_open("kept/cache/index", 0, NULL);
	name = g_build_filename("kept/cache/index", d ? g_dir_read_name(d) : "", NULL);
	for (int i = 0; i < 40; i++) {
		CHECK(g_file_get_contents(name, &text, &size, NULL) && size > 1000);
		/* one bit, or cut off */
		if (i % 2)
			text[g_random_int_range(0, size)] ^= 1 << i % 8;
		else
			size -= g_random_int_range(1, size);
		CHECK(g_file_set_contents(name, text, size, NULL));
		g_free(text);
		CHECK(dwarf_index_open(f, c, &ix, &err) == 0);
		dwarf_index_info(ix, &again);
		/* padding is in no sum */
		CHECK((again.built || i % 2) && again.funcs == info.funcs);
		dwarf_index_close(ix);
	}
	if (d)
		g_dir_close(d);
	dwarf_file_close(f);
	cache_close(c);
	g_free(name);
}

/* Asks for everything once: no wild reads, whatever the file says. */
static void ask_everything(struct dwarf_index *ix)
{
	GArray *a = dwarf_index_funcs(ix, NULL, NULL, ~0u);
	struct dwarf_index_info info;
	struct dwarf_line line;

	dwarf_index_info(ix, &info);
	for (guint i = 0; i < a->len && i < 50; i++) {
		uint32_t no = g_array_index(a, uint32_t, i);
		struct dwarf_func f;
		Dwarf_Die die;

		dwarf_index_func(ix, no, &f);
		g_array_free(dwarf_index_func_lines(ix, no, NULL), TRUE);
		g_array_free(dwarf_index_func_ranges(ix, no), TRUE);
		g_array_free(dwarf_index_inlined_of(ix, no), TRUE);
		g_array_free(dwarf_index_labels(ix, no, NULL), TRUE);
		dwarf_index_line_at(ix, f.entry_pc, &line);
		dwarf_index_symbol_at(ix, f.entry_pc);
		dwarf_index_die(ix, f.cu, f.die_offset, &die);
	}
	g_array_free(a, TRUE);
	g_array_free(dwarf_index_lines(ix, "*.c", 0, UINT32_MAX), TRUE);
	g_array_free(dwarf_index_vars(ix, NULL, NULL, true), TRUE);
	for (uint32_t i = 0; i < info.types && i < 100; i++) {
		struct dwarf_type t;

		dwarf_index_type(ix, i, &t);
	}
	g_array_free(dwarf_index_symbols(ix, NULL, false), TRUE);
}

/* Damaged in many ways: an error that names the file, or what can still be read. */
TEST(damaged)
{
	static const char *const from[] = { "prog2", "prog5", "m2", "both.o", "cxx" };
	guint32 seed = 12345;
	GRand *r = g_rand_new_with_seed(seed);

	prepare();
	for (int i = 0; i < 300; i++) {
		char *text, *err = NULL;
		gsize size;
		int flips = g_rand_int_range(r, 1, 40);

		if (!g_file_get_contents(from[i % G_N_ELEMENTS(from)], &text, &size, NULL))
			continue;
		if (i % 7 == 0)
			size = g_rand_int_range(r, 0, size);
		/* mostly behind the code, where debug information is */
		for (int k = 0; k < flips && size > 64 && i % 7; k++)
			text[k % 10 ? g_rand_int_range(r, size / 3, size) : g_rand_int_range(r, 16, size)] = g_rand_int(r);
		CHECK(g_file_set_contents("damaged", text, size, NULL));
		if (dwarf_file_open(DWARF_FILE_USER, "damaged", "damaged", NULL, NULL, &o.f, &err) != 0) {
			CHECK(err && strstr(err, "damaged"));
		} else if (dwarf_index_open(o.f, NULL, &o.ix, &err) != 0) {
			CHECK(err && strstr(err, "damaged"));
			dwarf_file_close(o.f);
		} else {
			ask_everything(o.ix);
			close_both(&o);
		}
		g_free(err);
		g_free(text);
	}
	g_rand_free(r);
}

/* A server for one test: answers every request with a file (NULL: never). */
static pid_t serve(const char *file, int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int s = socket(AF_INET, SOCK_STREAM, 0), c;
	char buf[4096], *text = NULL;
	gsize size = 0;
	pid_t pid;

	if (bind(s, (struct sockaddr *)&at, len) || listen(s, 8) || getsockname(s, (struct sockaddr *)&at, &len))
		abort();
	*port = ntohs(at.sin_port);
	if (file && !g_file_get_contents(file, &text, &size, NULL))
		abort();
	pid = fork();
	if (pid) {
		close(s);
		g_free(text);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while ((c = accept(s, NULL, NULL)) >= 0) {
		int n = snprintf(buf, sizeof(buf), "HTTP/1.0 200 OK\r\nContent-Length: %zu\r\n\r\n", size);

		if (!file)
			continue;
		if (recv(c, buf + n, sizeof(buf) - n, 0) < 0 || send(c, buf, n, 0) < 0 || send(c, text, size, MSG_WAITALL) < 0)
			_exit(1);
		close(c);
	}
	_exit(0);
}

static void with_server(const char *file, bool found)
{
	char url[64], cache[32];
	static int n;
	int port;
	pid_t pid = serve(file, &port);

	snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
	snprintf(cache, sizeof(cache), "dcache%d", n++);
	g_setenv("DEBUGINFOD_URLS", url, TRUE);
	g_setenv("DEBUGINFOD_CACHE_PATH", cache, TRUE);
	g_setenv("DEBUGINFOD_TIMEOUT", "2", TRUE);
	if (open_both("asked", NULL, &o)) {
		CHECK_INT(o.f->debug_path != NULL, found);
		CHECK_INT(o.f->problem != NULL, !found);
		CHECK_INT(count(dwarf_index_lines(o.ix, "dwarf_one.c", 1, 90)) > 0, found);
	}
	close_both(&o);
	g_unsetenv("DEBUGINFOD_URLS");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A server that has it, one that answers nonsense or something of another build, one that says nothing. */
TEST(debuginfod)
{
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW);
	gint64 start;

	if (!lib)
		return;
	CHECK(sh("gcc -g -O1 -o asked $DATA/dwarf_one.c $DATA/dwarf_two.c && objcopy --only-keep-debug asked asked.dbg && strip -g asked && "
		 "gcc -g -O0 -o askedo $DATA/dwarf_one.c $DATA/dwarf_two.c && echo nonsense > asked.txt") == 0);
	with_server("asked.dbg", true);
	with_server("asked.txt", false);
	with_server("askedo", false);
	start = g_get_monotonic_time();
	with_server(NULL, false);
	CHECK(g_get_monotonic_time() - start < 20 * G_USEC_PER_SEC);
	dlclose(lib);
}

TEST(not_elf)
{
	struct dwarf_file *f;
	char *err = NULL;

	CHECK(sh("echo hello > text; : > empty") == 0);
	CHECK(dwarf_file_open(DWARF_FILE_USER, "text", "text", NULL, NULL, &f, &err) != 0 && strstr(err, "text is not"));
	CHECK(dwarf_file_open(DWARF_FILE_USER, "empty", "empty", NULL, NULL, &f, &err) != 0 && strstr(err, "empty is empty"));
	CHECK(dwarf_file_open(DWARF_FILE_USER, "none", "none", NULL, NULL, &f, &err) != 0 && strstr(err, "cannot open none"));
	CHECK(dwarf_file_open(DWARF_FILE_USER, "/", "/", NULL, NULL, &f, &err) != 0 && strstr(err, "is a directory"));
	g_free(err);
}

TEST(patterns)
{
	static const char *const paths[][3] = {
		{ "/a/b", "c/./d//e.c", "/a/b/c/d/e.c" }, { "/a/b", "../../../x.c", "/x.c" }, { "/a/b", "/q/../z.c", "/z.c" },
		{ "", "a/../../b.c", "../b.c" }, { "r", "../../y", "../y" }, { "/", "x", "/x" }, { NULL, "./a", "a" }, { "/a", "..", "/" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
		char *have = dwarf_canonical_path(paths[i][0], paths[i][1]);

		CHECK_STR(have, paths[i][2]);
		g_free(have);
	}
	CHECK(dwarf_file_pattern_match("c.c", "/a/b/c.c") && dwarf_file_pattern_match("b/c.c", "/a/b/c.c"));
	CHECK(!dwarf_file_pattern_match("/b/c.c", "/a/b/c.c") && !dwarf_file_pattern_match("c.c", "/a/xc.c"));
	CHECK(dwarf_file_pattern_match("b/*.c", "/a/b/x/c.c") && dwarf_file_pattern_match("?.c", "c.c"));
	CHECK(dwarf_file_pattern_match("/a/*", "/a/b/c.c") && !dwarf_file_pattern_match("/b/*", "/a/b/c.c"));
}

RUN_TESTS()
