/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault-safe reads of words of kernel memory (deref.c). */
#include "deref_range.h"

#define LOAD(type) do { \
	type v_; \
	__get_kernel_nofault(&v_, (const void *)addr, type, fault); \
	pagefault_enable(); \
	return v_; \
} while (0)

u64 stp_load(struct stp_ctx *c, u64 addr, u32 size)
{
	if (likely(kernel_range(addr, 8))) {
		pagefault_disable();
		switch (size) {
		case 8: LOAD(u64);
		case 4: LOAD(u32);
		case 2: LOAD(u16);
		case 1: LOAD(u8);
		}
fault:
		pagefault_enable();
	}
	stp_fault(c, "kernel read", addr);
	return 0;
}
