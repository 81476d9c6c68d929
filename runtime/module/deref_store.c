/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault-safe writes of words of kernel memory (deref.c). */
#include "deref_range.h"

#define STORE(type) do { \
	type v_ = v; \
	__put_kernel_nofault((void *)addr, &v_, type, fault); \
	pagefault_enable(); \
	return; \
} while (0)

void stp_store(struct stp_ctx *c, u64 addr, u32 size, u64 v)
{
	if (likely(kernel_range(addr, 8))) {
		pagefault_disable();
		switch (size) {
		case 8: STORE(u64);
		case 4: STORE(u32);
		case 2: STORE(u16);
		case 1: STORE(u8);
		}
fault:
		pagefault_enable();
	}
	stp_fault(c, "kernel write", addr);
}
