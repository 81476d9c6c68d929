/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thread-local variables of a library (with -DLIBRARY) and its user, for test_dwarf_vars.c; see dwarf_vars.c. */
#ifdef LIBRARY
#include <pthread.h>

__thread int in_library = 31;
static __thread long quiet[3];

__attribute__((noinline)) void library_work(int n)
{
	in_library += n;
	quiet[2] += n * 2;
	__asm__ volatile("" : : "r"(&in_library), "r"(quiet) : "memory"); /* stop: n; in_library; quiet[2] */
}

static void *other(void *arg)
{
	library_work(1000);
	return arg;
}

void library_threads(void)
{
	pthread_t t;

	library_work(1);
	pthread_create(&t, 0, other, 0);
	pthread_join(t, 0);
}
#else
void library_threads(void);

int main(void)
{
	library_threads();
	return 0;
}
#endif
