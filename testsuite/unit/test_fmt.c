/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatting of the runtime, with the C library's printf as the oracle.
 */
/* link: runtime/module/print_fmt.c runtime/module/print_put.c runtime/module/print_slow.c runtime/module/print_mem.c runtime/module/str.c */
#include "unit.h"
#include "rt_env.h"

static const s64 values[] = { 0, 1, -1, 7, 9, 10, 99, 100, -100, 12345, -12345, 4096, 0x7fffffff, 0xffffffffLL,
	-0x80000000LL, 999999999999LL, 0x7fffffffffffffffLL, -0x7fffffffffffffffLL - 1 };

static void spec_text(char *out, const struct stp_fmt *f, const char *tail)
{
	int n = sprintf(out, "%%%s%s%s%s%s", f->flags & STP_FMT_MINUS ? "-" : "", f->flags & STP_FMT_PLUS ? "+" : "",
			f->flags & STP_FMT_SPACE ? " " : "", f->flags & STP_FMT_ALT ? "#" : "",
			f->flags & STP_FMT_ZERO ? "0" : "");

	if (f->width >= 0)
		n += sprintf(out + n, "%d", f->width);
	if (f->prec >= 0)
		n += sprintf(out + n, ".%d", f->prec);
	sprintf(out + n, "%s", tail);
}

TEST(numbers_like_printf)
{
	static const int widths[] = { -1, 1, 5, 23, 30, 150 }, precs[] = { -1, 0, 1, 5, 25, 100 };
	static const char convs[] = "diuxXo";
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch, want[256], spec[64], tail[8];
	size_t v, w, p, k;
	u32 flags;

	for (flags = 0; flags < 32; flags++)
	for (w = 0; w < 6; w++)
	for (p = 0; p < 6; p++)
	for (k = 0; convs[k]; k++)
	for (v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		struct stp_fmt f = { convs[k], flags, widths[w], precs[p] };

		sprintf(tail, "ll%c", convs[k]);
		spec_text(spec, &f, tail);
		if (!values[v] && (flags & STP_FMT_ALT) && (convs[k] == 'x' || convs[k] == 'X'))
			continue; /* 0x0, other than C's */
		sprintf(want, spec, values[v]);
		stp_put_long(c, &c->out, &f, values[v]);
		CHECK_STR(env_text(c), want);
	}
	env_free(c, base);
}

TEST(plain_numbers)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch, want[64];
	int i;

	for (i = 0; i < 100000; i++) {
		s64 v = (s64)env_random() >> env_random() % 64;

		stp_put_dec(c, &c->out, v);
		sprintf(want, "%lld", v);
		CHECK_STR(env_text(c), want);
		stp_put_hex(c, &c->out, v);
		sprintf(want, "%llx", v);
		CHECK_STR(env_text(c), want);
	}
	env_free(c, base);
}

TEST(pointers_and_characters)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch;
	struct stp_fmt f = { 'p', 0, -1, -1 };

	stp_put_long(c, &c->out, &f, 0);
	CHECK_STR(env_text(c), "0x0");
	stp_put_long(c, &c->out, &f, 0xffffffff81000000);
	CHECK_STR(env_text(c), "0xffffffff81000000");
	f.width = 12;
	stp_put_long(c, &c->out, &f, 0xbeef);
	CHECK_STR(env_text(c), "      0xbeef");
	f.flags = STP_FMT_MINUS;
	stp_put_long(c, &c->out, &f, 0xbeef);
	CHECK_STR(env_text(c), "0xbeef      ");
	f = (struct stp_fmt){ 'c', 0, 3, -1 };
	stp_put_long(c, &c->out, &f, 'A');
	CHECK_STR(env_text(c), "  A");
	f = (struct stp_fmt){ 'x', STP_FMT_ALT, 5, -1 };
	stp_put_long(c, &c->out, &f, 0);
	CHECK_STR(env_text(c), "  0x0");
	env_free(c, base);
}

TEST(strings_like_printf)
{
	static const int widths[] = { -1, 0, 3, 9, 200 }, precs[] = { -1, 0, 2, 100 };
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch, want[256], spec[64];
	struct stp_str s = env_view("hello", 5);
	size_t w, p;
	int left;

	for (left = 0; left < 2; left++)
	for (w = 0; w < 5; w++)
	for (p = 0; p < 4; p++) {
		struct stp_fmt f = { 's', left, widths[w], precs[p] };

		spec_text(spec, &f, "s");
		sprintf(want, spec, "hello");
		stp_put_fstr(c, &c->out, &f, s);
		CHECK_STR(env_text(c), want);
	}
	free((char *)s.p);
	env_free(c, base);
}

TEST(binary)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch;
	static const struct { int width; size_t n; } cases[] = { { 1, 1 }, { 2, 2 }, { 4, 4 }, { 8, 8 }, { -1, 8 } };
	s64 v = 0x1122334455667788;
	size_t i;

	for (i = 0; i < 5; i++) {
		struct stp_fmt f = { 'b', 0, cases[i].width, -1 };

		stp_put_long(c, &c->out, &f, v);
		CHECK_INT(c->out.p - env_out, cases[i].n);
		CHECK(!memcmp(env_out, &v, cases[i].n));
		env_text(c);
	}
	env_free(c, base);
}

TEST(memory)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch, *mem = malloc(150);
	struct stp_fmt f = { 'M', 0, -1, 150 };
	int i;

	for (i = 0; i < 150; i++)
		mem[i] = i * 7;
	stp_put_mem(c, &c->out, &f, (unsigned long)mem);
	CHECK_INT(c->out.p - env_out, 300);
	for (i = 0; i < 150; i++) {
		char two[3];

		sprintf(two, "%02x", (u8)(i * 7));
		CHECK(!memcmp(two, env_out + 2 * i, 2));
	}
	env_text(c);
	f = (struct stp_fmt){ 'm', 0, 5, 3 };
	memcpy(mem, "xyz", 3);
	stp_put_mem(c, &c->out, &f, (unsigned long)mem);
	CHECK_STR(env_text(c), "  xyz");
	stp_put_mem(c, &c->out, &f, 0);
	CHECK_STR(c->err, "kernel read fault");
	free(mem);
	env_free(c, base);
}

TEST(sprintf_cuts)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch;
	struct stp_fmt f = { 'd', 0, 60, -1 };
	struct stp_sink o;
	struct stp_str s;

	stp_sprint_begin(c, &o);
	stp_put(c, &o, "n=", 2);
	stp_put_dec(c, &o, -42);
	s = stp_sprint_end(c, &o);
	CHECK(stp_str_eq(s, STP_STR("n=-42")));
	CHECK_INT(c->scratch - base, 8);
	stp_sprint_begin(c, &o);
	stp_put_long(c, &o, &f, 1);
	stp_put(c, &o, "abcdef", 6);
	stp_put(c, &o, "more", 4);
	s = stp_sprint_end(c, &o);
	CHECK_INT(s.len, 63);
	CHECK(!memcmp(s.p + 59, "1abc", 4));
	c->scratch_end = c->scratch + 16;
	stp_sprint_begin(c, &o);
	stp_put(c, &o, "abcdef", 6);
	s = stp_sprint_end(c, &o);
	CHECK_INT(s.len, 0);
	CHECK(c->err != NULL);
	env_free(c, base);
}

TEST(full_sink)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch;
	struct stp_fmt f = { 'd', 0, 1000000000, -1 };

	env_room = 100;
	stp_put_long(c, &c->out, &f, 5); /* ends soon */
	CHECK(c->out.p - env_out <= 100);
	env_room = sizeof(env_out);
	env_text(c);
	env_free(c, base);
}

RUN_TESTS()
