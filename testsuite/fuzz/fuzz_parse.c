/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target for the lexer, preprocessor, parser and printer: any bytes end in a tree or an
 * error, and a printed tree parses to the same text again.  Build with
 *	clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -Itranslator $(pkg-config --cflags glib-2.0) \
 *		testsuite/fuzz/fuzz_parse.c SOURCES $(pkg-config --libs glib-2.0)
 * with the SOURCES that testsuite/unit/test_parse.c names behind "link:"; testsuite/pass1 is a corpus to
 * begin with.
 */
#include "macro.h"
#include "parse.h"
#include "session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void pp_env_init(struct session *s, struct pp_env *env)
{
	*env = (struct pp_env){ .kernel_vr = "6.1.0-57-amd64", .arch = "x86_64", .runtime = "kernel",
				.systemtap_v = "5.6", .privilege = "stapdev" };
}

/* A script whose macros or braces unfold to much more text than it has is not printed again. */
#define MAX_PRINTED (1u << 20)

static void check_printed(struct session *s, const struct file *f)
{
	GString *one = g_string_new(NULL), *two = g_string_new(NULL);
	struct diag_capture *cap = diag_capture_begin(s);

	print_file(one, f);
	if (one->len < MAX_PRINTED) {
		f = parse_source(s, source_text(s, "t", one->str, one->len), true, true);
		if (f)
			print_file(two, f);
		if (!f || strcmp(one->str, two->str) != 0) {
			fprintf(stderr, "printed:\n%s\nagain:\n%s\n%s\n", one->str, two->str,
				f ? "" : diag_capture_first(cap));
			abort();
		}
	}
	diag_capture_end(s, cap, false);
	g_string_free(one, TRUE);
	g_string_free(two, TRUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session *s = session_new();
	struct diag_capture *cap = diag_capture_begin(s);
	struct file *f;

	g_ptr_array_add(s->opt.args, "5");
	g_ptr_array_add(s->opt.args, "two words");
	f = parse_source(s, source_text(s, "t", (const char *)data, size), true, true);
	if ((f == NULL) != (diag_capture_end(s, cap, false) > 0))
		abort(); /* no tree, and no word why; or the other way round */
	if (f)
		check_printed(s, f);
	session_free(s);
	return 0;
}
