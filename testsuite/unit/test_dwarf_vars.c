/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables by DWARF against gdb: programs are stopped at many places, at several levels of optimisation and in both versions
 * of DWARF, and what gdb says of each variable there is compared with what a handler would read from the same core file. */
/* pkgs: glib-2.0 libdw libelf */
/* libs: $(filter-out build/translator/main.o,$(TRANSLATOR_OBJ)) $(PKG_LIBS) -l:libiberty.a */
#include <stdlib.h>
#include <unistd.h>
#include <dwarf.h>
#include "core_file.h"
#include "dwarf_scope.h"
#include "macro.h"
#include "parse.h"
#include "debuginfo/dwarf_die.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"
#include "unit.h"

static const char *data_dir;

/* The translator leaves to the end of its process what it needs up to there. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

struct run {
	char *dir, *program;
	struct session *s;
	struct dwarf_file *file;
	struct provider provider;
	struct probe probe;
	struct dwarf_scope scope;
	struct core core;
	bool live;                 /* the stop could be taken up */
	unsigned same, lost, refused; /* values alike; optimised out for both; known to gdb alone */
};

static bool run_command(const char *fmt, ...)
{
	va_list ap;
	char *cmd;
	int rc;

	va_start(ap, fmt);
	cmd = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	rc = system(cmd);
	if (rc)
		UNIT_FAIL("status %d: %s", rc, cmd);
	g_free(cmd);
	return rc == 0;
}

static struct expr *target_value(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	return dwarf_target(s, p, p->priv, e, lvalue);
}

/* ---- taking up a stop ---- */

/* The innermost inlined instance, or else the function, of that name at an address. */
static bool find_scope(struct run *r, uint64_t pc, const char *name)
{
	struct dwarf_index *ix = session_dwarf_index(r->s, r->file, NULL);
	GArray *inlined = dwarf_index_inlined_at(ix, pc);
	struct dwarf_inlined in;
	struct dwarf_func f;
	bool found = false;

	r->scope = (struct dwarf_scope){ .file = r->file, .pc = pc, .user = true };
	for (guint i = inlined->len; i-- > 0 && !found; ) {
		found = dwarf_index_inlined(ix, g_array_index(inlined, uint32_t, i), &in) &&
			dwarf_index_func(ix, in.func, &f) && strcmp(f.name, name) == 0;
		r->scope.die = in.die_offset;
	}
	if (!found) {
		found = dwarf_index_func(ix, dwarf_index_func_at(ix, pc), &f) && strcmp(f.name, name) == 0;
		r->scope.die = f.die_offset;
	}
	g_array_free(inlined, TRUE);
	return found;
}

/* Where the program was loaded in the core: its first page is mapped there. */
static uint64_t load_bias(struct run *r, uint64_t pc)
{
	struct dwarf_line row;

	if (r->file->executable)
		return 0;
	/* gdb loads programs at 0x555555554000 when addresses are not random */
	for (uint64_t bias = pc & ~0xffful, i = 0; i < 64; i++, bias -= 4096)
		if (dwarf_index_line_at(session_dwarf_index(r->s, r->file, NULL), pc - bias, &row)) {
			char magic[4];

			if (core_read(&r->core, bias, magic, 4) && memcmp(magic, ELFMAG, 4) == 0)
				return bias;
		}
	return 0x555555554000ul;
}

static void take_stop(struct run *r, char **words)
{
	uint64_t pc = g_ascii_strtoull(words[1], NULL, 10);

	g_free(r->core.data);
	r->live = core_open(&r->core, words[4]);
	if (!r->live) {
		UNIT_FAIL("%s cannot be read", words[4]);
		return;
	}
	unlink(words[4]);
	r->core.p = &r->probe;
	r->core.bias = load_bias(r, pc);
	r->core.file = r->file;
	r->live = find_scope(r, pc - r->core.bias, words[2]);
	if (!r->live)
		UNIT_FAIL("line %s of %s: no function '%s' at %s", words[3], r->program, words[2], words[1]);
	r->probe.priv = &r->scope;
	r->probe.nsaved = 0;
}

/* ---- comparing ---- */

/* The variable of "probe never { v = $TEXT }", lowered; NULL with *why. */
static struct expr *lower(struct run *r, const char *text, const char **why)
{
	char **parts = g_strsplit(*text == '*' ? text + 1 : text, ".", -1), *path = g_strjoinv("->", parts);
	char *script = g_strdup_printf("probe never { v = $%s }", path);
	struct source *src = source_text(r->s, "test", arena_strdup(r->s, script), strlen(script));
	struct file *f = parse_source(r->s, src, false, true);
	struct diag_capture *cap = diag_capture_begin(r->s);
	struct probe_decl *d = f->probes->pdata[0];
	struct expr *e = d->body->list[0]->expr->b;
	int rc;

	if (*text == '*') {
		struct comp *c = arena_alloc(r->s, sizeof(*c));

		c->kind = COMP_INDEX;
		c->index = expr_num(r->s, 0, e->loc);
		e->comps = c;
		e->ncomps = 1;
	}
	rc = target_lower_expr(r->s, &r->probe, &e);
	*why = diag_capture_first(cap) ? arena_strdup(r->s, diag_capture_first(cap)) : "";
	diag_capture_end(r->s, cap, false);
	g_free(script);
	g_free(path);
	g_strfreev(parts);
	return rc ? NULL : e;
}

/* gdb knows more in these cases: it looks at callers, and at vector registers. */
static bool may_refuse(const char *why)
{
	return strstr(why, "at the function's entry") || strstr(why, "vector register");
}

static void compare(struct run *r, const char *at, const char *text, const char *want)
{
	const char *why;
	struct expr *e = lower(r, text, &why);
	int64_t have;
	char number[32];

	if (!e) {
		if (strcmp(want, "optimised") == 0 || strcmp(want, "unreadable") == 0)
			r->lost++;
		else if (may_refuse(why))
			r->refused++;
		else
			UNIT_FAIL("%s line %s: %s is %s for gdb, but: %s", r->program, at, text, want, why);
		return;
	}
	r->core.fault = false;
	have = core_eval(&r->core, e);
	snprintf(number, sizeof(number), "%lld", (long long)have);
	if (r->core.fault)
		snprintf(number, sizeof(number), "unreadable");
	/* gdb takes the addresses of these from split debug information for offsets */
	if (g_str_has_prefix(text, "tls_") && strcmp(want, "unreadable") == 0)
		r->lost++;
	else if (strcmp(number, want) != 0)
		UNIT_FAIL("%s line %s: %s is %s for gdb, not %s", r->program, at, text, want, number);
	else
		r->same++;
}

static void compare_all(struct run *r, const char *path)
{
	char *text = NULL, **lines, *at = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL)) {
		UNIT_FAIL("%s is not there", path);
		return;
	}
	lines = g_strsplit(text, "\n", -1);
	for (char **l = lines; *l; l++) {
		char **words = g_strsplit(*l, " ", -1);

		if (g_strv_length(words) == 5 && strcmp(words[0], "STOP") == 0) {
			take_stop(r, words);
			g_free(at);
			at = g_strdup(words[3]);
		} else if (g_strv_length(words) == 3 && r->live) {
			compare(r, at, words[1], words[2]);
		}
		g_strfreev(words);
	}
	g_free(at);
	g_strfreev(lines);
	g_free(text);
	g_free(r->core.data);
}

/* Builds the program with these options and compares at every stop; at least `least` values have to be there. */
static void check_program(const char *source, const char *compiler, const char *options, unsigned least)
{
	struct run r = { .provider = { .name = "test", .target = target_value } };
	char *err = NULL, *out, *library = NULL;

	r.dir = g_dir_make_tmp("stap-vars-XXXXXX", NULL);
	r.program = g_strdup_printf("%s/program", r.dir);
	out = g_strdup_printf("%s/values", r.dir);
	if (run_command("%s -g %s -o %s %s/%s", compiler, options, r.program, data_dir, source) &&
	    run_command("SOURCE=%s/%s OUT=%s CORES=%s/core gdb -batch -nx -x %s/gdb_values.py %s > %s/log 2>&1 < /dev/null",
			data_dir, source, out, r.dir, data_dir, r.program, r.dir)) {
		r.s = session_new();
		r.probe = (struct probe){ .provider = &r.provider, .point = "test", .attach = ATTACH_ADDRESS };
		library = g_strconcat(r.program, ".so", NULL);
		r.file = dwarf_user(r.s, access(library, R_OK) == 0 ? library : r.program, &err);
		if (r.file)
			compare_all(&r, out);
		else
			UNIT_FAIL("%s", err);
		session_dwarf_close(r.s);
		types_close(r.s->types);
		session_free(r.s);
	}
	if (getenv("VERBOSE"))
		printf("# %s: %u values alike, %u optimised out, %u known to gdb alone\n", options, r.same, r.lost, r.refused);
	if (r.same < least)
		UNIT_FAIL("%s %s: only %u values could be compared (%u lost, %u refused)", compiler, options, r.same, r.lost, r.refused);
	run_command("rm -rf %s", r.dir);
	g_free(library);
	g_free(out);
	g_free(r.program);
	g_free(r.dir);
}

/* The library part of a program that is made of one source. */
TEST(library)
{
	check_program("dwarf_tls.c", "sh -c 'gcc -w -g -O1 -shared -fPIC -DLIBRARY -o \"$4.so\" \"$5\" && gcc -w \"$@\" \"$4.so\"' gcc",
		      "-O1", 4);
}

static bool have(const char *program)
{
	char *path = g_find_program_in_path(program);

	g_free(path);
	return path != NULL;
}

TEST(c_unoptimised) { check_program("dwarf_vars.c", "gcc", "-w -O0 -gdwarf-5", 180); }
TEST(c_unoptimised_dwarf4) { check_program("dwarf_vars.c", "gcc", "-w -O0 -gdwarf-4 -no-pie", 180); }
TEST(c_o1) { check_program("dwarf_vars.c", "gcc", "-w -O1 -gdwarf-4", 115); }
TEST(c_o2) { check_program("dwarf_vars.c", "gcc", "-w -O2 -gdwarf-5", 100); }
TEST(c_o3) { check_program("dwarf_vars.c", "gcc", "-w -O3 -gdwarf-5 -fomit-frame-pointer -no-pie", 90); }

TEST(split) { check_program("dwarf_vars.c", "gcc", "-w -O2 -gsplit-dwarf -gdwarf-5", 100); }
TEST(clang) { if (have("clang")) check_program("dwarf_vars.c", "clang", "-w -O0 -gdwarf-5", 180); }
TEST(clang_o2) { if (have("clang")) check_program("dwarf_vars.c", "clang", "-w -O2 -gdwarf-4", 90); }
TEST(cpp) { check_program("dwarf_vars.cc", "g++", "-w -O0 -gdwarf-5", 26); }
TEST(cpp_o2) { check_program("dwarf_vars.cc", "g++", "-w -O2 -gdwarf-4", 16); }
TEST(rust) { if (have("rustc")) check_program("dwarf_vars.rs", "rustc", "-A warnings", 12); }

int main(void)
{
	const char *top = getenv("STAP_TOP");
	int failed = 0;

	data_dir = g_strdup_printf("%s/testsuite/unit/data", top ? top : ".");
	for (struct unit_test *test = unit_first; test; test = test->next) {
		unit_why[0] = '\0';
		test->run();
		if (unit_why[0])
			printf("not ok %s: %s\n", test->name, unit_why);
		else
			printf("ok %s\n", test->name);
		failed |= unit_why[0] != '\0';
		fflush(stdout);
	}
	return failed;
}
