/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fuzzer's target for the parser on every script in the tree: its corpus, the suite's cases, examples, the library.
 * Each ends in a tree or in an error, and what is printed of a tree parses to the same again. */
/* link: testsuite/fuzz/fuzz_parse.c translator/arena.c translator/session.c translator/source.c translator/ast.c translator/ast_walk.c translator/ast_print.c translator/ast_print_expr.c translator/diag.c translator/diag_print.c translator/lex.c translator/literal.c translator/macro.c translator/macro_table.c translator/macro_cond.c translator/name_glob.c translator/parse.c translator/parse_token.c translator/parse_expr.c translator/parse_value.c translator/parse_atop.c translator/parse_printf.c translator/parse_stmt.c translator/parse_loop.c translator/parse_point.c translator/parse_probe.c translator/parse_decl.c */
/* pkgs: glib-2.0 */
#include "unit.h"
#include <glib.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Number of scripts in a directory; aborts when one of them makes the target fail. */
static unsigned run_dir(const char *name)
{
	const char *top = getenv("STAP_TOP");
	char *dir = g_build_filename(top ? top : ".", name, NULL);
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *entry;
	unsigned n = 0;

	while (d && (entry = g_dir_read_name(d))) {
		char *path = g_build_filename(dir, entry, NULL), *text;
		gsize len;

		if (g_str_has_suffix(entry, ".stp") && g_file_get_contents(path, &text, &len, NULL)) {
			LLVMFuzzerTestOneInput((const uint8_t *)text, len);
			g_free(text);
			n++;
		}
		g_free(path);
	}
	if (d)
		g_dir_close(d);
	g_free(dir);
	return n;
}

TEST(corpus) { CHECK(run_dir("testsuite/fuzz/corpus") > 10); }
TEST(tapsets) { CHECK(run_dir("tapsets") > 40); }
TEST(examples) { CHECK(run_dir("examples") > 5); }

TEST(cases)
{
	CHECK(run_dir("testsuite/pass1/ok") && run_dir("testsuite/pass1/err"));
	CHECK(run_dir("testsuite/pass2/ok") && run_dir("testsuite/pass2/err"));
	CHECK(run_dir("testsuite/run/language") && run_dir("testsuite/run/probe") && run_dir("testsuite/run/errors"));
}

RUN_TESTS()
