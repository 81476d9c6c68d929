/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions against the C library's, on random patterns and strings, and by hand.
 */
/* link: translator/regex_dfa.c translator/regex_parse.c */
/* cflags: -Itranslator */
#include <regex.h>
#include <stdlib.h>
#include "unit.h"
#include "regex_dfa.h"

/* 1, 0, or -1 when the pattern is refused. */
static int try_match(const char *pattern, const char *s)
{
	const char *err;
	size_t where;
	struct regex *re = regex_compile(pattern, strlen(pattern), &err, &where);
	int ret = re ? regex_match(re, s, strlen(s)) : -1;

	regex_free(re);
	return ret;
}

TEST(by_hand)
{
	CHECK_INT(try_match("", ""), 1);
	CHECK_INT(try_match("^$", "a"), 0);
	CHECK_INT(try_match("$^", "a"), 0);
	CHECK_INT(try_match("$^", ""), 1);
	CHECK_INT(try_match("[]a]+$", "x]a]"), 1);
	CHECK_INT(try_match("[^[:digit:]]", "123"), 0);
	CHECK_INT(try_match("a{2,3}$", "baa"), 1);
	CHECK_INT(try_match("^a{2,3}$", "aaaa"), 0);
	CHECK_INT(try_match("\\.so(\\.[0-9]+)*$", "/lib/libc.so.6"), 1);
	CHECK_INT(try_match("a\\tb", "a\tb"), 1);
}

TEST(refused)
{
	CHECK_INT(try_match("a(b", ""), -1);
	CHECK_INT(try_match("a)b", ""), -1);
	CHECK_INT(try_match("[a", ""), -1);
	CHECK_INT(try_match("[z-a]", ""), -1);
	CHECK_INT(try_match("*a", ""), -1);
	CHECK_INT(try_match("a{3,2}", ""), -1);
	CHECK_INT(try_match("a{999}", ""), -1);
	CHECK_INT(try_match("[[:nope:]]", ""), -1);
	CHECK_INT(try_match("\\q", ""), -1);
	CHECK_INT(try_match("a\\", ""), -1);
	CHECK_INT(try_match("((a{200}){200}){200}", ""), -1);
	CHECK_INT(try_match("(a|b)*a(a|b){14}", ""), -1); /* 2^15 states */
}

static void compare_one(const char *pattern, struct regex *re)
{
	regex_t theirs;
	char s[8];

	if (regcomp(&theirs, pattern, REG_EXTENDED | REG_NOSUB))
		return;
	for (int k = 0; k < 10; k++) {
		int n = rand() % 8;

		for (int i = 0; i < n; i++)
			s[i] = "abc-{1"[rand() % (rand() % 5 ? 3 : 6)];
		s[n] = '\0';
		if (regex_match(re, s, (size_t)n) != !regexec(&theirs, s, 0, NULL, 0))
			UNIT_FAIL("'%s' on '%s'", pattern, s);
	}
	regfree(&theirs);
}

TEST(like_libc)
{
	static const char letters[] = "aabbc.|*+?()[]^$-{}1,2";

	srand(7);
	for (int round = 0; round < 20000; round++) {
		char pattern[16];
		int n = 1 + rand() % 10;
		const char *err;
		struct regex *re;
		size_t where;

		for (int i = 0; i < n; i++)
			pattern[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		pattern[n] = '\0';
		re = regex_compile(pattern, (size_t)n, &err, &where);
		if (re)
			compare_one(pattern, re);
		regex_free(re);
	}
}

RUN_TESTS()
