/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings of the runtime, against memcmp and hand-made expectations.
 */
/* link: runtime/module/str.c */
#include "unit.h"
#include "rt_env.h"
#include "str.h"

static int sign(s64 v)
{
	return v < 0 ? -1 : v > 0;
}

TEST(compare)
{
	int i;

	for (i = 0; i < 20000; i++) {
		char a[40], b[40];
		size_t la = env_random() % 40, lb = env_random() % 3 ? la : env_random() % 40, j, n;
		struct stp_str x, y;
		int want;

		for (j = 0; j < 40; j++)
			a[j] = b[j] = "ab\0\377"[env_random() % 4];
		if (lb && env_random() % 2)
			b[env_random() % lb] ^= 1;
		x = env_view(a, la);
		y = env_view(b, lb);
		n = la < lb ? la : lb;
		want = memcmp(a, b, n);
		want = sign(want ? want : (int)la - (int)lb);
		CHECK_INT(sign(stp_str_cmp(x, y)), want);
		CHECK_INT(stp_str_eq(x, y), want == 0);
		free((char *)x.p);
		free((char *)y.p);
	}
}

TEST(concat_and_cut)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch;
	char forty[40];
	struct stp_str r, f = { forty, 40 };

	memset(forty, 'x', 40);
	r = stp_str_cat(c, STP_STR("foo"), STP_STR("bar"));
	CHECK(stp_str_eq(r, STP_STR("foobar")));
	CHECK_INT(c->scratch - base, 8);
	r = stp_str_cat(c, f, f);
	CHECK_INT(r.len, 63);
	r = stp_str_cat(c, r, f);
	CHECK_INT(r.len, 63);
	CHECK(!c->err);
	r = stp_str_cat(c, STP_STR(""), STP_STR(""));
	CHECK_INT(r.len, 0);
	while (!c->err)
		r = stp_str_cat(c, f, f);
	CHECK_INT(r.len, 0);
	env_free(c, base);
}

TEST(variables)
{
	STP_BUF(v, 16);
	struct stp_buf *b = (struct stp_buf *)&v;

	stp_buf_set(b, 16, STP_STR("0123456789abcdefgh"));
	CHECK_INT(b->len, 15);
	stp_buf_set(b, 16, (struct stp_str){ b->s + 3, 10 });
	CHECK(stp_str_eq(stp_buf_get(b), STP_STR("3456789abc")));
	stp_buf_append(b, 16, stp_buf_get(b));
	CHECK(stp_str_eq(stp_buf_get(b), STP_STR("3456789abc34567")));
	stp_buf_append(b, 16, STP_STR("zz"));
	CHECK_INT(b->len, 15);
	stp_buf_set(b, 16, STP_STR(""));
	CHECK_INT(b->len, 0);
}

TEST(return_and_dup)
{
	struct stp_ctx *c = env_ctx(0, 256);
	char *base = c->scratch, *mark;
	struct stp_str r, d;

	d = stp_str_dup(c, STP_STR("outer"));
	mark = c->scratch;
	stp_str_dup(c, STP_STR("garbage that goes away"));
	r = stp_str_dup(c, STP_STR("result"));
	r.p++, r.len--;
	r = stp_str_return(c, mark, r);
	CHECK(r.p == mark);
	CHECK(stp_str_eq(r, STP_STR("esult")));
	CHECK(c->scratch == mark + 8);
	CHECK(stp_str_eq(d, STP_STR("outer")));
	r = stp_str_return(c, mark, d);
	CHECK(r.p == d.p && c->scratch == mark);
	env_free(c, base);
}

RUN_TESTS()
