/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a unit of the runtime defines, as its text shows them; the truth is nm's. */
/* link: translator/unit_symbols.c */
/* pkgs: glib-2.0 */
#include <stdlib.h>
#include "unit.h"
#include "unit_symbols.h"

static bool has(const char *text, const char *name)
{
	struct unit_symbols *us = unit_symbols_read(text);
	bool ret = unit_symbols_has(us, name);

	unit_symbols_free(us);
	return ret;
}

TEST(functions)
{
	CHECK(has("int stp_a(int x)\n{\n\treturn stp_b(x);\n}\n", "stp_a"));
	CHECK(!has("int stp_a(int x)\n{\n\treturn stp_b(x);\n}\n", "stp_b"));
	CHECK(!has("int stp_a(int x);\n", "stp_a"));
	CHECK(!has("static int stp_a(int x) { return x; }\n", "stp_a"));
	CHECK(has("static int b(void) { if (1) { } return '}'; }\nstruct s *stp_a(void) { return 0; }\n", "stp_a"));
	CHECK(has("__printf(1, 2)\nvoid stp_a(const char *fmt, ...)\n{\n}\n", "stp_a"));
	CHECK(has("void stp_a(void (*fn)(void *), void *data)\n{\n}\n", "stp_a"));
	CHECK(has("/* { */ // {\n#define X {\n#define Y \\\n {\nchar *s = \"{\\\"{\";\nint stp_a(void) { return 0; }", "stp_a"));
}

TEST(objects)
{
	CHECK(has("const struct stp_hook stp_a = {\n\t.x = { 1 },\n};\n", "stp_a"));
	CHECK(has("u64 stp_a[3], stp_b;\n", "stp_b"));
	CHECK(has("struct s { int x; } stp_a;\n", "stp_a"));
	CHECK(has("DEFINE_PER_CPU(struct x, stp_a);\n", "stp_a"));
	CHECK(!has("extern u64 stp_a;\n", "stp_a"));
	CHECK(!has("static u64 stp_a = 3;\n", "stp_a"));
	CHECK(!has("typedef int stp_a;\n", "stp_a"));
	CHECK(!has("int f(void) { u64 stp_a = 1; return stp_a; }\n", "stp_a"));
}

TEST(told)
{
	CHECK(has("/* Some.  defines: stp_x stp_y\n * stp_z */\n", "stp_x1"));
	CHECK(has("/* Some.  defines: stp_x stp_y\n * stp_z */\n", "stp_z"));
	CHECK(!has("/* Some.  defines: stp_x stp_y\n * stp_z */\n", "stp_"));
}

TEST(odd)
{
	CHECK(!has("", "stp_a"));
	CHECK(!has("/* no end", "stp_a"));
	CHECK(!has("int f(void) {{{", "f2"));
	CHECK(!has("}}))]];;\"", "stp_a"));
	CHECK(!has("\\", "a"));
}

/* One line of nm: "ARCHIVE:NAME.cold.o:0000 T stp_name". */
static bool line_agrees(const char *line, unsigned *checked)
{
	char unit[64], name[128], *path, *text;
	const char *member = strrchr(line, '/');
	bool ret;

	if (!member || sscanf(member, "/runtime.a:%63[^.].%*s %*s %127s", unit, name) != 2 || !g_str_has_prefix(name, "stp_"))
		return true;
	path = g_strdup_printf("runtime/module/%s.c", unit);
	ret = g_file_get_contents(path, &text, NULL, NULL);
	if (ret) {
		ret = has(text, name);
		g_free(text);
	}
	if (!ret)
		printf("%s: %s is not seen\n", path, name);
	(*checked)++;
	g_free(path);
	return ret;
}

/* All that a kernel's whole runtime defines, where one was built for the suite. */
TEST(runtime)
{
	FILE *nm = popen("nm -A -g --defined-only build/testsuite/stapdir/cache/runtime/*/runtime.a 2> /dev/null", "r");
	unsigned checked = 0;
	char line[512];

	while (nm && fgets(line, sizeof(line), nm))
		CHECK(line_agrees(line, &checked));
	if (nm)
		pclose(nm);
	CHECK(checked == 0 || checked > 300);
}

RUN_TESTS()
