/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading, thinning and writing objects: what must stay, what goes, and that a damaged file of any kind is
 * left alone or refused, never followed.
 */
/* link: translator/elf_image.c translator/elf_symref.c translator/debuginfo/x86_length.c translator/elf_table.c translator/elf_literal.c translator/elf_near.c translator/elf_veneer.c translator/elf_rodata.c translator/elf_thin.c translator/elf_shrink.c translator/modinfo_read.c translator/modinfo_elf.c translator/errmsg.c */
/* pkgs: glib-2.0 libelf */
#include <elf.h>
#include <glib.h>
#include <stdlib.h>
#include <unistd.h>
#include "elf_image.h"
#include "elf_shrink.h"
#include "elf_thin.h"
#include "modinfo_elf.h"
#include "unit.h"

/* A module in small: two seldom-run functions that return by the thunk, one hot one, and a comment. */
static const char source[] =
	".text\n"
	".globl one\n.type one,@function\none: call two\n .byte 0xe9\n .long 0\n"
	".reloc one+6, R_X86_64_PLT32, __x86_return_thunk-4\n"
	".size one,.-one\n"
	".type two,@function\ntwo: .byte 0xe9\n .long 0\n"
	".reloc two+1, R_X86_64_PLT32, __x86_return_thunk-4\n.size two,.-two\n"
	"stp_cold_end:\n"
	".type hot,@function\nhot: endbr64\n call outside\n .byte 0xe9\n .long 0\n"
	".reloc hot+10, R_X86_64_PLT32, __x86_return_thunk-4\n.size hot,.-hot\n"
	".globl stp_cold_end\n"
	".section .return_sites,\"a\"\n .long one+5-.\n .long two-.\n .long hot+9-.\n"
	".section .ibt_endbr_seal,\"a\"\n .long hot-.\n"
	".section .comment\n .string \"made by hand\"\n";

static char *dir;

static char *path_of(const char *name)
{
	return g_build_filename(dir, name, NULL);
}

/* An object, assembled; NULL where there is no assembler. */
static char *object_of(const char *text)
{
	char *s = path_of("t.s"), *o = path_of("t.o"), *cmd = g_strdup_printf("as -o %s %s", o, s);
	bool ok = g_file_set_contents(s, text, -1, NULL) && system(cmd) == 0;

	g_free(cmd);
	g_free(s);
	if (ok)
		return o;
	g_free(o);
	return NULL;
}

static char *object_made(void)
{
	return object_of(source);
}

static size_t relocs_of(struct elf_image *im, const char *name)
{
	unsigned section = elf_image_find(im, name);

	return section ? elf_reloc_count(im, elf_image_relocs(im, section)) : 0;
}

TEST(shrinks)
{
	char *o = object_made(), *err = NULL;
	struct elf_image im;
	unsigned text;

	if (!o)
		return;
	CHECK_INT(elf_shrink(o, &err), 0);
	CHECK(elf_image_read(&im, o));
	text = elf_image_find(&im, ".text");
	CHECK_INT(elf_image_find(&im, ".comment"), 0);
	CHECK_INT(elf_image_find(&im, ".ibt_endbr_seal"), 0);
	/* one return of the cold part, the hot one's, and the call to the outside */
	CHECK_INT(relocs_of(&im, ".text"), 3);
	CHECK_INT(relocs_of(&im, ".return_sites"), 2);
	/* the second return jumps to the first: 10 bytes on, 5 back from its end */
	CHECK(memcmp(im.sec[text].data + 10, "\xe9\xf6\xff\xff\xff", 5) == 0);
	/* the call inside is resolved, the landing pad sealed */
	CHECK(memcmp(im.sec[text].data, "\xe8\x05\0\0\0", 5) == 0);
	CHECK(memcmp(im.sec[text].data + 15, "\x66\x0f\x1f\x00", 4) == 0);
	CHECK(elf_symbol_find(&im, "one"));
	CHECK(elf_symbol_find(&im, "hot"));
	CHECK(elf_symbol_find(&im, "outside"));
	CHECK(!elf_symbol_find(&im, "two"));
	elf_image_free(&im);
	g_free(o);
}

TEST(shrinks_once)
{
	char *o = object_made(), *err = NULL, *before, *after;
	gsize n, m;

	if (!o)
		return;
	CHECK_INT(elf_shrink(o, &err), 0);
	CHECK(g_file_get_contents(o, &before, &n, NULL));
	CHECK_INT(elf_shrink(o, &err), 0);
	CHECK(g_file_get_contents(o, &after, &m, NULL));
	CHECK_INT(m, n);
	g_free(before);
	g_free(after);
	g_free(o);
}

/* Two calls of one function outside, two through a register, an address of a constant; unwind entries of 6 bytes. */
static const char shared[] =
	".text\n"
	".globl one\n.type one,@function\none: call outside\n call outside\n mov $msg,%rdi\n mov $msg,%r9\n"
	" call __x86_indirect_thunk_rax\n call __x86_indirect_thunk_rax\n ret\n.size one,.-one\n"
	"stp_cold_end:\n.globl stp_cold_end\n"
	".section .rodata,\"a\"\n.balign 16\nmsg: .quad one\n"
	".section .retpoline_sites,\"a\"\n .long one+24-.\n .long one+29-.\n"
	".section .orc_unwind_ip,\"a\"\n .long one-.\n .long one+5-.\n .long one+35-.\n"
	".section .orc_unwind,\"a\"\n .ascii \"AAAAAA\"\n .ascii \"BBBBBB\"\n .zero 6\n";

TEST(shares)
{
	char *o = object_of(shared), *err = NULL;
	struct elf_image im;
	const char *text, *orc;
	unsigned sites, ips;

	if (!o)
		return;
	CHECK_INT(elf_shrink(o, &err), 0);
	CHECK(elf_image_read(&im, o));
	text = im.sec[elf_image_find(&im, ".text")].data;
	/* both go to the jump at 35, which is relocated; so do the other two, to 41 */
	CHECK(memcmp(text, "\xe8\x1e\0\0\0\xe8\x19\0\0\0", 10) == 0);
	CHECK(memcmp(text + 24, "\xe8\x0c\0\0\0\xe8\x07\0\0\0", 10) == 0);
	CHECK(memcmp(text + 35, "\xe9\0\0\0\0\xcc\xe9\0\0\0\0\xcc", 12) == 0);
	/* the constant is at 48: lea 31(%rip), %rdi and lea 24(%rip), %r9 */
	CHECK(memcmp(text + 10, "\x48\x8d\x3d\x1f\0\0\0\x4c\x8d\x0d\x18\0\0\0", 14) == 0);
	CHECK_INT(elf_image_find(&im, ".rodata"), 0);
	CHECK_INT(relocs_of(&im, ".text"), 3);
	/* the kernel patches the jump */
	sites = elf_image_relocs(&im, elf_image_find(&im, ".retpoline_sites"));
	CHECK_INT(elf_reloc_count(&im, sites), 1);
	CHECK_INT(elf_symbol(&im, ELF64_R_SYM(elf_reloc(&im, sites, 0)->r_info))->st_value + elf_reloc(&im, sites, 0)->r_addend, 41);
	/* at the jumps the stack is as at a function's beginning, and the code ends behind them */
	ips = elf_image_relocs(&im, elf_image_find(&im, ".orc_unwind_ip"));
	orc = im.sec[elf_image_find(&im, ".orc_unwind")].data;
	CHECK_INT(elf_reloc_count(&im, ips), 4);
	CHECK(memcmp(orc, "AAAAAABBBBBBAAAAAA\0\0\0\0\0\0", 24) == 0);
	CHECK_INT(elf_symbol(&im, ELF64_R_SYM(elf_reloc(&im, ips, 2)->r_info))->st_value + elf_reloc(&im, ips, 2)->r_addend, 35);
	CHECK_INT(elf_symbol(&im, ELF64_R_SYM(elf_reloc(&im, ips, 3)->r_info))->st_value + elf_reloc(&im, ips, 3)->r_addend, 47);
	elf_image_free(&im);
	g_free(o);
}

/* An address that is loaded twice, and a table of two places in code. */
static const char loads[] =
	".text\n.globl one\n.type one,@function\none: mov $var,%rdi\n mov $var,%r9\n ret\n.size one,.-one\n"
	"stp_cold_end:\n.globl stp_cold_end\n"
	".section .return_sites,\"a\"\n .long one+14-.\n .long one-.\n"
	".data\nvar: .quad .return_sites\n";

TEST(loads)
{
	char *o = object_of(loads), *err = NULL;
	struct elf_image im;
	const Elf64_Rela *r;
	unsigned text, sites;

	if (!o)
		return;
	CHECK_INT(elf_shrink(o, &err), 0);
	CHECK(elf_image_read(&im, o));
	text = elf_image_find(&im, ".text");
	sites = elf_image_find(&im, ".return_sites");
	/* from the word at 16: mov 9(%rip), %rdi and mov 2(%rip), %r9 */
	CHECK(memcmp(im.sec[text].data, "\x48\x8b\x3d\x09\0\0\0\x4c\x8b\x0d\x02\0\0\0", 14) == 0);
	CHECK_INT(im.sec[text].sh.sh_size, 28);
	/* the table comes behind the word at 24, at 28: 14 - 28, 0 - 32 */
	CHECK(im.sec[sites].sh.sh_flags & SHF_EXECINSTR);
	CHECK_INT(relocs_of(&im, ".return_sites"), 0);
	CHECK(memcmp(im.sec[sites].data, "\xf2\xff\xff\xff\xe0\xff\xff\xff", 8) == 0);
	/* the address; and what comes to 0 where the table is 4 bytes behind the word, twice */
	CHECK_INT(relocs_of(&im, ".text"), 3);
	r = elf_reloc(&im, elf_image_relocs(&im, text), 0);
	CHECK(r[0].r_offset == 16 && ELF64_R_TYPE(r[0].r_info) == R_X86_64_64);
	for (unsigned i = 1; i < 3; i++)
		CHECK(r[i].r_offset == 24 && ELF64_R_TYPE(r[i].r_info) == R_X86_64_PC32 && r[i].r_addend == -4);
	elf_image_free(&im);
	g_free(o);
}

/* The kernel does not relocate initial values of per-CPU variables: numbers may be there, addresses not. */
TEST(percpu_values)
{
	static const char begin[] = ".text\n.globl one\none: ret\n.section .data..percpu,\"aw\",@progbits\n";
	char *number = g_strconcat(begin, "n: .quad 77\n", NULL), *address = g_strconcat(begin, "f: .quad one\n", NULL);
	char *o = object_of(number), *err = NULL;
	struct elf_image im;

	if (o) {
		CHECK_INT(elf_shrink(o, &err), 0);
		CHECK(elf_image_read(&im, o));
		CHECK_INT(im.sec[elf_image_find(&im, ".data..percpu")].data[0], 77);
		elf_image_free(&im);
		g_free(o);
		o = object_of(address);
		CHECK_INT(elf_shrink(o, &err), -1);
		CHECK(err && strstr(err, "a per-CPU variable has an address as its initial value"));
		g_free(err);
	}
	g_free(o);
	g_free(number);
	g_free(address);
}

/* Whatever it is, nothing is read or written that is not there (the sanitizers look). */
static void feed(const char *path, const char *data, size_t n)
{
	struct modinfo_spec spec = { .template_path = path, .name = "x" };
	char *err = NULL, *out = path_of("out.o");
	GHashTable *undefined;

	g_file_set_contents(path, data, n, NULL);
	modinfo_is_whole(path);
	modinfo_this_module_size(path);
	g_free(modinfo_read_value(path, "name"));
	undefined = modinfo_read_undefined(path, &err);
	if (undefined)
		g_hash_table_destroy(undefined);
	g_clear_pointer(&err, g_free);
	spec.strings = g_ptr_array_new();
	modinfo_write(&spec, out, &err);
	g_ptr_array_free(spec.strings, TRUE);
	g_clear_pointer(&err, g_free);
	elf_shrink(path, &err);
	g_free(err);
	g_free(out);
}

TEST(truncated)
{
	char *o = object_made(), *bad = path_of("bad.o"), *text;
	gsize n;

	feed(bad, "", 0);
	feed(bad, "\177ELF", 4);
	if (!o)
		return;
	g_file_get_contents(o, &text, &n, NULL);
	for (size_t cut = 1; cut < n; cut += 7)
		feed(bad, text, cut);
	g_free(text);
	g_free(bad);
	g_free(o);
}

static void garble(char *o)
{
	char *bad = path_of("bad.o"), *text, *copy;
	gsize n;

	if (!o)
		return;
	g_file_get_contents(o, &text, &n, NULL);
	srand(7);
	for (int round = 0; round < 3000; round++) {
		copy = g_memdup2(text, n);
		for (int i = rand() % 6; i >= 0; i--)
			copy[rand() % 2 ? rand() % n : n - 1 - rand() % (n / 2)] = rand() % 3 ? rand() : 0xff;
		memcpy(copy, "\177ELF\2\1\1", 7);
		feed(bad, copy, n);
		g_free(copy);
	}
	g_free(text);
	g_free(bad);
	g_free(o);
}

TEST(garbage)
{
	garble(object_made());
	garble(object_of(shared));
	garble(object_of(loads));
}

__attribute__((constructor)) static void scratch_make(void)
{
	dir = g_dir_make_tmp("test_elf-XXXXXX", NULL);
}

__attribute__((destructor)) static void scratch_remove(void)
{
	static const char *const files[] = { "t.s", "t.o", "bad.o", "out.o" };

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *path = path_of(files[i]);

		unlink(path);
		g_free(path);
	}
	rmdir(dir);
	g_clear_pointer(&dir, g_free);
}

RUN_TESTS()
