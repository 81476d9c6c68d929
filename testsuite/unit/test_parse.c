/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parser without the rest of the translator: what it prints parses to the same again, and no
 * input is too large, too deep or too strange for it. */
/* link: translator/arena.c translator/session.c translator/source.c translator/ast.c translator/ast_walk.c translator/ast_print.c translator/ast_print_expr.c translator/diag.c translator/diag_print.c translator/lex.c translator/literal.c translator/macro.c translator/macro_table.c translator/macro_cond.c translator/name_glob.c translator/parse.c translator/parse_token.c translator/parse_expr.c translator/parse_value.c translator/parse_atop.c translator/parse_printf.c translator/parse_stmt.c translator/parse_loop.c translator/parse_point.c translator/parse_probe.c translator/parse_decl.c */
/* pkgs: glib-2.0 */
#include "macro.h"
#include "parse.h"
#include "session.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

static const char *top(void)
{
	const char *dir = getenv("STAP_TOP");

	return dir ? dir : ".";
}

/* The library's macro file that defines the name, or NULL. */
static const char *macro_path(struct session *s, const char *name)
{
	char *dir = g_build_filename(top(), "tapsets", NULL), *wanted = g_strdup_printf("@define %s", name), *text;
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *found = NULL, *entry;

	while (d && !found && (entry = g_dir_read_name(d))) {
		const char *path = arena_printf(s, "%s/%s", dir, entry);

		if (!g_str_has_suffix(entry, ".stpm") || !g_file_get_contents(path, &text, NULL, NULL))
			continue;
		if (strstr(text, wanted))
			found = path;
		g_free(text);
	}
	if (d)
		g_dir_close(d);
	g_free(wanted);
	g_free(dir);
	return found;
}

void pp_env_init(struct session *s, struct pp_env *env)
{
	*env = (struct pp_env){ .kernel_vr = "6.1.0-57-amd64", .arch = "x86_64", .runtime = "kernel",
				.systemtap_v = "5.6", .privilege = "stapdev", .macro_path = macro_path };
}

/* Prints, parses, prints; both prints must be the same. */
static void check_round_trip(const char *path)
{
	struct session *s = session_new();
	GString *one = g_string_new(NULL), *two = g_string_new(NULL);
	struct source *src;
	struct file *f;

	for (int i = 0; i < 3; i++)
		g_ptr_array_add(s->opt.args, i ? "text" : "5");
	src = source_read(s, path);
	f = src ? parse_source(s, src, true, true) : NULL;
	CHECK(f != NULL);
	if (f) {
		print_file(one, f);
		f = parse_source(s, source_text(s, path, one->str, one->len), true, true);
		CHECK(f != NULL);
	}
	if (f) {
		print_file(two, f);
		CHECK_STR(two->str, one->str);
	}
	g_string_free(one, TRUE);
	g_string_free(two, TRUE);
	session_free(s);
}

static unsigned round_trip_dir(const char *name)
{
	char *dir = g_build_filename(top(), name, NULL);
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *entry;
	unsigned n = 0;

	while (d && (entry = g_dir_read_name(d))) {
		char *path = g_build_filename(dir, entry, NULL);

		if (g_str_has_suffix(entry, ".stp")) {
			check_round_trip(path);
			n++;
		}
		g_free(path);
	}
	if (d)
		g_dir_close(d);
	g_free(dir);
	return n;
}

TEST(round_trip_cases) { CHECK(round_trip_dir("testsuite/pass1/ok") > 5); }
TEST(round_trip_tapsets) { CHECK(round_trip_dir("tapsets") > 0); }

/* Parses text made of `head`, n times `unit` and `tail`; returns the number of errors.  What it
 * says goes nowhere. */
static unsigned errors_of(const char *head, const char *unit, size_t n, const char *tail)
{
	struct session *s = session_new();
	struct diag_capture *cap = diag_capture_begin(s);
	GString *text = g_string_new(head);
	struct file *f;
	unsigned nerrors;

	for (size_t i = 0; i < n; i++)
		g_string_append(text, unit);
	g_string_append(text, tail);
	f = parse_source(s, source_text(s, "t", text->str, text->len), false, false);
	nerrors = diag_capture_end(s, cap, false);
	CHECK((f == NULL) == (nerrors > 0));
	g_string_free(text, TRUE);
	session_free(s);
	return nerrors;
}

TEST(deep_nesting)
{
	CHECK_INT(errors_of("probe begin { x = ", "(", 100000, ""), 1);
	CHECK_INT(errors_of("probe begin { x = ", "- ", 100000, "1 }"), 1);
	CHECK_INT(errors_of("probe begin ", "{", 100000, ""), 1);
	CHECK_INT(errors_of("probe begin { ", "if (1) ", 100000, "exit() }"), 1);
	CHECK_INT(errors_of("probe begin { ", "if (1) ; else ", 100000, "exit() }"), 1);
	CHECK_INT(errors_of("probe begin { x = ", "a[", 100000, ""), 1);
	CHECK_INT(errors_of("probe begin { x = ", "1 + ", 100000, "1 }"), 1);
	CHECK_INT(errors_of("probe begin { x = ", "a ? b : ", 100000, "1 }"), 1);
	CHECK_INT(errors_of("probe begin { ", "a = ", 100000, "1 }"), 1);
	CHECK_INT(errors_of("probe ", "a.{", 100000, ""), 1);
	CHECK_INT(errors_of("probe begin { x = ", "(", 300, "1))"), 1);
}

TEST(long_input)
{
	CHECK_INT(errors_of("probe begin { x = \"", "long line ", 200000, "\" }"), 0);
	CHECK_INT(errors_of("probe begin { x = ", "\"a\" ", 100000, "}"), 0);
	CHECK_INT(errors_of("probe begin { printf(", "\"%%\" ", 100000, ") }"), 0);
	CHECK_INT(errors_of("probe begin { ", "x = 1\n", 100000, "}"), 0);
	CHECK_INT(errors_of("probe begin { ", "x = ;\n", 100000, "}"), 20);
	CHECK_INT(errors_of("", "probe begin { } ", 50000, ""), 0);
	CHECK(errors_of("", "%( ", 100000, "") > 0);
	CHECK(errors_of("", "@define a %( ", 100000, "") > 0);
}

TEST(blow_ups)
{
	CHECK(errors_of("@define a %( 1 + 1 %) @define b %( @a + @a + @a + @a + @a + @a + @a + @a %)"
			"@define c %( @b + @b + @b + @b + @b + @b + @b + @b %) @define d %( @c + @c + @c + @c + @c + @c + @c %)"
			"@define e %( @d + @d + @d + @d + @d + @d + @d + @d %) @define f %( @e + @e + @e + @e + @e + @e + @e %)"
			"@define g %( @f + @f + @f + @f + @f + @f + @f + @f %) @define h %( @g + @g + @g + @g + @g + @g + @g %)"
			"probe begin { x = @h }", "", 0, "") > 0);
	CHECK_INT(errors_of("probe x", ".{a,b}", 40, " { }"), 1);
}

TEST(strange_bytes)
{
	struct session *s = session_new();
	struct diag_capture *cap = diag_capture_begin(s);
	static const char text[] = "probe begin { x = \"a\0b\" \0 \xff\xfe y }";

	CHECK(parse_source(s, source_text(s, "t", text, sizeof(text)), false, false) == NULL);
	CHECK(diag_capture_end(s, cap, false) > 0);
	session_free(s);
}

RUN_TESTS()
