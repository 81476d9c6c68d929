/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole unit test framework: a test program has functions made with TEST()
 * and ends with RUN_TESTS().  Built with AddressSanitizer and UBSan, linked
 * with the sources that a comment names: link: runtime/module/map.c ...
 *
 *	TEST(empty_map) { CHECK(map_size(&m) == 0); CHECK_INT(map_get(&m, 1), 0); }
 *	RUN_TESTS()
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdio.h>
#include <string.h>

struct unit_test {
	const char *name;
	void (*run)(void);
	struct unit_test *next;
};

static struct unit_test *unit_first, **unit_last = &unit_first;
static char unit_why[1024];	/* of the first failure in the test that runs */

#define TEST(test_name) \
	static void unit_run_##test_name(void); \
	__attribute__((constructor)) static void unit_add_##test_name(void) \
	{ \
		static struct unit_test test = { #test_name, unit_run_##test_name, NULL }; \
		*unit_last = &test; \
		unit_last = &test.next; \
	} \
	static void unit_run_##test_name(void)

#define UNIT_FAIL(...) do { \
		if (!unit_why[0]) { \
			int unit_at = snprintf(unit_why, sizeof(unit_why), "%s:%d ", __FILE__, __LINE__); \
			snprintf(unit_why + unit_at, sizeof(unit_why) - unit_at, __VA_ARGS__); \
		} \
	} while (0)

/* A failed check is noted and the test goes on. */
#define CHECK(condition) do { \
		if (!(condition)) \
			UNIT_FAIL("not so: %s", #condition); \
	} while (0)

#define CHECK_INT(have, want) do { \
		long long unit_have = (long long)(have), unit_want = (long long)(want); \
		if (unit_have != unit_want) \
			UNIT_FAIL("%s is %lld, not %lld", #have, unit_have, unit_want); \
	} while (0)

#define CHECK_STR(have, want) do { \
		const char *unit_have = (have), *unit_want = (want); \
		if (!unit_have || strcmp(unit_have, unit_want)) \
			UNIT_FAIL("%s is \"%s\", not \"%s\"", #have, unit_have ? unit_have : "(null)", unit_want); \
	} while (0)

#define RUN_TESTS() \
	int main(void) \
	{ \
		int failed = 0; \
		for (struct unit_test *test = unit_first; test; test = test->next) { \
			unit_why[0] = '\0'; \
			test->run(); \
			if (unit_why[0]) { \
				printf("not ok %s: %s\n", test->name, unit_why); \
				failed = 1; \
			} else { \
				printf("ok %s\n", test->name); \
			} \
			fflush(stdout); \
		} \
		return failed; \
	}

#endif
