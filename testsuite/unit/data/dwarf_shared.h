/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An inline function of a header, in two units. */
int two_entry(int x);
extern volatile int sink;

static inline __attribute__((always_inline)) int shared(int x)
{
	sink = x;
	return x + 100;
}
