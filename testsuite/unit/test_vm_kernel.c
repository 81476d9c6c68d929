/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which releases a short name stands for. */
/* link: runtime/vm/vm_kernel.c runtime/vm/vm_util.c runtime/vm/vm_frame.c */
#include "unit.h"
#include "vm.h"

TEST(short_names)
{
	CHECK(kernel_matches("6.1.0-57-amd64", "6.1"));
	CHECK(kernel_matches("6.1.0-57-amd64", "6.1.0-57-amd64"));
	CHECK(kernel_matches("6.12.117+deb12-amd64", "6.12"));
	CHECK(kernel_matches("6.12.117+deb12-amd64", NULL));
	CHECK(!kernel_matches("6.12.117+deb12-amd64", "6.1"));
	CHECK(!kernel_matches("6.1.0-57-amd64", "6.12"));
	CHECK(!kernel_matches("6.1.0-57-amd64", "5"));
}

RUN_TESTS()
