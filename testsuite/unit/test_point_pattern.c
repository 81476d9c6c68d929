/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NAME@FILE:LINES in its variants, and where errors in it are placed. */
/* link: translator/arena.c translator/session.c translator/source.c translator/ast.c translator/diag.c translator/diag_print.c translator/alias_match.c translator/name_glob.c translator/ast_print_expr.c translator/ast_print.c translator/point_pattern.c */
/* pkgs: glib-2.0 */
#include "alias_match.h"
#include "name_glob.h"
#include "point_pattern.h"
#include "source.h"
#include "unit.h"

static struct session *s;
static struct point_pattern pat;

/* Reads the text as a string literal at column 5 of a line. */
static int read_text(const char *text)
{
	struct loc loc = { .line = 1, .col = 5, .len = strlen(text) + 2 };

	if (!s)
		s = session_new();
	return point_pattern_read(s, expr_str(s, text, loc), &pat);
}

TEST(pieces)
{
	CHECK(name_is_piece("do_exit.cold", "do_*") && name_is_piece("f.part.0", "f*") && name_is_piece("f.isra.0.cold", "*"));
	CHECK(name_is_piece("f.constprop.0.part.1", "f*") && name_is_piece("_ZN1a1bEv.cold", "a::*"));
	CHECK(!name_is_piece("f.isra.0", "f*") && !name_is_piece("main.coldest", "*") && !name_is_piece("main.partial", "*") && !name_is_piece("cold", "*"));
	CHECK(!name_is_piece("do_exit.cold", "*.cold") && !name_is_piece("do_exit.cold", "do_exit.cold"));
}

TEST(globs)
{
	CHECK(name_glob("f[1]", "f[1]") && name_glob("f[1]", "f1") && !name_glob("f[1]", "f2") && !name_glob("f", "ff"));
	CHECK(name_glob_end("b::f", "a::b::f", "::") && !name_glob_end("b::f", "ab::f", "::") && name_glob_end("b::*", "a::b::f", "::"));
	CHECK(name_glob_end("read_write.c", "fs/read_write.c", "/") && !name_glob_end("write.c", "fs/read_write.c", "/"));
	CHECK(!name_glob_end("/fs/a.c", "/src/fs/a.c", "/") && name_glob_end("/src/*/a.c", "/src/fs/a.c", "/") && !name_glob_end("/fs/*.c", "/src/fs/a.c", "/"));
	CHECK_INT((int)name_glob_prefix("vfs_?*"), 4);
}

TEST(names)
{
	CHECK_INT(read_text("vfs_read"), 0);
	CHECK_STR(pat.func, "vfs_read");
	CHECK(!pat.file && pat.kind == LINES_NONE && !pat.func_glob);
	CHECK_INT(read_text("*@fs/*.c"), 0);
	CHECK_STR(pat.func, "*");
	CHECK_STR(pat.file, "fs/*.c");
	CHECK(pat.func_glob && pat.file_glob && pat.kind == LINES_NONE);
	CHECK_INT(read_text("ns::list<int, std::less<int> >::push(int)@c++/list.cc"), 0);
	CHECK_STR(pat.func, "ns::list<int, std::less<int> >::push(int)");
	CHECK_STR(pat.file, "c++/list.cc");
	CHECK_INT(read_text("main.(*T).Run[go.shape.int]"), 0);
	CHECK(point_pattern_func(&pat, "main.(*T).Run[go.shape.int]"));
	CHECK(!point_pattern_func(&pat, "main.(*T).Run"));
	CHECK_INT(read_text("<impl core::fmt::Display for u8>::fmt"), 0);
	CHECK(point_pattern_func(&pat, "<impl core::fmt::Display for u8>::fmt"));
	CHECK_INT(read_text("vfs_[rw]*"), 0);
	CHECK(point_pattern_func(&pat, "vfs_write") && !point_pattern_func(&pat, "vfs_open"));
}

TEST(lines)
{
	CHECK_INT(read_text("f@a.c:12"), 0);
	CHECK(pat.kind == LINES_ABSOLUTE && pat.nlines == 1 && pat.lines[0].first == 12 && pat.lines[0].last == 12);
	CHECK_INT(read_text("f@/usr/src/x/a.c:9,3,5-7"), 0);
	CHECK_STR(pat.file, "/usr/src/x/a.c");
	CHECK_INT(pat.nlines, 3);
	CHECK(point_pattern_line(&pat, 0, 3) && point_pattern_line(&pat, 0, 6) && point_pattern_line(&pat, 0, 9));
	CHECK(!point_pattern_line(&pat, 0, 4) && !point_pattern_line(&pat, 0, 8) && !point_pattern_line(&pat, 0, 10));
	CHECK_INT(read_text("f@a.c:5-7,6-9,10"), 0);
	CHECK(pat.nlines == 1 && pat.lines[0].first == 5 && pat.lines[0].last == 10);
	CHECK_INT(read_text("f@a.c:*"), 0);
	CHECK(pat.kind == LINES_ALL && point_pattern_line(&pat, 0, 77));
	CHECK_INT(read_text("f@c++/a+b.c+0"), 0);
	CHECK_STR(pat.file, "c++/a+b.c");
	CHECK(pat.kind == LINES_RELATIVE && point_pattern_line(&pat, 40, 40) && !point_pattern_line(&pat, 40, 41));
	CHECK_INT(read_text("f@a.c+12"), 0);
	CHECK(pat.kind == LINES_RELATIVE && point_pattern_line(&pat, 40, 52) && !point_pattern_line(&pat, 40, 12));
	CHECK(!point_pattern_line(&pat, 40, 39));
	CHECK_INT(read_text("f@libstdc++"), 0);
	CHECK_STR(pat.file, "libstdc++");
	CHECK_INT(pat.lines_loc.len, 0);
}

/* How many errors the text gives. */
static unsigned count_errors(const char *text)
{
	struct diag_capture *cap;
	unsigned n;

	if (!s)
		s = session_new();
	cap = diag_capture_begin(s);
	CHECK_INT(read_text(text), -1);
	n = diag_capture_end(s, cap, false);
	return n;
}

TEST(wrong)
{
	static const char *const texts[] = {
		"", "@a.c", "f@", "f@:3", "f@a.c:", "f@a.c:0", "f@a.c:7-5", "f@a.c:3,", "f@a.c:3,x", "f@a.c:3;4", "f@a.c:-3",
		"f@a.c:99999999999999999999", "f@a.c:3-", "f@+3", "f@a.c:*,3",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (count_errors(texts[i]) != 1)
			UNIT_FAIL("no error: %s", texts[i]);
	CHECK_INT(read_text("f@a.c:3"), 0);
	CHECK_INT(pat.func_loc.col, 6);
	CHECK_INT(pat.file_loc.col, 8);
	CHECK_INT(pat.lines_loc.col, 12);
}

RUN_TESTS()
